// Requests for the status of pools (KEP-5677).
#include <string>
#include <utility>

#include <fmt/format.h>

#include "test/conformance/eviction_case.hpp"
#include "test/conformance/served.hpp"

namespace dcm::conformance {
namespace {

constexpr const char* kRequests = "/apis/resource.k8s.io/v1alpha3/resourcepoolstatusrequests";
constexpr const char* kStatus = "/resourcepoolstatusrequests/[^/?]+/status";
constexpr const char* kOn = "--feature-gates=DRAResourcePoolStatus=true";

class PoolStatus : public EvictionCase {
 protected:
  PoolStatus() {
    if (!is_served(kube(), "resource.k8s.io", "v1alpha3", "resourcepoolstatusrequests")) {
      skip("this server serves no ResourcePoolStatusRequests in v1alpha3");
    }
    grant("pool-status");
  }
  ~PoolStatus() override {
    const json::value list = kube().must_get(kRequests);
    for (const json::value& request : at(list, "/items").as_array()) {
      kube().remove(fmt::format("{}/{}", kRequests, text_at(request, "/metadata/name")));
    }
  }

  void start() { start_manager({kOn, "--controllers=resourcepoolstatusrequest-controller"}); }

  // Asks for the pools of the case's driver.
  void ask(const std::string& name, json::object spec = {}) {
    spec["driver"] = driver();
    kube().must_post(kRequests, {{"apiVersion", "resource.k8s.io/v1alpha3"},
                                 {"kind", "ResourcePoolStatusRequest"},
                                 {"metadata", {{"name", ns() + "-" + name}}},
                                 {"spec", std::move(spec)}});
  }
  json::value request(const std::string& name) {
    return kube().must_get(fmt::format("{}/{}-{}", kRequests, ns(), name));
  }
  // One line each: "node-a: 3 = 1 + 1 + 1" (allocated, unavailable, available); then the condition.
  std::string answer(const std::string& name) {
    const json::value object = request(name);
    std::string text;
    const json::value& pools = at(object, "/status/pools");
    for (const json::value& pool : pools.is_array() ? pools.as_array() : json::array()) {
      text += text_at(pool, "/poolName") + ": ";
      const auto number = [&](const char* field) {
        const json::value& value = at(pool, field);
        return value.is_int64() ? std::to_string(value.get_int64()) : std::string("?");
      };
      text += fmt::format("{} = {} + {} + {}", number("/totalDevices"), number("/allocatedDevices"),
                          number("/unavailableDevices"), number("/availableDevices"));
      const std::string error = text_at(pool, "/validationError");
      text += error.empty() ? "\n" : " " + error.substr(0, error.find(':')) + "\n";
    }
    return text + text_at(object, "/status/conditions/0/message");
  }
  void answered(const std::string& name, const std::string& expected) {
    std::string text;
    EXPECT_TRUE(soon("request " + name + " is answered", [&] {
      text = answer(name);
      return !text.empty();
    }));
    EXPECT_EQ(text, expected);
  }
};

TEST_F(PoolStatus, counts_available_devices) {
  publish("a", {.pool = "node-a", .taints = {taint("broken", "NoSchedule")}});
  publish("b", {.pool = "node-b"});
  publish("c", {.pool = "node-c"});
  create_user("p", {{.pool = "node-b"}});
  start();
  ask("r");
  answered("r",
           "node-a: 1 = 0 + 1 + 0\nnode-b: 1 = 1 + 0 + 0\nnode-c: 1 = 0 + 0 + 1\n"
           "Calculated status for 3 pools");
  EXPECT_EQ(at(request("r"), "/status/poolCount"), json::value(3));
}

TEST_F(PoolStatus, selects_one_pool_or_limited_number) {
  publish("a", {.pool = "node-a"});
  publish("b", {.pool = "node-b"});
  start();
  ask("one", {{"poolName", "node-b"}});
  ask("limited", {{"limit", 1}});
  answered("one", "node-b: 1 = 0 + 0 + 1\nCalculated status for 1 pools");
  answered("limited", "node-a: 1 = 0 + 0 + 1\nCalculated status for 1 pools");
  EXPECT_EQ(at(request("limited"), "/status/poolCount"), json::value(2));
}

TEST_F(PoolStatus, answers_requests_older_than_manager) {
  publish("a", {.pool = "node-a"});
  ask("r");
  start();
  answered("r", "node-a: 1 = 0 + 0 + 1\nCalculated status for 1 pools");
}

TEST_F(PoolStatus, counts_allocated_tainted_device_once) {
  reference("subtracts the device twice");
  publish("a", {.pool = "node-a", .taints = {taint("broken", "NoSchedule")}});
  create_user("p", {{.pool = "node-a"}});
  start();
  ask("r");
  answered("r", "node-a: 1 = 1 + 0 + 0\nCalculated status for 1 pools");
}

TEST_F(PoolStatus, ignores_allocations_of_unpublished_devices) {
  reference("counts them");
  publish("a", {.pool = "node-a"});
  create_user("p", {{.pool = "node-a", .name = "withdrawn"}});
  start();
  ask("r");
  answered("r", "node-a: 1 = 0 + 0 + 1\nCalculated status for 1 pools");
}

TEST_F(PoolStatus, waits_for_missing_slice) {
  reference("gives up after five retries within a second, and the slice wakes nobody");
  publish("a", {.pool = "node-a", .device = "gpu-0", .slices_in_pool = 2});
  faults();
  start();
  ask("r");
  EXPECT_TRUE(soon("the manager has looked for slices",
                   [&] { return faults().count("GET", "/resourceslices\\?.*spec.driver") > 0; }));
  publish("b", {.pool = "node-a", .device = "gpu-1", .slices_in_pool = 2});
  answered("r", "node-a: 2 = 0 + 0 + 2\nCalculated status for 1 pools");
}

TEST_F(PoolStatus, reports_missing_slice_after_timeout) {
  reference("gives up after five retries, and the request stays without a status for a day");
  publish("a", {.pool = "node-a", .slices_in_pool = 2});
  start();
  ask("r");
  patience(std::chrono::seconds(60));
  answered("r",
           "node-a: ? = ? + ? + ? PoolIncomplete\nCalculated status for 1 pools (1 incomplete)");
}

TEST_F(PoolStatus, supports_pools_of_generation_0) {
  reference("sends generation 0, which the API server refuses, and drops the request");
  publish("a", {.pool = "node-a", .generation = 0});
  start();
  ask("r");
  answered("r",
           "node-a: 1 = 0 + 0 + 1\nCalculated status for 1 pools; generation 0 is shown as 1, the "
           "lowest that the API server accepts");
}

TEST_F(PoolStatus, survives_lost_answer) {
  publish("a", {.pool = "node-a"});
  faults().add(
      {.method = kWrite, .target = kStatus, .times = 1, .fault = {.kind = FaultKind::drop_answer}});
  start();
  ask("r");
  answered("r", "node-a: 1 = 0 + 0 + 1\nCalculated status for 1 pools");
  EXPECT_EQ(at(request("r"), "/status/conditions").as_array().size(), 1U);
}

}  // namespace
}  // namespace dcm::conformance
