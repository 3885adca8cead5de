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
    const JsonArray& causes = array_at(answer.body, {"details", "causes"});
    if (causes.empty()) return std::string(answer.text({"message"}));
    const JsonObject& cause = causes.front().get_object();
    return fmt::format("{}: {}", text_at(cause, {"field"}), text_at(cause, {"message"}));
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
            "only be set if `perDeviceNodeSelection` is set to true in the ResourceSlice spec"}));

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
