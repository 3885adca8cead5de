// A claim's allocation as the node sees it: its drivers, and which calls they may skip.
#pragma once

#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "client/api/decoder.hpp"
#include "controllers/api/resource_claim.hpp"
#include "node/checkpoint/entry.hpp"

namespace dcm::node {

// An entry of status.allocation.devices.results.
struct AllocationResult {
  DeviceKey device;
  std::vector<std::string> skip_operations = {};  // skipNodeOperations
};

// A claim as the API server has just returned it.
struct ClaimView {
  api::ObjectPtr<api::ResourceClaim> claim;
  std::vector<AllocationResult> results;
};

// Reads a claim in JSON. Anything invalid is ignored.
std::vector<AllocationResult> allocation_results(std::string_view claim);

inline constexpr std::string_view kSkipAll = "*";
inline constexpr std::string_view kSkipPrepare = "NodePrepareResources";
inline constexpr std::string_view kSkipUnprepare = "NodeUnprepareResources";

// A driver is skipped if all of its results say so (KEP: DRAOptionalNodeOperations).
std::map<std::string, DriverState> driver_states(const std::vector<AllocationResult>& results);
bool skips(const DriverState& state, std::string_view operation);

std::set<DeviceKey> allocated_devices(const std::vector<AllocationResult>& results);

}  // namespace dcm::node
