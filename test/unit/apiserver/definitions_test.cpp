// CustomResourceDefinitions: their validation, the resulting kinds, and their deletion. The texts
// of refusals are a real server's (1.37).
#include "test/unit/apiserver/defined.hpp"

namespace dcm::apiserver {
namespace {

TEST_F(Defined, establishes_a_definition_and_serves_its_kind) {
  const Answer made = api.post(kDefinitions, definition());
  ASSERT_EQ(made.status, 201) << serialize(made.body);
  EXPECT_EQ(made.body.at("status").at("conditions"), nullptr) << "what follows is not awaited";
  const Answer settled = api.get(kWidgetsDefinition);
  EXPECT_EQ(condition(settled, "NamesAccepted"), "True NoConflicts");
  EXPECT_EQ(condition(settled, "Established"), "True InitialNamesAccepted");
  EXPECT_EQ(settled.text({"status", "acceptedNames", "listKind"}), "WidgetList");
  EXPECT_EQ(api.get("/apis/example.com/v1").status, 200);
  EXPECT_EQ(api.get("/apis/example.com").text({"preferredVersion", "version"}), "v1");
}

TEST_F(Defined, says_whether_a_protected_group_is_approved) {
  std::string approved = definition();
  replace_all(approved, "example.com", "example.k8s.io");
  replace_all(
      approved, R"("metadata":{)",
      R"("metadata":{"annotations":{"api-approved.kubernetes.io":"https://example.com/1"},)");
  ASSERT_EQ(api.post(kDefinitions, approved).status, 201);
  const std::string path = std::string(kDefinitions) + "/widgets.example.k8s.io";
  constexpr std::string_view kCondition = "KubernetesAPIApprovalPolicyConformant";
  EXPECT_EQ(condition(api.get(path), kCondition), "True ApprovedAnnotation");
  api.patch(
      path, kMerge,
      R"({"metadata":{"annotations":{"api-approved.kubernetes.io":"unapproved, for a test"}}})");
  EXPECT_EQ(condition(api.get(path), kCondition), "False UnapprovedAnnotation");
  EXPECT_EQ(condition(api.get(path), "Established"), "True InitialNamesAccepted");
}

// The cost of a version must not grow with their number: half a minute, without sanitizers.
TEST_F(Defined, serves_thousands_of_versions) {
  std::string versions;
  for (int i = 2; i <= 6'000; ++i) {
    versions +=
        R"({"name":"v)" + std::to_string(i) +
        R"(","served":true,"storage":false,"schema":{"openAPIV3Schema":{"type":"object"}}},)";
  }
  std::string text = definition();
  replace_all(text, R"("versions":[)", R"("versions":[)" + versions);
  ASSERT_EQ(api.post(kDefinitions, text).status, 201);
  EXPECT_EQ(api.get("/apis/example.com/v6000/namespaces/default/widgets").status, 200);
}

TEST_F(Defined, rejects_name_taken_by_another_definition_of_group) {
  api.post(kDefinitions, definition());
  std::string other = definition();
  replace_all(other, "widgets", "gadgets");
  api.post(kDefinitions, other);
  const std::string path = std::string(kDefinitions) + "/gadgets.example.com";
  EXPECT_EQ(condition(api.get(path), "NamesAccepted"), "False ListKindConflict");
  EXPECT_EQ(condition(api.get(path), "Established"), "False NotAccepted");
  EXPECT_EQ(api.get("/apis/example.com/v1/gadgets").status, 404);
  api.remove(kWidgetsDefinition);
  EXPECT_EQ(condition(api.get(path), "Established"), "True InitialNamesAccepted")
      << "the names are free again";
}

TEST_F(Defined, separates_kind_from_built_in_one_of_same_name) {
  std::string pods = definition();
  replace_all(pods, "widgets", "pods");
  replace_all(pods, "Widget", "Pod");
  ASSERT_EQ(api.post(kDefinitions, pods).status, 201);
  constexpr std::string_view kOthers = "/apis/example.com/v1/namespaces/default/pods";
  const Answer made = api.post(
      kOthers, R"({"apiVersion":"example.com/v1","kind":"Pod","metadata":{"name":"p"},"spec":{}})");
  ASSERT_EQ(made.status, 201) << serialize(made.body);
  EXPECT_FALSE(has(made.body, {"spec", "dnsPolicy"})) << "a pod's defaults";
  EXPECT_EQ(array_at(api.get(kPods).body, {"items"}).size(), 0U);
  EXPECT_EQ(array_at(api.get(kOthers).body, {"items"}).size(), 1U);
}

TEST_F(Defined, applies_policies_for_built_in_kind_only_to_it) {
  std::string maps = definition();
  replace_all(maps, "widgets", "configmaps");
  replace_all(maps, "Widget", "ConfigMap");
  api.post(kDefinitions, maps);
  constexpr std::string_view kAdmission =
      "/apis/admissionregistration.k8s.io/v1/validatingadmissionpolic";
  api.post(std::string(kAdmission) + "ies",
           R"({"metadata":{"name":"no"},"spec":{"matchConstraints":{"resourceRules":[{)"
           R"("apiGroups":[""],"apiVersions":["v1"],"operations":["*"],)"
           R"("resources":["configmaps"]}]},"validations":[{"expression":"false"}]}})");
  api.post(std::string(kAdmission) + "ybindings",
           R"({"metadata":{"name":"no"},"spec":{"policyName":"no","validationActions":["Deny"]}})");
  EXPECT_EQ(
      api.post("/api/v1/namespaces/default/configmaps", R"({"metadata":{"name":"a"}})").status,
      422);
  EXPECT_EQ(
      api.post("/apis/example.com/v1/namespaces/default/configmaps",
               R"({"apiVersion":"example.com/v1","kind":"ConfigMap","metadata":{"name":"a"}})")
          .status,
      201);
}

TEST_F(Defined, orders_versions_of_group_by_maturity) {
  std::string many = definition();
  replace_all(many, R"({"name":"v1","served":true,"storage":true)",
              R"({"name":"v1beta2","served":true,"storage":false,)"
              R"("schema":{"openAPIV3Schema":{"type":"object"}}},)"
              R"({"name":"v2alpha1","served":false,"storage":false,)"
              R"("schema":{"openAPIV3Schema":{"type":"object"}}},)"
              R"({"name":"v1","served":true,"storage":true)");
  ASSERT_EQ(api.post(kDefinitions, many).status, 201);
  const Answer group = api.get("/apis/example.com");
  ASSERT_EQ(array_at(group.body, {"versions"}).size(), 2U);
  EXPECT_EQ(group.text({"preferredVersion", "version"}), "v1");
  api.post(kWidgets, widget("a", R"({"replicas":2})"));
  const Answer older = api.get("/apis/example.com/v1beta2/namespaces/default/widgets/a");
  EXPECT_EQ(older.text({"apiVersion"}), "example.com/v1beta2");
  EXPECT_FALSE(has(older.body, {"spec"})) << "that version has no such field";
  EXPECT_EQ(api.get("/apis/example.com/v2alpha1/namespaces/default/widgets/a").status, 404);
}

TEST_F(Defined, deletes_objects_before_definition) {
  api.post(kDefinitions, definition());
  api.post(kWidgets, widget("free", "{}"));
  api.post(kWidgets, R"({"apiVersion":"example.com/v1","kind":"Widget","metadata":{"name":"held",)"
                     R"("finalizers":["example.com/hold"]}})");
  api.remove(kWidgetsDefinition);
  const Answer ending = api.get(kWidgetsDefinition);
  EXPECT_EQ(condition(ending, "Terminating"), "True InstanceDeletionInProgress");
  EXPECT_EQ(array_at(api.get(kWidgets).body, {"items"}).size(), 1U);
  const Answer refused = api.post(kWidgets, widget("late", "{}"));
  EXPECT_EQ(refused.status, 403);
  EXPECT_NE(refused.text({"message"}).find("custom resource definition is terminating"),
            std::string_view::npos);
  api.patch(std::string(kWidgets) + "/held", kMerge, R"({"metadata":{"finalizers":null}})");
  EXPECT_EQ(api.get(kWidgetsDefinition).status, 404);
  EXPECT_EQ(api.get(kWidgets).status, 404);
  EXPECT_EQ(api.get("/apis/example.com").status, 404);
}

TEST_F(Defined, ends_watches_of_changed_kind) {
  api.post(kDefinitions, definition());
  auto watch = api.watch("/apis/example.com/v1/widgets?watch=1");
  ASSERT_TRUE(watch.has_value());
  api.post(kWidgets, widget("a", "{}"));
  api.patch(kWidgetsDefinition, kMerge, R"({"spec":{"names":{"shortNames":["wd"]}}})");
  EXPECT_TRUE((*watch)->ended());
  EXPECT_EQ(summary(drain(**watch)), (std::vector<std::string>{"ADDED a"}))
      << "what was there by then is still shown";
}

struct Refused {
  std::string_view sentence;
  std::string_view from;  // of the definition
  std::string_view to;
  std::string_view field;
  std::string_view text;
};

class RefusedDefinition : public Defined, public ::testing::WithParamInterface<Refused> {};

TEST_P(RefusedDefinition, is_refused) {
  std::string changed = definition();
  ASSERT_NE(changed.find(GetParam().from), std::string::npos);
  replace_all(changed, GetParam().from, GetParam().to);
  const Answer refused = api.post(kDefinitions, changed);
  EXPECT_EQ(refused.status, 422) << serialize(refused.body);
  EXPECT_TRUE(refused.blames(GetParam().field)) << serialize(refused.body);
  EXPECT_NE(refused.text({"message"}).find(GetParam().text), std::string_view::npos)
      << refused.text({"message"});
}

INSTANTIATE_TEST_SUITE_P(
    Rows, RefusedDefinition,
    ::testing::Values(
        Refused{"whose name is not its plural and group", R"("name":"widgets.example.com")",
                R"("name":"others.example.com")", "metadata.name",
                R"(must be spec.names.plural+"."+spec.group)"},
        Refused{"with a group without a dot", R"("group":"example.com")", R"("group":"example")",
                "spec.group", "should be a domain with at least one dot"},
        Refused{"with an unknown scope", R"("scope":"Namespaced")", R"("scope":"World")",
                "spec.scope", R"(supported values: "Cluster", "Namespaced")"},
        Refused{"without a stored version", R"("storage":true)", R"("storage":false)",
                "spec.versions", "must have exactly one version marked as storage version"},
        Refused{"whose schema has no type", R"({"type":"object","properties")", R"({"properties")",
                "spec.validation.openAPIV3Schema.type", "must not be empty at the root"},
        Refused{"with an unknown type", R"("replicas":{"type":"integer")",
                R"("replicas":{"type":"int")",
                "spec.validation.openAPIV3Schema.properties[spec].properties[replicas].type",
                R"(Unsupported value: "int")"},
        Refused{"whose default does not fit", R"("default":1)", R"("default":100)",
                "spec.validation.openAPIV3Schema.properties[spec].properties[replicas].default",
                "should be less than or equal to 10"},
        Refused{"that converts by a webhook without saying which", R"("scope":"Namespaced")",
                R"("scope":"Namespaced","conversion":{"strategy":"Webhook","webhook":{)"
                R"("conversionReviewVersions":["v1"]}})",
                "spec.conversion.webhookClientConfig", "required when strategy is set to Webhook"},
        Refused{"that converts by a webhook of an unknown version", R"("scope":"Namespaced")",
                R"("scope":"Namespaced","conversion":{"strategy":"Webhook","webhook":{)"
                R"("clientConfig":{"url":"https://hook.example.com"},)"
                R"("conversionReviewVersions":["v7"]}})",
                "spec.conversion.conversionReviewVersions",
                "must include at least one of v1, v1beta1"},
        Refused{"that converts by a webhook without TLS", R"("scope":"Namespaced")",
                R"("scope":"Namespaced","conversion":{"strategy":"Webhook","webhook":{)"
                R"("clientConfig":{"url":"http://hook.example.com"},)"
                R"("conversionReviewVersions":["v1"]}})",
                "spec.conversion.webhookClientConfig.url",
                "'https' is the only allowed URL scheme"},
        Refused{"of a protected group", "example.com", "example.k8s.io",
                "metadata.annotations[api-approved.kubernetes.io]",
                "protected groups must have approval annotation"},
        Refused{"with a pattern that is none", R"("maximum":10)", R"("pattern":"(","maximum":10)",
                "spec.validation.openAPIV3Schema.properties[spec].properties[replicas].pattern",
                "must be a valid regular expression, but isn't"},
        Refused{"whose default fails its rule", R"("default":1)",
                R"("default":1,"x-kubernetes-validations":[{"rule":"self > 1"}])",
                "spec.validation.openAPIV3Schema.properties[spec].properties[replicas].default",
                "Invalid value: 1: failed rule: self > 1"},
        Refused{"whose default has a rule that does not compile", R"("default":1)",
                R"("default":1,"x-kubernetes-validations":[{"rule":"self + 1"}])",
                "spec.validation.openAPIV3Schema.properties[spec].properties[replicas].default",
                "rule compile error: cel expression must evaluate to a bool"},
        Refused{"whose default has unknown fields in an item", R"("color":{"type":"string"})",
                R"("color":{"type":"string"},"x":{"type":"array","items":{"type":"object",)"
                R"("properties":{"n":{"type":"number"}}},"default":[{"n":2.5,"u":1}]})",
                "spec.validation.openAPIV3Schema.properties[spec].properties[x].default",
                R"(Invalid value: [{"n":2.5,"u":1}]: must not have unknown fields)"},
        Refused{
            "whose default makes metadata of an embedded object invalid",
            R"("color":{"type":"string"})",
            R"("x":{"type":"object","x-kubernetes-embedded-resource":true,"properties":{)"
            R"("metadata":{"type":"object","properties":{"labels":{"type":"object",)"
            R"("additionalProperties":{"type":"string"},"default":{"b":"","a":5}}}}}})",
            "spec.validation.openAPIV3Schema.properties[spec].properties[x].properties["
            "metadata].properties[labels].default",
            R"(Invalid value: {"a":5,"b":""}: must result in valid metadata: metadata: )"
            R"(Invalid value: {"labels":{"a":5,"b":""}}: json: cannot unmarshal number into Go )"
            R"(struct field ObjectMeta.labels of type string)"},
        Refused{"whose default is no kind of an embedded object", R"("color":{"type":"string"})",
                R"("x":{"type":"object","x-kubernetes-embedded-resource":true,"properties":{)"
                R"("kind":{"type":"string","default":""}}})",
                "spec.validation.openAPIV3Schema.properties[spec].properties[x].properties[kind]."
                "default",
                R"(Invalid value: "": must result in valid metadata: kind: Invalid value: "": )"
                R"(must not be empty)"},
        Refused{"whose default does not fit an unknown format", R"("color":{"type":"string"})",
                R"("color":{"type":"string","format":"unheard-of","default":1})",
                "spec.validation.openAPIV3Schema.properties[spec].properties[color].default",
                R"(Invalid value: "int64":  in body must be of type unheard-of: "int64")"},
        Refused{"whose default is of a type that its rule cannot see",
                R"("color":{"type":"string"})",
                R"("color":{"x-kubernetes-int-or-string":true,"default":{},)"
                R"("x-kubernetes-validations":[{"rule":"self == oldSelf"}]})",
                "spec.validation.openAPIV3Schema.properties[spec].properties[color].default",
                "invalid data, expected XIntOrString value to be either a string or integer "
                "evaluating rule: self == oldSelf"},
        Refused{"whose default has a value that its rule cannot compare",
                R"("color":{"type":"string"})",
                R"("color":{"type":"object","default":{"n":{}},"properties":{"n":)"
                R"({"x-kubernetes-int-or-string":true}},)"
                R"("x-kubernetes-validations":[{"rule":"self == oldSelf"}]})",
                "spec.validation.openAPIV3Schema.properties[spec].properties[color].default",
                "invalid data, expected XIntOrString value to be either a string or integer "
                "evaluating rule: self == oldSelf"},
        Refused{"whose default is not of an unknown type", R"("color":{"type":"string"})",
                R"("color":{"x-kubernetes-int-or-string":true,"type":"int","default":1})",
                "spec.validation.openAPIV3Schema.properties[spec].properties[color].default",
                R"(Invalid value: "integer":  in body must be of type int: "integer")"},
        Refused{"whose default has a rule, but no type that expressions know",
                R"("color":{"type":"string"})",
                R"("color":{"x-kubernetes-preserve-unknown-fields":true,"default":1,)"
                R"("x-kubernetes-validations":[{"rule":"true"}]})",
                "spec.validation.openAPIV3Schema.properties[spec].properties[color].default",
                "rule compiler initialization error: failed to convert to declType"},
        Refused{"with a rule of a value that expressions cannot see",
                R"("color":{"type":"string"})",
                R"("color":{"type":"string"},"x":{"x-kubernetes-preserve-unknown-fields":true,)"
                R"("x-kubernetes-validations":[{"rule":"true"}]})",
                "spec.validation.openAPIV3Schema.properties[spec].properties[x]"
                ".x-kubernetes-validations",
                "unable to convert structural schema to CEL declarations"},
        Refused{"with a rule about the past below an unknown type of map",
                R"("color":{"type":"string"})",
                R"("color":{"type":"string"},"x":{"type":"object","x-kubernetes-map-type":"other",)"
                R"("properties":{"n":{"type":"integer","x-kubernetes-validations":[)"
                R"({"rule":"self == oldSelf"}]}}})",
                "spec.validation.openAPIV3Schema.properties[spec].properties[x].properties[n]"
                ".x-kubernetes-validations[0].rule",
                "oldSelf cannot be used on the uncorrelatable portion of the schema within "
                "spec.validation.openAPIV3Schema.properties[spec].properties[x]"}),
    kBySentence);

TEST_F(Defined, checks_rules_beside_wrong_schemas) {
  const Answer refused = api.post(
      kDefinitions,
      definition(R"(,"wrong":{"type":"object","uniqueItems":true,"x-kubernetes-validations":[)"
                 R"({"rule":"self.a"}]},"right":{"type":"integer","x-kubernetes-validations":[)"
                 R"({"rule":"self.b"}]})"));
  const std::string spec = "spec.validation.openAPIV3Schema.properties[spec].properties";
  EXPECT_TRUE(refused.blames(spec + "[wrong].uniqueItems")) << serialize(refused.body);
  EXPECT_TRUE(refused.blames(spec + "[right].x-kubernetes-validations[0].rule"));
  EXPECT_FALSE(refused.blames(spec + "[wrong].x-kubernetes-validations[0].rule"));
}

TEST_F(Defined, checks_neither_structure_nor_defaults_of_unsupported_schema) {
  const Answer refused = api.post(
      kDefinitions,
      definition(R"(,"free":{"type":"object","x-kubernetes-preserve-unknown-fields":false},)"
                 R"("kind":{"default":"x"},"count":{"type":"integer","default":"x"})"));
  EXPECT_EQ(array_at(refused.body, {"details", "causes"}).size(), 1U) << serialize(refused.body);
}

TEST_F(Defined, accepts_any_default_of_integer_or_text) {
  const Answer accepted = api.post(
      kDefinitions, definition(R"(,"x":{"x-kubernetes-int-or-string":true,"default":[]})"));
  EXPECT_EQ(accepted.status, 201) << serialize(accepted.body);
}

TEST_F(Defined, keeps_names_of_established_definition) {
  api.post(kDefinitions, definition());
  const Answer refused =
      api.patch(kWidgetsDefinition, kMerge, R"({"spec":{"scope":"Cluster","names":{"kind":"W"}}})");
  EXPECT_EQ(refused.status, 422);
  EXPECT_TRUE(refused.blames("spec.scope"));
  EXPECT_TRUE(refused.blames("spec.names.kind"));
}

}  // namespace
}  // namespace dcm::apiserver
