// Whether a part of the process has stopped in a way that only a restart mends.
//
// An answer of the process shows that its loop turns. A cluster that is unreachable or refuses us
// is no reason to restart: those parts report it themselves, and continue.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "informers/sync_state.hpp"
#include "workqueue/scheduler.hpp"

namespace dcm::manager {

// A watch brings a bookmark a minute. If a healthy watch is silent for this long, it has lost its
// connection without noticing.
inline constexpr runtime::Duration kSilenceMax = std::chrono::minutes(15);
// Every request has a far earlier deadline, so a worker that takes longer waits for nothing.
inline constexpr runtime::Duration kWorkMax = std::chrono::minutes(15);

// Nothing: it makes progress, or says itself why not.
std::optional<std::string> why_stuck(const informers::SyncState& cache);
std::optional<std::string> why_stuck(std::string_view queue, const workqueue::Load& load);

}  // namespace dcm::manager
