#include "node/claims/allocation.hpp"

#include <algorithm>
#include <cstddef>
#include <utility>

#include "client/api/json/document.hpp"
#include "client/api/json/source.hpp"
#include "controllers/api/fields/parts.hpp"

namespace dcm::node {
namespace {

using api::row;
using api::rows;
using api::json::Source;

bool read_skipped(const Source& from, AllocationResult& result) {
  return from.each_item([&](const Source& item) {
    std::string_view name;
    if (item.text(name) && !name.empty()) result.skip_operations.emplace_back(name);
    return true;
  });
}

constexpr auto kResult =
    api::result(&AllocationResult::device,
                row<"shareID">(api::at(&AllocationResult::device, &DeviceKey::share_id)),
                row<"adminAccess">(api::at(&AllocationResult::device, &DeviceKey::is_admin)),
                row<"skipNodeOperations">(&read_skipped));

struct Results {
  std::vector<AllocationResult> all;
};

bool read_results(const Source& from, Results& results) {
  return from.each_item([&](const Source& item) {
    AllocationResult result;
    if (read_fields(item, result, kResult)) results.all.push_back(std::move(result));
    return true;
  });
}

constexpr auto kClaim = rows(row<"status">(
    rows(row<"allocation">(rows(row<"devices">(rows(row<"results">(&read_results))))))));

struct Counts {
  std::size_t results = 0;
  std::size_t all = 0;  // results in which everything is skipped
  std::map<std::string, std::size_t> by_operation;
};

std::vector<std::string> skipped_by_all(const Counts& counts) {
  if (counts.all == counts.results) return {std::string(kSkipAll)};
  std::vector<std::string> operations;
  for (const auto& [operation, count] : counts.by_operation) {
    if (count + counts.all == counts.results) operations.push_back(operation);
  }
  return operations;
}

}  // namespace

std::vector<AllocationResult> allocation_results(std::string_view claim) {
  api::json::Document document(claim);
  Results results;
  const bool is_read = document.each_field([&](std::string_view key, api::json::value field) {
    return read_field(kClaim, key, Source(document.reader(), field), results);
  });
  return is_read ? std::move(results.all) : std::vector<AllocationResult>();
}

std::map<std::string, DriverState> driver_states(const std::vector<AllocationResult>& results) {
  std::map<std::string, Counts> by_driver;
  for (const AllocationResult& result : results) {
    Counts& counts = by_driver[result.device.driver];
    ++counts.results;
    if (std::ranges::find(result.skip_operations, kSkipAll) != result.skip_operations.end()) {
      ++counts.all;
      continue;
    }
    for (const std::string& operation : result.skip_operations) ++counts.by_operation[operation];
  }
  std::map<std::string, DriverState> states;
  for (const auto& [driver, counts] : by_driver) {
    states[driver].skip_operations = skipped_by_all(counts);
  }
  return states;
}

bool skips(const DriverState& state, std::string_view operation) {
  return std::ranges::any_of(state.skip_operations, [&](const std::string& skipped) {
    return skipped == kSkipAll || skipped == operation;
  });
}

std::set<DeviceKey> allocated_devices(const std::vector<AllocationResult>& results) {
  std::set<DeviceKey> devices;
  for (const AllocationResult& result : results) devices.insert(result.device);
  return devices;
}

}  // namespace dcm::node
