// Invalid pools, and the explanation of each. test/node/kit_slices_test.py compares the same checks
// with a real API server.
#include <boost/json/parse.hpp>
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "node/driver_kit/checks/names.hpp"
#include "node/driver_kit/checks/pools.hpp"

namespace dcm::driver_kit {
namespace {

const SliceOwner kOwner{.driver = "gpu.example.com", .node = "n0", .node_uid = "n0-uid"};
const SliceOwner kCluster{.driver = "gpu.example.com", .node = "", .node_uid = ""};

boost::json::object object(const std::string& text) {
  return boost::json::parse(text).as_object();
}

// `fields` of a device besides its name: "" or `,"attributes":…`.
DevicePool pool_with(const std::string& fields) {
  DevicePool pool{.name = "n0"};
  pool.devices.push_back(object(R"({"name":"gpu-0")" + fields + "}"));
  pool.shared_counters.push_back(
      object(R"({"name":"chip","counters":{"memory":{"value":"40Gi"},"engines":{"value":7}}})"));
  return pool;
}

struct Row {
  const char* fields;
  const char* problem;  // after "pool n0: devices[gpu-0]"; empty: none
};

class DevicesThatAreRefused : public testing::TestWithParam<Row> {};

TEST_P(DevicesThatAreRefused, name_field) {
  const auto [fields, problem] = GetParam();
  const auto found = problem_of(kOwner, {pool_with(fields)});
  const std::string wanted = fmt::format("pool n0: devices[gpu-0]{}", problem);
  if (*problem == '\0') {
    EXPECT_EQ(found, std::nullopt) << fields;
  } else {
    ASSERT_TRUE(found) << fields;
    EXPECT_TRUE(found->starts_with(wanted)) << *found;
  }
}

constexpr Row kRows[] = {
    {"", ""},
    {R"(,"attributes":{"model":{"string":"A100"},"index":{"int":0},"mig":{"bool":false}})", ""},
    {R"(,"attributes":{"v":{"version":"1.2.3-rc.1+b.07"},"resource.k8s.io/pciBusID":{"string":"x"}})",
     ""},
    {R"(,"attributes":{"links":{"strings":["a","b"]},"sizes":{"ints":[1,2]}})", ""},
    {R"(,"attributes":{"model":{"int":"7"}})", ".attributes[model].int: must be an integer"},
    {R"(,"attributes":{"model":{"version":"v1"}})", ".attributes[model].version: must be a sem"},
    {R"(,"attributes":{"model":{}})", ".attributes[model]: exactly one of"},
    {R"(,"attributes":{"model":{"ints":[]}})", ".attributes[model].ints: must not be empty"},
    {R"(,"attributes":{"my-model":{"int":1}})", ".attributes[my-model]: must be [domain/]name"},
    {R"(,"attributes":{"a/b/c":{"int":1}})", ".attributes[a/b/c]: must be [domain/]name"},
    {R"(,"attributes":{"gpu.example.com/model":{"int":1}})",
     ".attributes[gpu.example.com/model]: leave out the driver's own prefix"},
    {R"(,"capacity":{"gpu.example.com/memory":{"value":"1Gi"}})",
     ".capacity[gpu.example.com/memory]: leave out the driver's own prefix"},
    {R"(,"capacity":{"other.example.com/memory":{"value":"1Gi"}})", ""},
    {R"(,"capacity":{"memory":{"value":"1 Gi"}})", ".capacity[memory].value: must be a quantity"},
    {R"(,"capacity":{"memory":{"value":"1Gi","requestPolicy":{"default":"1Gi"}}})",
     ".capacity[memory].requestPolicy: needs allowMultipleAllocations"},
    {R"(,"allowMultipleAllocations":true,"capacity":{"memory":{"value":"40Gi","requestPolicy":
       {"default":"5Gi","validRange":{"min":"5Gi","max":"40Gi","step":"5Gi"}}}})",
     ""},
    {R"(,"allowMultipleAllocations":true,"capacity":{"memory":{"value":"40Gi","requestPolicy":
       {"default":"6Gi","validRange":{"min":"5Gi","step":"5Gi"}}}})",
     ".capacity[memory].requestPolicy.validRange.step: must lead from min to the default"},
    {R"(,"allowMultipleAllocations":true,"capacity":{"m":{"value":2,"requestPolicy":
       {"default":"500m","validRange":{"min":"500m","step":"500m"}}}})",
     ""},
    {R"(,"allowMultipleAllocations":true,"capacity":{"memory":{"value":"40Gi","requestPolicy":
       {"default":"5Gi","validValues":["10Gi","5Gi"]}}})",
     ".capacity[memory].requestPolicy.validValues[1]: must be larger"},
    {R"(,"allowMultipleAllocations":true,"capacity":{"memory":{"value":"40Gi","requestPolicy":
       {"default":"6Gi","validValues":["5Gi","10Gi"]}}})",
     ".capacity[memory].requestPolicy.validValues: must have the default"},
    {R"(,"consumesCounters":[{"counterSet":"chip","counters":{"memory":{"value":"5Gi"}}}])", ""},
    {R"(,"consumesCounters":[{"counterSet":"chop","counters":{"memory":{"value":"5Gi"}}}])",
     ".consumesCounters[0].counterSet: is not in the pool"},
    {R"(,"consumesCounters":[{"counterSet":"chip","counters":{"cores":{"value":"5"}}}])",
     ".consumesCounters[0].counters[cores]: is not in that counter set"},
    {R"(,"consumesCounters":[{"counterSet":"chip"}])",
     ".consumesCounters[0].counters: must not be empty"},
    {R"(,"taints":[{"key":"a b","effect":"NoExecute"}])", ".taints[0].key: must be [prefix/]name"},
    {R"(,"taints":[{"key":"hot","effect":"Evict"}])", ".taints[0].effect: must be NoSchedule"},
    {R"(,"taints":[{"key":"hot","effect":"None","timeAdded":"now"}])",
     ".taints[0].timeAdded: must be a time"},
    {R"(,"bindingConditions":["ready"],"bindingFailureConditions":["failed"],"bindsToNode":true)",
     ""},
    {R"(,"bindingConditions":["ready"])", ".bindingFailureConditions: needed"},
    {R"(,"bindingConditions":["a"],"bindingFailureConditions":["a"])",
     ".bindingFailureConditions[0]: must not be one of"},
    {R"(,"nodeName":"n1")", ": nodeName, nodeSelector and allNodes must be left out"},
    {R"(,"nodeAllocatableResources":{"cpu":{"overhead":{"perPod":"100m"}}})", ""},
    {R"(,"nodeAllocatableResources":{"gpu":{"overhead":{"perPod":"100m"}}})",
     ".nodeAllocatableResources[gpu]: must be cpu"},
    {R"(,"nodeAllocatableResources":{"cpu":{"mapping":{}}})",
     ".nodeAllocatableResources[cpu].mapping: exactly one of"},
};
INSTANTIATE_TEST_SUITE_P(Rows, DevicesThatAreRefused, testing::ValuesIn(kRows));

struct PoolRow {
  SliceOwner owner;
  const char* name;
  const char* more;
  const char* problem;
};

TEST(ProblemOf, names_field_of_pool) {
  const char* const kSelector =
      R"({"nodeSelector":{"nodeSelectorTerms":[{"matchExpressions":[
          {"key":"rack","operator":"In","values":["r1"]}]}]}})";
  const PoolRow rows[] = {
      {kOwner, "rack/1", "{}", ""},
      {kOwner, "Rack", "{}", "pool Rack: pool.name: must be DNS subdomains"},
      {kOwner, "n0", R"({"allNodes":true})", "pool n0: exactly one of nodeName"},
      {kCluster, "n0", "{}", "pool n0: exactly one of nodeName"},
      {kCluster, "n0", R"({"allNodes":true})", ""},
      {kCluster, "n0", R"({"allNodes":false})", "pool n0: allNodes: must be true"},
      {kCluster, "n0", kSelector, ""},
      {kCluster, "n0", R"({"nodeSelector":{"nodeSelectorTerms":[{},{}]}})",
       "pool n0: nodeSelector.nodeSelectorTerms: must have exactly one term"},
      {kCluster, "n0", R"({"nodeSelector":{"nodeSelectorTerms":[{"matchExpressions":[
          {"key":"rack","operator":"Is","values":["r1"]}]}]}})",
       "pool n0: nodeSelector.nodeSelectorTerms[0].matchExpressions[0].operator: must be In"},
      {kCluster, "n0", R"({"perDeviceNodeSelection":true})",
       "pool n0: devices[gpu-0]: exactly one of"},
      {kOwner, "n0", R"({"skipNodeOperations":["*"]})", ""},
      {kOwner, "n0", R"({"skipNodeOperations":["NodePrepareResources"]})",
       "pool n0: skipNodeOperations: NodePrepareResources needs"},
      {kOwner, "n0", R"({"skipNodeOperations":["All"]})", "pool n0: skipNodeOperations[0]: must"},
      {kOwner, "n0", R"({"driver":"other.example.com"})", "pool n0: driver: set by the kit"},
      {kOwner, "n0", R"({"partitionTypeAttribute":"gpu.example.com/profile"})",
       "pool n0: partitionTypeAttribute: needs devices that consume counters"},
      {{.driver = "no driver", .node = "n0", .node_uid = ""}, "n0", "{}", "driver: must be"},
      {{.driver = "GPU.example.com", .node = "n0", .node_uid = ""}, "n0", "{}", "driver: must be"},
  };
  for (const auto& [owner, name, more, problem] : rows) {
    DevicePool pool = pool_with("");
    pool.name = name;
    pool.more = object(more);
    const auto found = problem_of(owner, {pool}).value_or("");
    EXPECT_TRUE(*problem == '\0' ? found.empty() : found.starts_with(problem)) << found;
  }
}

TEST(ProblemOf, wants_type_of_each_partition) {
  const auto problem = [](const std::string& attributes) {
    DevicePool pool = pool_with(
        R"(,"consumesCounters":[{"counterSet":"chip","counters":{"engines":{"value":1}}}],)"
        R"("attributes":{)" +
        attributes + "}");
    pool.more = object(R"({"partitionTypeAttribute":"gpu.example.com/profile"})");
    return problem_of(kOwner, {pool}).value_or("");
  };
  EXPECT_EQ(problem(R"("profile":{"string":"whole"})"), "");
  EXPECT_EQ(problem(""),
            "pool n0: devices[gpu-0].attributes[profile]: must be set: the device consumes "
            "counters, and partitionTypeAttribute names it");
  EXPECT_EQ(problem(R"("profile":{"int":1})"),
            "pool n0: devices[gpu-0].attributes[profile]: must be a string: a partition's type");
}

TEST(ProblemOf, names_duplicates) {
  const DevicePool one = pool_with("");
  EXPECT_EQ(problem_of(kOwner, {one, one}), "pool n0: pool.name: there are two pools of this name");
  DevicePool devices = one;
  devices.layout = {{.devices = one.devices}, {.devices = one.devices}};
  EXPECT_EQ(problem_of(kOwner, {devices}),
            "pool n0: devices[gpu-0]: there are two devices of this name in the pool");
  DevicePool counters = one;
  counters.shared_counters.push_back(counters.shared_counters[0]);
  EXPECT_EQ(problem_of(kOwner, {counters}),
            "pool n0: sharedCounters[1].name: there are two of this name in the pool");
}

TEST(ProblemOf, checks_limits_of_slice) {
  DevicePool pool{.name = "n0"};
  pool.layout.resize(1);
  for (int i = 0; i < 129; ++i) {
    pool.layout[0].devices.push_back(object(fmt::format(R"({{"name":"d{}"}})", i)));
  }
  EXPECT_EQ(problem_of(kOwner, {pool}),
            "pool n0: devices: must be at most 128 in a slice, or 64 where one has taints, "
            "counters or lists");
  pool.layout[0].devices.resize(1);
  EXPECT_EQ(problem_of(kOwner, {pool}), std::nullopt);
  pool.layout[0].shared_counters = pool_with("").shared_counters;
  EXPECT_EQ(problem_of(kOwner, {pool}),
            "pool n0: sharedCounters: must be in a slice without devices");
}

// A device with a million attributes is rejected like any other.
TEST(ProblemOf, counts_names_and_values) {
  DevicePool pool = pool_with("");
  auto& attributes = pool.devices[0]["attributes"].emplace_object();
  for (int i = 0; i < 33; ++i) attributes[fmt::format("a{}", i)] = object(R"({"int":1})");
  EXPECT_EQ(problem_of(kOwner, {pool}),
            "pool n0: devices[gpu-0].attributes: must have at most 32 names, with those of "
            "capacity");
  attributes.clear();
  attributes["list"] = object(R"({"ints":[]})");
  attributes["list"].at("ints").as_array().resize(49, 1);
  EXPECT_EQ(problem_of(kOwner, {pool}),
            "pool n0: devices[gpu-0].attributes: must have at most 48 values");
}

// The lines of docs/write-a-driver.md.
TEST(ProblemOf, accepts_pools_of_driver_authors_page) {
  namespace json = boost::json;
  DevicePool pool{.name = "n0"};
  json::object part{{"name", "part"}};
  pool.shared_counters.push_back(
      {{"name", "gpu-0"}, {"counters", {{"memory", {{"value", "40Gi"}}}}}});
  part["consumesCounters"] = {
      {{"counterSet", "gpu-0"}, {"counters", {{"memory", {{"value", "10Gi"}}}}}}};
  json::object device{{"name", "gpu-0"}, {"attributes", {{"model", {{"string", "A100"}}}}}};
  device["allowMultipleAllocations"] = true;
  const json::object policy = {
      {"default", "10Gi"}, {"validRange", {{"min", "10Gi"}, {"max", "40Gi"}, {"step", "10Gi"}}}};
  device["capacity"] = {{"memory", {{"value", "40Gi"}, {"requestPolicy", policy}}}};
  pool.more["skipNodeOperations"] = json::array{"NodePrepareResources", "NodeUnprepareResources"};
  device["bindsToNode"] = true;
  device["bindingConditions"] = json::array{"example.com/attached"};
  device["bindingFailureConditions"] = json::array{"example.com/attach-failed"};
  device["taints"] = {{{"key", "gpus.example.com/broken"}, {"effect", "NoExecute"}}};
  device["attributes"].as_object()["links"] = {{"strings", {"nvlink", "pcie"}}};
  device["attributes"].as_object()["numa"] = {{"ints", {0, 1}}};
  pool.devices = {device, part};
  EXPECT_EQ(problem_of(kOwner, {pool}), std::nullopt);
  pool.more["skipNodeOperations"] = json::array{"*"};
  EXPECT_EQ(problem_of(kOwner, {pool}), std::nullopt);
  const json::object edits = {{"deviceNodes", {{{"path", "/dev/gpu0"}}}}};
  EXPECT_EQ(json::value(edits), json::parse(R"({"deviceNodes":[{"path":"/dev/gpu0"}]})"));
}

TEST(Versions, follow_semver) {
  for (const char* good :
       {"1.2.3", "0.0.0", "1.0.0-alpha.1", "1.0.0-0a.b-c", "1.0.0+001", "1.0.0--"}) {
    EXPECT_EQ(problem_with_version(good), "") << good;
  }
  for (const char* bad :
       {"", "1", "1.2", "01.2.3", "1.2.3-", "1.2.3-01", "1.2.3+", "1.2.3.4", "v1.2.3"}) {
    EXPECT_NE(problem_with_version(bad), "") << bad;
  }
}

}  // namespace
}  // namespace dcm::driver_kit
