// The objects of a defined kind: each verb, the subresources, and the effects of the schema. The
// texts of refusals are a real server's (1.37).
#include "test/unit/apiserver/defined.hpp"

namespace dcm::apiserver {
namespace {

constexpr std::string_view kWidget = "/apis/example.com/v1/namespaces/default/widgets/a";
constexpr std::string_view kTable = "application/json;as=Table;v=v1;g=meta.k8s.io";

class CustomObjects : public Defined {
 protected:
  CustomObjects() { api.post(kDefinitions, definition()); }

  Response accepting(std::string_view path, std::string_view accept) {
    return server.handle(
        {.method = "GET", .path = std::string(path), .headers = {{"Accept", std::string(accept)}}});
  }
};

TEST_F(CustomObjects, get_defaults_and_lose_fields_outside_schema) {
  const Answer made = api.post(kWidgets, widget("a", R"({"color":"red","other":1})"));
  ASSERT_EQ(made.status, 201) << serialize(made.body);
  EXPECT_EQ(serialize(Json(object_at(made.body, {"spec"}))), R"({"color":"red","replicas":1})");
  EXPECT_EQ(made.header("Warning"),
            (std::vector<std::string>{R"(299 - "unknown field \"spec.other\"")"}));
  EXPECT_EQ(integer_at(made.body, {"metadata", "generation"}), 1);
}

TEST_F(CustomObjects, require_kind_and_version) {
  const Answer kindless = api.post(kWidgets, R"({"metadata":{"name":"a"}})");
  EXPECT_EQ(kindless.status, 400);
  EXPECT_NE(kindless.text({"message"}).find("Object 'Kind' is missing"), std::string_view::npos);
  const Answer other = api.post(
      kWidgets, R"({"apiVersion":"example.com/v2","kind":"Widget","metadata":{"name":"a"}})");
  EXPECT_EQ(other.text({"message"}),
            "the API version in the data (example.com/v2) does not match the expected API version "
            "(example.com/v1)");
}

TEST_F(CustomObjects, have_separate_status) {
  api.post(kWidgets, widget("a", R"({"replicas":2})"));
  const Answer status = api.patch(
      std::string(kWidget) + "/status", kMerge,
      R"({"status":{"phase":"Up"},"spec":{"replicas":9},"metadata":{"labels":{"a":"b"}}})");
  EXPECT_EQ(status.text({"status", "phase"}), "Up");
  EXPECT_EQ(integer_at(status.body, {"spec", "replicas"}), 2);
  EXPECT_FALSE(has(status.body, {"metadata", "labels"}));
  const Answer spec =
      api.patch(kWidget, kMerge, R"({"status":{"phase":"Down"},"spec":{"replicas":3}})");
  EXPECT_EQ(spec.text({"status", "phase"}), "Up");
  EXPECT_EQ(integer_at(spec.body, {"metadata", "generation"}), 2);
}

TEST_F(CustomObjects, support_scale) {
  api.post(kWidgets, widget("a", R"({"replicas":2})"));
  const std::string scale = std::string(kWidget) + "/scale";
  EXPECT_EQ(integer_at(api.get(scale).body, {"spec", "replicas"}), 2);
  const Answer scaled = api.patch(scale, kMerge, R"({"spec":{"replicas":4}})");
  EXPECT_EQ(scaled.text({"kind"}), "Scale");
  EXPECT_EQ(integer_at(api.get(kWidget).body, {"spec", "replicas"}), 4);
  const Answer refused = api.patch(scale, kMerge, R"({"spec":{"replicas":11}})");
  EXPECT_EQ(refused.status, 422);
  EXPECT_TRUE(refused.blames("spec.replicas"));
  const Answer put = api.put(scale, R"({"kind":"Scale","apiVersion":"autoscaling/v1",)"
                                    R"("metadata":{"name":"a"},"spec":{"replicas":0}})");
  EXPECT_EQ(put.status, 200) << serialize(put.body);
  EXPECT_EQ(integer_at(api.get(kWidget).body, {"spec", "replicas"}), 0);
}

TEST_F(CustomObjects, are_rejected_with_every_reason) {
  const Answer refused = api.post(kWidgets, widget("a", R"({"replicas":"many","color":1})"));
  EXPECT_EQ(refused.status, 422);
  EXPECT_EQ(
      refused.text({"message"}),
      "Widget.example.com \"a\" is invalid: [spec.color: Invalid value: \"integer\": "
      "spec.color in body must be of type string: \"integer\", spec.replicas: Invalid value: "
      "\"string\": spec.replicas in body must be of type integer: \"string\", .spec.replicas: "
      "Invalid value: 0: .spec.replicas accessor error: many is of the type string, expected "
      "int64]");
}

TEST_F(CustomObjects, accept_all_patches_but_strategic_ones) {
  api.post(kWidgets, widget("a", "{}"));
  const Answer json =
      api.patch(kWidget, kJsonPatch, R"([{"op":"add","path":"/spec/color","value":"red"}])");
  EXPECT_EQ(json.text({"spec", "color"}), "red");
  const Answer applied =
      api.patch(std::string(kWidget) + "?fieldManager=m", kApply, widget("a", R"({"replicas":5})"));
  EXPECT_EQ(applied.status, 409) << "the creator has the default";
  const Answer strategic = api.patch(kWidget, kStrategic, R"({"spec":{"color":"blue"}})");
  EXPECT_EQ(strategic.status, 415);
  EXPECT_EQ(strategic.text({"message"}),
            "the body of the request was in an unknown format - accepted media types include: "
            "application/json-patch+json, application/merge-patch+json, "
            "application/apply-patch+yaml");
}

TEST_F(CustomObjects, are_not_applied_with_unknown_fields_or_wrong_types) {
  const std::string apply = std::string(kWidget) + "?fieldManager=m";
  EXPECT_EQ(api.patch(apply, kApply, widget("a", R"({"other":1})")).text({"message"}),
            "failed to create typed patch object (/a; example.com/v1, Kind=Widget): .spec.other: "
            "field not declared in schema");
  EXPECT_EQ(api.patch(apply, kApply, widget("a", R"({"replicas":"x"})")).text({"message"}),
            "failed to create typed patch object (/a; example.com/v1, Kind=Widget): "
            ".spec.replicas: expected numeric (int or float), got string");
}

TEST_F(CustomObjects, are_served_only_as_json_except_metadata) {
  api.post(kWidgets, widget("a", "{}"));
  constexpr std::string_view kProtobuf = "application/vnd.kubernetes.protobuf";
  EXPECT_EQ(accepting(kWidget, kProtobuf).status, 406);
  EXPECT_EQ(accepting(kWidget, std::string(kProtobuf) + ",application/json").status, 200);
  EXPECT_EQ(api.send("POST", kWidgets, kProtobuf, "k8s").status, 415);
  const Response metadata = accepting(
      kWidgets, std::string(kProtobuf) + ";as=PartialObjectMetadataList;v=v1;g=meta.k8s.io");
  EXPECT_EQ(metadata.status, 200);
  EXPECT_EQ(metadata.headers.front().second, kProtobuf);
}

TEST_F(CustomObjects, are_printed_in_their_columns) {
  api.post(kWidgets, widget("a", R"({"replicas":7})"));
  const JsonObject table = object_of(accepting(kWidgets, kTable).body);
  const JsonArray& heads = array_at(table, {"columnDefinitions"});
  ASSERT_EQ(heads.size(), 2U);
  EXPECT_EQ(text_at(heads[1].get_object(), {"name"}), "Replicas");
  EXPECT_EQ(array_at(array_at(table, {"rows"}).front().get_object(), {"cells"}),
            (JsonArray{"a", 7}));
}

TEST_F(CustomObjects, support_selectable_fields_of_definition) {
  api.post(kWidgets, widget("a", R"({"color":"red"})"));
  api.post(kWidgets, widget("b", R"({"color":"blue"})"));
  const std::string list(kWidgets);
  EXPECT_EQ(array_at(api.get(list + "?fieldSelector=spec.color=red").body, {"items"}).size(), 1U);
  EXPECT_EQ(api.get(list + "?fieldSelector=spec.replicas=1").text({"message"}),
            "field label not supported: spec.replicas");
}

TEST_F(CustomObjects, follow_newer_schema) {
  api.post(kWidgets, widget("a", R"({"color":"red"})"));
  api.remove(std::string(kWidgetsDefinition) + "?dryRun=All");
  std::string changed = definition(R"(,"size":{"type":"string","default":"small"})");
  replace_all(changed, R"("metadata":{)",
              R"("metadata":{"resourceVersion":")" +
                  std::string(api.get(kWidgetsDefinition).resource_version()) + R"(",)");
  ASSERT_EQ(api.put(kWidgetsDefinition, changed).status, 200);
  EXPECT_EQ(api.get(kWidget).text({"spec", "size"}), "small");
}

TEST_F(CustomObjects, keep_values_that_were_once_valid) {
  api.post(kWidgets, widget("a", R"({"replicas":9})"));
  std::string stricter = definition();
  replace_all(stricter, R"("maximum":10)", R"("maximum":5)");
  replace_all(stricter, R"("metadata":{)",
              R"("metadata":{"resourceVersion":")" +
                  std::string(api.get(kWidgetsDefinition).resource_version()) + R"(",)");
  ASSERT_EQ(api.put(kWidgetsDefinition, stricter).status, 200);
  EXPECT_EQ(api.patch(kWidget, kMerge, R"({"spec":{"color":"red"}})").status, 200);
  EXPECT_EQ(api.patch(kWidget, kMerge, R"({"spec":{"replicas":8}})").status, 422);
}

TEST_F(CustomObjects, support_delete_and_delete_collection) {
  for (const auto* name : {"a", "b", "c"}) api.post(kWidgets, widget(name, "{}"));
  EXPECT_EQ(api.remove(kWidget).text({"status"}), "Success");
  EXPECT_EQ(array_at(api.remove(kWidgets).body, {"items"}).size(), 2U);
  EXPECT_EQ(array_at(api.get(kWidgets).body, {"items"}).size(), 0U);
  EXPECT_EQ(api.remove(std::string(kWidget) + "/status").text({"message"}),
            "delete is not supported on resources of kind \"widgets.example.com\"");
}

TEST_F(CustomObjects, respect_their_scope) {
  EXPECT_EQ(api.get("/apis/example.com/v1/widgets").status, 200);
  EXPECT_EQ(api.get("/apis/example.com/v1/widgets/a").status, 404);
  EXPECT_EQ(api.post("/apis/example.com/v1/widgets", widget("a", "{}")).status, 404);
}

struct Value {
  std::string_view sentence;
  std::string_view property;  // of the spec: its schema
  std::string_view value;
  std::string_view text;  // of the refusal; "": it is accepted
};

class ValueOfSchema : public Defined, public ::testing::WithParamInterface<Value> {};

TEST_P(ValueOfSchema, is_validated) {
  const std::string property = R"(,"x":)" + std::string(GetParam().property);
  const Answer defined = api.post(kDefinitions, definition(property));
  ASSERT_EQ(defined.status, 201) << serialize(defined.body);
  const Answer made =
      api.post(kWidgets, widget("a", R"({"x":)" + std::string(GetParam().value) + "}"));
  if (GetParam().text.empty()) {
    EXPECT_EQ(made.status, 201) << serialize(made.body);
  } else {
    EXPECT_EQ(made.status, 422) << serialize(made.body);
    EXPECT_NE(made.text({"message"}).find(GetParam().text), std::string_view::npos)
        << made.text({"message"});
  }
}

INSTANTIATE_TEST_SUITE_P(
    Rows, ValueOfSchema,
    ::testing::Values(
        Value{"a value of an enum", R"({"type":"string","enum":["a","b"]})", R"("b")", ""},
        Value{"a value that is not in an enum", R"({"type":"string","enum":["a","b"]})", R"("c")",
              R"(spec.x: Unsupported value: "c": supported values: "a", "b")"},
        Value{"a text that its pattern does not match", R"({"type":"string","pattern":"^a+$"})",
              R"("b")", R"(spec.x: Invalid value: "b": spec.x in body should match '^a+$')"},
        Value{"a text that is too long, in characters", R"({"type":"string","maxLength":2})",
              R"("äöü")", "spec.x: Too long: may not be more than 2 bytes"},
        Value{"a text that is short enough, in characters", R"({"type":"string","maxLength":3})",
              R"("äöü")", ""},
        Value{"too many items", R"({"type":"array","maxItems":1,"items":{"type":"string"}})",
              R"(["a","b"])", "spec.x: Too many: 2: must have at most 1 item"},
        Value{"an item twice in a set",
              R"({"type":"array","x-kubernetes-list-type":"set","items":{"type":"string"}})",
              R"(["a","b","a"])", R"(spec.x[2]: Duplicate value: "a")"},
        Value{"a key twice in a list that is a map",
              R"({"type":"array","x-kubernetes-list-type":"map","x-kubernetes-list-map-keys":)"
              R"(["n"],"items":{"type":"object","required":["n"],"properties":{"n":)"
              R"({"type":"string"}}}})",
              R"([{"n":"a"},{"n":"a"}])", R"(spec.x[1]: Duplicate value: {"n":"a"})"},
        Value{"a text and a key twice in a list that is a map",
              R"({"type":"array","x-kubernetes-list-type":"map","x-kubernetes-list-map-keys":)"
              R"(["n"],"items":{"type":"object","required":["n"],"properties":{"n":)"
              R"({"type":"string"}},"x-kubernetes-preserve-unknown-fields":true}})",
              R"([{"n":"a"},{"n":"a"},"a"])",
              R"(spec.x[2]: Invalid value: "a": must be an object for an array of list-type map])"},
        Value{"an integer or a text", R"({"x-kubernetes-int-or-string":true})", R"("50%")", ""},
        Value{"neither an integer nor a text", R"({"x-kubernetes-int-or-string":true})", "[]",
              R"(spec.x in body must be of type integer,string: "array")"},
        Value{"null where it is allowed", R"({"type":"string","nullable":true})", "null", ""},
        Value{"none of several alternatives",
              R"({"type":"object","properties":{"a":{"type":"string"},"b":{"type":"string"}},)"
              R"("oneOf":[{"required":["a"]},{"required":["b"]}]})",
              "{}", R"("spec.x" must validate one and only one schema (oneOf). Found none valid)"},
        Value{"what must not be", R"({"type":"string","not":{"enum":["bad"]}})", R"("bad")",
              R"("spec.x" must not validate the schema (not))"},
        Value{"a field that is required",
              R"({"type":"object","required":["a"],"properties":{"a":{"type":"string"}}})", "{}",
              "spec.x.a: Required value"},
        Value{"unknown fields that are kept",
              R"({"type":"object","x-kubernetes-preserve-unknown-fields":true})", R"({"a":[{}]})",
              ""},
        Value{"an embedded object without a kind",
              R"({"type":"object","x-kubernetes-embedded-resource":true,)"
              R"("x-kubernetes-preserve-unknown-fields":true})",
              R"({"apiVersion":"v1"})", "spec.x.kind: Required value"},
        Value{"an embedded object in a namespace that cannot be",
              R"({"type":"object","x-kubernetes-embedded-resource":true,)"
              R"("x-kubernetes-preserve-unknown-fields":true})",
              R"({"apiVersion":"v1","kind":"Pod","metadata":{"namespace":"a/b"}})",
              R"(spec.x.metadata.namespace: Invalid value: "a/b")"},
        Value{"an embedded object whose managed fields name no operation",
              R"({"type":"object","x-kubernetes-embedded-resource":true,)"
              R"("x-kubernetes-preserve-unknown-fields":true})",
              R"({"apiVersion":"v1","kind":"Pod","metadata":{"managedFields":[{"manager":"m"}]}})",
              "spec.x.metadata.managedFields[0].operation: Required value: must not be empty"},
        Value{"another value, shown with members in the order of their names",
              R"({"type":"object","x-kubernetes-preserve-unknown-fields":true,"enum":[{"n":1}]})",
              R"({"b":[{"d":1,"c":2}],"a":1})",
              R"(spec.x: Unsupported value: {"a":1,"b":[{"c":2,"d":1}]}: supported values: )"},
        Value{"an address of the format", R"({"type":"string","format":"ipv4"})", R"("10.0.0.1")",
              ""},
        Value{"a text of another format", R"({"type":"string","format":"ipv4"})", R"("ten")",
              R"(spec.x in body must be of type ipv4: "ten")"},
        Value{"a whole number written as a fraction", R"({"type":"integer"})", "2.0", ""},
        Value{"a default in a map that is empty without its unknown fields",
              R"({"type":"object","additionalProperties":{"type":"object","properties":{"o":{)"
              R"("type":"object","minProperties":1,"default":{"u":1}}}}})",
              R"({"m":{}})", "spec.x.m.o in body should have at least 1 properties"},
        Value{"a null that a rule sees where an integer or a text is expected",
              R"({"type":"object","additionalProperties":{"x-kubernetes-int-or-string":true,)"
              R"("nullable":true},"x-kubernetes-validations":[{"rule":"self.n == null"}]})",
              R"({"n":null})", ""},
        Value{"a field that is null and so absent to a rule",
              R"({"type":"object","properties":{"n":{"type":"integer","nullable":true}},)"
              R"("x-kubernetes-validations":[{"rule":"!has(self.n) && self == self"}]})",
              R"({"n":null})", ""},
        Value{"an object equal to itself, whatever its fields are called",
              R"({"type":"object","x-kubernetes-preserve-unknown-fields":true,"properties":{)"
              R"("c-d":{"type":"integer"},"namespace":{"type":"string"}},)"
              R"("x-kubernetes-validations":[{"rule":"self == self"}]})",
              R"({"c-d":1,"namespace":"a","other":[1]})", ""},
        Value{"a fraction whose whole part is allowed", R"({"type":"number","enum":[1,2]})", "2.5",
              ""},
        Value{"a fraction whose whole part is not allowed", R"({"type":"number","enum":[1,2]})",
              "3.5", R"(spec.x: Unsupported value: 3.5: supported values: "1", "2")"},
        Value{"a fraction for an integer", R"({"type":"integer"})", "2.5",
              R"(spec.x in body must be of type integer: "number")"}),
    kBySentence);

constexpr std::string_view kEmbedded =
    R"(,"pod":{"type":"object","x-kubernetes-embedded-resource":true,)"
    R"("x-kubernetes-preserve-unknown-fields":true},"pods":{"type":"object",)"
    R"("additionalProperties":{"type":"array","items":{"type":"object",)"
    R"("x-kubernetes-embedded-resource":true,"x-kubernetes-preserve-unknown-fields":true}}})";

TEST_F(Defined, decodes_metadata_of_embedded_objects) {
  api.post(kDefinitions, definition(kEmbedded));
  const Answer made = api.post(
      kWidgets,
      widget("a", R"({"pod":{"apiVersion":"v1","kind":"Pod","other":1,"metadata":{)"
                  R"("name":"","labels":{},"annotations":{"a":null},"unknown":1,)"
                  R"("creationTimestamp":"2026-01-01T00:00:00Z","deletionGracePeriodSeconds":0}},)"
                  R"("pods":{"m":[{"apiVersion":"v1","kind":"Pod","metadata":{"unknown":1}}]}})"));
  ASSERT_EQ(made.status, 201) << serialize(made.body);
  EXPECT_EQ(serialize(Json(object_at(made.body, {"spec", "pod", "metadata"}))),
            R"({"annotations":{"a":""},"creationTimestamp":"2026-01-01T00:00:00Z",)"
            R"("deletionGracePeriodSeconds":0})");
  EXPECT_EQ(integer_at(made.body, {"spec", "pod", "other"}), 1);
  EXPECT_EQ(
      made.header("Warning"),
      (std::vector<std::string>{R"(299 - "unknown field \"spec.pod.metadata.unknown\"")",
                                R"(299 - "unknown field \"spec.pods[m][0].metadata.unknown\"")"}));
}

TEST_F(Defined, prunes_defaults_as_part_of_their_object) {
  const Answer defined = api.post(
      kDefinitions,
      definition(R"(,"pod":{"type":"object","x-kubernetes-embedded-resource":true,"properties":{)"
                 R"("apiVersion":{"type":"string","default":"v1"},)"
                 R"("kind":{"type":"string","default":"Pod"},"metadata":{"type":"object",)"
                 R"("default":{},"properties":{"name":{"type":"string","default":"n"},)"
                 R"("unknown":{"type":"string","default":"u"},)"
                 R"("generation":{"type":"integer","default":0}}}}},)"
                 R"("list":{"type":"array","default":[{"pod":{"apiVersion":"v1","kind":"Pod",)"
                 R"("metadata":{"name":"n","unknown":1}}}],"items":{"type":"object","properties":{)"
                 R"("pod":{"type":"object","x-kubernetes-embedded-resource":true,)"
                 R"("x-kubernetes-preserve-unknown-fields":true}}}})"));
  ASSERT_EQ(defined.status, 201) << serialize(defined.body);
  const Answer made = api.post(kWidgets, widget("a", R"({"pod":{}})"));
  EXPECT_EQ(made.body.at("spec"),
            object_of(R"({"pod":{"metadata":{"name":"n"},"apiVersion":"v1","kind":"Pod"},)"
                      R"("replicas":1,"list":[{"pod":{"apiVersion":"v1","kind":"Pod",)"
                      R"("metadata":{"name":"n"}}}]})"))
      << serialize(made.body);
}

TEST_F(Defined, refuses_embedded_objects_of_other_types) {
  api.post(kDefinitions, definition(kEmbedded));
  const auto refusal = [this](std::string_view pod) {
    const Answer made = api.post(
        kWidgets,
        widget("a", R"({"pod":{"apiVersion":"v1","kind":"Pod",)" + std::string(pod) + "}}"));
    EXPECT_EQ(made.status, 400);
    return std::string(made.text({"message"}));
  };
  EXPECT_EQ(refusal(R"("metadata":{"name":"n","labels":{"a":5}})"),
            "Widget in version \"v1\" cannot be handled as a Widget: spec.pod.metadata: Invalid "
            "value: {\"labels\":{\"a\":5},\"name\":\"n\"}: json: cannot unmarshal number into Go "
            "struct field ObjectMeta.labels of type string");
  EXPECT_EQ(refusal(R"("metadata":"x")"),
            "Widget in version \"v1\" cannot be handled as a Widget: spec.pod.metadata: Invalid "
            "value: \"x\": json: cannot unmarshal string into Go value of type v1.ObjectMeta");
  EXPECT_EQ(refusal(R"("kind":5)"),
            "Widget in version \"v1\" cannot be handled as a Widget: spec.pod.kind: Invalid value: "
            "5: must be a string");
}

TEST_F(Defined, applies_metadata_of_its_types_alone) {
  api.post(kDefinitions, definition(kEmbedded));
  const std::string path = std::string(kWidget) + "?fieldManager=one";
  const auto refusal = [&](std::string_view body) {
    const Answer made = api.patch(path, kApply, std::string(body));
    EXPECT_EQ(made.status, 500) << serialize(made.body);
    const std::string_view text = made.text({"message"});
    return std::string(text.substr(text.find("): ") + 3));
  };
  const auto embedded = [](std::string_view metadata) {
    return widget("a", R"({"pod":{"apiVersion":"v1","kind":"Pod","metadata":)" +
                           std::string(metadata) + "}}");
  };
  EXPECT_EQ(refusal(embedded(R"({"unknown":1})")),
            ".spec.pod.metadata.unknown: field not declared in schema");
  EXPECT_EQ(refusal(embedded(R"({"ownerReferences":[{"uid":"u","x":1}]})")),
            R"(.spec.pod.metadata.ownerReferences[uid="u"].x: field not declared in schema)");
  EXPECT_EQ(refusal(embedded("[]")), ".spec.pod.metadata: expected map, got list");
  std::string root = widget("a", "{}");
  replace_all(root, R"("name":"a")", R"("name":"a","ownerReferences":[5])");
  EXPECT_EQ(refusal(root),
            ".metadata.ownerReferences: element 0: associative list with keys may not have "
            "non-map elements");
  // What only validation refuses is refused there.
  const Answer keyless = api.patch(path, kApply, embedded(R"({"ownerReferences":[{"name":"p"}]})"));
  EXPECT_EQ(keyless.status, 422) << serialize(keyless.body);
  const Answer fraction = api.patch(path, kApply, embedded(R"({"generation":1.5})"));
  EXPECT_EQ(fraction.status, 422);
  EXPECT_TRUE(fraction.blames("spec.pod.metadata")) << serialize(fraction.body);
  const Answer made = api.patch(path, kApply, embedded(R"({"name":"","labels":{"a":null}})"));
  EXPECT_EQ(serialize(Json(object_at(made.body, {"spec", "pod", "metadata"}))),
            R"({"labels":{"a":""}})");
}

// The fields of a manager's entry; empty if it has none.
JsonObject fields_of_manager(const Answer& answer, std::string_view manager) {
  for (const Json& entry : array_at(answer.body, {"metadata", "managedFields"})) {
    if (text_at(entry.get_object(), {"manager"}) == manager) {
      return object_at(entry.get_object(), {"fieldsV1"});
    }
  }
  return {};
}

// With a second version, v1beta1; `own`, `schema`: members, each followed by a comma.
std::string with_older_version(std::string text, std::string_view own,
                               std::string_view schema = "") {
  replace_all(text, R"("versions":[)",
              R"("versions":[{"name":"v1beta1","served":true,"storage":false,)" + std::string(own) +
                  R"("schema":{"openAPIV3Schema":{"type":"object",)" + std::string(schema) +
                  R"("x-kubernetes-preserve-unknown-fields":true}}},)");
  return text;
}

constexpr std::string_view kOlderWidgets = "/apis/example.com/v1beta1/namespaces/default/widgets";

std::string older_widget(std::string text) {
  replace_all(text, "example.com/v1\"", "example.com/v1beta1\"");
  return text;
}

TEST_F(Defined, validates_version_and_kind_of_an_object) {
  api.post(kDefinitions,
           definition("", R"(,"required":["apiVersion"],"x-kubernetes-validations":[{"rule":)"
                          R"("self.kind == 'Widget' && self.apiVersion == 'example.com/v1'"}])"));
  EXPECT_EQ(api.post(kWidgets, widget("a", "{}")).status, 201);
  EXPECT_EQ(api.patch(kWidget, kMerge, R"({"spec":{"replicas":2}})").status, 200);
}

TEST_F(Defined, validates_version_by_which_an_object_is_written) {
  const Answer defined = api.post(
      kDefinitions,
      with_older_version(definition(), "",
                         R"("properties":{"apiVersion":{"type":"string","pattern":"/v1$"}},)"));
  ASSERT_EQ(defined.status, 201) << serialize(defined.body);
  ASSERT_EQ(api.post(kWidgets, widget("a", "{}")).status, 201);
  const Answer refused =
      api.patch(std::string(kOlderWidgets) + "/a", kMerge, R"({"spec":{"replicas":2}})");
  EXPECT_EQ(refused.status, 422) << serialize(refused.body);
  EXPECT_TRUE(refused.blames("apiVersion"));
}

TEST_F(Defined, ignores_order_of_a_map_whose_items_are_unchanged) {
  const std::string list =
      R"(,"list":{"type":"array","x-kubernetes-list-type":"map","x-kubernetes-list-map-keys":["n"],)"
      R"("items":{"type":"object","required":["n"],"properties":{"n":{"type":"string"}}}})";
  api.post(kDefinitions, definition(list));
  ASSERT_EQ(api.post(kWidgets, widget("a", R"({"list":[{"n":"a"},{"n":"b"}]})")).status, 201);
  std::string stricter = definition(list);
  replace_all(stricter, R"("x-kubernetes-list-type":"map")",
              R"("x-kubernetes-list-type":"map","maxItems":1,"x-kubernetes-validations":[{)"
              R"("rule":"self.size() < 2"}])");
  ASSERT_EQ(api.patch(kWidgetsDefinition, kMerge, stricter).status, 200);
  EXPECT_EQ(api.patch(kWidget, kMerge, R"({"spec":{"list":[{"n":"b"},{"n":"a"}]}})").status, 200);
  EXPECT_EQ(api.patch(kWidget, kMerge, R"({"spec":{"list":[{"n":"b"},{"n":"c"}]}})").status, 422);
}

TEST_F(Defined, warns_of_a_value_that_fails_a_newer_rule) {
  const std::string map = R"(,"map":{"type":"object","additionalProperties":{"type":"string"}})";
  api.post(kDefinitions, definition(map));
  ASSERT_EQ(api.post(kWidgets, widget("a", R"({"map":{"a":"b"}})")).status, 201);
  std::string stricter = definition(map);
  replace_all(stricter, R"("additionalProperties":{"type":"string"})",
              R"("additionalProperties":{"type":"string"},)"
              R"("x-kubernetes-validations":[{"rule":"self.size() < 1"}])");
  ASSERT_EQ(api.patch(kWidgetsDefinition, kMerge, stricter).status, 200);
  const Answer scaled = api.patch(kWidget, kMerge, R"({"spec":{"replicas":2}})");
  EXPECT_EQ(scaled.status, 200);
  EXPECT_EQ(scaled.header("Warning"),
            (std::vector<std::string>{
                R"(299 - "spec.map: Invalid value: failed rule: self.size() < 1")"}));
  EXPECT_EQ(api.patch(kWidget, kMerge, R"({"spec":{"map":{"a":"c"}}})").status, 422);
}

TEST_F(Defined, takes_replicas_from_owners_in_all_versions) {
  api.post(kDefinitions,
           with_older_version(definition(R"(,"others":{"type":"integer"})"),
                              R"("subresources":{"status":{},"scale":{"specReplicasPath":)"
                              R"(".spec.others","statusReplicasPath":".status.replicas"}},)"));
  ASSERT_EQ(api.patch(std::string(kOlderWidgets) + "/a?fieldManager=older", kApply,
                      older_widget(widget("a", R"({"others":1})")))
                .status,
            201);
  const Answer scaled = api.patch(std::string(kWidget) + "/scale?fieldManager=scaler", kMerge,
                                  R"({"spec":{"replicas":2}})");
  ASSERT_EQ(scaled.status, 200) << serialize(scaled.body);
  const Answer seen = api.get(kWidget);
  EXPECT_EQ(serialize(Json(fields_of_manager(seen, "older"))), R"({"f:spec":{}})");
  EXPECT_EQ(serialize(Json(fields_of_manager(seen, "scaler"))), R"({"f:spec":{"f:replicas":{}}})");
}

constexpr std::string_view kFree =
    R"(,"free":{"type":"object","x-kubernetes-preserve-unknown-fields":true},)"
    R"("bare":{"type":"object"},"full":{"type":"object","minProperties":1})";

TEST_F(Defined, owns_each_entry_of_a_free_form_value) {
  api.post(kDefinitions, definition(kFree));
  const Answer made = api.patch(std::string(kWidget) + "?fieldManager=one", kApply,
                                widget("a", R"({"free":{"m":{"x":[1]}}})"));
  EXPECT_EQ(serialize(Json(fields_of_manager(made, "one"))),
            R"({"f:spec":{"f:free":{"f:m":{".":{},"f:x":{}}}}})");
}

TEST_F(Defined, moves_a_free_form_value_that_changes_its_shape_to_its_writer) {
  api.post(kDefinitions, definition(kFree));
  api.patch(std::string(kWidget) + "?fieldManager=one", kApply,
            widget("a", R"({"free":{"m":"text"}})"));
  const std::string path = std::string(kWidget) + "?fieldManager=two";
  const Answer object = api.patch(path, kMerge, R"({"spec":{"free":{"m":{"x":1}}}})");
  EXPECT_EQ(serialize(Json(fields_of_manager(object, "two"))),
            R"({"f:spec":{"f:free":{"f:m":{".":{},"f:x":{}}}}})");
  EXPECT_EQ(fields_of_manager(object, "one"), JsonObject());
  const Answer text = api.patch(path, kMerge, R"({"spec":{"free":{"m":"text"}}})");
  EXPECT_EQ(serialize(Json(fields_of_manager(text, "two"))), R"({"f:spec":{"f:free":{"f:m":{}}}})");
}

TEST_F(Defined, validates_applied_fields_before_they_are_dropped) {
  api.post(kDefinitions, definition(kFree));
  const Answer made = api.patch(std::string(kWidget) + "?fieldManager=one", kApply,
                                widget("a", R"({"full":{"l":"a"}})"));
  EXPECT_EQ(made.status, 201) << serialize(made.body);
  EXPECT_EQ(object_at(made.body, {"spec", "full"}), JsonObject());
}

TEST_F(Defined, takes_what_was_below_a_free_form_value_by_force) {
  api.post(kDefinitions, definition(kFree));
  const std::string path = std::string(kWidget) + "?fieldManager=";
  api.patch(path + "one", kApply, widget("a", R"({"free":{"m":{"x":1}}})"));
  const Answer text =
      api.patch(path + "two&force=true", kApply, widget("a", R"({"free":{"m":"text"}})"));
  EXPECT_EQ(fields_of_manager(text, "one"), JsonObject()) << serialize(text.body);
}

TEST_F(Defined, drops_applied_fields_of_an_object_without_properties) {
  api.post(kDefinitions, definition(kFree));
  const Answer made = api.patch(std::string(kWidget) + "?fieldManager=one", kApply,
                                widget("a", R"({"bare":{"l":"a"}})"));
  ASSERT_EQ(made.status, 201) << serialize(made.body);
  const Answer same = api.patch(kWidget, kMerge, R"({"spec":{"bare":{}}})");
  EXPECT_EQ(integer_at(same.body, {"metadata", "generation"}), 1);
  EXPECT_TRUE(has(fields_of_manager(same, "one"), {"f:spec", "f:bare", "f:l"}))
      << serialize(same.body);
}

TEST_F(Defined, merges_lists_and_maps_of_applied_objects_by_the_schema) {
  api.post(kDefinitions,
           definition(R"(,"ports":{"type":"array","x-kubernetes-list-type":"map",)"
                      R"("x-kubernetes-list-map-keys":["port","protocol"],"items":{)"
                      R"("type":"object","required":["port"],"properties":{"port":{)"
                      R"("type":"integer"},"protocol":{"type":"string","default":"TCP"},)"
                      R"("name":{"type":"string"}}}},"rooms":{"type":"object",)"
                      R"("additionalProperties":{"type":"array","x-kubernetes-list-type":"set",)"
                      R"("items":{"type":"string"}}})"));
  const std::string path = std::string(kWidgets) + "/a?fieldManager=";
  const Answer scalar = api.patch(path + "one", kApply, widget("a", R"({"ports":[80]})"));
  EXPECT_EQ(scalar.status, 500);
  EXPECT_TRUE(scalar.text({"message"})
                  .ends_with(".spec.ports: element 0: associative list with keys may not have "
                             "non-map elements"))
      << scalar.text({"message"});
  api.patch(path + "one", kApply,
            widget("a", R"({"ports":[{"port":80,"name":"web"}],"rooms":{"x":["a"]}})"));
  const Answer both = api.patch(path + "two", kApply,
                                widget("a", R"({"ports":[{"port":53}],"rooms":{"x":["b"]}})"));
  ASSERT_EQ(both.status, 200) << serialize(both.body);
  EXPECT_EQ(array_at(both.body, {"spec", "ports"}).size(), 2U);
  EXPECT_EQ(array_at(both.body, {"spec", "rooms", "x"}), (JsonArray{"a", "b"}));
  const Answer less = api.patch(path + "one", kApply, widget("a", R"({"rooms":{"x":["a"]}})"));
  EXPECT_EQ(array_at(less.body, {"spec", "ports"}).size(), 1U) << serialize(less.body);
}

TEST_F(Defined, knows_no_owners_of_object_with_a_list_for_a_text) {
  api.post(kDefinitions, definition(R"(,"address":{"type":"string","format":"ipv4"})"));
  const Answer made = api.post(kWidgets, widget("a", R"({"replicas":2,"address":[]})"));
  ASSERT_EQ(made.status, 201) << serialize(made.body);
  EXPECT_FALSE(has(made.body, {"metadata", "managedFields"}));
  const std::string path = std::string(kWidgets) + "/a";
  const Answer applied = api.patch(path + "?fieldManager=m", kApply, widget("a", "{}"));
  EXPECT_TRUE(applied.text({"message"})
                  .starts_with("failed to create typed live object (default/a; example.com/v1, "
                               "Kind=Widget): .spec.address: expected any scalar, got list"))
      << applied.text({"message"});
  const Answer mended = api.patch(path, kMerge, R"({"spec":{"address":"10.0.0.1"}})");
  EXPECT_FALSE(has(mended.body, {"metadata", "managedFields"})) << serialize(mended.body);
}

// How an apply of a spec as object "a" is answered, after others.
struct Applied {
  std::string_view sentence;
  std::string_view first;  // applied by the same manager; "" if nothing
  std::string_view then;
  int status;
  std::string_view says;  // within the answer's message, or its spec
};

class AppliedSpec : public Defined, public ::testing::WithParamInterface<Applied> {};

constexpr std::string_view kListsAndMaps =
    R"(,"set":{"type":"array","x-kubernetes-list-type":"set","items":{"type":"string"}},)"
    R"("flags":{"type":"array","x-kubernetes-list-type":"set","items":{"type":"boolean"}},)"
    R"("map":{"type":"array","x-kubernetes-list-type":"map","x-kubernetes-list-map-keys":["n"],)"
    R"("items":{"type":"object","required":["n"],"properties":{"n":{"type":"string"},)"
    R"("v":{"type":"integer"}}}},"lists":{"type":"array","items":{"type":"array",)"
    R"("x-kubernetes-list-type":"set","items":{"type":"string"}}},)"
    R"("object":{"type":"object","properties":{"p":{"type":"integer"}}},)"
    R"("box":{"type":"object","properties":{"set":{"type":"array",)"
    R"("x-kubernetes-list-type":"set","items":{"type":"string"}}}},)"
    R"("address":{"type":"string","format":"ipv4"},)"
    R"("free":{"x-kubernetes-preserve-unknown-fields":true})";

TEST_P(AppliedSpec, is_answered_as_by_a_real_server) {
  ASSERT_EQ(api.post(kDefinitions, definition(kListsAndMaps)).status, 201);
  const std::string path = std::string(kWidgets) + "/a?fieldManager=m";
  if (!GetParam().first.empty()) {
    const Answer made = api.patch(path, kApply, widget("a", GetParam().first));
    ASSERT_EQ(made.status, 201) << serialize(made.body);
  }
  const Answer answer = api.patch(path, kApply, widget("a", GetParam().then));
  EXPECT_EQ(answer.status, GetParam().status) << serialize(answer.body);
  const std::string shown = answer.status < 400 ? serialize(Json(object_at(answer.body, {"spec"})))
                                                : std::string(answer.text({"message"}));
  EXPECT_NE(shown.find(GetParam().says), std::string::npos) << shown;
}

INSTANTIATE_TEST_SUITE_P(
    Rows, AppliedSpec,
    ::testing::Values(
        Applied{"a null of an object", "", R"({"object":null})", 422,
                R"(spec.object in body must be of type object: "null")"},
        Applied{"a null without a type", "", R"({"free":null})", 201, R"({"replicas":1})"},
        Applied{"a null with a default", "", R"({"replicas":null})", 201, R"({"replicas":1})"},
        Applied{"the last field of the spec is left out", R"({"replicas":2})", "{}", 422,
                R"(spec in body must be of type object: "null")"},
        Applied{"the last field of an object is left out", R"({"color":"a","object":{"p":1}})",
                R"({"color":"a","object":{}})", 422,
                R"(spec.object in body must be of type object: "null")"},
        Applied{"an object was empty before", R"({"color":"a","object":{}})",
                R"({"color":"b","object":{}})", 200, R"("object":{})"},
        Applied{"a wrong item of a set", "", R"({"flags":["x"]})", 500,
                R"(.spec.flags[="x"]: expected boolean, got string)"},
        Applied{"a wrong value in an item of a map", "", R"({"map":[{"n":"a","v":"x"}]})", 500,
                R"(.spec.map[n="a"].v: expected numeric (int or float), got string)"},
        Applied{"an unknown field in an item of a map", "", R"({"map":[{"n":"a","u":1}]})", 500,
                R"(.spec.map[n="a"].u: field not declared in schema)"},
        Applied{"a fraction in a set", "", R"({"set":[2.5]})", 500,
                ".spec.set[=2.5]: expected string, got int"},
        Applied{"a fraction as a key", "", R"({"map":[{"n":2.5}]})", 500,
                ".spec.map[n=2.5].n: expected string, got int"},
        Applied{"an object as a key", "", R"({"map":[{"n":{"a":1}}]})", 500,
                ".spec.map[n=a=1].n: expected string, got map"},
        Applied{"an empty list in an object that was empty", R"({"replicas":2,"box":{}})",
                R"({"replicas":2,"box":{"set":[]}})", 200, R"("box":{"set":[]})"},
        Applied{"a null in a set", "", R"({"set":[null]})", 500,
                ".spec.set: element 0: associative list without keys has an element that's an "
                "explicit null"},
        Applied{"an object in a set", "", R"({"set":[{}]})", 500,
                "element 0: associative list without keys has an element that's a map type"},
        Applied{"a list in a set", "", R"({"set":[["a"]]})", 500,
                "element 0: not supported: associative list with lists as elements"},
        Applied{"a set in a list", "", R"({"lists":[["a","a"]]})", 500,
                R"(.spec.lists[0]: duplicate entries for key [="a"])"},
        Applied{"several problems", "", R"({"set":["a","a"],"color":1})", 500,
                "errors:\n  .spec.set: duplicate entries for key [=\"a\"]\n  .spec.color: expected "
                "string, got int"},
        Applied{"a number for a text with a format", "", R"({"address":1})", 422,
                R"(spec.address in body must be of type ipv4: "int64")"},
        Applied{"a list for a text with a format", "", R"({"address":[]})", 500,
                ".spec.address: expected any scalar, got list"}),
    kBySentence);

TEST_F(Defined, owns_empty_lists_of_items_that_can_be_told_apart) {
  api.post(kDefinitions, definition(kListsAndMaps));
  const std::string path = std::string(kWidgets) + "?fieldManager=w";
  const Answer made = api.post(path, widget("a", R"({"set":[]})"));
  EXPECT_TRUE(has(fields_of_manager(made, "w"), {"f:spec", "f:set"})) << serialize(made.body);
  const Answer filled =
      api.patch(std::string(kWidget) + "?fieldManager=w", kMerge, R"({"spec":{"set":["x"]}})");
  EXPECT_EQ(serialize(object_at(fields_of_manager(filled, "w"), {"f:spec", "f:set"})),
            R"({".":{},"v:\"x\"":{}})");
}

TEST_F(Defined, owns_objects_within_new_items) {
  api.post(kDefinitions,
           definition(R"(,"map":{"type":"array","x-kubernetes-list-type":"map",)"
                      R"("x-kubernetes-list-map-keys":["n"],"items":{"type":"object",)"
                      R"("required":["n"],"properties":{"n":{"type":"string"},"o":{)"
                      R"("type":"object","properties":{"p":{"type":"integer"}}}}}})"));
  api.post(kWidgets, widget("a", R"({"map":[{"n":"a"}]})"));
  const Answer more = api.patch(std::string(kWidget) + "?fieldManager=w", kMerge,
                                R"({"spec":{"map":[{"n":"a"},{"n":"b","o":{"p":1}}]}})");
  EXPECT_EQ(serialize(object_at(fields_of_manager(more, "w"), {"f:spec", "f:map"})),
            R"({"k:{\"n\":\"b\"}":{".":{},"f:n":{},"f:o":{".":{},"f:p":{}}}})");
}

TEST_F(Defined, reports_a_conflict_about_a_value_that_an_apply_would_turn_into_an_object) {
  api.post(kDefinitions, definition(kListsAndMaps));
  api.post(kWidgets, widget("a", R"({"free":1})"));
  const Answer refused = api.patch(std::string(kWidget) + "?fieldManager=m", kApply,
                                   widget("a", R"({"free":{"x":1}})"));
  EXPECT_EQ(refused.status, 409);
  EXPECT_TRUE(refused.blames(".spec.free")) << serialize(refused.body);
}

TEST_F(Defined, names_a_hundred_problems_of_an_apply) {
  api.post(kDefinitions, definition(kListsAndMaps));
  std::string items = R"("a")";
  for (int i = 0; i < 300; ++i) items += R"(,"a")";
  const Answer refused = api.patch(std::string(kWidget) + "?fieldManager=m", kApply,
                                   widget("a", R"({"set":[)" + items + "]}"));
  const std::string_view message = refused.text({"message"});
  EXPECT_EQ(std::ranges::count(message, '\n'), 100) << message;
}

// Minutes, if each item looks at all former ones.
TEST_F(Defined, finds_former_items_of_a_long_list) {
  api.post(kDefinitions, definition(kListsAndMaps));
  const auto items = [](int first, int step) {
    std::string list;
    for (int i = 0; i < 20'000; ++i) {
      list += fmt::format(R"({}{{"n":"{}"}})", i == 0 ? "" : ",", first + step * i);
    }
    return R"({"map":[)" + list + "]}";
  };
  ASSERT_EQ(api.post(kWidgets, widget("a", items(0, 1))).status, 201);
  const Answer reversed = api.patch(kWidget, kMerge, R"({"spec":)" + items(19'999, -1) + "}");
  EXPECT_EQ(reversed.status, 200);
  EXPECT_EQ(array_at(reversed.body, {"spec", "map"}).size(), 20'000U);
}

std::string repeated(std::size_t count, std::string_view item) {
  std::string list(item);
  for (std::size_t i = 1; i < count; ++i) list.append(",").append(item);
  return list;
}

std::string names(std::size_t count) {
  std::string list = R"("n0")";
  for (std::size_t i = 1; i < count; ++i) list += fmt::format(R"(,"n{}")", i);
  return list;
}

// Half a minute, if each finalizer looks at all former ones.
TEST_F(Defined, finds_former_finalizers_of_an_object_with_many) {
  api.post(kDefinitions, definition());
  std::string body = widget("a", "{}");
  replace_all(body, R"("name":"a")", R"("name":"a","finalizers":[)" + names(1'000) + "]");
  ASSERT_EQ(api.post(kWidgets, body).status, 201);
  const Answer labeled = api.patch(kWidget, kMerge, R"({"metadata":{"labels":{"a":"b"}}})");
  EXPECT_EQ(labeled.status, 200);
  EXPECT_TRUE(labeled.header("Warning").empty());
  api.remove(kWidget);
  EXPECT_EQ(api.patch(kWidget, kMerge, R"({"metadata":{"labels":{"a":"c"}}})").status, 200);
}

struct Costly {
  std::string_view sentence;
  std::string property;  // of the spec: its schema
  std::string value;
};

class CostlyValue : public Defined, public ::testing::WithParamInterface<Costly> {};

// Each cause repeats its path, or all allowed values: all together could be a thousand times larger
// than the object.
TEST_P(CostlyValue, is_refused_with_at_most_a_thousand_causes_or_a_MiB) {
  const Answer defined = api.post(kDefinitions, definition(R"(,"x":)" + GetParam().property));
  ASSERT_EQ(defined.status, 201) << serialize(defined.body);
  const Answer refused = api.post(kWidgets, widget("a", R"({"x":)" + GetParam().value + "}"));
  EXPECT_EQ(refused.status, 422);
  EXPECT_GE(refused.causes().size(), 1U);
  EXPECT_LE(refused.causes().size(), 1'001U);
  EXPECT_LT(serialize(refused.body).size(), 3U * 1024 * 1024);
}

INSTANTIATE_TEST_SUITE_P(
    Rows, CostlyValue,
    ::testing::Values(
        Costly{"items that lack many fields",
               R"({"type":"array","items":{"type":"object","required":[)" + names(300) + "]}}",
               "[" + repeated(300, "{}") + "]"},
        Costly{"items that are none of many allowed values",
               R"({"type":"array","items":{"type":"string","enum":[)" + names(2'000) + "]}}",
               "[" + repeated(600, R"("m")") + "]"},
        Costly{"items that no rule accepts",
               R"({"type":"array","items":{"type":"object","x-kubernetes-validations":[)"
               R"({"rule":"false","message":"never"}]}})",
               "[" + repeated(2'000, "{}") + "]"},
        Costly{"items that appear twice in a set",
               R"({"type":"array","x-kubernetes-list-type":"set","items":{"type":"string"}})",
               "[" + names(2'000) + "," + names(2'000) + "]"},
        Costly{"embedded objects without kind and version",
               R"({"type":"array","items":{"type":"object","x-kubernetes-embedded-resource":true,)"
               R"("x-kubernetes-preserve-unknown-fields":true}})",
               "[" + repeated(2'000, "{}") + "]"}),
    kBySentence);

// 2,500 fields × 10,000 items. An unfinished `not` is no cause.
TEST_F(Defined, stops_validation_that_takes_too_long) {
  std::string fields = R"("n0":{"type":"string"})";
  for (int i = 1; i < 2'500; ++i) fields += fmt::format(R"(,"n{}":{{"type":"string"}})", i);
  api.post(kDefinitions,
           definition(R"(,"x":{"type":"array","items":{"type":"object","not":{"required":["n0"]},)"
                      R"("properties":{)" +
                      fields + "}}}"));
  const Answer refused =
      api.post(kWidgets, widget("a", R"({"x":[)" + repeated(10'000, "{}") + "]}"));
  EXPECT_EQ(refused.status, 422);
  EXPECT_EQ(refused.causes(),
            (std::vector<std::string>{"<nil>: Too many: validation was stopped"}));
}

TEST_F(Defined, compares_sets_in_rules_in_any_order) {
  api.post(kDefinitions,
           definition(R"(,"set":{"type":"array","x-kubernetes-list-type":"set","maxItems":9,)"
                      R"("items":{"type":"string","maxLength":9},"x-kubernetes-validations":[)"
                      R"({"rule":"self == oldSelf"}]})"));
  api.post(kWidgets, widget("a", R"({"set":["x","y"]})"));
  EXPECT_EQ(api.patch(kWidget, kMerge, R"({"spec":{"set":["y","x"]}})").status, 200);
  EXPECT_EQ(api.patch(kWidget, kMerge, R"({"spec":{"set":["y","z"]}})").status, 422);
}

}  // namespace
}  // namespace dcm::apiserver
