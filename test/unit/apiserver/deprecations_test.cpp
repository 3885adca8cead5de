// The warnings about deprecated versions. The texts are those of kube-apiserver 1.37.2.
#include <gmock/gmock.h>

#include "test/unit/apiserver/fixture.hpp"

namespace dcm::apiserver {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

class AllVersions : public Api {
 protected:
  AllVersions()
      : Api({.served = {.resource = {"v1", "v1beta2", "v1beta1"},
                        .device_taint_rules = {"v1", "v1beta2", "v1alpha3"}}}) {}

  std::vector<std::string> warnings(std::string_view version_and_plural) {
    const Answer answer = api.get("/apis/resource.k8s.io/" + std::string(version_and_plural));
    EXPECT_EQ(answer.status, 200);
    return answer.header("Warning");
  }
};

TEST_F(AllVersions, warn_if_deprecated) {
  EXPECT_THAT(warnings("v1/resourceclaims"), IsEmpty());
  EXPECT_THAT(
      warnings("v1beta1/resourceclaims"),
      ElementsAre(R"(299 - "resource.k8s.io/v1beta1 ResourceClaim is deprecated in v1.35+, )"
                  R"(unavailable in v1.38+")"));
  EXPECT_THAT(warnings("v1beta2/deviceclasses"),
              ElementsAre(R"(299 - "resource.k8s.io/v1beta2 DeviceClass is deprecated in v1.36+, )"
                          R"(unavailable in v1.39+")"));
  EXPECT_THAT(warnings("v1beta2/devicetaintrules"), IsEmpty());
  EXPECT_THAT(warnings("v1alpha3/devicetaintrules"),
              ElementsAre(R"(299 - "resource.k8s.io/v1alpha3 DeviceTaintRule is deprecated in )"
                          R"(v1.36+, unavailable in v1.39+")"));
}

TEST_F(AllVersions, warn_of_endpoints_replaced_in_another_group) {
  EXPECT_THAT(api.get("/api/v1/endpoints").header("Warning"),
              ElementsAre(R"(299 - "v1 Endpoints is deprecated in v1.33+; use )"
                          R"(discovery.k8s.io/v1 EndpointSlice")"));
}

TEST_F(AllVersions, warn_before_all_other_warnings) {
  const Answer made = api.post("/apis/resource.k8s.io/v1beta1/deviceclasses?fieldValidation=Warn",
                               R"({"metadata":{"name":"c"},"spec":{"sepc":1}})");
  ASSERT_EQ(made.status, 201);
  const auto warnings = made.header("Warning");
  ASSERT_EQ(warnings.size(), 2U);
  EXPECT_NE(warnings[0].find("DeviceClass is deprecated"), std::string::npos);
  EXPECT_NE(warnings[1].find("unknown field"), std::string::npos);
}

}  // namespace
}  // namespace dcm::apiserver
