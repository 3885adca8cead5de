#include <memory>

#include "test/unit/api/decode_support.hpp"

namespace dcm::api {
namespace {

const std::unique_ptr<Decoder<PodGroup>> kDecoder = make_json_group_decoder();

TEST(PodGroupDecoder, reads_claims_and_names) {
  const auto decoded = decode_ok(*kDecoder, R"({
    "apiVersion": "scheduling.k8s.io/v1beta1", "kind": "PodGroup",
    "metadata": {"name": "trainers", "namespace": "lab", "resourceVersion": "12",
      "uid": "c1f4a0de-2f0b-4a7e-9a51-2b7f7d1f0e42", "deletionTimestamp": "2027-03-01T09:00:00Z"},
    "spec": {"schedulingPolicy": {"gang": {"minCount": 4}},
      "resourceClaims": [{"name": "fabric", "resourceClaimTemplateName": "net"},
                         {"name": "store", "resourceClaimName": "big"}]},
    "status": {"conditions": [{"type": "x"}],
      "resourceClaimStatuses": [{"name": "fabric", "resourceClaimName": "trainers-fabric-b5m8q"},
                                {"name": "none"}]}})");
  ASSERT_NE(decoded.object, nullptr);
  const PodGroup& group = *decoded.object;
  EXPECT_EQ(group.meta.key, (NamespacedName{"lab", "trainers"}));
  EXPECT_EQ(group.meta.uid.str(), "c1f4a0de-2f0b-4a7e-9a51-2b7f7d1f0e42");
  EXPECT_TRUE(group.meta.is_being_deleted);
  EXPECT_EQ(group.claims, (UsuallyOne<PodClaim>{{"fabric", "", "net"}, {"store", "big", ""}}));
  EXPECT_EQ(group.claim_statuses, (UsuallyOne<PodClaimStatus>{{"fabric", "trainers-fabric-b5m8q"},
                                                              {"none", std::nullopt}}));
}

TEST(PodGroupDecoder, keeps_group_without_claims) {
  EXPECT_NE(decode_ok(*kDecoder, object_json(R"("spec":{})")).object, nullptr);
  EXPECT_NE(decode_ok(*kDecoder, object_json(R"("spec":null,"status":null)")).object, nullptr);
}

}  // namespace
}  // namespace dcm::api
