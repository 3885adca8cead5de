// Counts what a rule with effect None would do with effect NoExecute.
#pragma once

#include <cstddef>
#include <unordered_set>

#include "controllers/device_taint_eviction/rules/decide_condition.hpp"
#include "controllers/device_taint_eviction/state/allocated_devices.hpp"
#include "controllers/device_taint_eviction/state/lookup.hpp"
#include "controllers/device_taint_eviction/state/published_devices.hpp"
#include "controllers/device_taint_eviction/state/taint_rules.hpp"
#include "runtime/sharded_map.hpp"

namespace dcm::device_taint_eviction {

// Counts the effect of a rule with effect None, in slices: walks over the devices that one state of
// the rule selects. Changes during the walk may or may not be counted. Copies only the UIDs of
// counted pods, to count each once.
class PreviewCount {
 public:
  explicit PreviewCount(RulePtr rule);

  // Examines about `limit` allocated devices and consumers of claims (it may exceed that by those
  // of one claim), or a part of the pools. Returns whether there is more to do.
  bool advance(const PublishedDevices& published, const AllocatedDevices& allocated,
               const Lookup& lookup, std::size_t limit);
  // Requires that there is nothing left to do.
  Preview finish() const;

 private:
  // Returns the number of consumers looked at.
  std::size_t count(const AllocatedDevices::Use& use, const Lookup& lookup);

  RulePtr rule_;
  api::DeviceTaint taint_;  // as it would be with effect NoExecute
  AllocatedDevices::Walk walk_;
  ClaimPtr last_;  // whose consumers were counted; devices of one claim are usually neighbours
  bool has_walked_ = false;
  std::size_t parts_done_ = 0;  // of the pools, and of pods_, which is no longer needed
  Preview preview_;
  runtime::ShardedSet<api::Uid> pods_;
  std::unordered_set<api::InternedString> namespaces_;
};

}  // namespace dcm::device_taint_eviction
