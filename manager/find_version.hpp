// Waits until a kind is served.
#pragma once

#include <string>

#include "client/discovery/discovery.hpp"
#include "manager/process.hpp"
#include "runtime/task.hpp"

namespace dcm::manager {

// How long the API server may take to say what it serves.
inline constexpr runtime::Duration kDiscoveryTimeout = std::chrono::seconds(30);

// Returns the best version that is served. Until then, `why_not_served` is the reason, in one line.
// All references must outlive it.
runtime::Task<std::string> find_version(client::Discovery& discovery, const Process& process,
                                        const api::ResourceKind& kind, std::string& why_not_served);

}  // namespace dcm::manager
