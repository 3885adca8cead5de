// The pools of devices: how many devices each has, and how many are allocated, unavailable and
// available. They tell which devices there are, not why an object waits.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "client/request/rest_client.hpp"
#include "controllers/resource_pool_status/rules/pool_inputs.hpp"
#include "explain/outcome.hpp"
#include "explain/render.hpp"
#include "runtime/deadline.hpp"
#include "runtime/time.hpp"

namespace dcm::explain {

struct PoolQuestion {
  resource_pool_status::PoolFilter filter = {};
  Format format = Format::text;
  runtime::Deadline deadline = {};
};

// Whether the words of a command line ask for pools: {"pool"}, {"pools", …}, {"pool/…"}.
bool asks_for_pools(const std::vector<std::string>& words);
// {"pool"}: all; {"pool", "gpu.example.com"}: one driver's; {"pool", "gpu.example.com/node-1"}
// or {"pool/gpu.example.com/node-1"}: one. A pool's name may contain slashes, a driver's not.
// Errors: configuration, in one line.
runtime::Result<resource_pool_status::PoolFilter> pools_from_words(
    const std::vector<std::string>& words);

// Reads the slices, claims and rules once. If one of them cannot be read, there is no answer, as
// each number would be wrong. Both references must outlive the task.
runtime::Task<ExplainOutcome> explain_pools(client::RestClient& rest, runtime::TimeSource& time,
                                            PoolQuestion question);

// As a table followed by special facts about pools, or as JSON: each pool as in the status of a
// ResourcePoolStatusRequest.
std::string render_pools(std::span<const api::PoolStatus> pools, runtime::WallTime at,
                         Format format);

}  // namespace dcm::explain
