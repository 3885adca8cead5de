#include "apiserver/kinds/runtime_config.hpp"

#include <gmock/gmock.h>

namespace dcm::apiserver {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

TEST(RuntimeConfig, equals_server_defaults_without_settings) {
  const auto served = served_versions({});
  ASSERT_TRUE(served) << served.error();
  EXPECT_THAT(served->resource, ElementsAre("v1"));
  EXPECT_THAT(served->device_taint_rules, ElementsAre("v1"));
  EXPECT_THAT(served->pod_groups, IsEmpty());
}

TEST(RuntimeConfig, enables_versions_for_their_kinds) {
  const auto served = served_versions(
      {"resource.k8s.io/v1beta1=true", "resource.k8s.io/v1beta2", "resource.k8s.io/v1alpha3"});
  ASSERT_TRUE(served) << served.error();
  EXPECT_THAT(served->resource, ElementsAre("v1", "v1beta2", "v1beta1"));
  EXPECT_THAT(served->device_taint_rules, ElementsAre("v1", "v1beta2", "v1alpha3"));
  EXPECT_THAT(served->pool_status_requests, ElementsAre("v1alpha3"));
}

TEST(RuntimeConfig, prefers_named_version_to_its_level) {
  const auto served = served_versions({"resource.k8s.io/v1beta1=false", "api/beta=true"});
  ASSERT_TRUE(served) << served.error();
  EXPECT_THAT(served->resource, ElementsAre("v1", "v1beta2"));
  EXPECT_THAT(served->pod_groups, ElementsAre("v1beta1"));
}

TEST(RuntimeConfig, treats_all_as_betas_and_alphas) {
  const auto served = served_versions({"api/all=true", "api/alpha=false"});
  ASSERT_TRUE(served) << served.error();
  EXPECT_THAT(served->device_taint_rules, ElementsAre("v1", "v1beta2"));
}

struct Refused {
  std::string setting;
  std::string says;
};

class BadRuntimeConfig : public testing::TestWithParam<Refused> {};

TEST_P(BadRuntimeConfig, is_rejected_by_name) {
  const auto served = served_versions({GetParam().setting});
  ASSERT_FALSE(served);
  EXPECT_THAT(served.error(), HasSubstr(GetParam().says));
}

INSTANTIATE_TEST_SUITE_P(
    Rows, BadRuntimeConfig,
    testing::Values(Refused{"resource.k8s.io/v9=true", "\"resource.k8s.io/v9\" is not a version"},
                    Refused{"resource.k8s.io/v1=false", "resource.k8s.io/v1beta2"},
                    Refused{"resource.k8s.io/v1beta1=maybe", "got \"maybe\""},
                    Refused{"resource.k8s.io/v1beta1=", "got \"\""},
                    Refused{"", "\"\" is not a version"}, Refused{"=true", "\"\" is not a version"},
                    Refused{"resource.k8s.io/v1beta1/resourceclaims", "v1beta1/resourceclaims\""}));

}  // namespace
}  // namespace dcm::apiserver
