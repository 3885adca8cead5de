// Decides what a hollow node does next with a pod: pure.
//
// The life of a pod: it starts when all its claims are allocated and reserved for it (as DRA
// guarantees to kubelet), and ends by its annotations, its deadline, or a delete. Only when all its
// containers have ended, and its status says how, is its object deleted.
#pragma once

#include <variant>

#include "playground/objects/objects.hpp"

namespace dcm::playground {

enum class ClaimsReady : std::uint8_t { no, yes };

struct PodTimes {
  Duration running{0};   // since it was started
  Duration stopping{0};  // since its delete was seen
  Duration active{0};    // since its status.startTime
};

// How the containers of a pod have ended.
enum class Ending : std::uint8_t {
  completed,          // by themselves, with exit code 0
  failed,             // by themselves, with exit code 1
  terminated,         // by SIGTERM, within their grace period
  killed,             // by SIGKILL at the end of it
  deadline_exceeded,  // by SIGTERM, because of activeDeadlineSeconds
  lost,               // the node has restarted, and does not restart them
  never_started,
};

// The containers of a running pod: all of them start, crash and restart together.
struct Containers {
  int restarts = 0;
  Duration started{0};                  // since the pod's start
  std::optional<Duration> ended = {};   // their last end: before the last start, or before the wait
  std::optional<Duration> waits_for{};  // they wait this long before restarting
  std::optional<Duration> next = {};    // when this changes by itself
  friend bool operator==(const Containers&, const Containers&) = default;
};
// Their state after the pod has run for that time, if they crash: kubelet restarts them at once,
// then after 10 s, 20 s, … up to 5 minutes, counted from the crash; after a run of 10 minutes, at
// once again.
Containers containers_after(Duration running, std::optional<Duration> crash_after);

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
  Ending ending;
  friend bool operator==(const Finish&, const Finish&) = default;
};
// The pod has stopped, and its status says so: its object may be deleted.
struct Remove {
  friend bool operator==(const Remove&, const Remove&) = default;
};
using LifeStep = std::variant<Idle, LookAgain, Start, Finish, Remove>;

// Requires a bound pod.
LifeStep decide_life(const Pod& pod, ClaimsReady claims, const PodTimes& times);

}  // namespace dcm::playground
