// The results of node/driver_kit for pools, for kit_slices_test.py: one line of JSON for each
// input, {"problem": "…"} or {"slices": […]}.
#include <iostream>
#include <string>

#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>

#include "node/driver_kit/checks/pools.hpp"
#include "node/driver_kit/json.hpp"
#include "node/driver_kit/slices/plan.hpp"

namespace dcm::driver_kit {
namespace {

namespace json = boost::json;

std::vector<json::object> objects_at(const json::value& whole, std::string_view pointer) {
  std::vector<json::object> found;
  for (const json::value& each : array_at(whole, pointer)) {
    found.push_back(each.is_object() ? each.get_object() : json::object());
  }
  return found;
}

DevicePool pool_of(const json::value& wanted) {
  DevicePool pool{.name = text_at(wanted, "/name"),
                  .devices = objects_at(wanted, "/devices"),
                  .shared_counters = objects_at(wanted, "/sharedCounters")};
  const json::value* const more = find_at(wanted, "/more");
  if (more != nullptr && more->is_object()) pool.more = more->get_object();
  for (const json::value& slice : array_at(wanted, "/layout")) {
    pool.layout.push_back({.devices = objects_at(slice, "/devices"),
                           .shared_counters = objects_at(slice, "/sharedCounters")});
  }
  return pool;
}

json::object answer_to(const json::value& wanted) {
  const SliceOwner owner{.driver = text_at(wanted, "/driver"),
                         .node = text_at(wanted, "/node"),
                         .node_uid = text_at(wanted, "/nodeUID")};
  const std::vector<DevicePool> pools{pool_of(wanted)};
  const SlicePlan plan = plan_slices(owner, pools, {}, {});
  json::object answer{{"slices", json::array(plan.creates.begin(), plan.creates.end())}};
  if (const auto problem = problem_of(owner, pools)) answer["problem"] = *problem;
  return answer;
}

}  // namespace
}  // namespace dcm::driver_kit

int main() {
  std::string line;
  while (std::getline(std::cin, line)) {
    std::cout << boost::json::serialize(dcm::driver_kit::answer_to(boost::json::parse(line)))
              << std::endl;
  }
}
