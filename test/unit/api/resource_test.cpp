#include "client/api/resource.hpp"

#include <gtest/gtest.h>

#include "controllers/api/resources.hpp"
#include "runtime/assert.hpp"

namespace dcm::api {
namespace {

const Resource kCorePods{&kPods, "v1"};
const Resource kBetaClaims{&kResourceClaims, "v1beta2"};

TEST(Resource, omits_core_group_in_api_version) {
  EXPECT_EQ(kCorePods.api_version(), "v1");
  EXPECT_EQ(kBetaClaims.api_version(), "resource.k8s.io/v1beta2");
}

TEST(Resource, builds_paths) {
  EXPECT_EQ(kCorePods.path(), "/api/v1/pods");
  EXPECT_EQ(kCorePods.path("lab"), "/api/v1/namespaces/lab/pods");
  EXPECT_EQ(kBetaClaims.path(), "/apis/resource.k8s.io/v1beta2/resourceclaims");
  EXPECT_EQ(kBetaClaims.path(NamespacedName{"lab", "shared"}),
            "/apis/resource.k8s.io/v1beta2/namespaces/lab/resourceclaims/shared");
  EXPECT_EQ(kCorePods.path(NamespacedName{"lab", "trainer-0"}, "status"),
            "/api/v1/namespaces/lab/pods/trainer-0/status");
}

TEST(Resource, omits_namespace_in_cluster_scoped_paths) {
  EXPECT_EQ((Resource{&kResourceSlices, "v1"}.path(NamespacedName{{}, "node-a-gpu"})),
            "/apis/resource.k8s.io/v1/resourceslices/node-a-gpu");
  EXPECT_EQ((Resource{&kDeviceTaintRules, "v1alpha3"}.path(NamespacedName{{}, "hot"}, "status")),
            "/apis/resource.k8s.io/v1alpha3/devicetaintrules/hot/status");
}

TEST(Resource, escapes_names_in_paths) {
  EXPECT_EQ(kCorePods.path(NamespacedName{"lab", "../../secrets/x?y=z"}),
            "/api/v1/namespaces/lab/pods/..%2F..%2Fsecrets%2Fx%3Fy%3Dz");
  EXPECT_EQ(kCorePods.path(NamespacedName{"lab", ".."}), "/api/v1/namespaces/lab/pods/%2E%2E");
  EXPECT_EQ(kCorePods.path(NamespacedName{"lab", "ä b"}), "/api/v1/namespaces/lab/pods/%C3%A4%20b");
}

TEST(Resource, rejects_path_of_unnamed_object) {
  EXPECT_THROW(kCorePods.path(NamespacedName{"lab", ""}), runtime::InvariantViolation);
}

TEST(Resource, knows_same_versions_for_claims_and_templates) {
  EXPECT_TRUE(std::ranges::equal(kResourceClaims.versions, kResourceClaimTemplates.versions));
  EXPECT_EQ(kResourceClaims.versions.front(), "v1");
}

}  // namespace
}  // namespace dcm::api
