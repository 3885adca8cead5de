// The controller on virtual time, with its caches and requests, against the API server in memory.
#include <chrono>
#include <memory>
#include <optional>
#include <string>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "client/discovery/discovery.hpp"
#include "controllers/api/decoders.hpp"
#include "controllers/api/resources.hpp"
#include "controllers/resource_pool_status/api/api_client.hpp"
#include "controllers/resource_pool_status/api/shadow_api.hpp"
#include "controllers/resource_pool_status/controller.hpp"
#include "manager/cache.hpp"
#include "runtime/task_group.hpp"
#include "test/support/virtual_cluster.hpp"

namespace dcm::resource_pool_status {
namespace {

using namespace std::chrono_literals;
using apiserver::Answer;
using testing::HasSubstr;
using testing::StartsWith;

const std::string kAlpha = "/apis/resource.k8s.io/v1alpha3/resourcepoolstatusrequests";
const std::string kV1 = "/apis/resource.k8s.io/v1/";

enum class Role : std::uint8_t { works, stands_by, dry_run };

// A manager's process with only this controller.
class Process {
 public:
  Process(test::VirtualCluster& cluster, Role role)
      : cluster_(cluster),
        role_(role),
        requests_(cluster.rest(),
                  client::resource_of(api::kResourcePoolStatusRequests, {"v1alpha3"}),
                  api::make_json_pool_status_request_decoder(), cluster.process()),
        slices_(cluster.rest(), client::resource_of(api::kResourceSlices, {"v1"}),
                api::make_json_slice_decoder("v1"), cluster.process()),
        client_(cluster.rest(), requests_.resource(), requests_.decoder(), TaintRules::count),
        expectations_({.time = cluster.time(),
                       .metrics = cluster.process().metrics,
                       .log = cluster.process().log,
                       .is_watching = [] { return true; }},
                      "resourcepoolstatusrequest-controller", ShadowApi::kWrites, 30s),
        shadow_(
            client_, [this](const auto& key) { return requests_.get(key); }, expectations_),
        controller_({.requests = requests_.reader(),
                     .own_requests = requests_.informer().own_writes(),
                     .api = role == Role::dry_run ? static_cast<PoolStatusApi&>(shadow_) : client_,
                     .time = cluster.time(),
                     .metrics = cluster.process().metrics,
                     .log = cluster.process().log}),
        tasks_(cluster.loop().executor()) {
    controller_.observe(requests_.informer(), slices_.informer());
    tasks_.spawn("requests", requests_.informer().run());
    tasks_.spawn("slices", slices_.informer().run());
    tasks_.spawn("controller", work());
    tasks_.spawn("dry run", expectations_.run());
  }
  ~Process() { cluster_.loop().run(end()); }
  Process(const Process&) = delete;
  Process& operator=(const Process&) = delete;

 private:
  Task<> work() {
    co_await informers::wait_for_sync({&requests_.sync(), &slices_.sync()});
    if (role_ != Role::stands_by) co_await controller_.run();
  }
  Task<> end() {
    controller_.stop();
    tasks_.cancel();
    co_await tasks_.join();
  }

  test::VirtualCluster& cluster_;
  Role role_;
  manager::Cache<api::ResourcePoolStatusRequest> requests_;
  manager::Cache<api::ResourceSlice> slices_;
  ApiClient client_;
  common::Expectations expectations_;
  ShadowApi shadow_;
  Controller controller_;
  runtime::TaskGroup tasks_;
};

class PoolStatusController : public testing::Test {
 protected:
  void start(Role role = Role::works) {
    process_.reset();
    process_ = std::make_unique<Process>(cluster_, role);
    cluster_.run_for(1s);
  }

  void ask(const std::string& name, const std::string& spec = R"("driver":"gpu.example.com")") {
    const Answer answer = cluster_.api().post(
        kAlpha, fmt::format(R"({{"metadata":{{"name":"{}"}},"spec":{{{}}}}})", name, spec));
    ASSERT_TRUE(answer.ok()) << apiserver::serialize(answer.body);
  }
  Answer get(const std::string& name) { return cluster_.api().get(kAlpha + "/" + name); }
  std::string message(const std::string& name) {
    const Answer answer = get(name);
    const auto& conditions = apiserver::array_at(answer.body, {"status", "conditions"});
    if (conditions.size() != 1) return fmt::format("{} conditions", conditions.size());
    const auto& condition = conditions[0].as_object();
    return fmt::format("{}, {}: {}", apiserver::text_at(condition, {"type"}),
                       apiserver::text_at(condition, {"reason"}),
                       apiserver::text_at(condition, {"message"}));
  }
  std::string pools(const std::string& name) {
    const Answer answer = get(name);
    const apiserver::Json* const pools = apiserver::find(answer.body, {"status", "pools"});
    return pools == nullptr ? "" : apiserver::serialize(*pools);
  }

  // One of the pool's slices, with a device.
  void publish(const std::string& name, int slices_in_pool = 1, int generation = 1) {
    const Answer answer = cluster_.api().post(
        kV1 + "resourceslices",
        fmt::format(R"({{"metadata":{{"name":"{}"}},"spec":{{"driver":"gpu.example.com",)"
                    R"("nodeName":"n","pool":{{"name":"n","generation":{},)"
                    R"("resourceSliceCount":{}}},"devices":[{{"name":"{}"}}]}}}})",
                    name, generation, slices_in_pool, name));
    ASSERT_TRUE(answer.ok()) << apiserver::serialize(answer.body);
  }
  // Answers requests of a verb for a resource.
  void refuse(const std::string& verb, const std::string& resource, int status = 403,
              const std::string& reason = "Forbidden") {
    cluster_.server().before(
        [=](const apiserver::LoggedRequest& request) -> std::optional<apiserver::Response> {
          if (request.verb != verb || request.resource != resource) return std::nullopt;
          return apiserver::Response{status,
                                     {},
                                     fmt::format(R"({{"kind":"Status","status":"Failure",)"
                                                 R"("message":"no","reason":"{}","code":{}}})",
                                                 reason, status)};
        });
  }
  void admit() { cluster_.server().before({}); }
  std::size_t writes() const { return cluster_log().count("patch", "resourcepoolstatusrequests"); }
  const apiserver::RequestLog& cluster_log() const { return server_.log(); }

  test::VirtualCluster cluster_{{.served = {.pool_status_requests = {"v1alpha3"}}}};
  apiserver::Server& server_ = cluster_.server();
  std::unique_ptr<Process> process_;
};

constexpr const char* kOneFree =
    R"([{"driver":"gpu.example.com","poolName":"n","generation":1,"nodeName":"n",)"
    R"("resourceSliceCount":1,"totalDevices":1,"allocatedDevices":0,"availableDevices":1,)"
    R"("unavailableDevices":0}])";

TEST_F(PoolStatusController, answers_with_driver_pools) {
  publish("a");
  start();
  ask("r");
  cluster_.run_for(1s);
  EXPECT_EQ(message("r"), "Complete, CalculationComplete: Calculated status for 1 pools");
  EXPECT_EQ(pools("r"), kOneFree);
  EXPECT_EQ(apiserver::integer_at(get("r").body, {"status", "poolCount"}), 1);
}

TEST_F(PoolStatusController, answers_once) {
  publish("a");
  start();
  ask("r");
  cluster_.run_for(30min);
  publish("b");
  start();
  cluster_.run_for(10min);
  EXPECT_EQ(writes(), 1U);
}

TEST_F(PoolStatusController, answers_requests_older_than_its_start) {
  publish("a");
  ask("r");
  start();
  EXPECT_EQ(pools("r"), kOneFree);
}

TEST_F(PoolStatusController, does_nothing_on_standby) {
  ask("r");
  start(Role::stands_by);
  cluster_.run_for(2h);
  EXPECT_EQ(message("r"), "0 conditions");
}

// kube-controller-manager gives up after five retries, and a new slice wakes nothing.
TEST_F(PoolStatusController, waits_for_missing_slice) {
  publish("a", 2);
  start();
  ask("r");
  cluster_.run_for(10s);
  EXPECT_EQ(message("r"), "0 conditions");
  publish("b", 2);
  cluster_.run_for(2s);
  EXPECT_THAT(pools("r"), HasSubstr(R"("resourceSliceCount":2,"totalDevices":2)"));
}

TEST_F(PoolStatusController, reports_missing_slices_after_half_a_minute) {
  publish("a", 2);
  start();
  ask("r");
  cluster_.run_for(29s);
  EXPECT_EQ(message("r"), "0 conditions");
  cluster_.run_for(2s);
  EXPECT_EQ(message("r"),
            "Complete, CalculationComplete: Calculated status for 1 pools (1 incomplete)");
  EXPECT_THAT(pools("r"), HasSubstr(R"("validationError":"PoolIncomplete: )"));
}

TEST_F(PoolStatusController, ignores_slices_of_other_drivers) {
  publish("a", 2);
  start();
  ask("r");
  cluster_.run_for(2s);
  const std::size_t before = cluster_log().count("list", "resourceslices");
  const Answer other = cluster_.api().post(
      kV1 + "resourceslices",
      R"({"metadata":{"name":"x"},"spec":{"driver":"nic.example.com","nodeName":"n",)"
      R"("pool":{"name":"n","generation":1,"resourceSliceCount":1}}})");
  ASSERT_TRUE(other.ok());
  cluster_.run_for(5s);
  EXPECT_EQ(cluster_log().count("list", "resourceslices"), before);
}

TEST_F(PoolStatusController, fails_request_if_listing_claims_is_forbidden) {
  publish("a");
  start();
  refuse("list", "resourceclaims");
  ask("r");
  cluster_.run_for(4min);
  EXPECT_EQ(message("r"), "0 conditions");
  cluster_.run_for(20min);
  EXPECT_THAT(message("r"),
              StartsWith("Failed, CalculationFailed: Failed to list ResourceClaims: "));
}

TEST_F(PoolStatusController, answers_once_listing_claims_is_permitted) {
  publish("a");
  start();
  refuse("list", "resourceclaims");
  ask("r");
  cluster_.run_for(1min);
  admit();
  cluster_.run_for(2min);
  EXPECT_EQ(pools("r"), kOneFree);
}

TEST_F(PoolStatusController, retries_refused_write) {
  publish("a");
  start();
  refuse("patch", "resourcepoolstatusrequests", 500, "InternalError");
  ask("r");
  cluster_.run_for(1min);
  admit();
  cluster_.run_for(2min);
  EXPECT_EQ(pools("r"), kOneFree);
  EXPECT_THAT(cluster_.metrics(),
              HasSubstr("resourcepoolstatusrequest_controller_request_processing_errors_total{"
                        "driver_name=\"gpu.example.com\"}"));
}

TEST_F(PoolStatusController, accepts_answer_of_another_manager) {
  publish("a");
  start();
  refuse("list", "resourceclaims");
  ask("r");
  cluster_.run_for(1s);
  const Answer other = cluster_.api().patch(
      kAlpha + "/r/status", apiserver::kMerge,
      R"({"status":{"poolCount":0,"conditions":[{"type":"Complete","status":"True",)"
      R"("reason":"Other","message":"","lastTransitionTime":"2026-11-25T00:00:00Z"}]}})");
  ASSERT_TRUE(other.ok()) << apiserver::serialize(other.body);
  admit();
  cluster_.run_for(10min);
  EXPECT_EQ(message("r"), "Complete, Other: ");
  EXPECT_EQ(writes(), 1U);
}

// API servers refuse it: kube-controller-manager gives no answer if the driver has such a pool.
TEST_F(PoolStatusController, shows_generation_0_as_1) {
  publish("a", 1, 0);
  start();
  ask("r");
  cluster_.run_for(1s);
  EXPECT_THAT(message("r"), HasSubstr("generation 0 is shown as 1"));
  EXPECT_EQ(pools("r"), kOneFree);
  EXPECT_EQ(writes(), 2U);
  ask("s");
  cluster_.run_for(1s);
  EXPECT_EQ(pools("s"), kOneFree);
  EXPECT_EQ(writes(), 3U) << "it is not tried again";
}

TEST_F(PoolStatusController, counts_requests_by_driver) {
  start();
  ask("r");
  ask("s", R"("driver":"nic.example.com")");
  cluster_.run_for(1s);
  const std::string metrics = cluster_.metrics();
  for (const char* driver : {"gpu.example.com", "nic.example.com"}) {
    EXPECT_THAT(metrics, HasSubstr(fmt::format(
                             "resourcepoolstatusrequest_controller_requests_processed_total"
                             "{{driver_name=\"{}\"}} 1",
                             driver)));
  }
  EXPECT_THAT(metrics, HasSubstr("request_processing_duration_seconds_bucket{driver_name=\"gpu."
                                 "example.com\",le=\"16.384\"}"));
}

// ---- clean-up -----------------------------------------------------------------------------------

TEST_F(PoolStatusController, deletes_answered_request_after_an_hour) {
  start();
  ask("r");
  cluster_.run_for(59min);
  EXPECT_EQ(get("r").status, 200);
  cluster_.run_for(12min);
  EXPECT_EQ(get("r").status, 404);
}

TEST_F(PoolStatusController, deletes_pending_request_after_a_day) {
  start();
  refuse("patch", "resourcepoolstatusrequests", 500, "InternalError");
  ask("r");
  cluster_.run_for(23h);
  EXPECT_EQ(get("r").status, 200);
  cluster_.run_for(75min);
  EXPECT_EQ(get("r").status, 404);
}

TEST_F(PoolStatusController, deletes_by_uid) {
  start();
  ask("r");
  cluster_.run_for(1s);
  const std::string uid{get("r").uid()};
  std::string body;
  cluster_.server().before(
      [&](const apiserver::LoggedRequest& request) -> std::optional<apiserver::Response> {
        if (request.verb == "delete") body = request.body;
        return std::nullopt;
      });
  cluster_.run_for(75min);
  EXPECT_THAT(body, HasSubstr(uid));
}

// ---- a dry run ----------------------------------------------------------------------------------

TEST_F(PoolStatusController, writes_nothing_in_dry_run) {
  publish("a");
  start(Role::dry_run);
  ask("r");
  cluster_.run_for(2min);
  EXPECT_EQ(message("r"), "0 conditions");
  EXPECT_EQ(writes(), 0U);
  EXPECT_THAT(cluster_.log(), HasSubstr("Calculated status for 1 pools"));
}

}  // namespace
}  // namespace dcm::resource_pool_status
