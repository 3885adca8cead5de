// Each body, character for character.
#include "client/api/encode.hpp"

#include <chrono>

#include <gtest/gtest.h>

#include "controllers/api/encode_claim.hpp"
#include "controllers/api/resources.hpp"
#include "test/unit/api/decode_support.hpp"

namespace dcm::api {
namespace {

using namespace std::chrono_literals;

constexpr std::string_view kPodUid = "9e2f6a40-1b7c-4d35-8e90-5a6b7c8d9e0f";

ObjectMeta claim_meta() {
  return {{"ml", "scratch"}, Uid("1d2c3b4a-5e6f-4071-8293-a4b5c6d7e8f9"), ResourceVersion("4711")};
}

ClaimOwner pod_owner() {
  return {"v1", "Pod", "learner-3", Uid(kPodUid)};
}

ResourceClaimTemplate claim_template() {
  ResourceClaimTemplate result;
  result.labels = {{"crew", "audio"}};
  result.annotations = {{"example.org/note", "say \"hi\""},
                        {"resource.kubernetes.io/pod-claim-name", "overruled"}};
  result.claim_spec.bytes = R"({ "devices":{"future":[1.50]}})";
  return result;
}

const Resource kClaims{&kResourceClaims, "v1"};

TEST(EncodeClaim, copies_template_metadata_and_spec_unchanged) {
  EXPECT_EQ(
      encode_claim(kClaims, claim_template(), "learner-3-fast-x7k2p", "learner-3-fast-", "fast",
                   pod_owner())
          .bytes,
      R"({"apiVersion":"resource.k8s.io/v1","kind":"ResourceClaim",)"
      R"("metadata":{"name":"learner-3-fast-x7k2p","generateName":"learner-3-fast-","labels":{"crew":"audio"},)"
      R"("annotations":{"example.org/note":"say \"hi\"",)"
      R"("resource.kubernetes.io/pod-claim-name":"fast"},)"
      R"("ownerReferences":[{"apiVersion":"v1","kind":"Pod","name":"learner-3",)"
      R"("uid":"9e2f6a40-1b7c-4d35-8e90-5a6b7c8d9e0f","controller":true}]},)"
      R"("spec":{ "devices":{"future":[1.50]}}})");
}

TEST(EncodeClaim, handles_template_without_metadata_or_spec_for_group) {
  const ClaimOwner group{"scheduling.k8s.io/v1beta1", "PodGroup", "learners", Uid("u-1")};
  const Resource beta_claims{&kResourceClaims, "v1beta1"};
  EXPECT_EQ(encode_claim(beta_claims, ResourceClaimTemplate(), "learners-ring-x7k2p",
                         "learners-ring-", "ring", group)
                .bytes,
            R"({"apiVersion":"resource.k8s.io/v1beta1","kind":"ResourceClaim",)"
            R"("metadata":{"name":"learners-ring-x7k2p","generateName":"learners-ring-",)"
            R"("annotations":{"resource.kubernetes.io/pod-claim-name":"ring"},)"
            R"("ownerReferences":[{"apiVersion":"scheduling.k8s.io/v1beta1","kind":"PodGroup",)"
            R"("name":"learners","uid":"u-1","controller":true}]},"spec":{}})");
}

TEST(EncodeClaimNames, keeps_order_of_pod_claims) {
  const ClaimNameEntry entries[] = {{"fast", "learner-3-fast-q8w2e"}, {"big", "learner-3-big-1"}};
  EXPECT_EQ(encode_claim_names("v1", "Pod", {"ml", "learner-3"}, Uid(kPodUid), entries),
            R"({"apiVersion":"v1","kind":"Pod","metadata":{"name":"learner-3","namespace":"ml",)"
            R"("uid":"9e2f6a40-1b7c-4d35-8e90-5a6b7c8d9e0f"},"status":{"resourceClaimStatuses":[)"
            R"({"name":"fast","resourceClaimName":"learner-3-fast-q8w2e"},)"
            R"({"name":"big","resourceClaimName":"learner-3-big-1"}]}})");
}

TEST(EncodeClaimNames, encodes_single_entry_of_group) {
  const ClaimNameEntry entries[] = {{"ring", "learners-ring-5t5t5"}};
  EXPECT_EQ(encode_claim_names("scheduling.k8s.io/v1beta1", "PodGroup", {"ml", "learners"},
                               Uid("u-1"), entries),
            R"({"apiVersion":"scheduling.k8s.io/v1beta1","kind":"PodGroup",)"
            R"("metadata":{"name":"learners","namespace":"ml","uid":"u-1"},)"
            R"("status":{"resourceClaimStatuses":[)"
            R"({"name":"ring","resourceClaimName":"learners-ring-5t5t5"}]}})");
}

TEST(EncodeReserve, omits_api_group_for_pod) {
  EXPECT_EQ(encode_reserve(claim_meta(), {"", "pods", "learner-3", Uid(kPodUid)}),
            R"({"metadata":{"uid":"1d2c3b4a-5e6f-4071-8293-a4b5c6d7e8f9",)"
            R"("resourceVersion":"4711"},"status":{"reservedFor":[{"resource":"pods",)"
            R"("name":"learner-3","uid":"9e2f6a40-1b7c-4d35-8e90-5a6b7c8d9e0f"}]}})");
}

TEST(EncodeReserve, includes_api_group_for_group) {
  EXPECT_EQ(encode_reserve(claim_meta(), {"scheduling.k8s.io", "podgroups", "learners", Uid("u")}),
            R"({"metadata":{"uid":"1d2c3b4a-5e6f-4071-8293-a4b5c6d7e8f9",)"
            R"("resourceVersion":"4711"},"status":{"reservedFor":[)"
            R"({"apiGroup":"scheduling.k8s.io","resource":"podgroups","name":"learners",)"
            R"("uid":"u"}]}})");
}

TEST(EncodeRelease, clears_allocation_with_last_reservation) {
  const Uid released[] = {Uid(kPodUid)};
  EXPECT_EQ(encode_release(claim_meta(), released, Allocation::clear),
            R"({"metadata":{"uid":"1d2c3b4a-5e6f-4071-8293-a4b5c6d7e8f9",)"
            R"("resourceVersion":"4711"},"status":{"reservedFor":[{"$patch":"delete",)"
            R"("uid":"9e2f6a40-1b7c-4d35-8e90-5a6b7c8d9e0f"}],"allocation":null}})");
}

TEST(EncodeRelease, keeps_allocation_with_other_reservations) {
  const Uid released[] = {Uid("A"), Uid("B")};
  EXPECT_EQ(encode_release(claim_meta(), released, Allocation::keep),
            R"({"metadata":{"uid":"1d2c3b4a-5e6f-4071-8293-a4b5c6d7e8f9",)"
            R"("resourceVersion":"4711"},"status":{"reservedFor":[)"
            R"({"$patch":"delete","uid":"A"},{"$patch":"delete","uid":"B"}]}})");
}

TEST(EncodeRelease, omits_list_of_claim_without_reservations) {
  EXPECT_EQ(encode_release(claim_meta(), {}, Allocation::clear),
            R"({"metadata":{"uid":"1d2c3b4a-5e6f-4071-8293-a4b5c6d7e8f9",)"
            R"("resourceVersion":"4711"},"status":{"allocation":null}})");
}

TEST(EncodeRemoveFinalizer, removes_only_that_one) {
  EXPECT_EQ(encode_remove_finalizer(claim_meta().uid, ResourceVersion("4712"),
                                    kDeleteProtectionFinalizer),
            R"({"metadata":{"uid":"1d2c3b4a-5e6f-4071-8293-a4b5c6d7e8f9",)"
            R"("resourceVersion":"4712","$deleteFromPrimitiveList/finalizers":)"
            R"(["resource.kubernetes.io/delete-protection"]}})");
}

TEST(EncodeDeleteOptions, includes_uid_as_precondition) {
  EXPECT_EQ(encode_delete_options(Uid(kPodUid)),
            R"({"apiVersion":"v1","kind":"DeleteOptions",)"
            R"("preconditions":{"uid":"9e2f6a40-1b7c-4d35-8e90-5a6b7c8d9e0f"}})");
}

Event sample_event() {
  using std::chrono::sys_days;
  Event event;
  event.key = {"ml", "learner-3.17c0ffee"};
  event.involved_object = {"v1", "Pod", {"ml", "learner-3"}, Uid(kPodUid), ""};
  event.reason = "FailedResourceClaimCreation";
  event.message = "PodResourceClaim fast: \"no\"";
  event.component = "resource_claim";
  event.first_time = sys_days(std::chrono::January / 9 / 2028) + 7h + 5min + 3s + 999ms;
  event.last_time = event.first_time;
  return event;
}

TEST(EncodeEvent, describes_namespaced_object) {
  EXPECT_EQ(encode_event(sample_event()),
            R"({"apiVersion":"v1","kind":"Event",)"
            R"("metadata":{"name":"learner-3.17c0ffee","namespace":"ml"},)"
            R"("involvedObject":{"apiVersion":"v1","kind":"Pod","namespace":"ml",)"
            R"("name":"learner-3","uid":"9e2f6a40-1b7c-4d35-8e90-5a6b7c8d9e0f"},)"
            R"("type":"Normal","reason":"FailedResourceClaimCreation",)"
            R"("message":"PodResourceClaim fast: \"no\"","source":{"component":"resource_claim"},)"
            R"("reportingComponent":"resource_claim","reportingInstance":"","count":1,)"
            R"("firstTimestamp":"2028-01-09T07:05:03Z","lastTimestamp":"2028-01-09T07:05:03Z"})");
}

TEST(EncodeEvent, describes_cluster_scoped_object_with_version_as_warning) {
  Event event = sample_event();
  event.key = {"default", "burnt.1"};
  event.involved_object = {"resource.k8s.io/v1", "DeviceTaintRule", {{}, "burnt"}, Uid("u"), "88"};
  event.type = EventType::warning;
  const std::string body = encode_event(event);
  EXPECT_NE(body.find(R"("involvedObject":{"apiVersion":"resource.k8s.io/v1",)"
                      R"("kind":"DeviceTaintRule","name":"burnt","uid":"u",)"
                      R"("resourceVersion":"88"},"type":"Warning")"),
            std::string::npos)
      << body;
}

TEST(EncodeEvent, encodes_repetition_in_three_fields) {
  Event event = sample_event();
  event.count = 2;
  event.last_time += 24h * 23;
  EXPECT_EQ(encode_event_repetition(event), R"({"count":2,"lastTimestamp":"2028-02-01T07:05:03Z",)"
                                            R"("message":"PodResourceClaim fast: \"no\""})");
}

// Encoding and decoding match: a claim created from a decoded template has the fields of the
// template, the pod and the pod claim.
TEST(RoundTrip, turns_template_into_claim) {
  const auto templates = make_json_template_decoder("v1");
  const auto decoded =
      decode_ok(*templates, object_json(R"("spec":{"metadata":{"labels":{"a":"\u0001\"\\"}},
                             "spec":{"devices":{"requests":[{"exactly":{"adminAccess":true}}]}}})"));
  ASSERT_NE(decoded.object, nullptr);
  std::string body = encode_claim(kClaims, *decoded.object, "learner-3-fast-x7k2p",
                                  "learner-3-fast-", "fast", pod_owner())
                         .bytes;
  // The server's additions.
  body.insert(body.find(R"("generateName")"),
              R"("name":"n","namespace":"ml","uid":"c","resourceVersion":"1",)");
  const auto claim = decode_ok(*make_json_claim_decoder("v1"), body).object;
  ASSERT_NE(claim, nullptr);
  EXPECT_EQ(claim->pod_claim_name, "fast");
  EXPECT_TRUE(claim->has_admin_access);
  ASSERT_NE(claim->controller, std::nullopt);
  EXPECT_EQ(*claim->controller, (ControllerRef{"", "Pod", "learner-3", Uid(kPodUid)}));
}

TEST(RoundTrip, keeps_reservation) {
  const ConsumerReference consumer{"", "pods", "odd \"name\"\n", Uid("odd uid \\")};
  std::string body = encode_reserve(claim_meta(), consumer);
  body.insert(body.find(R"("uid")"), R"("name":"n",)");
  const auto claim = decode_ok(*make_json_claim_decoder("v1"), body).object;
  ASSERT_NE(claim, nullptr);
  EXPECT_EQ(claim->reserved_for, UsuallyOne<ConsumerReference>{consumer});
}

}  // namespace
}  // namespace dcm::api
