#include "client/api/resource.hpp"

#include <gtest/gtest.h>

#include "controllers/api/resources.hpp"
#include "runtime/assert.hpp"

namespace dcm::api {
namespace {

const Resource kCorePods{&kPods, "v1"};
const Resource kBetaClaims{&kResourceClaims, "v1beta2"};

TEST(Resource, core_has_no_group_in_its_api_version) {
  EXPECT_EQ(kCorePods.api_version(), "v1");
  EXPECT_EQ(kBetaClaims.api_version(), "resource.k8s.io/v1beta2");
}

TEST(Resource, paths) {
  EXPECT_EQ(kCorePods.path(), "/api/v1/pods");
  EXPECT_EQ(kCorePods.path("lab"), "/api/v1/namespaces/lab/pods");
  EXPECT_EQ(kBetaClaims.path(), "/apis/resource.k8s.io/v1beta2/resourceclaims");
  EXPECT_EQ(kBetaClaims.path(NamespacedName{"lab", "shared"}),
            "/apis/resource.k8s.io/v1beta2/namespaces/lab/resourceclaims/shared");
  EXPECT_EQ(kCorePods.path(NamespacedName{"lab", "trainer-0"}, "status"),
            "/api/v1/namespaces/lab/pods/trainer-0/status");
}

TEST(Resource, cluster_scoped_kinds_have_no_namespace_in_their_paths) {
  EXPECT_EQ((Resource{&kResourceSlices, "v1"}.path(NamespacedName{{}, "node-a-gpu"})),
            "/apis/resource.k8s.io/v1/resourceslices/node-a-gpu");
  EXPECT_EQ((Resource{&kDeviceTaintRules, "v1alpha3"}.path(NamespacedName{{}, "hot"}, "status")),
            "/apis/resource.k8s.io/v1alpha3/devicetaintrules/hot/status");
}

TEST(Resource, a_name_that_is_any_text_leads_to_no_other_path) {
  EXPECT_EQ(kCorePods.path(NamespacedName{"lab", "../../secrets/x?y=z"}),
            "/api/v1/namespaces/lab/pods/..%2F..%2Fsecrets%2Fx%3Fy%3Dz");
  EXPECT_EQ(kCorePods.path(NamespacedName{"lab", ".."}), "/api/v1/namespaces/lab/pods/%2E%2E");
  EXPECT_EQ(kCorePods.path(NamespacedName{"lab", "ä b"}), "/api/v1/namespaces/lab/pods/%C3%A4%20b");
}

TEST(Resource, the_path_of_an_object_without_a_name_is_refused) {
  EXPECT_THROW(kCorePods.path(NamespacedName{"lab", ""}), runtime::InvariantViolation);
}

TEST(Resource, claims_and_templates_know_the_same_versions_best_first) {
  EXPECT_TRUE(std::ranges::equal(kResourceClaims.versions, kResourceClaimTemplates.versions));
  EXPECT_EQ(kResourceClaims.versions.front(), "v1");
}

}  // namespace
}  // namespace dcm::api
