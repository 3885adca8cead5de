#include "test/unit/apiserver/fixture.hpp"

namespace dcm::apiserver {
namespace {

constexpr std::string_view kPolicies =
    "/apis/admissionregistration.k8s.io/v1/validatingadmissionpolicies";
constexpr std::string_view kBindings =
    "/apis/admissionregistration.k8s.io/v1/validatingadmissionpolicybindings";
constexpr std::string_view kMaps = "/api/v1/namespaces/default/configmaps";
constexpr std::string_view kMap = "/api/v1/namespaces/default/configmaps/m";
constexpr std::string_view kSlices = "/apis/resource.k8s.io/v1/resourceslices";

class Admission : public Api {
 protected:
  // A policy for all writes of config maps, extended by `spec`.
  void put_policy(std::string_view spec, std::string_view constraints = "") {
    JsonObject policy = object_of(
        R"({"metadata":{"name":"p"},"spec":{"matchConstraints":{"resourceRules":[{"apiGroups":[""],)"
        R"("apiVersions":["v1"],"operations":["*"],"resources":["configmaps","namespaces"]}]}}})");
    const JsonObject added = object_of(spec),
                     rules = object_of(constraints.empty() ? "{}" : constraints);
    for (const auto& [key, value] : added) policy["spec"].get_object()[key] = value;
    for (const auto& [key, value] : rules) {
      policy["spec"].get_object()["matchConstraints"].get_object()[key] = value;
    }
    api.remove(std::string(kPolicies) + "/p");
    const Answer made = api.post(kPolicies, serialize(policy));
    ASSERT_EQ(made.status, 201) << serialize(made.body);
  }

  void put_binding(std::string_view spec = R"({"validationActions":["Deny"]})",
                   std::string_view name = "b") {
    JsonObject binding{{"metadata", JsonObject{{"name", name}}}, {"spec", object_of(spec)}};
    binding["spec"].get_object()["policyName"] = "p";
    const Answer made = api.post(kBindings, serialize(binding));
    ASSERT_EQ(made.status, 201) << serialize(made.body);
  }

  // Puts a policy with one validation.
  void deny_unless(std::string_view expression, std::string_view more = "") {
    put_policy(R"({"validations":[{"expression":)" + serialize(Json(expression)) +
               std::string(more) + "}]}");
    put_binding();
  }

  Answer make_map(std::string_view data = R"({"a":"1"})", std::string_view metadata = "") {
    return api.post(kMaps, R"({"metadata":{"name":"m")" + std::string(metadata) + R"(},"data":)" +
                               std::string(data) + "}");
  }

  Answer send_as(Headers headers, std::string_view method, std::string_view path,
                 std::string body = "") {
    Request request{std::string(method), std::string(path)};
    request.headers = std::move(headers);
    request.headers.emplace_back("Content-Type", "application/json");
    request.body = std::move(body);
    return server.handle(request);
  }
};

TEST_F(Admission, denies_what_policy_rejects) {
  deny_unless("object.data.a != '1'");
  const Answer refused = make_map();
  EXPECT_EQ(refused.status, 422);
  EXPECT_EQ(refused.reason(), "Invalid");
  const std::string message =
      "ValidatingAdmissionPolicy 'p' with binding 'b' denied request: failed expression: "
      "object.data.a != '1'";
  EXPECT_EQ(refused.text({"message"}), "configmaps \"m\" is forbidden: " + message);
  EXPECT_EQ(serialize(Json(array_at(refused.body, {"details", "causes"}))),
            serialize(Json(JsonArray{JsonObject{{"message", message}}})));
  EXPECT_EQ(make_map(R"({"a":"2"})").status, 201);
}

TEST_F(Admission, does_nothing_without_a_binding) {
  put_policy(R"({"validations":[{"expression":"false"}]})");
  EXPECT_EQ(make_map().status, 201);
}

TEST_F(Admission, ends_with_policy_or_binding) {
  deny_unless("false");
  EXPECT_EQ(make_map().status, 422);
  EXPECT_TRUE(api.remove(std::string(kBindings) + "/b").ok());
  EXPECT_EQ(make_map().status, 201);
}

TEST_F(Admission, sees_changed_policy) {
  deny_unless("false");
  put_policy(R"({"validations":[{"expression":"true"}]})");
  EXPECT_EQ(make_map().status, 201);
}

TEST_F(Admission, shows_old_and_new_object_of_an_update) {
  deny_unless("oldObject == null || object.data.a == oldObject.data.a");
  ASSERT_EQ(make_map().status, 201);
  EXPECT_EQ(api.patch(kMap, kMerge, R"({"data":{"a":"2"}})").status, 422);
  EXPECT_EQ(api.patch(kMap, kMerge, R"({"data":{"b":"2"}})").status, 200);
}

TEST_F(Admission, shows_the_old_object_of_a_deletion) {
  deny_unless("request.operation != 'DELETE' || oldObject.data.a != '1'");
  ASSERT_EQ(make_map().status, 201);
  EXPECT_EQ(api.remove(kMap).status, 422);
  const Answer all = api.remove(kMaps);
  EXPECT_EQ(all.status, 422);
  EXPECT_TRUE(all.text({"message"}).starts_with("configmaps \"Unknown\" is forbidden: "));
}

TEST_F(Admission, sees_result_of_dry_run) {
  deny_unless("!request.dryRun");
  EXPECT_EQ(api.post(std::string(kMaps) + "?dryRun=All", R"({"metadata":{"name":"m"}})").status,
            422);
  EXPECT_EQ(make_map().status, 201);
}

TEST_F(Admission, names_reason_and_code) {
  struct Row {
    std::string_view reason;
    int code;
  };
  for (const auto& [reason, code] : {Row{"Forbidden", 403}, {"RequestEntityTooLarge", 413}}) {
    deny_unless("false", R"(,"reason":")" + std::string(reason) + R"(","message":" no ")");
    const Answer refused = make_map();
    EXPECT_EQ(refused.status, code);
    EXPECT_EQ(refused.reason(), reason);
    EXPECT_TRUE(refused.text({"message"}).ends_with("denied request: no"));
    api.remove(std::string(kBindings) + "/b");
  }
}

TEST_F(Admission, evaluates_message_expression) {
  deny_unless("false", R"(,"messageExpression":"'no ' + object.data.a","message":"plain")");
  EXPECT_TRUE(make_map().text({"message"}).ends_with("denied request: no 1"));
  EXPECT_TRUE(make_map(R"({"b":"1"})").text({"message"}).ends_with("denied request: plain"));
  EXPECT_TRUE(make_map(R"({"a":"\n"})").text({"message"}).ends_with("denied request: no"));
}

TEST_F(Admission, evaluates_variables_on_demand) {
  put_policy(R"({"variables":[{"name":"bad","expression":"object.data.missing"},)"
             R"({"name":"a","expression":"object.data.a"},)"
             R"({"name":"aa","expression":"variables.a + variables.a"}],)"
             R"("validations":[{"expression":"variables.aa == '11' || variables.bad == 'x'"}]})");
  put_binding();
  EXPECT_EQ(make_map().status, 201);
  EXPECT_TRUE(make_map(R"({"a":"2"})")
                  .text({"message"})
                  .ends_with("expression 'variables.aa == '11' || variables.bad == 'x'' resulted "
                             "in error: composited variable \"bad\" fails to evaluate: no such "
                             "key: missing"));
}

TEST_F(Admission, ignores_errors_if_failure_policy_allows) {
  put_policy(R"({"failurePolicy":"Ignore","validations":[{"expression":"object.data.x == '1'"}]})");
  put_binding();
  EXPECT_EQ(make_map().status, 201);
  EXPECT_EQ(make_map(R"({"x":"2"})", R"(,"labels":{"a":"b"})").status, 422);
}

TEST_F(Admission, evaluates_match_conditions_first) {
  put_policy(R"({"matchConditions":[{"name":"c","expression":"object.data.a == '1'"}],)"
             R"("validations":[{"expression":"false"}]})");
  put_binding();
  EXPECT_EQ(make_map(R"({"a":"2"})").status, 201);
  EXPECT_EQ(api.post(kMaps, R"({"metadata":{"name":"n"},"data":{"a":"1"}})").status, 422);
  EXPECT_TRUE(api.post(kMaps, R"({"metadata":{"name":"n"}})")
                  .text({"message"})
                  .ends_with("expression 'object.data.a == '1'' resulted in error: no such key: "
                             "data"));
}

TEST_F(Admission, warns_and_admits) {
  put_policy(R"({"validations":[{"expression":"false","message":"careful"}]})");
  put_binding(R"({"validationActions":["Warn","Audit"]})");
  const Answer made = make_map();
  EXPECT_EQ(made.status, 201);
  EXPECT_EQ(made.header("Warning"),
            std::vector<std::string>{
                R"(299 - "Validation failed for ValidatingAdmissionPolicy 'p' with binding 'b': )"
                R"(careful")"});
  EXPECT_TRUE(api.get(kMap).header("Warning").empty());
}

TEST_F(Admission, selects_by_namespace_object_name_and_scope) {
  struct Row {
    std::string_view constraints;
    bool denied;
  };
  constexpr std::string_view kRule =
      R"("apiGroups":[""],"apiVersions":["v1"],"resources":["configmaps"])";
  const auto rule = [&](std::string_view more) {
    return R"({"resourceRules":[{)" + std::string(kRule) + std::string(more) + "}]}";
  };
  const std::vector<std::pair<std::string, bool>> rows = {
      {R"({"namespaceSelector":{"matchLabels":{"kubernetes.io/metadata.name":"default"}}})", true},
      {R"({"namespaceSelector":{"matchLabels":{"kubernetes.io/metadata.name":"x"}}})", false},
      {R"({"objectSelector":{"matchLabels":{"l":"1"}}})", true},
      {R"({"objectSelector":{"matchExpressions":[{"key":"l","operator":"DoesNotExist"}]}})", false},
      {rule(R"(,"operations":["UPDATE"])"), false},
      {rule(R"(,"operations":["CREATE"],"resourceNames":["m"])"), true},
      {rule(R"(,"operations":["CREATE"],"resourceNames":["n"])"), false},
      {rule(R"(,"operations":["CREATE"],"scope":"Cluster")"), false},
      {R"({"excludeResourceRules":[{)" + std::string(kRule) + R"(,"operations":["*"]}]})", false}};
  for (const auto& [constraints, is_denied] : rows) {
    put_policy(R"({"validations":[{"expression":"false"}]})", constraints);
    put_binding();
    EXPECT_EQ(make_map("{}", R"(,"labels":{"l":"1"})").status, is_denied ? 422 : 201)
        << constraints;
    api.remove(std::string(kBindings) + "/b");
    api.remove(kMap);
  }
}

TEST_F(Admission, is_narrowed_by_binding) {
  put_policy(R"({"validations":[{"expression":"false"}]})");
  put_binding(R"({"validationActions":["Deny"],"matchResources":{"objectSelector":)"
              R"({"matchLabels":{"l":"1"}}}})");
  EXPECT_EQ(make_map("{}", R"(,"labels":{"l":"1"})").status, 422);
  EXPECT_EQ(make_map().status, 201);
}

TEST_F(Admission, reads_parameters_named_by_binding) {
  api.post(kMaps, R"({"metadata":{"name":"limits"},"data":{"max":"1"}})");
  put_policy(R"({"paramKind":{"apiVersion":"v1","kind":"ConfigMap"},)"
             R"("validations":[{"expression":"!has(object.data.a) || )"
             R"j(int(object.data.a) <= int(params.data.max)"}]})j");
  put_binding(R"({"validationActions":["Deny"],"paramRef":{"name":"limits",)"
              R"("parameterNotFoundAction":"Deny"}})");
  EXPECT_EQ(make_map(R"({"a":"2"})").status, 422);
  EXPECT_EQ(make_map().status, 201);
  EXPECT_TRUE(api.post("/api/v1/namespaces", R"({"metadata":{"name":"other"}})")
                  .text({"message"})
                  .ends_with("failed to configure binding: no params found for policy binding "
                             "with `Deny` parameterNotFoundAction"));
}

TEST_F(Admission, rejects_unserved_parameter_kind) {
  put_policy(R"({"paramKind":{"apiVersion":"example.com/v1","kind":"Limit"},)"
             R"("validations":[{"expression":"true"}]})");
  put_binding();
  EXPECT_TRUE(make_map()
                  .text({"message"})
                  .ends_with("ValidatingAdmissionPolicy 'p' denied request: failed to configure "
                             "policy: failed to find resource referenced by paramKind: "
                             "'example.com/v1, Kind=Limit'"));
}

TEST_F(Admission, shows_namespace_object) {
  deny_unless(
      "namespaceObject == null || (namespaceObject.metadata.name == 'default' && "
      "namespaceObject.status.phase == 'Active')");
  EXPECT_EQ(make_map().status, 201);
  EXPECT_EQ(api.post("/api/v1/namespaces", R"({"metadata":{"name":"n"}})").status, 201);
}

TEST_F(Admission, shows_request_options) {
  deny_unless("request.options.kind == 'CreateOptions' && request.options.fieldManager == 'me'");
  EXPECT_EQ(make_map().status, 422);
  EXPECT_EQ(
      api.post(std::string(kMaps) + "?fieldManager=me", R"({"metadata":{"name":"m"}})").status,
      201);
}

TEST_F(Admission, offers_permissive_authorizer_and_warns) {
  const Answer made = api.post(
      kPolicies,
      R"({"metadata":{"name":"q"},"spec":{"matchConstraints":{"resourceRules":[{"apiGroups":[""],)"
      R"("apiVersions":["v1"],"operations":["*"],"resources":["configmaps"]}]},"validations":[)"
      R"({"expression":"authorizer.group('').resource('pods').check('get').allowed() && )"
      R"j(authorizer.requestResource.check('create').allowed()"}]}})j");
  ASSERT_EQ(made.status, 201) << serialize(made.body);
  EXPECT_EQ(made.header("Warning"),
            std::vector<std::string>{R"(299 - "this API server has no authorization: the )"
                                     R"(authorizer of expressions allows everything")"});
  api.post(kBindings,
           R"({"metadata":{"name":"q"},"spec":{"policyName":"q","validationActions":["Deny"]}})");
  EXPECT_EQ(make_map().status, 201);
}

TEST_F(Admission, stops_expensive_expression) {
  put_policy(R"({"validations":[{"expression":"[1,2,3,4,5,6,7,8,9,10].all(a, )"
             R"([1,2,3,4,5,6,7,8,9,10].all(b, [1,2,3,4,5,6,7,8,9,10].all(c, )"
             R"([1,2,3,4,5,6,7,8,9,10].all(d, [1,2,3,4,5,6,7,8,9,10].all(e, )"
             R"j([1,2,3,4,5,6,7,8,9,10].all(f, true))))))"}]})j");
  put_binding();
  EXPECT_TRUE(
      make_map().text({"message"}).ends_with("operation cancelled: actual cost limit exceeded"));
}

TEST_F(Admission, shows_object_in_version_of_rule) {
  server.serve({.resource = {"v1", "v1beta1"}});
  put_policy(R"({"validations":[{"expression":)"
             R"("object == null || object.apiVersion == 'resource.k8s.io/v1beta1'"}]})",
             R"({"resourceRules":[{"apiGroups":["resource.k8s.io"],"apiVersions":["v1beta1"],)"
             R"("operations":["*"],"resources":["resourceslices"]}]})");
  put_binding();
  constexpr std::string_view kSlice =
      R"({"metadata":{"name":"s"},"spec":{"driver":"d","nodeName":"n","pool":{"name":"n",)"
      R"("generation":1,"resourceSliceCount":1}}})";
  const Answer made = api.post(kSlices, std::string(kSlice));
  EXPECT_EQ(made.status, 201) << serialize(made.body);
  put_policy(R"({"validations":[{"expression":"object == null"}]})",
             R"({"matchPolicy":"Exact","resourceRules":[{"apiGroups":["resource.k8s.io"],)"
             R"("apiVersions":["v1beta1"],"operations":["*"],"resources":["resourceslices"]}]})");
  EXPECT_EQ(api.remove(std::string(kSlices) + "/s").status, 200);
  EXPECT_EQ(api.post(kSlices, std::string(kSlice)).status, 201);
}

TEST_F(Admission, covers_bindings_and_evictions_of_pods) {
  make_pod();
  put_policy(R"({"validations":[{"expression":"request.subResource == 'status'",)"
             R"("messageExpression":"object.kind + ' ' + request.name"}]})",
             R"({"resourceRules":[{"apiGroups":[""],"apiVersions":["v1"],"operations":["*"],)"
             R"("resources":["pods/*"]}]})");
  put_binding();
  const Answer bound = api.post(std::string(kPod) + "/binding",
                                R"({"metadata":{"name":"trainer-0"},"target":{"name":"n"}})");
  EXPECT_TRUE(bound.text({"message"}).ends_with("denied request: Binding trainer-0"));
  const Answer evicted =
      api.post(std::string(kPod) + "/eviction",
               R"({"apiVersion":"policy/v1","kind":"Eviction","metadata":{"name":"trainer-0"}})");
  EXPECT_TRUE(evicted.text({"message"}).ends_with("denied request: Eviction trainer-0"));
  EXPECT_EQ(api.patch(kPodStatus, kMerge, R"({"status":{"phase":"Running"}})").status, 200);
}

TEST_F(Admission, never_applies_to_policies_themselves) {
  put_policy(R"({"validations":[{"expression":"false"}]})",
             R"({"resourceRules":[{"apiGroups":["*"],"apiVersions":["*"],"operations":["*"],)"
             R"("resources":["*"]}]})");
  put_binding();
  EXPECT_EQ(make_map().status, 422);
  EXPECT_TRUE(api.remove(std::string(kPolicies) + "/p").ok());
  EXPECT_EQ(make_map().status, 201);
}

// The policy of manifests/components/driver-slices.
TEST_F(Admission, restricts_driver_to_slices_of_its_node) {
  put_policy(
      R"({"variables":[{"name":"accounts","expression":"['system:serviceaccount:dra:driver']"},)"
      R"({"name":"restricted","expression":"request.userInfo.username in variables.accounts"},)"
      R"({"name":"ownNode","expression":)"
      R"j("request.userInfo.extra[?'authentication.kubernetes.io/node-name'][0].orValue('')"}],)j"
      R"("validations":[{"expression":"!variables.restricted || object == null || )"
      R"(object.spec.?nodeName.orValue('') == variables.ownNode","reason":"Forbidden",)"
      R"("messageExpression":"'only slices of ' + variables.ownNode"},)"
      R"({"expression":"!variables.restricted || oldObject == null || )"
      R"(oldObject.spec.?nodeName.orValue('') == variables.ownNode","reason":"Forbidden",)"
      R"("message":"no slices of others"}]})",
      R"({"resourceRules":[{"apiGroups":["resource.k8s.io"],"apiVersions":["*"],)"
      R"("operations":["CREATE","UPDATE","DELETE"],"resources":["resourceslices"]}]})");
  put_binding();
  const Headers driver = {{"Impersonate-User", "system:serviceaccount:dra:driver"},
                          {"Impersonate-Extra-Authentication.kubernetes.io%2fnode-Name", "node-1"}};
  const auto slice = [](std::string_view name, std::string_view node) {
    return R"({"metadata":{"name":")" + std::string(name) + R"("},"spec":{"driver":"d",)" +
           R"("nodeName":")" + std::string(node) + R"(","pool":{"name":")" + std::string(node) +
           R"(","generation":1,"resourceSliceCount":1}}})";
  };
  EXPECT_EQ(send_as(driver, "POST", kSlices, slice("own", "node-1")).status, 201);
  const Answer refused = send_as(driver, "POST", kSlices, slice("other", "node-2"));
  EXPECT_EQ(refused.status, 403);
  EXPECT_TRUE(refused.text({"message"}).ends_with("denied request: only slices of node-1"));
  EXPECT_EQ(api.post(kSlices, slice("other", "node-2")).status, 201);
  const std::string other = std::string(kSlices) + "/other";
  EXPECT_EQ(send_as(driver, "DELETE", other).status, 403);
  EXPECT_EQ(send_as(driver, "DELETE", std::string(kSlices) + "/own").status, 200);
  EXPECT_EQ(send_as({{"Impersonate-Group", "g"}}, "DELETE", other).status, 400);
}

}  // namespace
}  // namespace dcm::apiserver
