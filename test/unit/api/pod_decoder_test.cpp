#include <memory>

#include "runtime/timestamp.hpp"
#include "test/unit/api/decode_support.hpp"

namespace dcm::api {
namespace {

const std::unique_ptr<Decoder<Pod>> kDecoder = make_json_pod_decoder();

constexpr std::string_view kOneClaim = R"("resourceClaims":[{"name":"gpus"}])";

// A pod of interest, with these fields of spec and status.
ObjectPtr<Pod> decode(std::string_view spec, std::string_view status = {},
                      std::string_view metadata = {}) {
  const std::string json = object_json(
      fmt::format(R"("spec":{{{},{}}},"status":{{{}}})", kOneClaim, spec, status), metadata);
  const auto decoded = decode_ok(*kDecoder, json);
  EXPECT_NE(decoded.object, nullptr) << json;
  return decoded.object ? decoded.object : ObjectPtr(Pod());
}

constexpr std::string_view kNothing = R"("x":1)";

TEST(PodDecoder, reads_every_field_for_controllers) {
  const auto decoded = decode_ok(*kDecoder, R"({
    "apiVersion": "v1", "kind": "Pod",
    "metadata": {"name": "trainer-0", "generateName": "trainer-", "namespace": "lab",
      "uid": "5b0c7c1e-94a5-4a55-8f5c-6f2f3c0d9a11", "resourceVersion": "81507",
      "creationTimestamp": "2026-11-21T14:38:04Z",
      "managedFields": [{"manager": "x", "fieldsV1": {"f:metadata": {".": {}}}}]},
    "spec": {"containers": [{"name": "c", "resources": {"claims": [{"name": "gpus"}]}}],
      "nodeName": "node-a", "schedulingGroup": {"podGroupName": "trainers"},
      "resourceClaims": [{"name": "gpus", "resourceClaimTemplateName": "two-gpus"},
                         {"name": "nic", "resourceClaimName": "shared-nic"},
                         {"name": "new", "resourceClaimOther": "unknown"}]},
    "status": {"phase": "Running",
      "resourceClaimStatuses": [{"name": "gpus", "resourceClaimName": "trainer-0-gpus-x7k2p"},
                                {"name": "nic"}],
      "extendedResourceClaimStatus": {"resourceClaimName": "trainer-0-extended"}}})");
  ASSERT_NE(decoded.object, nullptr);
  const Pod& pod = *decoded.object;
  EXPECT_EQ(pod.created, runtime::time_of_seconds(1795271884));
  EXPECT_EQ(pod.meta.key, (NamespacedName{"lab", "trainer-0"}));
  EXPECT_EQ(decoded.meta.key, pod.meta.key);
  EXPECT_EQ(pod.meta.uid.str(), "5b0c7c1e-94a5-4a55-8f5c-6f2f3c0d9a11");
  EXPECT_EQ(decoded.meta.uid, pod.meta.uid);
  EXPECT_EQ(pod.meta.resource_version.str(), "81507");
  EXPECT_FALSE(pod.meta.is_being_deleted);
  EXPECT_EQ(pod.node_name.str(), "node-a");
  EXPECT_EQ(pod.scheduling_group.str(), "trainers");
  EXPECT_EQ(pod.phase, PodPhase::running);
  EXPECT_EQ(pod.claims, (UsuallyOne<PodClaim>{
                            {"gpus", "", "two-gpus"}, {"nic", "shared-nic", ""}, {"new", "", ""}}));
  EXPECT_EQ(pod.claim_statuses,
            (UsuallyOne<PodClaimStatus>{{"gpus", "trainer-0-gpus-x7k2p"}, {"nic", std::nullopt}}));
  EXPECT_EQ(pod.extended_resource_claim, "trainer-0-extended");
}

TEST(PodDecoder, ignores_field_order) {
  const auto decoded = decode_ok(*kDecoder, R"({
    "status": {"resourceClaimStatuses": [{"resourceClaimName": "c", "name": "gpus"}],
               "phase": "Failed"},
    "spec": {"resourceClaims": [{"resourceClaimTemplateName": "t", "name": "gpus"}]},
    "metadata": {"resourceVersion": "7", "uid": "u", "namespace": "lab", "name": "p"}})");
  ASSERT_NE(decoded.object, nullptr);
  EXPECT_EQ(decoded.object->phase, PodPhase::failed);
  EXPECT_EQ(decoded.object->claim_statuses[0], (PodClaimStatus{"gpus", "c"}));
  EXPECT_EQ(decoded.object->claims[0], (PodClaim{"gpus", "", "t"}));
  EXPECT_EQ(decoded.object->meta.key, (NamespacedName{"lab", "p"}));
}

struct InterestRow {
  std::string_view why;
  std::string_view rest;
  bool is_kept;
};

TEST(PodDecoder, keeps_only_identity_of_pod_without_claims) {
  constexpr InterestRow kRows[] = {
      {"no claims at all", R"("spec":{"nodeName":"node-a"})", false},
      {"no spec at all", "", false},
      {"an empty list", R"("spec":{"resourceClaims":[]})", false},
      {"nulls", R"("spec":{"resourceClaims":null},"status":null)", false},
      {"a status without a claim in the spec",
       R"("spec":{},"status":{"resourceClaimStatuses":[{"name":"a","resourceClaimName":"b"}]})",
       false},
      {"a pod claim", R"("spec":{"resourceClaims":[{"name":"gpus"}]})", true},
      {"a claim for extended resources",
       R"("status":{"extendedResourceClaimStatus":{"resourceClaimName":"e"}})", true},
  };
  for (const InterestRow& row : kRows) {
    SCOPED_TRACE(row.why);
    const auto decoded = decode_ok(*kDecoder, object_json(row.rest));
    EXPECT_EQ(decoded.object != nullptr, row.is_kept);
    EXPECT_EQ(decoded.meta.key.str(), "lab/trainer-0");
    EXPECT_EQ(decoded.meta.resource_version.str(), "81507");
    EXPECT_FALSE(decoded.meta.uid.empty());
  }
}

TEST(PodDecoder, keeps_pods_without_claims_on_request) {
  const auto decoder = make_json_pod_decoder(PodSelection::all);
  const auto decoded = decode_ok(*decoder, object_json(R"("status":{"phase":"Succeeded"})"));
  ASSERT_NE(decoded.object, nullptr);
  EXPECT_EQ(decoded.object->phase, PodPhase::succeeded);
}

struct PhaseRow {
  std::string_view status;
  PodPhase phase;
};

TEST(PodDecoder, reads_phase) {
  constexpr PhaseRow kRows[] = {
      {R"("phase":"Pending")", PodPhase::pending}, {R"("phase":"Running")", PodPhase::running},
      {R"("phase":"Failed")", PodPhase::failed},   {R"("phase":"Succeeded")", PodPhase::succeeded},
      {R"("phase":"Unknown")", PodPhase::unknown}, {R"("phase":"Dreaming")", PodPhase::unknown},
      {R"("phase":"running")", PodPhase::unknown}, {R"("phase":null)", PodPhase::pending},
      {R"("phase":"")", PodPhase::pending},        {"", PodPhase::pending},
  };
  for (const PhaseRow& row : kRows) {
    SCOPED_TRACE(row.status);
    EXPECT_EQ(decode(kNothing, row.status)->phase, row.phase);
  }
}

TEST(PodDecoder, derives_deletion_from_timestamp) {
  const auto is_being_deleted = [](std::string_view metadata) {
    return decode(kNothing, {}, metadata)->meta.is_being_deleted;
  };
  EXPECT_TRUE(is_being_deleted(R"("deletionTimestamp":"2027-03-01T10:15:00Z")"));
  EXPECT_FALSE(is_being_deleted(R"("deletionTimestamp":null)"));
  EXPECT_FALSE(is_being_deleted(R"("deletionGracePeriodSeconds":0)"));
}

TEST(PodDecoder, sorts_claim_statuses_by_name) {
  const auto pod = decode(R"("nodeName":"n")",
                          R"("resourceClaimStatuses":[{"name":"b"},{"name":"c"},{"name":"a"}])");
  EXPECT_EQ(
      pod->claim_statuses,
      (UsuallyOne<PodClaimStatus>{{"a", std::nullopt}, {"b", std::nullopt}, {"c", std::nullopt}}));
}

TEST(PodDecoder, treats_null_as_missing) {
  const auto pod = decode(R"("nodeName":null,"schedulingGroup":null)",
                          R"("resourceClaimStatuses":[{"name":"gpus","resourceClaimName":null},
                             null],"extendedResourceClaimStatus":null)");
  EXPECT_TRUE(pod->node_name.empty());
  EXPECT_TRUE(pod->scheduling_group.empty());
  EXPECT_EQ(pod->claim_statuses[1], (PodClaimStatus{"gpus", std::nullopt}));
  EXPECT_TRUE(pod->extended_resource_claim.empty());
}

TEST(PodDecoder, resolves_escapes_in_values_and_keys) {
  const auto pod = decode(R"("nodeN\u0061me":"n\u00f6de \"a\"\n")");
  EXPECT_EQ(pod->node_name.str(), "nöde \"a\"\n");
}

struct MalformedRow {
  std::string_view why;
  std::string json;
  std::string_view message;
};

TEST(PodDecoder, reports_path_of_invalid_field) {
  const MalformedRow rows[] = {
      {"number for string", object_json(R"("spec":{"nodeName":5})"),
       "JSON: spec.nodeName: expected a string"},
      {"object for string", object_json(R"("status":{"phase":{}})"),
       "JSON: status.phase: expected a string"},
      {"object for array", object_json(R"("spec":{"resourceClaims":{}})"),
       "JSON: spec.resourceClaims: expected an array"},
      {"array for object", object_json(R"("spec":[])"), "JSON: spec: expected an object"},
      {"string for object", object_json(R"("status":"Running")"),
       "JSON: status: expected an object"},
      {"the third item", object_json(R"("spec":{"resourceClaims":[{},null,{"name":true}]})"),
       "JSON: spec.resourceClaims[2].name: expected a string"},
      {"an item of the wrong type", object_json(R"("spec":{"resourceClaims":["gpus"]})"),
       "JSON: spec.resourceClaims[0]: expected an object"},
      {"something like null", object_json(R"("spec":{"nodeName":nul})"),
       "JSON: spec.nodeName: expected a string"},
      {"a timestamp that is none", object_json("", R"("deletionTimestamp":true)"),
       "JSON: metadata.deletionTimestamp: expected a string"},
      {"no name", R"({"metadata":{"uid":"u","resourceVersion":"1"}})",
       "JSON: metadata.name: missing"},
      {"no uid", R"({"metadata":{"name":"n","resourceVersion":"1"}})",
       "JSON: metadata.uid: missing"},
      {"no version", R"({"metadata":{"name":"n","uid":"u"}})",
       "JSON: metadata.resourceVersion: missing"},
      {"a Status in the place of an object",
       R"({"kind":"Status","metadata":{},"status":{},"details":{"name":"x"}})",
       "JSON: kind: not the kind that was asked for"},
      {"a Status that does not say so", R"({"metadata":{},"status":{},"details":{"name":"x"}})",
       "JSON: metadata.name: missing"},
      {"not an object", R"(["a"])", "JSON: expected an object"},
      {"a bare word", "true", "JSON: expected an object"},
      {"something after the end", object_json("") + "{}", "JSON: something follows the end"},
  };
  for (const MalformedRow& row : rows) {
    SCOPED_TRACE(row.why);
    EXPECT_EQ(malformed(kDecoder->decode_object(row.json)), row.message);
  }
}

TEST(PodDecoder, rejects_input_other_than_json) {
  for (const std::string& json : {
           std::string(),
           std::string("   "),
           std::string("{"),
           std::string("}"),
           std::string("<html>"),
           object_json("") + "x",
           object_json("") + "}",
           object_json(R"("spec":{"nodeName":"a)"),
           object_json("\"a\":\"\xff\xfe\""),
           object_json("\"a\":\"\n\""),
           std::string(1 << 16, '['),
           std::string(100, '\0'),
       }) {
    EXPECT_THAT(malformed(kDecoder->decode_object(json)), testing::StartsWith("JSON: ")) << json;
  }
}

TEST(PodDecoder, skips_deep_nesting_in_unused_fields) {
  constexpr std::size_t kDepth = 200'000;
  const std::string deep = std::string(kDepth, '[') + std::string(kDepth, ']');
  EXPECT_EQ(decode_ok(*kDecoder, object_json("\"unknown\":" + deep)).meta.key.name, "trainer-0");
  EXPECT_EQ(malformed(kDecoder->decode_object(object_json("\"spec\":" + deep))),
            "JSON: spec: expected an object");
}

TEST(PodDecoder, forgets_longer_previous_document) {
  const std::string json = object_json(R"("spec":{"resourceClaims":[{"name":"gpus"}]})");
  ASSERT_TRUE(kDecoder->decode_object(json));
  EXPECT_FALSE(kDecoder->decode_object(json.substr(0, json.size() - 1)));
}

}  // namespace
}  // namespace dcm::api
