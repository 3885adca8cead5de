// POST: names, default fields, and rejections.
#include "test/unit/apiserver/fixture.hpp"

namespace dcm::apiserver {
namespace {

using Create = Api;

TEST_F(Create, answers_201_with_defaults) {
  const Answer made = make_claim();
  EXPECT_EQ(made.status, 201);
  EXPECT_EQ(made.text({"kind"}), "ResourceClaim");
  EXPECT_EQ(made.text({"apiVersion"}), "resource.k8s.io/v1");
  EXPECT_EQ(made.uid().size(), 36U);
  EXPECT_EQ(made.text({"metadata", "creationTimestamp"}), "2024-10-04T00:00:00Z");
  EXPECT_EQ(made.resource_version(), std::to_string(server.store().revision()));
  EXPECT_EQ(made.text({"metadata", "namespace"}), "default");
  const auto& request = array_at(made.body, {"spec", "devices", "requests"}).front().get_object();
  EXPECT_EQ(serialize(request.at("exactly")),
            R"({"deviceClassName":"gpu","allocationMode":"ExactCount","count":1})");
  EXPECT_EQ(api.get(kClaim).body, made.body);
}

TEST_F(Create, generates_name_with_five_random_characters) {
  const std::string base(60, 'a');
  const Answer made =
      api.post(kClaims, R"({"metadata":{"generateName":")" + base + R"("},"spec":{"devices":{}}})");
  ASSERT_EQ(made.status, 201);
  EXPECT_EQ(made.name().size(), 63U);
  EXPECT_TRUE(made.name().starts_with(std::string(58, 'a')));
  EXPECT_EQ(made.name().find_first_not_of("bcdfghjklmnpqrstvwxz2456789", 58),
            std::string_view::npos);
}

TEST_F(Create, drops_status_of_claim_and_pod) {
  const Answer claim = api.post(
      kClaims, R"({"metadata":{"name":"x"},"spec":{},"status":{"reservedFor":[{"uid":"1"}]}})");
  EXPECT_EQ(object_at(claim.body, {"status"}).size(), 0U);
  const Answer pod =
      api.post(kPods, R"({"metadata":{"name":"x"},"spec":{"containers":[{"name":"c","image":"i"}]},
               "status":{"phase":"Running"}})");
  EXPECT_EQ(pod.text({"status", "phase"}), "Pending");
}

struct RefusedRow {
  std::string_view sentence;
  std::string_view path;
  std::string_view body;
  int status;
  std::string_view reason;
  std::string_view field;  // "" for none
};

class RefusedCreate : public Api, public ::testing::WithParamInterface<RefusedRow> {};

TEST_P(RefusedCreate, is_answered) {
  const RefusedRow& row = GetParam();
  make_claim();
  const Revision before = server.store().revision();
  const Answer answer = api.post(row.path, std::string(row.body));
  EXPECT_EQ(answer.status, row.status) << row.sentence << "\n" << serialize(answer.body);
  EXPECT_EQ(answer.reason(), row.reason) << row.sentence;
  if (!row.field.empty()) {
    EXPECT_TRUE(answer.blames(row.field)) << row.sentence << "\n" << serialize(answer.body);
  }
  EXPECT_EQ(server.store().revision(), before) << row.sentence;
}

constexpr RefusedRow kRefusedRows[] = {
    {"a name that is taken", kClaims, R"({"metadata":{"name":"shared"},"spec":{}})", 409,
     "AlreadyExists", ""},
    {"no name at all", kClaims, R"({"metadata":{},"spec":{}})", 422, "Invalid", "metadata.name"},
    {"a name that is no DNS name", kClaims, R"({"metadata":{"name":"a.-b"},"spec":{}})", 422,
     "Invalid", "metadata.name"},
    {"a missing namespace", "/apis/resource.k8s.io/v1/namespaces/nowhere/resourceclaims",
     R"({"metadata":{"name":"x"},"spec":{}})", 404, "NotFound", ""},
    {"a namespace in the body that is not the path's", kClaims,
     R"({"metadata":{"name":"x","namespace":"other"},"spec":{}})", 400, "BadRequest", ""},
    {"another kind than the path's", kClaims,
     R"({"apiVersion":"resource.k8s.io/v1","kind":"Pod","metadata":{"name":"x"}})", 400,
     "BadRequest", ""},
    {"another version than the path's", kClaims,
     R"({"apiVersion":"v1","kind":"ResourceClaim","metadata":{"name":"x"}})", 400, "BadRequest",
     ""},
    {"a body that is not JSON", kClaims, "{", 400, "BadRequest", ""},
    {"a body that is no object", kClaims, "[]", 400, "BadRequest", ""},
    {"a resourceVersion", kClaims, R"({"metadata":{"name":"x","resourceVersion":"1"},"spec":{}})",
     500, "", ""},
    {"a request without a device class", kClaims,
     R"({"metadata":{"name":"x"},"spec":{"devices":{"requests":[{"name":"a","exactly":{}}]}}})",
     422, "Invalid", "spec.devices.requests[0].exactly.deviceClassName"},
    {"a request of neither sort", kClaims,
     R"({"metadata":{"name":"x"},"spec":{"devices":{"requests":[{"name":"a"}]}}})", 422, "Invalid",
     "spec.devices.requests[0]"},
    {"admin access in a namespace that is not labelled for it", kClaims,
     R"({"metadata":{"name":"x"},"spec":{"devices":{"requests":[{"name":"a",
        "exactly":{"deviceClassName":"c","adminAccess":true}}]}}})",
     422, "Invalid", "spec.devices.requests[0].adminAccess"},
    {"two controllers", kClaims,
     R"({"metadata":{"name":"x","ownerReferences":[
        {"apiVersion":"v1","kind":"Pod","name":"a","uid":"1","controller":true},
        {"apiVersion":"v1","kind":"Pod","name":"b","uid":"2","controller":true}]},"spec":{}})",
     422, "Invalid", "metadata.ownerReferences"},
    {"a pod claim that names nothing", kPods,
     R"({"metadata":{"name":"x"},"spec":{"containers":[{"name":"c","image":"i"}],
        "resourceClaims":[{"name":"a"}]}})",
     422, "Invalid", "spec.resourceClaims[0]"},
    {"an event about an object of another namespace", "/api/v1/namespaces/default/events",
     R"({"metadata":{"name":"x"},"involvedObject":{"namespace":"kube-system"}})", 422, "Invalid",
     "involvedObject.namespace"},
    {"a lease of no length", "/apis/coordination.k8s.io/v1/namespaces/default/leases",
     R"({"metadata":{"name":"x"},"spec":{"leaseDurationSeconds":0}})", 422, "Invalid",
     "spec.leaseDurationSeconds"},
    {"a taint without an effect", "/apis/resource.k8s.io/v1/devicetaintrules",
     R"({"metadata":{"name":"x"},"spec":{"taint":{"key":"k"}}})", 422, "Invalid",
     "spec.taint.effect"},
};

INSTANTIATE_TEST_SUITE_P(Rows, RefusedCreate, ::testing::ValuesIn(kRefusedRows), kBySentence);

TEST_F(Create, allows_admin_access_in_labelled_namespace) {
  api.patch("/api/v1/namespaces/default", kMerge,
            R"({"metadata":{"labels":{"resource.kubernetes.io/admin-access":"true"}}})");
  const Answer made =
      api.post(kClaims, R"({"metadata":{"name":"x"},"spec":{"devices":{"requests":[{"name":"a",
                "exactly":{"deviceClassName":"c","adminAccess":true}}]}}})");
  EXPECT_EQ(made.status, 201);
}

TEST_F(Create, rejects_object_in_namespace_in_deletion) {
  api.post("/api/v1/namespaces", R"({"metadata":{"name":"going"}})");
  EXPECT_EQ(api.remove("/api/v1/namespaces/going").text({"status", "phase"}), "Terminating");
  const Answer refused =
      api.post("/api/v1/namespaces/going/configmaps", R"({"metadata":{"name":"x"}})");
  EXPECT_EQ(refused.status, 403);
  const auto& cause = array_at(refused.body, {"details", "causes"}).front().get_object();
  EXPECT_EQ(text_at(cause, {"reason"}), "NamespaceTerminating");
}

// The next names of a server with that seed are computed beforehand, and taken. Each created object
// draws a UID (two numbers) first.
TEST_F(Create, gives_up_after_eight_taken_names) {
  constexpr int kAttempts = 8;
  constexpr std::string_view kAlphabet = "bcdfghjklmnpqrstvwxz2456789";
  runtime::Rng rng(1);
  // Four namespaces, two priority classes, the objects with taken names, and itself.
  const int objects_before = 4 + 2 + kAttempts + 1;
  for (int i = 0; i < 2 * objects_before; ++i) rng.next();
  for (int i = 0; i < kAttempts; ++i) {
    std::string name = "x-";
    for (int j = 0; j < 5; ++j) name += kAlphabet[rng.below(kAlphabet.size())];
    ASSERT_EQ(api.post(kClaims, R"({"metadata":{"name":")" + name + R"("},"spec":{}})").status,
              201);
  }
  const Answer refused = api.post(kClaims, R"({"metadata":{"generateName":"x-"},"spec":{}})");
  EXPECT_EQ(refused.status, 409);
  EXPECT_EQ(refused.reason(), "AlreadyExists");
  EXPECT_EQ(integer_at(refused.body, {"details", "retryAfterSeconds"}), 1);
  EXPECT_EQ(api.post(kClaims, R"({"metadata":{"generateName":"x-"},"spec":{}})").status, 201);
}

TEST_F(Create, keeps_opaque_parameters_verbatim) {
  const Answer made = api.post(
      "/apis/resource.k8s.io/v1/namespaces/default/resourceclaimtemplates",
      R"({"metadata":{"name":"t"},"spec":{"spec":{"devices":{"config":[{"opaque":{"driver":"d",
          "parameters":{"none":null,"empty":[],"deep":{"list":[]}}}}]}}}})");
  const auto& config =
      array_at(made.body, {"spec", "spec", "devices", "config"}).front().get_object();
  EXPECT_EQ(serialize(*find(config, {"opaque", "parameters"})),
            R"({"none":null,"empty":[],"deep":{"list":[]}})");
}

TEST_F(Create, changes_nothing_in_dry_run) {
  const Answer made =
      api.post(std::string(kClaims) + "?dryRun=All", R"({"metadata":{"name":"x"},"spec":{}})");
  EXPECT_EQ(made.status, 201);
  EXPECT_EQ(api.get(std::string(kClaims) + "/x").status, 404);
}

}  // namespace
}  // namespace dcm::apiserver
