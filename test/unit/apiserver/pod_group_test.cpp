// PodGroup: served only on request, with its own finalizer, and with names only for its own claims.
#include "test/unit/apiserver/fixture.hpp"

namespace dcm::apiserver {
namespace {

constexpr std::string_view kGroups = "/apis/scheduling.k8s.io/v1beta1/namespaces/default/podgroups";
constexpr std::string_view kGroup =
    "/apis/scheduling.k8s.io/v1beta1/namespaces/default/podgroups/trainers";
constexpr std::string_view kTrainers =
    R"({"metadata":{"name":"trainers"},"spec":{"schedulingPolicy":{"basic":{}},)"
    R"("resourceClaims":[{"name":"fabric","resourceClaimTemplateName":"net"}]}})";

using UnservedPodGroup = Api;

TEST_F(UnservedPodGroup, is_not_found) {
  EXPECT_EQ(api.get(kGroups).status, 404);
}

class PodGroup : public Api {
 protected:
  PodGroup() : Api({.served = {.pod_groups = {"v1beta1"}}}) {}

  Answer name_claim_of(const std::string& entry) {
    return api.patch(std::string(kGroup) + "/status", kStrategic,
                     R"({"status":{"resourceClaimStatuses":[{"name":")" + entry +
                         R"(","resourceClaimName":"x"}]}})");
  }
};

TEST_F(PodGroup, requires_policy) {
  EXPECT_EQ(api.post(kGroups, R"({"metadata":{"name":"trainers"},"spec":{}})").status, 422);
  EXPECT_EQ(api.post(kGroups, std::string(kTrainers)).status, 201);
}

TEST_F(PodGroup, stays_until_unprotected) {
  api.post(kGroups, std::string(kTrainers));
  api.remove(kGroup);
  EXPECT_EQ(api.get(kGroup).status, 200);
  api.patch(kGroup, kMerge, R"({"metadata":{"finalizers":null}})");
  EXPECT_EQ(api.get(kGroup).status, 404);
}

TEST_F(PodGroup, names_only_its_own_claims) {
  api.post(kGroups, std::string(kTrainers));
  EXPECT_EQ(name_claim_of("other").status, 422);
  EXPECT_EQ(name_claim_of("fabric").status, 200);
  const Answer empty = api.patch(std::string(kGroup) + "/status", kMerge,
                                 R"({"status":{"resourceClaimStatuses":[null]}})");
  EXPECT_EQ(empty.status, 422) << serialize(empty.body);
}

}  // namespace
}  // namespace dcm::apiserver
