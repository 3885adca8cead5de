// Conditions that drivers set on allocated devices before the pod may be bound (KEP-5007).
#pragma once

#include <string>

#include "playground/objects/objects.hpp"
#include "runtime/time.hpp"

namespace dcm::playground {

struct BindingState {
  enum class Kind : std::uint8_t {
    ready,    // nothing to wait for, or all conditions are True
    waiting,  // until `deadline`
    failed,   // by a condition, or too late: gives up the devices; see `why`
  };
  Kind kind = Kind::ready;
  std::string why = {};  // in kube-scheduler's words
  runtime::WallTime deadline = {};
};

// The state of an allocated claim. The time for its conditions begins with the allocation, or with
// the wait, whichever is earlier: not every allocation says when it was made, and the API server
// refuses to add that later.
BindingState binding_state_of(const Claim& claim, runtime::WallTime now,
                              runtime::WallTime waiting_since);

}  // namespace dcm::playground
