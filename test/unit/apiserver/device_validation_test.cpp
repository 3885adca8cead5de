// Mistakes of driver authors are rejected in the words of the real server, from which these rows
// were taken (kube-apiserver 1.37.0).
#include <ostream>

#include <fmt/format.h>

#include "test/unit/apiserver/fixture.hpp"

namespace dcm::apiserver {
namespace {

struct Row {
  std::string sentence;
  std::string spec;
  std::string cause;  // "field: message"; empty: it is accepted
  friend std::ostream& operator<<(std::ostream& out, const Row& row) { return out << row.sentence; }
};

class DeviceValidation : public Api, public ::testing::WithParamInterface<Row> {
 protected:
  std::string first_cause(const std::string& plural, const std::string& spec) {
    const std::string body = R"({"metadata":{"name":"a"},"spec":)" + spec + "}";
    const Answer answer = api.post("/apis/resource.k8s.io/v1/" + plural, body);
    if (answer.status == 201) return "";
    const auto causes = answer.causes();
    return causes.empty() ? std::string(answer.text({"message"})) : causes.front();
  }
};

class SliceValidation : public DeviceValidation {};

TEST_P(SliceValidation, names_field_and_reason) {
  const std::string slice =
      R"({"driver":"d.example.com","nodeName":"n","pool":{"name":"p","generation":1,)"
      R"("resourceSliceCount":1},"devices":[)" +
      GetParam().spec + "]}";
  EXPECT_EQ(first_cause("resourceslices", slice), GetParam().cause);
}

std::string devices(int count, const std::string& more = "") {
  std::string all;
  for (int i = 0; i < count; ++i) {
    all += fmt::format(R"({}{{"name":"d{}"{}}})", i == 0 ? "" : ",", i, more);
  }
  return all;
}

std::string device(const std::string& fields) {
  return R"({"name":"a",)" + fields + "}";
}

std::string consumes(const std::string& set) {
  return R"("consumesCounters":[{)" + set + "}]";
}

std::string numbers(int count) {
  std::string all = "0";
  for (int i = 1; i < count; ++i) all += fmt::format(",{}", i);
  return all;
}

std::string version(const std::string& text) {
  return device(R"("attributes":{"m":{"version":")" + text + R"("}})");
}

constexpr std::string_view kTypes =
    "`int`, `bool`, `string`, `version`, `ints`, `bools`, `strings`, `versions`";
constexpr std::string_view kNoVersion = "must be a string compatible with semver.org spec 2.0.0";

std::string no_version(const std::string& text) {
  return fmt::format("spec.devices[0].attributes[m].version: Invalid value: \"{}\": {}", text,
                     kNoVersion);
}

INSTANTIATE_TEST_SUITE_P(
    Rows, SliceValidation,
    ::testing::Values(
        Row{"as many as there may be", devices(128), ""},
        Row{"one too many", devices(129),
            "spec.devices: Too many: 129: must have at most 128 items"},
        Row{"too many with taints", devices(65, R"(,"taints":[{"key":"k","effect":"None"}])"),
            "spec.devices: Too many: 65: must have at most 64 items"},
        Row{"two types", device(R"("attributes":{"m":{"string":"x","int":1}})"),
            fmt::format("spec.devices[0].attributes[m]: Invalid value: \"{{int, string}}\": must "
                        "specify exactly one of: {}",
                        kTypes)},
        Row{"no type", device(R"("attributes":{"m":{}})"),
            fmt::format("spec.devices[0].attributes[m]: Invalid value: \"\": must specify one of: "
                        "{}",
                        kTypes)},
        Row{"a version", version("1.2.3-rc.1+build.05"), ""},
        Row{"a version of two parts", version("1.2"), no_version("1.2")},
        Row{"a version with a letter", version("v1.2.3"), no_version("v1.2.3")},
        Row{"a version with a zero in front", version("1.02.3"), no_version("1.02.3")},
        Row{"a release with a zero in front", version("1.2.3-01"), no_version("1.2.3-01")},
        Row{"an empty release", version("1.2.3-"), no_version("1.2.3-")},
        Row{"a long text",
            device(R"("attributes":{"m":{"string":")" + std::string(65, 'x') + R"("}})"),
            "spec.devices[0].attributes[m].string: Too long: may not be more than 64 bytes"},
        Row{"a name with a domain", device(R"("attributes":{"e.com/m":{"int":1}})"), ""},
        Row{"an empty domain", device(R"("attributes":{"/m":{"int":1}})"),
            "spec.devices[0].attributes: Invalid value: \"\": the domain must not be empty"},
        Row{"an empty name", device(R"("attributes":{"e.com/":{"int":1}})"),
            "spec.devices[0].attributes: Invalid value: \"\": the name must not be empty"},
        Row{"an effect", device(R"("taints":[{"key":"k","effect":"Never"}])"),
            "spec.devices[0].taints[0].effect: Unsupported value: \"Never\": supported values: "
            "\"NoExecute\", \"NoSchedule\", \"None\""},
        Row{"no effect", device(R"("taints":[{"key":"k"}])"),
            "spec.devices[0].taints[0].effect: Required value"},
        Row{"a place of its own", device(R"("nodeName":"n")"),
            "spec.devices[0]: Invalid value: null: `nodeName`, `nodeSelector` and `allNodes` can "
            "only be set if `perDeviceNodeSelection` is set to true in the ResourceSlice spec"},
        Row{"too many values of attributes",
            device(R"("attributes":{"m":{"ints":[)" + numbers(49) + "]}}"),
            "spec.devices[0]: Invalid value: 49: the total number of attribute values must not "
            "exceed 48"},
        Row{"counters of a set",
            device(consumes(R"("counterSet":"s","counters":{"c":{"value":"1"}})")), ""},
        Row{"counters of no set", device(consumes(R"("counters":{"c":{"value":"1"}})")),
            "spec.devices[0].consumesCounters[0].counterSet: Required value"},
        Row{"no counters", device(consumes(R"("counterSet":"s")")),
            "spec.devices[0].consumesCounters[0].counters: Required value"},
        Row{"a condition that nothing ends", device(R"("bindingConditions":["a"])"),
            "spec.devices[0].bindingFailureConditions: Invalid value: null: "
            "bindingFailureConditions are required to use bindingConditions"},
        Row{"a condition that binds and fails",
            device(R"("bindingConditions":["a"],"bindingFailureConditions":["a"])"),
            "spec.devices[0].bindingFailureConditions[0]: Invalid value: \"a\": "
            "bindingFailureConditions must not overlap with bindingConditions"},
        Row{"five conditions",
            device(R"("bindingConditions":["a","b","c","d","e"],"bindingFailureConditions":["f"])"),
            "spec.devices[0].bindingConditions: Too many: 5: must have at most 4 items"}));

class PolicyValidation : public SliceValidation {};

TEST_P(PolicyValidation, names_field_and_reason) {
  const std::string slice = fmt::format(
      R"({{"driver":"d.example.com","nodeName":"n","pool":{{"name":"p","generation":1,)"
      R"("resourceSliceCount":1}},"devices":[{{"name":"a","allowMultipleAllocations":true,)"
      R"("capacity":{{"m":{{"value":"4Gi","requestPolicy":{}}}}}}}]}})",
      GetParam().spec);
  const std::string at = "spec.devices[0].capacity[m].requestPolicy";
  EXPECT_EQ(first_cause("resourceslices", slice),
            GetParam().cause.empty() ? "" : at + GetParam().cause);
}

INSTANTIATE_TEST_SUITE_P(
    Rows, PolicyValidation,
    ::testing::Values(
        Row{"a default alone", R"({"default":"9Gi"})", ""},
        Row{"values", R"({"default":"1Gi","validValues":["1Gi","2Gi"]})", ""},
        Row{"numbers", R"({"default":1,"validValues":[1,2]})", ""},
        Row{"values without a default", R"({"validValues":["1Gi"]})",
            ".default: Required value: required when validValues is defined"},
        Row{"a default that is no value", R"({"default":"3Gi","validValues":["1Gi","2Gi"]})",
            ".validValues: Invalid value: \"3Gi\": default value is not valid according to the "
            "requestPolicy"},
        Row{"descending values", R"({"default":"1Gi","validValues":["2Gi","1Gi"]})",
            ".validValues[1]: Invalid value: \"1Gi\": values must be sorted in ascending order"},
        Row{"a value above the capacity", R"({"default":"1Gi","validValues":["1Gi","5Gi"]})",
            ".validValues[1]: Invalid value: \"5Gi\": option is larger than capacity value: 4Gi"},
        Row{"values and a range", R"({"default":"1","validValues":["1"],"validRange":{"min":"1"}})",
            ": Forbidden: exactly one policy can be specified, cannot specify \"validValues\" and "
            "\"validRange\" at the same time"},
        Row{"a range",
            R"({"default":"1Gi","validRange":{"min":"512Mi","max":"3Gi","step":"512Mi"}})", ""},
        Row{"a range without a minimum", R"({"default":"1Gi","validRange":{"max":"3Gi"}})",
            ".validRange.min: Required value: required when validRange is defined"},
        Row{"a range that is empty",
            R"({"default":"1Gi","validRange":{"min":"1Gi","max":"512Mi"}})",
            ".validRange.max: Invalid value: \"1Gi\": min is larger than max: 512Mi"},
        Row{"no whole number of steps",
            R"({"default":"1Gi","validRange":{"min":"512Mi","step":"300Mi"}})",
            ".validRange.step: Invalid value: \"1Gi\": value is not a multiple of a given step "
            "(300Mi) from (512Mi)"},
        Row{"a value twice", R"({"default":"1","validValues":["500m","1"]})",
            ".validValues[1]: Duplicate value: \"1\""},
        Row{"a range below zero", R"({"default":"1","validRange":{"min":"-1","step":"1"}})",
            ".validRange.min: Invalid value: \"-1\": must be greater than or equal to 0"},
        Row{"no step", R"({"default":"1Gi","validRange":{"min":"1Gi","step":"0"}})",
            ".validRange.step: Invalid value: \"0\": must be greater than zero"}));

// resourceSliceStrategy.WarningsOnCreate and WarningsOnUpdate.
TEST_F(DeviceValidation, warns_of_driver_in_upper_case) {
  const std::string path = "/apis/resource.k8s.io/v1/resourceslices";
  const auto slice = [](const std::string& name, const std::string& driver) {
    return R"({"metadata":{"name":")" + name + R"("},"spec":{"driver":")" + driver +
           R"(","nodeName":"n","pool":{"name":"p","generation":1,"resourceSliceCount":1}}})";
  };
  const std::vector<std::string> warning = {
      R"(299 - "spec.driver: driver names should be lowercase; \"Gpu.example.com\" contains uppercase characters")"};
  EXPECT_EQ(api.post(path, slice("a", "Gpu.example.com")).header("Warning"), warning);
  EXPECT_EQ(
      api.patch(path + "/a", kMerge, R"({"metadata":{"labels":{"a":"b"}}})").header("Warning"),
      warning);
  EXPECT_TRUE(api.post(path, slice("b", "gpu.example.com")).header("Warning").empty());
}

TEST_F(DeviceValidation, skips_capacity_that_has_not_changed) {
  const std::string path = "/apis/resource.k8s.io/v1/resourceslices";
  const auto slice = [](const std::string& more) {
    return R"({"metadata":{"name":"a"},"spec":{"driver":"d.example.com","nodeName":"n",)"
           R"("pool":{"name":"p","generation":1,"resourceSliceCount":1},"devices":[{"name":"d",)"
           R"("capacity":{"m":{"value":"4Gi","requestPolicy":{"default":"1Gi"}}})" +
           more + "}]}}";
  };
  EXPECT_EQ(api.post(path, slice("")).status, 422);
  EXPECT_EQ(api.post(path, slice(R"(,"allowMultipleAllocations":true)")).status, 201);
  EXPECT_EQ(api.put(path + "/a", slice("")).status, 200);
}

class WholeSlice : public DeviceValidation {};

TEST_P(WholeSlice, names_field_and_reason) {
  const std::string slice =
      R"({"driver":"d.example.com","pool":{"name":"p","generation":1,"resourceSliceCount":1},)" +
      GetParam().spec + "}";
  EXPECT_EQ(first_cause("resourceslices", slice), GetParam().cause);
}

INSTANTIATE_TEST_SUITE_P(
    Rows, WholeSlice,
    ::testing::Values(
        Row{"shared counters",
            R"("allNodes":true,"sharedCounters":[{"name":"s","counters":{"c":{"value":"1"}}}])",
            ""},
        Row{"counters without a name",
            R"("allNodes":true,"sharedCounters":[{"counters":{"c":{"value":"1"}}}])",
            "spec.sharedCounters[0].name: Required value"},
        Row{"counters and devices",
            R"("allNodes":true,"devices":[{"name":"a"}],)"
            R"("sharedCounters":[{"name":"s","counters":{"c":{"value":"1"}}}])",
            "spec: Invalid value: \"\": only one of `sharedCounters` or `devices` is allowed"},
        Row{"two places", R"("allNodes":true,"nodeName":"n")",
            "spec: Invalid value: \"{`nodeName`, `allNodes`}\": exactly one of `nodeName`, "
            "`nodeSelector`, `allNodes`, `perDeviceNodeSelection` is required, but multiple fields "
            "are set"},
        Row{"an empty node", R"("nodeName":"")",
            "spec.nodeName: Invalid value: \"\": must be either unset or set to a non-empty "
            "string"},
        Row{"a selector without terms", R"("nodeSelector":{"nodeSelectorTerms":[]})",
            "spec.nodeSelector.nodeSelectorTerms: Required value: must have at least one node "
            "selector term"},
        Row{"a device without a place", R"("perDeviceNodeSelection":true,"devices":[{"name":"a"}])",
            "spec.devices[0]: Required value: exactly one of `nodeName`, `nodeSelector`, or "
            "`allNodes` is required when `perDeviceNodeSelection` is set to true in the "
            "ResourceSlice spec"},
        Row{"a device on no node",
            R"("perDeviceNodeSelection":true,"devices":[{"name":"a","nodeName":""}])",
            "spec.devices[0].nodeName: Invalid value: \"\": must not be empty"}));

class ClassValidation : public DeviceValidation {};

TEST_P(ClassValidation, names_field_and_reason) {
  EXPECT_EQ(first_cause("deviceclasses", GetParam().spec), GetParam().cause);
}

INSTANTIATE_TEST_SUITE_P(
    Rows, ClassValidation,
    ::testing::Values(
        Row{"nothing", "{}", ""},
        Row{"a selector without expression", R"({"selectors":[{}]})",
            "spec.selectors[0].cel: Required value"},
        Row{"a selector whose constants fail",
            R"({"selectors":[{"cel":{"expression":"int('x') == 1"}}]})",
            "spec.selectors[0].cel.expression: Internal error: program instantiation failed: type "
            "conversion error from 'string' to 'int'"},
        Row{"configuration of nobody", R"({"config":[{}]})",
            "spec.config[0].opaque: Required value"},
        Row{"configuration of any case",
            R"({"config":[{"opaque":{"driver":"D.e","parameters":{}}}]})", ""},
        Row{"configuration without parameters", R"({"config":[{"opaque":{"driver":"d.e"}}]})",
            "spec.config[0].opaque.parameters: Required value"},
        Row{"a resource without domain", R"({"extendedResourceName":"bad"})",
            "spec.extendedResourceName: Invalid value: \"bad\": a name must be a domain-prefixed "
            "path, such as 'example.com/my-prop'"}));

class ClaimValidation : public DeviceValidation {};

TEST_P(ClaimValidation, names_field_and_reason) {
  const std::string exactly = R"({"deviceClassName":"c",)" + GetParam().spec + "}";
  EXPECT_EQ(first_cause("namespaces/default/resourceclaims",
                        R"({"devices":{"requests":[{"name":"r","exactly":)" + exactly + "}]}}"),
            GetParam().cause);
}

INSTANTIATE_TEST_SUITE_P(
    Rows, ClaimValidation,
    ::testing::Values(
        Row{"a toleration", R"("tolerations":[{"key":"k","operator":"Exists"}])", ""},
        Row{"a toleration without operator", R"("tolerations":[{"key":"k","value":"v"}])", ""},
        Row{"a value that says nothing",
            R"("tolerations":[{"key":"k","operator":"Exists","value":"v"}])",
            "spec.devices.requests[0].exactly.tolerations[0].value: Invalid value: \"v\": must be "
            "empty for operator `Exists`"},
        Row{"an operator", R"("tolerations":[{"key":"k","operator":"Is"}])",
            "spec.devices.requests[0].exactly.tolerations[0].operator: Unsupported value: \"Is\": "
            "supported values: \"Equal\", \"Exists\""}));

}  // namespace
}  // namespace dcm::apiserver
