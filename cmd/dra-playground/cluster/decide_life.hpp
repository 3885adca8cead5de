// Decides what a hollow node does next with a pod: pure.
//
// The life of a pod: it starts when all its claims are allocated and reserved for it (the promise
// that DRA gives a kubelet), ends as its annotations say, and after a delete stays until it has
// stopped.
#pragma once

#include <variant>

#include "cmd/dra-playground/objects/objects.hpp"

namespace dcm::playground {

enum class ClaimsReady : std::uint8_t { no, yes };

struct PodTimes {
  Duration running{0};   // since it was started
  Duration stopping{0};  // since its delete was seen
};

// Nothing to do until something changes.
struct Idle {
  friend bool operator==(const Idle&, const Idle&) = default;
};
struct LookAgain {
  Duration after;
  friend bool operator==(const LookAgain&, const LookAgain&) = default;
};
struct Start {
  friend bool operator==(const Start&, const Start&) = default;
};
struct Finish {
  api::PodPhase phase;
  friend bool operator==(const Finish&, const Finish&) = default;
};
// The pod has stopped: its object may go.
struct Remove {
  friend bool operator==(const Remove&, const Remove&) = default;
};
using LifeStep = std::variant<Idle, LookAgain, Start, Finish, Remove>;

// Requires a pod that is bound.
LifeStep decide_life(const Pod& pod, ClaimsReady claims, const PodTimes& times);

}  // namespace dcm::playground
