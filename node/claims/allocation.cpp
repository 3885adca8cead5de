#include "node/claims/allocation.hpp"

#include <algorithm>
#include <cstddef>

#include <simdjson.h>

namespace dcm::node {
namespace {

namespace dom = simdjson::dom;

std::string text_of(const dom::object& object, std::string_view key) {
  std::string_view text;
  [[maybe_unused]] const auto absent = object[key].get(text);
  return std::string(text);
}

AllocationResult read_result(const dom::object& result) {
  bool is_admin = false;
  [[maybe_unused]] const auto absent = result["adminAccess"].get(is_admin);
  AllocationResult read{.device = {text_of(result, "driver"), text_of(result, "pool"),
                                   text_of(result, "device"), text_of(result, "shareID"),
                                   is_admin}};
  dom::array skipped;
  if (result["skipNodeOperations"].get(skipped) != simdjson::SUCCESS) return read;
  for (const dom::element operation : skipped) {
    std::string_view name;
    if (operation.get(name) == simdjson::SUCCESS) read.skip_operations.emplace_back(name);
  }
  return read;
}

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
  std::vector<AllocationResult> results;
  dom::parser parser;
  dom::array list;
  if (parser.parse(claim.data(), claim.size())
          .at_pointer("/status/allocation/devices/results")
          .get(list) != simdjson::SUCCESS) {
    return results;
  }
  for (const dom::element each : list) {
    dom::object result;
    if (each.get(result) == simdjson::SUCCESS) results.push_back(read_result(result));
  }
  return results;
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
