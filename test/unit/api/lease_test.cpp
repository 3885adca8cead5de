// Leases, read and written.
#include "client/api/lease.hpp"

#include <gtest/gtest.h>

#include "client/api/encode_lease.hpp"

namespace dcm::api {
namespace {

using namespace std::chrono_literals;

LeaseSpec spec() {
  return {.holder = "host_1",
          .duration = 15s,
          .acquire_time = "2027-03-01T10:15:00.000000Z",
          .renew_time = "2027-03-01T10:15:02.000000Z",
          .transitions = 3};
}

constexpr std::string_view kStored =
    R"({"kind":"Lease","apiVersion":"coordination.k8s.io/v1","metadata":{"name":"l",)"
    R"("namespace":"kube-system","uid":"5b0c7c1e-94a5-4a55-8f5c-6f2f3c0d9a11",)"
    R"("resourceVersion":"42","labels":{"mine":"yes"},"managedFields":[{"manager":"x"}]},)"
    R"("spec":{"holderIdentity":"host_1","leaseDurationSeconds":15,)"
    R"("acquireTime":"2027-03-01T10:15:00.000000Z","renewTime":"2027-03-01T10:15:02.000000Z",)"
    R"("leaseTransitions":3,"strategy":"OldestEmulationVersion"}})";

TEST(Lease, reads_every_field) {
  const auto lease = decode_lease(kStored);
  ASSERT_TRUE(lease.has_value()) << lease.error().message;
  EXPECT_EQ(lease->meta.key, (NamespacedName{"kube-system", "l"}));
  EXPECT_EQ(lease->meta.resource_version.str(), "42");
  EXPECT_EQ(lease->spec, spec());
}

TEST(Lease, has_no_holder_without_fields) {
  for (const std::string_view said :
       {"", R"(,"spec":{})", R"(,"spec":null)",
        R"(,"spec":{"holderIdentity":null,"leaseDurationSeconds":null,"leaseTransitions":null})"}) {
    const auto lease =
        decode_lease(R"({"metadata":{"name":"l","namespace":"n","uid":"u","resourceVersion":"1"})" +
                     std::string(said) + "}");
    ASSERT_TRUE(lease.has_value()) << said;
    EXPECT_EQ(lease->spec, LeaseSpec{}) << said;
  }
}

TEST(Lease, rejects_other_documents) {
  for (const std::string_view text :
       {"", "[]", "{}", R"({"kind":"Status","metadata":{}})",
        R"({"metadata":{"name":"l","uid":"u","resourceVersion":"1"},"spec":{"holderIdentity":7}})",
        R"({"metadata":{"name":"l","uid":"u","resourceVersion":"1"},"spec":{"leaseTrans)"}) {
    const auto lease = decode_lease(text);
    ASSERT_FALSE(lease.has_value()) << text;
    EXPECT_EQ(lease.error().reason, runtime::Reason::malformed);
  }
}

TEST(EncodeLease, encodes_new_lease) {
  EXPECT_EQ(encode_lease({"kube-system", "l"}, spec()),
            R"({"apiVersion":"coordination.k8s.io/v1","kind":"Lease",)"
            R"("metadata":{"name":"l","namespace":"kube-system"},)"
            R"("spec":{"holderIdentity":"host_1","leaseDurationSeconds":15,)"
            R"("acquireTime":"2027-03-01T10:15:00.000000Z",)"
            R"("renewTime":"2027-03-01T10:15:02.000000Z","leaseTransitions":3}})");
}

TEST(EncodeLease, keeps_unknown_fields_on_update) {
  LeaseSpec renewed = spec();
  renewed.holder = "host_2";
  renewed.transitions = 4;
  const auto body = encode_lease_update(kStored, renewed);
  ASSERT_TRUE(body.has_value());
  EXPECT_EQ(*body,
            R"({"kind":"Lease","apiVersion":"coordination.k8s.io/v1","metadata":{"name":"l",)"
            R"("namespace":"kube-system","uid":"5b0c7c1e-94a5-4a55-8f5c-6f2f3c0d9a11",)"
            R"("resourceVersion":"42","labels":{"mine":"yes"}},)"
            R"("spec":{"holderIdentity":"host_2","leaseDurationSeconds":15,)"
            R"("acquireTime":"2027-03-01T10:15:00.000000Z",)"
            R"("renewTime":"2027-03-01T10:15:02.000000Z",)"
            R"("leaseTransitions":4,"strategy":"OldestEmulationVersion"}})");
}

TEST(EncodeLease, accepts_deep_managed_fields) {
  std::string stored(kStored);
  stored.replace(stored.find(R"("x")"), 3, std::string(200, '[') + std::string(200, ']'));
  EXPECT_TRUE(encode_lease_update(stored, spec()).has_value());
}

TEST(EncodeLease, rejects_documents_other_than_leases) {
  for (const std::string_view text : {"", "[]", "{}", R"({"metadata":1})"}) {
    EXPECT_FALSE(encode_lease_update(text, spec()).has_value()) << text;
  }
}

}  // namespace
}  // namespace dcm::api
