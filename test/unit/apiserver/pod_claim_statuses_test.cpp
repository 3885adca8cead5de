// What a pod's status may say about claims and devices: the real server's answer to each row.
#include <fmt/format.h>

#include "test/unit/apiserver/fixture.hpp"

namespace dcm::apiserver {
namespace {

struct Row {
  std::string_view sentence;
  std::string status;
  std::vector<std::string> fields;  // of the causes
};

class PodClaimStatus : public Api, public ::testing::WithParamInterface<Row> {};

TEST_P(PodClaimStatus, is_validated) {
  api.post(
      kPods,
      R"({"metadata":{"name":"trainer-0"},"spec":{"resourceClaims":[)"
      R"({"name":"g","resourceClaimName":"gg"},{"name":"h","resourceClaimName":"hh"}],)"
      R"("initContainers":[{"name":"ic","image":"i"}],"containers":[{"name":"c","image":"i",)"
      R"("resources":{"requests":{"x.y/z":"1","x.y/0":"0"},"limits":{"x.y/z":"1","x.y/0":"0"},)"
      R"("claims":[{"name":"g"},{"name":"h","request":"r"}]}}]}})");
  const Answer answer = api.patch(kPodStatus, kMerge, R"({"status":)" + GetParam().status + "}");
  std::vector<std::string> fields;
  for (const Json& cause : array_at(answer.body, {"details", "causes"})) {
    fields.emplace_back(text_at(as_object(cause), {"field"}));
  }
  EXPECT_EQ(answer.status, GetParam().fields.empty() ? 200 : 422);
  EXPECT_EQ(fields, GetParam().fields) << serialize(answer.body);
}

std::string mapping(std::string_view container, std::string_view resource,
                    std::string_view request) {
  return fmt::format(R"({{"containerName":"{}","resourceName":"{}","requestName":"{}"}})",
                     container, resource, request);
}

std::string extended(const std::string& mappings, std::string_view claim) {
  return fmt::format(
      R"({{"extendedResourceClaimStatus":{{"requestMappings":[{}],"resourceClaimName":"{}"}}}})",
      mappings, claim);
}

std::string device(std::string_view name, std::string_view resources = "") {
  return fmt::format(R"({{"containerStatuses":[{{"name":"c","allocatedResourcesStatus":[)"
                     R"({{"name":"{}","resources":[{}]}}]}}]}})",
                     name, resources);
}

// Of a device of the claim for extended resources.
std::string extended_device(std::string_view resource) {
  const std::string claim = extended(mapping("c", resource, "r0"), "a");
  const std::string devices = device("claim:a/r0");
  return devices.substr(0, devices.size() - 1) + "," + claim.substr(1);
}

constexpr auto* kMappings = "status.extendedResourceClaimStatus.requestMappings";
constexpr auto* kName = "status.containerStatuses[0].allocatedResourcesStatus[0].name";
const std::string kDevice = "status.containerStatuses[0].allocatedResourcesStatus[0].resources";

INSTANTIATE_TEST_SUITE_P(
    Extended, PodClaimStatus,
    ::testing::Values(Row{"a mapping", extended(mapping("c", "x.y/z", "r0"), "a"), {}},
                      Row{"no mapping", extended("", "a"), {kMappings}},
                      Row{"nothing",
                          R"({"extendedResourceClaimStatus":{}})",
                          {kMappings, "status.extendedResourceClaimStatus.resourceClaimName"}},
                      Row{"a resource that is not requested",
                          extended(mapping("c", "x.y/q", "r0"), "a"),
                          {std::string(kMappings) + "[0].resourceName"}},
                      Row{"an unknown container and bad names",
                          extended(mapping("d", "x.y/z", "R0"), "A"),
                          {std::string(kMappings) + "[0].containerName",
                           "status.extendedResourceClaimStatus.requestName",
                           "status.extendedResourceClaimStatus.resourceClaimName"}},
                      Row{"a mapping twice",
                          extended(mapping("c", "x.y/z", "r0") + "," + mapping("c", "x.y/z", "r0"),
                                   "a"),
                          {std::string(kMappings) + "[1].containerName",
                           std::string(kMappings) + "[1].resourceName",
                           std::string(kMappings) + "[1].requestName"}}),
    kBySentence);

INSTANTIATE_TEST_SUITE_P(
    Devices, PodClaimStatus,
    ::testing::Values(
        Row{"of a claim", device("claim:g"), {}},
        Row{"of a request of a claim", device("claim:h/r"), {}},
        Row{"of a resource", device("x.y/z"), {}},
        Row{"of a claim for extended resources", extended_device("x.y/z"), {}},
        Row{"of none of an extended resource", extended_device("x.y/0"), {kName}},
        Row{"of an unknown claim", device("claim:x/r"), {kName}},
        Row{"of a request that the container does not name", device("claim:g/r"), {kName}},
        Row{"of a claim of which the container names a request", device("claim:h"), {kName}},
        Row{"of a resource that is not requested", device("cpu"), {kName}},
        Row{"of bad health",
            device("claim:g", R"({"resourceID":"a","health":"Bad"})"),
            {kDevice + "[0].health"}},
        Row{"that are the same",
            device("claim:g", R"({"resourceID":"a","health":"Healthy"},)"
                              R"({"resourceID":"a","health":"Unknown"})"),
            {kDevice + "[1].resourceID"}},
        Row{"with an empty message",
            device("claim:g", R"({"resourceID":"a","health":"Healthy","message":""})"),
            {kDevice + "[0].message"}},
        Row{"with a long message",
            device("claim:g", R"({"resourceID":"a","health":"Healthy","message":")" +
                                  std::string(1025, 'x') + R"("})"),
            {kDevice + "[0].message"}},
        Row{"of an unknown container",
            R"({"containerStatuses":[{"name":"x","allocatedResourcesStatus":[{"name":"cpu"}]}]})",
            {}},
        Row{"of an init container",
            R"({"initContainerStatuses":[{"name":"ic","allocatedResourcesStatus":[)"
            R"({"name":"claim:g"}]}]})",
            {"status.initContainerStatuses[0].allocatedResourcesStatus[0].name"}},
        Row{"of an ephemeral container",
            R"({"ephemeralContainerStatuses":[{"name":"e","allocatedResourcesStatus":[)"
            R"({"name":"claim:g"}]}]})",
            {"status.ephemeralContainerStatuses[0].allocatedResourcesStatus"}}),
    kBySentence);

}  // namespace
}  // namespace dcm::apiserver
