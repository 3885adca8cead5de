// The scheduler's view of devices, updated from the caches: slices, allocated devices, taint rules,
// and the classes behind extended resources.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "allocation/allocator.hpp"
#include "allocation/extended_resources.hpp"
#include "client/api/decoder.hpp"
#include "controllers/api/device_taint_rule.hpp"
#include "playground/objects/objects.hpp"

namespace dcm::playground {

// Loop thread only.
class Devices {
 public:
  void observe_slice(const api::ObjectPtr<Slice>& before, const api::ObjectPtr<Slice>& after);
  void observe_rule(const api::ObjectPtr<api::DeviceTaintRule>& before,
                    const api::ObjectPtr<api::DeviceTaintRule>& after);
  void observe_class(const api::ObjectPtr<DeviceClass>& before,
                     const api::ObjectPtr<DeviceClass>& after);
  // A node was added, removed, or changed.
  void observe_node(const InternedString& node) { ++by_node_[node]; }

  // The devices of an allocation, in a claim or in flight; calls must be balanced.
  void take(const allocation::AllocationResult& allocation);
  void give_back(const allocation::AllocationResult& allocation);

  allocation::Cluster cluster() const { return {slices_, usage_, rules_, {}}; }

  // If this number changes, claims that did not fit the node before may fit it now.
  std::uint64_t version(const InternedString& node) const;

  // The class with that extendedResourceName; empty if none.
  std::string_view class_with_resource(const std::string& name) const;

  std::size_t published() const noexcept { return published_; }
  std::size_t in_use() const { return usage_.devices(); }

 private:
  struct ServesBefore {
    bool operator()(const api::ObjectPtr<DeviceClass>& a,
                    const api::ObjectPtr<DeviceClass>& b) const {
      return allocation::serves_before(*a, *b);
    }
  };

  void note_freed(const api::DeviceId& id);

  allocation::SliceIndex slices_;
  allocation::Usage usage_;
  std::map<std::string, allocation::TaintRule> rules_by_name_;
  std::vector<allocation::TaintRule> rules_;  // the values of rules_by_name_
  std::unordered_map<std::string, std::set<api::ObjectPtr<DeviceClass>, ServesBefore>>
      classes_by_resource_;
  std::size_t published_ = 0;
  std::uint64_t everywhere_ = 0;
  std::unordered_map<InternedString, std::uint64_t> by_node_;
};

}  // namespace dcm::playground
