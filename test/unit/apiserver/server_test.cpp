// The server around the registry: discovery, versions, hooks, the log.
#include "apiserver/front/server.hpp"

#include "test/unit/apiserver/fixture.hpp"

namespace dcm::apiserver {
namespace {

class ServerTest : public Api {
 protected:
  explicit ServerTest(ServerOptions options = {}) : Api(std::move(options)) {}
};

std::vector<std::string> members(const JsonObject& object, std::string_view list,
                                 std::string_view key) {
  std::vector<std::string> values;
  for (const Json& item : array_at(object, {list})) {
    values.emplace_back(text_at(item.get_object(), {key}));
  }
  return values;
}

TEST_F(ServerTest, lists_groups_versions_and_resources) {
  EXPECT_EQ(
      members(api.get("/apis").body, "groups", "name"),
      (std::vector<std::string>{"coordination.k8s.io", "policy", "resource.k8s.io", "events.k8s.io",
                                "admissionregistration.k8s.io", "networking.k8s.io", "node.k8s.io",
                                "flowcontrol.apiserver.k8s.io", "apiregistration.k8s.io", "apps",
                                "batch", "discovery.k8s.io", "rbac.authorization.k8s.io",
                                "scheduling.k8s.io", "storage.k8s.io", "apiextensions.k8s.io",
                                "authentication.k8s.io", "authorization.k8s.io"}));
  EXPECT_EQ(api.get("/apis/resource.k8s.io").text({"preferredVersion", "version"}), "v1");
  const auto resources = members(api.get("/apis/resource.k8s.io/v1").body, "resources", "name");
  EXPECT_EQ(resources,
            (std::vector<std::string>{"resourceclaims", "resourceclaims/status",
                                      "resourceclaimtemplates", "resourceslices", "deviceclasses",
                                      "devicetaintrules", "devicetaintrules/status"}));
  EXPECT_EQ(api.get("/version").text({"minor"}), "37");
  EXPECT_EQ(api.get("/readyz").status, 200);
}

struct PathRow {
  std::string_view sentence;
  std::string_view method;
  std::string_view path;
  int status;
  std::string_view reason;
};

class Paths : public Api, public ::testing::WithParamInterface<PathRow> {};

TEST_P(Paths, are_answered) {
  const PathRow& row = GetParam();
  const Answer answer = api.send(row.method, row.path, "application/json", "{}");
  EXPECT_EQ(answer.status, row.status) << row.sentence;
  EXPECT_EQ(answer.reason(), row.reason) << row.sentence;
  EXPECT_FALSE(has(answer.body, {"details", "name"})) << row.sentence;
}

constexpr PathRow kPathRows[] = {
    {"a group that is not served is no Status at all", "GET", "/apis/example.com/v1/things", 404,
     ""},
    {"a version that is not served names no object", "GET",
     "/apis/resource.k8s.io/v1beta2/resourceclaims", 404, "NotFound"},
    {"a resource that is not there names no object", "GET", "/api/v1/namespaces/default/things/a",
     404, "NotFound"},
    {"a path of nothing", "GET", "/nothing", 404, ""},
    {"a PUT of a collection", "PUT", "/api/v1/namespaces/default/pods", 405, "MethodNotAllowed"},
    {"a POST to all namespaces", "POST", "/api/v1/pods", 405, "MethodNotAllowed"},
    {"a patch of a type that it does not know", "PATCH", "/api/v1/namespaces/default/pods/x", 415,
     "UnsupportedMediaType"},
};

INSTANTIATE_TEST_SUITE_P(Rows, Paths, ::testing::ValuesIn(kPathRows), kBySentence);

class Betas : public ServerTest {
 protected:
  Betas()
      : ServerTest(ServerOptions{
            .served = {.resource = {"v1", "v1beta1"}, .device_taint_rules = {"v1beta2"}}}) {}
};

constexpr std::string_view kBetaClaims =
    "/apis/resource.k8s.io/v1beta1/namespaces/default/resourceclaims";

TEST_F(Betas, show_object_in_requested_version) {
  make_claim();
  const Answer claim = api.get(std::string(kBetaClaims) + "/shared");
  EXPECT_EQ(claim.text({"apiVersion"}), "resource.k8s.io/v1beta1");
  EXPECT_EQ(serialize(array_at(claim.body, {"spec", "devices", "requests"}).front()),
            R"({"name":"one","deviceClassName":"gpu","allocationMode":"ExactCount","count":1})");
  const Answer list = api.get(kBetaClaims);
  EXPECT_EQ(list.text({"apiVersion"}), "resource.k8s.io/v1beta1");
}

TEST_F(Betas, are_stored_as_v1_and_patched_as_beta) {
  const Answer made =
      api.post(kBetaClaims, R"({"metadata":{"name":"x"},"spec":{"devices":{"requests":[
                      {"name":"a","deviceClassName":"c"}]}}})");
  EXPECT_EQ(made.status, 201);
  const Answer patched =
      api.patch(std::string(kBetaClaims) + "/x", kMerge, R"({"metadata":{"labels":{"a":"b"}}})");
  EXPECT_EQ(patched.status, 200);
  const Answer stored = api.get(std::string(kClaims) + "/x");
  EXPECT_EQ(
      serialize(array_at(stored.body, {"spec", "devices", "requests"}).front()),
      R"({"name":"a","exactly":{"deviceClassName":"c","allocationMode":"ExactCount","count":1}})");
}

TEST_F(Betas, nest_slice_devices_in_basic) {
  const Answer made = api.post("/apis/resource.k8s.io/v1beta1/resourceslices",
                               R"({"metadata":{"name":"s"},"spec":{"driver":"d","allNodes":true,
          "pool":{"name":"p","resourceSliceCount":1},"devices":[{"name":"gpu","basic":{"attributes":{"a":{"int":1}}}}]}})");
  EXPECT_EQ(made.status, 201);
  const Answer stored = api.get("/apis/resource.k8s.io/v1/resourceslices/s");
  EXPECT_EQ(serialize(array_at(stored.body, {"spec", "devices"}).front()),
            R"({"name":"gpu","attributes":{"a":{"int":1}}})");
}

TEST_F(ServerTest, sets_time_of_device_taint) {
  const std::string slices = "/apis/resource.k8s.io/v1/resourceslices";
  const auto taints_of = [&](const std::string& taint) {
    return R"({"metadata":{"name":"s"},"spec":{"driver":"d","allNodes":true,)"
           R"("pool":{"name":"p","resourceSliceCount":1},"devices":[)"
           R"({"name":"gpu","taints":[{"key":"a","effect":"NoExecute")" +
           taint + "}]}]}}";
  };
  const auto time_in = [](const Answer& answer) {
    const JsonObject& device = array_at(answer.body, {"spec", "devices"}).front().get_object();
    const JsonObject& taint = array_at(device, {"taints"}).front().get_object();
    return std::string(text_at(taint, {"timeAdded"}));
  };
  EXPECT_NE(time_in(api.post(slices, taints_of(""))), "");
  const Answer changed =
      api.patch(slices + "/s", kMerge, taints_of(R"(,"timeAdded":"2026-01-02T03:04:05Z")"));
  EXPECT_EQ(time_in(changed), "2026-01-02T03:04:05Z");
  EXPECT_NE(time_in(api.patch(slices + "/s", kMerge, taints_of(""))), "2026-01-02T03:04:05Z");
}

TEST_F(Betas, serve_rules_in_their_own_versions) {
  EXPECT_EQ(api.get("/apis/resource.k8s.io/v1/devicetaintrules").status, 404);
  EXPECT_EQ(api.get("/apis/resource.k8s.io/v1beta2/devicetaintrules").status, 200);
}

TEST_F(ServerTest, can_start_and_stop_serving_group) {
  make_claim();
  server.serve({.resource = {}, .device_taint_rules = {}});
  EXPECT_EQ(api.get(kClaim).status, 404);
  EXPECT_EQ(api.get("/apis/resource.k8s.io").status, 404);
  server.serve({});
  EXPECT_EQ(api.get(kClaim).status, 200);
}

TEST_F(ServerTest, counts_generation_of_rule_by_spec) {
  constexpr std::string_view kRule = "/apis/resource.k8s.io/v1/devicetaintrules/r";
  api.post("/apis/resource.k8s.io/v1/devicetaintrules",
           R"({"metadata":{"name":"r"},"spec":{"taint":{"key":"k","effect":"NoExecute"}}})");
  const Answer conditions = api.patch(
      std::string(kRule) + "/status?fieldManager=m&force=true", kApply,
      R"({"apiVersion":"resource.k8s.io/v1","kind":"DeviceTaintRule","status":{"conditions":[
          {"type":"EvictionInProgress","status":"True","reason":"R","message":"",
           "lastTransitionTime":"2027-03-01T10:15:10Z"}]}})");
  EXPECT_EQ(conditions.status, 200) << serialize(conditions.body);
  EXPECT_EQ(integer_at(conditions.body, {"metadata", "generation"}), 1);
  time.step_wall(std::chrono::hours(1));
  const Answer none = api.patch(kRule, kMerge, R"({"spec":{"taint":{"effect":"None"}}})");
  EXPECT_EQ(integer_at(none.body, {"metadata", "generation"}), 2);
  EXPECT_EQ(none.text({"spec", "taint", "timeAdded"}), "2024-10-04T01:00:00Z");
  EXPECT_EQ(array_at(none.body, {"status", "conditions"}).size(), 1U);
  EXPECT_EQ(api.put(kRule, R"({"metadata":{"name":"r"},"spec":{"taint":{"key":"k",
                                "effect":"None"}}})")
                .status,
            422);
}

TEST_F(ServerTest, counts_generation_of_class_by_spec) {
  constexpr std::string_view kClasses = "/apis/resource.k8s.io/v1/deviceclasses";
  constexpr std::string_view kClass = "/apis/resource.k8s.io/v1/deviceclasses/gpu";
  const auto generation = [](const Answer& answer) {
    return integer_at(answer.body, {"metadata", "generation"});
  };
  EXPECT_EQ(generation(api.post(kClasses, R"({"metadata":{"name":"gpu"},"spec":{}})")), 1);
  EXPECT_EQ(generation(api.patch(kClass, kMerge, R"({"metadata":{"labels":{"a":"b"}}})")), 1);
  EXPECT_EQ(generation(api.patch(kClass, kMerge, R"({"spec":{"extendedResourceName":"x/y"}})")), 2);
}

TEST_F(ServerTest, keeps_required_namespaces) {
  for (const auto* name : {"default", "kube-public", "kube-system"}) {
    const Answer refused = api.remove("/api/v1/namespaces/" + std::string(name));
    EXPECT_EQ(refused.status, 403) << name;
    EXPECT_EQ(refused.text({"details", "kind"}), "namespaces") << name;
  }
  EXPECT_EQ(api.remove("/api/v1/namespaces/kube-node-lease").status, 200);
}

TEST_F(ServerTest, rejects_deletion_of_namespace_collection) {
  EXPECT_EQ(api.remove("/api/v1/namespaces").status, 405);
}

TEST_F(ServerTest, renews_lease_only_with_version) {
  constexpr std::string_view kLeases = "/apis/coordination.k8s.io/v1/namespaces/kube-system/leases";
  const std::string lease = std::string(kLeases) + "/l";
  JsonObject body =
      api.post(kLeases, R"({"metadata":{"name":"l"},"spec":{"holderIdentity":"a"}})").body;
  body["spec"].get_object()["holderIdentity"] = "b";
  const Answer renewed = api.put(lease, serialize(body));
  EXPECT_EQ(renewed.status, 200);
  EXPECT_EQ(renewed.text({"spec", "holderIdentity"}), "b");
  body["spec"].get_object()["holderIdentity"] = "c";
  EXPECT_EQ(api.put(lease, serialize(body)).status, 409);
  body["metadata"].get_object().erase("resourceVersion");
  const Answer refused = api.put(lease, serialize(body));
  EXPECT_EQ(refused.status, 422);
  EXPECT_TRUE(refused.blames("metadata.resourceVersion"));
  const Answer gone = api.remove(lease);
  EXPECT_EQ(gone.text({"status"}), "Success");
}

TEST(RequestLog, keeps_newest_entries) {
  RequestLog log(2);
  for (const auto* name : {"a", "b", "c"}) {
    LoggedRequest request;
    request.name = name;
    log.answered(log.add(std::move(request)), 200);
  }
  ASSERT_EQ(log.all().size(), 2U);
  EXPECT_EQ(log.all().back().name, "c");
  EXPECT_EQ(log.all().back().status, 200);
}

TEST(RequestLog, may_keep_none) {
  RequestLog log(0);
  log.answered(log.add({}), 200);
  log.answered(log.add({}), 200);
  EXPECT_TRUE(log.all().empty());
}

TEST_F(ServerTest, logs_requests_and_answers) {
  make_claim();
  api.get(kClaim);
  api.patch(kClaimStatus, kStrategic, R"({"metadata":{"uid":"x"}})");
  ASSERT_EQ(server.log().all().size(), 3U);
  const LoggedRequest& patch = server.log().all().back();
  EXPECT_EQ(patch.verb, "patch");
  EXPECT_EQ(patch.resource, "resourceclaims");
  EXPECT_EQ(patch.subresource, "status");
  EXPECT_EQ(patch.name, "shared");
  EXPECT_EQ(patch.user_agent, "test");
  EXPECT_EQ(patch.status, 422);
  EXPECT_EQ(server.log().count("create", "resourceclaims"), 1U);
  EXPECT_EQ(server.log().writes().size(), 2U);
}

TEST_F(ServerTest, answers_by_hook_without_effect) {
  server.before([](const LoggedRequest& request) -> std::optional<Response> {
    if (request.verb != "create") return std::nullopt;
    return Response{503, {{"Retry-After", "1"}}, ""};
  });
  EXPECT_EQ(make_claim().status, 503);
  server.before(nullptr);
  EXPECT_EQ(api.get(kClaim).status, 404);
  EXPECT_EQ(server.log().all().front().status, 503);
}

TEST_F(ServerTest, can_drop_answer_by_hook) {
  server.after([](const LoggedRequest& request, Response& response) {
    if (request.verb == "create") response.reset_after = 0;
  });
  Request request{"POST", std::string(kClaims)};
  request.body = R"({"metadata":{"name":"shared"},"spec":{}})";
  EXPECT_EQ(server.handle(request).reset_after, 0U);
  EXPECT_EQ(api.get(kClaim).status, 200);
}

TEST_F(ServerTest, rejects_body_beyond_limit) {
  const std::string big(4 * 1024 * 1024, 'x');
  EXPECT_EQ(api.post(kClaims, R"({"metadata":{"name":")" + big + R"("}})").status, 413);
}

}  // namespace
}  // namespace dcm::apiserver
