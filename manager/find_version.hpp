// Waits until a kind is served.
#pragma once

#include <chrono>
#include <optional>
#include <string>

#include "client/discovery/discovery.hpp"
#include "manager/process.hpp"
#include "runtime/task.hpp"

namespace dcm::manager {

// A lasting fault is logged this often.
inline constexpr runtime::Duration kRepeatInterval = std::chrono::minutes(5);

// What the API server serves of these kinds; unknown after 30 s. All references must outlive it.
runtime::Task<client::Availability> ask_once(client::Discovery& discovery,
                                             runtime::TimeSource& time, client::KindSet kinds);

// Returns the best version that is served. Until then, `why_not_served` is the reason.
// All references must outlive it.
runtime::Task<std::string> find_version(client::Discovery& discovery, const Process& process,
                                        const api::ResourceKind& kind,
                                        std::optional<runtime::Problem>& why_not_served);

}  // namespace dcm::manager
