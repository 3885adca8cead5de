// Whether the caches and queues of a program make progress: why they are not ready, and what is
// stuck so that only a restart helps.
//
// Any answer of the process shows that its loop runs. An unreachable cluster, or one that refuses
// us, is no reason to restart: those parts report it themselves, and continue.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>

#include "informers/sync_state.hpp"
#include "runtime/problem.hpp"
#include "workqueue/scheduler.hpp"

namespace dcm::manager {

// A watch brings a bookmark a minute. If a healthy watch is silent for this long, it has lost its
// connection without noticing.
inline constexpr runtime::Duration kSilenceMax = std::chrono::minutes(15);
// A cache or lease that was in order may fail for this long: a restarting server, or a broken
// connection, does not make the process unready.
inline constexpr runtime::Duration kFailingMax = std::chrono::seconds(10);
// Every request has a far earlier deadline, so a worker that takes longer is stuck.
inline constexpr runtime::Duration kWorkMax = std::chrono::minutes(15);

// The reason in one line; nullopt if it makes progress, or reports the reason itself.
std::optional<std::string> why_stuck(const informers::SyncState& cache);
std::optional<std::string> why_stuck(std::string_view queue, const workqueue::Load& load);

// nullopt if it has all objects, and follows their changes.
std::optional<runtime::Problem> why_incomplete(const informers::SyncState& cache);

}  // namespace dcm::manager
