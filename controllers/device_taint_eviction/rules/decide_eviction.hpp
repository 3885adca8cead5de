// The next step of a worker for a pod that was due (KEP-5055, KEP-3329). Pure, step by step: the
// caller carries the step out and asks again.
#pragma once

#include <cstdint>
#include <optional>

#include "client/api/meta.hpp"
#include "controllers/api/encode_device_taint.hpp"
#include "controllers/device_taint_eviction/rules/decide_due.hpp"

namespace dcm::device_taint_eviction {

// How pods are evicted.
enum class EvictionMode : std::uint8_t {
  remove,  // DELETE, after the condition DisruptionTarget: immediately, as in
           // kube-controller-manager
  evict,   // the Eviction API, which honours PodDisruptionBudgets and sets the condition itself
};

struct EvictionSnapshot {
  PodPtr pod;    // from the cache, by name; null: gone
  api::Uid uid;  // of the intended pod
  std::optional<WallTime> due;
  WallTime now;
  EvictionMode mode = EvictionMode::remove;
  // Whether this attempt has written the condition. Then it counts even if a webhook has removed
  // it.
  enum class Mark : std::uint8_t { not_written, written } mark{};
};

enum class EvictionStep : std::uint8_t {
  nothing,   // it is gone, will go, may stay, or is done
  wait,      // it is not due yet
  mark,      // write the condition, with a new time
  mark_too,  // write the condition over one that is True for another reason: its time stays
  remove,    // DELETE
  evict,     // create an Eviction
};

EvictionStep decide_eviction(const EvictionSnapshot& snapshot);

}  // namespace dcm::device_taint_eviction
