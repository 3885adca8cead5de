#include "node/claims/allocation.hpp"

#include <algorithm>
#include <cstddef>

#include <boost/json/parse.hpp>

namespace dcm::node {
namespace {

namespace json = boost::json;

std::string text_of(const json::object& object, std::string_view key) {
  const json::value* const text = object.if_contains(key);
  return text != nullptr && text->is_string() ? std::string(text->as_string()) : std::string();
}

AllocationResult read_result(const json::object& result) {
  AllocationResult read{.device = {text_of(result, "driver"), text_of(result, "pool"),
                                   text_of(result, "device"), text_of(result, "shareID")}};
  const json::value* const skipped = result.if_contains("skipNodeOperations");
  if (skipped == nullptr || !skipped->is_array()) return read;
  for (const json::value& operation : skipped->get_array()) {
    if (operation.is_string()) read.skip_operations.emplace_back(operation.get_string());
  }
  return read;
}

struct Counts {
  std::size_t results = 0;
  std::size_t all = 0;  // results that skip everything
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
  boost::system::error_code problem;
  const json::value whole = json::parse(claim, problem);
  const json::value* const list = whole.find_pointer("/status/allocation/devices/results", problem);
  if (list == nullptr || !list->is_array()) return results;
  for (const json::value& result : list->get_array()) {
    if (result.is_object()) results.push_back(read_result(result.get_object()));
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
