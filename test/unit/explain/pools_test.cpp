// How many devices pools have: the words of a command line, the answer as text and JSON, and the
// reading of a cluster, against the API server in memory.
#include "explain/pools.hpp"

#include <chrono>
#include <string>
#include <vector>

#include <boost/json/parse.hpp>
#include <boost/json/value.hpp>
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "test/support/virtual_cluster.hpp"

namespace dcm::explain {
namespace {

using namespace std::chrono_literals;
namespace json = boost::json;
using testing::EndsWith;
using testing::HasSubstr;
using testing::StartsWith;

// ---- words --------------------------------------------------------------------------------------

struct Words {
  std::vector<std::string> words;
  const char* driver;
  const char* pool;
};

TEST(PoolsFromWords, takes_driver_and_pool) {
  for (const Words& row : std::vector<Words>{
           {{"pool"}, "", ""},
           {{"pools"}, "", ""},
           {{"pool", "gpu.example.com"}, "gpu.example.com", ""},
           {{"pool", "gpu.example.com/node-1"}, "gpu.example.com", "node-1"},
           {{"pool/gpu.example.com/node-1"}, "gpu.example.com", "node-1"},
           {{"pool", "gpu.example.com/rack-1/shelf-2"}, "gpu.example.com", "rack-1/shelf-2"},
       }) {
    const std::string text = fmt::format("{}", fmt::join(row.words, " "));
    EXPECT_TRUE(asks_for_pools(row.words)) << text;
    const auto filter = pools_from_words(row.words);
    ASSERT_TRUE(filter) << text;
    EXPECT_EQ(filter->driver, row.driver) << text;
    EXPECT_EQ(filter->pool, row.pool) << text;
  }
}

TEST(PoolsFromWords, rejects_invalid_names) {
  for (const std::vector<std::string>& words : std::vector<std::vector<std::string>>{
           {"pool", "a", "b"},
           {"pool/a", "b"},
           {"pool", "/node-1"},
           {"pool", "gpu.example.com/"},
           {"pool", "gpu,metadata.name=x"},
       }) {
    const auto filter = pools_from_words(words);
    ASSERT_FALSE(filter) << fmt::format("{}", fmt::join(words, " "));
    EXPECT_THAT(filter.error().message, StartsWith("expected pool, and perhaps a driver"));
  }
}

TEST(PoolsFromWords, rejects_other_kinds) {
  EXPECT_FALSE(asks_for_pools({}));
  EXPECT_FALSE(asks_for_pools({"pod", "pool"}));
  EXPECT_FALSE(asks_for_pools({"pod/pool"}));
}

// ---- the answer ---------------------------------------------------------------------------------

const runtime::WallTime kNow{std::chrono::hours(500'000)};

std::vector<api::PoolStatus> three_pools() {
  api::PoolStatus plain{.driver = "gpu.example.com", .pool = "node-1", .node = "node-1"};
  plain.totals = api::DeviceTotals{1, 8, 5, 1, 2};
  api::PoolStatus special{.driver = "nic.example.com", .pool = "rack", .generation = 7};
  special.totals = api::DeviceTotals{2, 3, 1, 0, 2};
  special.partitions = {{"nic.example.com/size", "Half", 2, 1}};
  special.shareable = api::ShareableStatus{1, 1, {{"bandwidth", "20G", "5G", "15G"}}};
  api::PoolStatus incomplete{.driver = "nic.example.com", .pool = "rack-2"};
  incomplete.validation_error =
      "PoolIncomplete: pool nic.example.com/rack-2 is incomplete: observed 1/2 slices at "
      "generation 4";
  return {plain, special, incomplete};
}

TEST(RenderPools, prints_table_with_details_below) {
  EXPECT_EQ(
      render_pools(three_pools(), kNow, Format::text),
      "POOL                    NODE    DEVICES  ALLOCATED  UNAVAILABLE  AVAILABLE\n"
      "gpu.example.com/node-1  node-1        8          5            1          2\n"
      "nic.example.com/rack    -             3          1            0          2\n"
      "nic.example.com/rack-2  -       incomplete\n"
      "\n"
      "nic.example.com/rack\n"
      "  partitions  1 of 2 Half can still be allocated (by nic.example.com/size)\n"
      "  shared      1 device without a share in use, 1 with one\n"
      "  shared      bandwidth: 5G of 20G consumed, 15G available\n"
      "\n"
      "nic.example.com/rack-2\n"
      "  problem     PoolIncomplete: pool nic.example.com/rack-2 is incomplete: observed 1/2 "
      "slices at\n"
      "              generation 4\n"
      "\n"
      "Counted at 2027-01-15T08:00:00Z. Unavailable: tainted with NoSchedule or NoExecute, and "
      "not allocated.\nAvailable partitions of a device may exclude each other.\n");
}

TEST(RenderPools, reports_missing_pools) {
  EXPECT_EQ(render_pools({}, kNow, Format::text),
            "No driver publishes devices: there are no ResourceSlices.\n");
}

TEST(RenderPools, prints_api_fields_in_json) {
  const std::string text = render_pools(three_pools(), kNow, Format::json);
  EXPECT_THAT(text, EndsWith("\n"));
  EXPECT_EQ(json::parse(text), json::parse(R"({"kind":"Pools","at":"2027-01-15T08:00:00Z","pools":[
      {"driver":"gpu.example.com","poolName":"node-1","generation":0,"nodeName":"node-1",
       "resourceSliceCount":1,"totalDevices":8,"allocatedDevices":5,"availableDevices":2,
       "unavailableDevices":1},
      {"driver":"nic.example.com","poolName":"rack","generation":7,
       "resourceSliceCount":2,"totalDevices":3,"allocatedDevices":1,"availableDevices":2,
       "unavailableDevices":0,
       "partitionSummary":[{"attribute":"nic.example.com/size","type":"Half","total":2,
                            "allocatable":1}],
       "shareableSummary":{"fullyAvailableDevices":1,"partiallyAvailableDevices":1,
          "capacity":[{"name":"bandwidth","total":"20G","consumed":"5G","available":"15G"}]}},
      {"driver":"nic.example.com","poolName":"rack-2","generation":0,
       "validationError":"PoolIncomplete: pool nic.example.com/rack-2 is incomplete: observed 1/2 slices at generation 4"}
      ]})"));
}

// ---- a cluster ----------------------------------------------------------------------------------

class ExplainPools : public testing::Test {
 protected:
  explicit ExplainPools(std::string version = "v1")
      : base_("/apis/resource.k8s.io/" + version + "/"),
        cluster_({.served = {.resource = {std::move(version)}}}) {}

  void post(const std::string& collection, const std::string& body) {
    const apiserver::Answer answer = cluster_.api().post(base_ + collection, body);
    ASSERT_TRUE(answer.ok()) << collection << apiserver::serialize(answer.body);
  }
  // A slice that is a whole pool, with two devices.
  void publish(const std::string& driver, const std::string& pool) {
    post(
        "resourceslices",
        fmt::format(R"({{"metadata":{{"name":"{0}-{1}"}},"spec":{{"driver":"{0}","nodeName":"{1}",)"
                    R"("pool":{{"name":"{1}","generation":1,"resourceSliceCount":1}},)"
                    R"("devices":[{{"name":"dev-0"}},{{"name":"dev-1"}}]}}}})",
                    driver, pool));
  }
  void allocate(const std::string& name, const std::string& driver, const std::string& pool) {
    post("namespaces/default/resourceclaims",
         fmt::format(R"({{"metadata":{{"name":"{}","finalizers":["resource.kubernetes.io/)"
                     R"(delete-protection"]}},"spec":{{"devices":{{"requests":[{{"name":"r",)"
                     R"("exactly":{{"deviceClassName":"c"}}}}]}}}}}})",
                     name));
    const apiserver::Answer answer = cluster_.api().patch(
        base_ + "namespaces/default/resourceclaims/" + name + "/status", apiserver::kMerge,
        fmt::format(R"({{"status":{{"allocation":{{"devices":{{"results":[{{"request":"r",)"
                    R"("driver":"{}","pool":"{}","device":"dev-0"}}]}}}}}}}})",
                    driver, pool));
    ASSERT_TRUE(answer.ok()) << apiserver::serialize(answer.body);
  }
  // Answers requests for a resource with an error, or those with a text in their query.
  void refuse(int status, const std::string& resource, const std::string& in_query = "") {
    cluster_.server().before(
        [=](const apiserver::LoggedRequest& request) -> std::optional<apiserver::Response> {
          const bool is_it = request.resource == resource && request.query.contains(in_query);
          if (!is_it) return std::nullopt;
          return apiserver::Response{
              status,
              {},
              fmt::format(R"({{"kind":"Status","status":"Failure","message":"refused",)"
                          R"("reason":"{}","code":{}}})",
                          status == 403 ? "Forbidden" : "BadRequest", status)};
        });
  }

  ExplainOutcome ask(resource_pool_status::PoolFilter filter = {}) {
    return cluster_.wait_for(explain_pools(
        cluster_.rest(), cluster_.time(),
        {.filter = std::move(filter), .deadline = runtime::Deadline::after(cluster_.time(), 10s)}));
  }

  std::string base_;
  test::VirtualCluster cluster_;
};

constexpr const char* kNode1 =
    "gpu.example.com/node-1  node-1        2          1            0          1\n";
constexpr const char* kNode2 =
    "gpu.example.com/node-2  node-2        2          0            0          2\n";

TEST_F(ExplainPools, counts_devices_of_all_pools) {
  publish("gpu.example.com", "node-1");
  publish("gpu.example.com", "node-2");
  allocate("x", "gpu.example.com", "node-1");
  const ExplainOutcome outcome = ask();
  EXPECT_EQ(outcome.status, ExplainStatus::explained);
  EXPECT_THAT(outcome.text, HasSubstr(std::string(kNode1) + kNode2));
}

TEST_F(ExplainPools, counts_devices_of_one_pool) {
  publish("gpu.example.com", "node-1");
  publish("gpu.example.com", "node-2");
  const ExplainOutcome outcome = ask({.driver = "gpu.example.com", .pool = "node-2"});
  EXPECT_THAT(outcome.text, HasSubstr(kNode2));
  EXPECT_THAT(outcome.text, testing::Not(HasSubstr("node-1")));
}

// kube-scheduler wants as many slices as their resourceSliceCount says, and different names.
TEST_F(ExplainPools, says_why_scheduler_uses_no_device) {
  const auto slice = [this](const std::string& name, const std::string& pool,
                            const std::string& device) {
    post("resourceslices",
         fmt::format(
             R"({{"metadata":{{"name":"{}"}},"spec":{{"driver":"gpu.example.com","nodeName":"n",)"
             R"("pool":{{"name":"{}","generation":1,"resourceSliceCount":{}}},"devices":[)"
             R"({{"name":"{}"}}]}}}})",
             name, pool, pool == "twice" ? 2 : 1, device));
  };
  slice("a", "extra", "dev-0");
  slice("b", "extra", "dev-1");
  slice("c", "twice", "dev-0");
  slice("d", "twice", "dev-0");
  const std::string text = ask().text;
  EXPECT_THAT(
      text, HasSubstr("gpu.example.com/extra  n           2          0            0          2\n"));
  EXPECT_THAT(text,
              HasSubstr("\ngpu.example.com/extra\n  problem     kube-scheduler allocates none of "
                        "them: there are 2 slices at generation 1, and their"));
  EXPECT_THAT(text,
              HasSubstr("\ngpu.example.com/twice\n  problem     kube-scheduler allocates none of "
                        "them: several devices have the same name\n"));
}

// Before 1.37, spec.pool.name is not a field selector.
TEST_F(ExplainPools, works_if_server_cannot_select_by_pool) {
  publish("gpu.example.com", "node-1");
  publish("gpu.example.com", "node-2");
  refuse(400, "resourceslices", "spec.pool.name");
  const ExplainOutcome outcome = ask({.driver = "gpu.example.com", .pool = "node-2"});
  EXPECT_EQ(outcome.status, ExplainStatus::explained) << outcome.text;
  EXPECT_THAT(outcome.text, HasSubstr(kNode2));
  EXPECT_THAT(outcome.text, testing::Not(HasSubstr("node-1")));
}

TEST_F(ExplainPools, reports_unknown_pool) {
  publish("gpu.example.com", "node-1");
  const ExplainOutcome outcome = ask({.driver = "gpu.example.com", .pool = "node-2"});
  EXPECT_EQ(outcome.status, ExplainStatus::no_such_object);
  EXPECT_EQ(outcome.text, "driver gpu.example.com publishes no pool node-2");
  EXPECT_EQ(ask({.driver = "other.example.com"}).text,
            "driver other.example.com publishes no pool");
}

TEST_F(ExplainPools, fails_if_something_is_unreadable) {
  publish("gpu.example.com", "node-1");
  for (const char* resource : {"resourceslices", "resourceclaims", "devicetaintrules"}) {
    refuse(403, resource);
    const ExplainOutcome outcome = ask();
    EXPECT_EQ(outcome.status, ExplainStatus::not_answered) << resource;
    EXPECT_THAT(outcome.text, HasSubstr("refused")) << resource;
  }
}

class ExplainPoolsOfOldServer : public ExplainPools {
 protected:
  ExplainPoolsOfOldServer() : ExplainPools("v1beta1") {}
};

TEST_F(ExplainPoolsOfOldServer, counts_devices) {
  post("resourceslices",
       R"({"metadata":{"name":"s"},"spec":{"driver":"gpu.example.com","nodeName":"node-1",)"
       R"("pool":{"name":"node-1","generation":1,"resourceSliceCount":1},"devices":[)"
       R"({"name":"dev-0","basic":{}},{"name":"dev-1","basic":{}}]}})");
  EXPECT_THAT(
      ask().text,
      HasSubstr("gpu.example.com/node-1  node-1        2          0            0          2"));
}

}  // namespace
}  // namespace dcm::explain
