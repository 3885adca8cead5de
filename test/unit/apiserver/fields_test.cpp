// Unknown fields, duplicate fields, values of another type, and YAML.
#include "test/unit/apiserver/fixture.hpp"

namespace dcm::apiserver {
namespace {

constexpr std::string_view kConfigMaps = "/api/v1/namespaces/default/configmaps";

std::string with(std::string_view path, std::string_view query) {
  return std::string(path) + "?" + std::string(query);
}

class Fields : public Api {
 protected:
  static constexpr auto kOdd =
      R"({"metadata":{"name":"p","nonsense":1},"spec":{"containers":[{"name":"c","image":"i",)"
      R"("imagee":"j"}],"foo":{"bar":1}},"extra":[1]})";
};

TEST_F(Fields, are_dropped_with_warning_if_unknown) {
  const Answer made = api.post(kPods, kOdd);
  EXPECT_EQ(made.status, 201);
  EXPECT_EQ(made.header("Warning"), (std::vector<std::string>{
                                        R"(299 - "unknown field \"metadata.nonsense\"")",
                                        R"(299 - "unknown field \"spec.containers[0].imagee\"")",
                                        R"(299 - "unknown field \"spec.foo\"")",
                                        R"(299 - "unknown field \"extra\"")",
                                    }));
  for (const Path path : {Path{"extra"}, Path{"spec", "foo"}, Path{"metadata", "nonsense"}}) {
    EXPECT_FALSE(has(made.body, path));
  }
}

// 25 × 259 characters: each text is cut to 256 characters, and sixteen are 4 KiB.
TEST_F(Fields, are_dropped_with_at_most_4_KiB_of_warnings) {
  const std::string umlauts = [] {
    std::string text;
    for (int i = 0; i < 240; ++i) text += "ä";
    return text;
  }();
  std::string body = R"({"metadata":{"name":"c"})";
  for (int i = 10; i < 35; ++i) body += fmt::format(R"(,"{}{}":1)", umlauts, i);
  const Answer made = api.post(kConfigMaps, body + "}");
  EXPECT_EQ(made.status, 201);
  const std::vector<std::string> warnings = made.header("Warning");
  ASSERT_EQ(warnings.size(), 16U);
  EXPECT_EQ(warnings[0], R"(299 - "unknown field \")" + umlauts + R"(1")") << warnings[0];
}

TEST_F(Fields, are_dropped_silently_on_request) {
  const Answer made = api.post(with(kPods, "fieldValidation=Ignore"), kOdd);
  EXPECT_EQ(made.status, 201);
  EXPECT_TRUE(made.header("Warning").empty());
  EXPECT_FALSE(has(made.body, {"extra"}));
}

TEST_F(Fields, are_rejected_if_unknown_on_request) {
  const Answer refused = api.post(with(kPods, "fieldValidation=Strict"), kOdd);
  EXPECT_EQ(refused.status, 400);
  EXPECT_EQ(
      refused.text({"message"}),
      "Pod in version \"v1\" cannot be handled as a Pod: strict decoding error: unknown field "
      "\"metadata.nonsense\", unknown field \"spec.containers[0].imagee\", unknown field "
      "\"spec.foo\", unknown field \"extra\"");
  EXPECT_EQ(api.get(std::string(kPods) + "/p").status, 404);
}

TEST_F(Fields, are_treated_like_unknown_ones_if_duplicate) {
  const auto body = R"({"metadata":{"name":"a","name":"b"},"data":{"k":"1","k":"2"}})";
  const Answer made = api.post(kConfigMaps, body);
  EXPECT_EQ(made.name(), "b");
  EXPECT_EQ(made.header("Warning"),
            (std::vector<std::string>{R"(299 - "duplicate field \"metadata.name\"")",
                                      R"(299 - "duplicate field \"data.k\"")"}));
  EXPECT_EQ(api.post(with(kConfigMaps, "fieldValidation=Strict"), body).status, 400);
}

TEST_F(Fields, are_checked_in_patches) {
  make_pod();
  struct PatchRow {
    std::string_view type;
    std::string_view body;
  };
  for (const PatchRow& row :
       {PatchRow{kMerge, R"({"spec":{"foo":1}})"}, PatchRow{kStrategic, R"({"spec":{"foo":1}})"},
        PatchRow{kJsonPatch, R"([{"op":"add","path":"/spec/foo","value":1}])"}}) {
    const Answer strict =
        api.patch(with(kPod, "fieldValidation=Strict"), row.type, std::string(row.body));
    EXPECT_EQ(strict.status, 422) << row.type;
    EXPECT_TRUE(strict.blames("patch")) << row.type;
    const Answer warned = api.patch(kPod, row.type, std::string(row.body));
    EXPECT_EQ(warned.status, 200) << row.type;
    EXPECT_EQ(warned.header("Warning"),
              (std::vector<std::string>{R"(299 - "unknown field \"spec.foo\"")"}))
        << row.type;
    EXPECT_FALSE(has(warned.body, {"spec", "foo"})) << row.type;
  }
}

TEST_F(Fields, are_named_without_merge_key_in_strategic_patch) {
  api.post("/apis/resource.k8s.io/v1/resourceslices",
           R"({"metadata":{"name":"s"},"spec":{"driver":"d","allNodes":true,
               "pool":{"name":"p","resourceSliceCount":1}}})");
  const auto warning = [&](std::string_view type) {
    return api
        .patch("/apis/resource.k8s.io/v1/resourceslices/s", type,
               R"({"spec":{"devices":[{"name":"g","attributes":{"a":{"int":1,"foo":1}}}]}})")
        .header("Warning")
        .front();
  };
  EXPECT_EQ(warning(kMerge), R"(299 - "unknown field \"spec.devices[0].attributes.a.foo\"")");
  EXPECT_EQ(warning(kStrategic), R"(299 - "unknown field \"spec.devices[0].attributes.foo\"")");
}

TEST_F(Fields, keep_null_items_of_lists) {
  const Answer refused =
      api.post(kPods, R"({"metadata":{"name":"p"},"spec":{"containers":[null]}})");
  EXPECT_TRUE(refused.blames("spec.containers[0].name"));
}

TEST_F(Fields, must_be_known_in_apply) {
  const Answer refused = api.patch(with(kPod, "fieldManager=m"), kApply,
                                   R"({"apiVersion":"v1","kind":"Pod","metadata":{"name":)"
                                   R"("trainer-0"},"spec":{"foo":1}})");
  EXPECT_EQ(refused.status, 500);
  EXPECT_EQ(refused.text({"message"}),
            "failed to create typed patch object (/trainer-0; /v1, Kind=Pod): .spec.foo: field not "
            "declared in schema");
}

TEST_F(Fields, get_defaults_for_omitted_keys_in_apply) {
  constexpr std::string_view kService = "/api/v1/namespaces/default/services/s";
  constexpr std::string_view kBody =
      R"({"apiVersion":"v1","kind":"Service","metadata":{"name":"s"},"spec":{"ports":[{"port":80}]}})";
  const auto apply = [&] {
    return api.patch(std::string(kService) + "?fieldManager=alice", kApply, std::string(kBody));
  };
  const Answer first = apply();
  EXPECT_EQ(first.status, 201);
  const Answer second = apply();
  EXPECT_EQ(array_at(second.body, {"spec", "ports"}).size(), 1U) << serialize(second.body);
  EXPECT_EQ(second.text({"metadata", "resourceVersion"}),
            first.text({"metadata", "resourceVersion"}));
  EXPECT_NE(serialize(second.body).find(R"("k:{\"port\":80,\"protocol\":\"TCP\"}")"),
            std::string::npos)
      << serialize(second.body);
}

TEST_F(Fields, keep_free_form_parameters) {
  const auto body =
      R"({"metadata":{"name":"shared"},"spec":{"devices":{"requests":[{"name":"one","exactly":)"
      R"({"deviceClassName":"gpu"}}],"config":[{"opaque":{"driver":"d","parameters":)"
      R"({"anything":{"goes":[1,null]}}}}]}}})";
  const Answer made = api.post(with(kClaims, "fieldValidation=Strict"), body);
  ASSERT_EQ(made.status, 201) << serialize(made.body);
  const JsonArray& config = array_at(made.body, {"spec", "devices", "config"});
  EXPECT_EQ(serialize(*find(config[0].get_object(), {"opaque", "parameters"})),
            R"({"anything":{"goes":[1,null]}})");
}

struct TypeRow {
  std::string_view sentence;
  std::string_view body;
  std::string_view message;  // after "…cannot be handled as a Pod: "
};

class Types : public Api, public ::testing::WithParamInterface<TypeRow> {};

TEST_P(Types, are_checked) {
  const Answer refused = api.post(kPods, std::string(GetParam().body));
  EXPECT_EQ(refused.status, 400);
  EXPECT_EQ(refused.text({"message"}),
            "Pod in version \"v1\" cannot be handled as a Pod: " + std::string(GetParam().message));
}

constexpr TypeRow kTypeRows[] = {
    {"a number for a name", R"({"metadata":{"name":5}})",
     "json: cannot unmarshal number into Go struct field ObjectMeta.metadata.name of type string"},
    {"a number for a label", R"({"metadata":{"labels":{"a":1}}})",
     "json: cannot unmarshal number into Go struct field ObjectMeta.metadata.labels of type "
     "string"},
    {"a list for a map", R"({"metadata":{"labels":["a"]}})",
     "json: cannot unmarshal array into Go struct field ObjectMeta.metadata.labels of type "
     "map[string]string"},
    {"text for an object", R"({"metadata":"x"})",
     "json: cannot unmarshal string into Go struct field Pod.metadata of type v1.ObjectMeta"},
    {"an object for a list", R"({"spec":{"containers":{}}})",
     "json: cannot unmarshal object into Go struct field PodSpec.spec.containers of type "
     "[]v1.Container"},
    {"text for an item", R"({"spec":{"containers":["x"]}})",
     "json: cannot unmarshal string into Go struct field PodSpec.spec.containers of type "
     "v1.Container"},
    {"text for a number", R"({"spec":{"terminationGracePeriodSeconds":"1"}})",
     "json: cannot unmarshal string into Go struct field "
     "PodSpec.spec.terminationGracePeriodSeconds "
     "of type int64"},
    {"a fraction for an integer", R"({"spec":{"terminationGracePeriodSeconds":1.5}})",
     "json: cannot unmarshal number 1.5 into Go struct field "
     "PodSpec.spec.terminationGracePeriodSeconds of type int64"},
    {"a large number for a small one", R"({"spec":{"priority":99999999999}})",
     "json: cannot unmarshal number 99999999999 into Go struct field PodSpec.spec.priority of type "
     "int32"},
    {"text for a boolean", R"({"spec":{"hostNetwork":"yes"}})",
     "json: cannot unmarshal string into Go struct field PodSpec.spec.hostNetwork of type bool"},
    {"a time that is none", R"({"metadata":{"creationTimestamp":"yesterday"}})",
     "parsing time \"yesterday\" as \"2006-01-02T15:04:05Z07:00\": cannot parse \"yesterday\" as "
     "\"2006\""},
    {"a quantity that is none",
     R"({"spec":{"containers":[{"resources":{"requests":{"cpu":"lots"}}}]}})",
     "quantities must match the regular expression "
     "'^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'"},
    {"a quantity with two points",
     R"({"spec":{"containers":[{"resources":{"requests":{"cpu":"1.2.3"}}}]}})",
     "quantities must match the regular expression "
     "'^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'"},
    {"a quantity with a suffix behind its exponent",
     R"({"spec":{"containers":[{"resources":{"requests":{"cpu":"1e5x"}}}]}})",
     "quantities must match the regular expression "
     "'^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'"},
    {"a quantity with an unknown suffix",
     R"({"spec":{"containers":[{"resources":{"requests":{"cpu":"1K"}}}]}})",
     "unable to parse quantity's suffix"},
    {"a quantity without its exponent",
     R"({"spec":{"containers":[{"resources":{"requests":{"cpu":"1e"}}}]}})",
     "unable to parse quantity's suffix"},
    {"a quantity with an exponent beyond 64 bits",
     R"({"spec":{"containers":[{"resources":{"requests":{"cpu":"1e9223372036854775808"}}}]}})",
     "unable to parse quantity's suffix"},
    {"a quantity with two signs",
     R"({"spec":{"containers":[{"resources":{"requests":{"cpu":"--1"}}}]}})",
     "unable to parse quantity's suffix"},
};

INSTANTIATE_TEST_SUITE_P(Rows, Types, ::testing::ValuesIn(kTypeRows), kBySentence);

TEST_F(Fields, are_missing_if_null) {
  const Answer made = api.post(
      kConfigMaps, R"({"metadata":{"name":"a","labels":null},"data":{"k":null},"immutable":null})");
  ASSERT_EQ(made.status, 201);
  EXPECT_FALSE(has(made.body, {"metadata", "labels"}));
  EXPECT_FALSE(has(made.body, {"immutable"}));
  // But a map keeps its key.
  const Json* value = find(made.body, {"data", "k"});
  ASSERT_NE(value, nullptr);
  EXPECT_EQ(*value, "");
}

struct OptionRow {
  std::string_view sentence;
  std::string_view query;
  std::string_view blamed;
};

class WriteOptions : public Api, public ::testing::WithParamInterface<OptionRow> {};

TEST_P(WriteOptions, are_validated) {
  const std::string many(129, 'x');
  std::string query(GetParam().query);
  if (query == "fieldManager=") query += many;
  const Answer refused = api.post(with(kConfigMaps, query), R"({"metadata":{"name":"a"}})");
  EXPECT_EQ(refused.status, 422);
  EXPECT_TRUE(refused.blames(GetParam().blamed)) << serialize(refused.body);
}

constexpr OptionRow kOptionRows[] = {
    {"a dry run of something", "dryRun=Some", "dryRun"},
    {"a validation that there is not", "fieldValidation=Maybe", "fieldValidation"},
    {"a long manager", "fieldManager=", "fieldManager"},
};

INSTANTIATE_TEST_SUITE_P(Rows, WriteOptions, ::testing::ValuesIn(kOptionRows), kBySentence);

struct YamlRow {
  std::string_view sentence;
  std::string_view body;
  std::string_view json;  // `data` as stored; or a status code
};

class Yaml : public Api, public ::testing::WithParamInterface<YamlRow> {};

TEST_P(Yaml, is_accepted) {
  const Answer made = api.send("POST", kConfigMaps, kYaml, std::string(GetParam().body));
  if (made.status != 201) {
    EXPECT_EQ(std::to_string(made.status), GetParam().json) << serialize(made.body);
    return;
  }
  const Json* data = find(made.body, {"data"});
  EXPECT_EQ(data != nullptr ? serialize(*data) : "none", GetParam().json);
}

constexpr YamlRow kYamlRows[] = {
    {"in blocks",
     "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: c\ndata:\n  k: |\n    a\n    b\n",
     R"({"k":"a\nb\n"})"},
    {"in flow", "{metadata: {name: c}, data: {k: v}}", R"({"k":"v"})"},
    {"with quotes", "metadata: {name: c}\ndata: {a: '5', b: \"true\"}\n",
     R"({"a":"5","b":"true"})"},
    {"with an alias", "metadata: {name: c}\ndata: {a: &x one, b: *x}\n",
     R"({"a":"one","b":"one"})"},
    {"with a key that is no text", "metadata: {name: c}\ndata: {n: 'x', 5: 'y'}\n",
     R"({"false":"x","5":"y"})"},
    {"the first of several documents", "---\nmetadata: {name: c}\n---\nmetadata: {name: d}\n",
     "none"},
    {"a number is no text", "metadata: {name: c}\ndata: {k: 5}\n", "400"},
    {"a truth is no text", "metadata: {name: c}\ndata: {k: yes}\n", "400"},
    {"a list is no object", "- a\n- b\n", "400"},
    {"text is no object", "just text", "400"},
    {"an open bracket", "metadata: {name: c\n", "400"},
    {"nothing at all has no name", "", "422"},
};

INSTANTIATE_TEST_SUITE_P(Rows, Yaml, ::testing::ValuesIn(kYamlRows), kBySentence);

TEST_F(Fields, are_treated_like_unknown_ones_if_duplicate_in_yaml) {
  const auto body = "metadata:\n  name: c\n  name: d\n";
  const Answer made = api.send("POST", kConfigMaps, kYaml, body);
  EXPECT_EQ(made.name(), "d");
  EXPECT_EQ(made.header("Warning").size(), 1U);
  EXPECT_EQ(api.send("POST", with(kConfigMaps, "fieldValidation=Strict"), kYaml, body).status, 400);
}

TEST_F(Fields, are_applied_from_yaml) {
  const Answer made = api.patch(with(std::string(kConfigMaps) + "/c", "fieldManager=m"), kApply,
                                "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: c\ndata:\n"
                                "  k: v\n");
  EXPECT_EQ(made.status, 201);
  EXPECT_EQ(made.text({"data", "k"}), "v");
}

TEST_F(Fields, of_bytes_are_base64) {
  constexpr std::string_view kSecrets = "/api/v1/namespaces/default/secrets";
  const Answer refused = api.post(kSecrets, R"({"metadata":{"name":"a"},"data":{"k":"YQ"}})");
  EXPECT_EQ(refused.status, 400);
  EXPECT_EQ(refused.text({"message"}),
            "Secret in version \"v1\" cannot be handled as a Secret: illegal base64 data at input "
            "byte 0");
  const Answer number = api.post(kSecrets, R"({"metadata":{"name":"a"},"data":{"k":5}})");
  EXPECT_TRUE(number.text({"message"}).ends_with("field Secret.data of type []uint8"))
      << number.text({"message"});
  const Answer made =
      api.post(kSecrets, R"({"metadata":{"name":"a"},"data":{"k":"Y\nR==","none":null}})");
  EXPECT_EQ(made.text({"data", "k"}), "YQ==");
  EXPECT_EQ(made.text({"data", "none"}), "");
}

TEST_F(Fields, are_shown_in_yaml) {
  api.post(kConfigMaps, R"({"metadata":{"name":"a"},"data":{"text":"b: c","flag":"true",)"
                        R"("number":"010","empty":"","lines":"a\nb\n"}})");
  const auto in_yaml = [this](std::string path, std::string query = "") {
    return server.handle(
        {"GET", std::move(path), std::move(query), {{"Accept", std::string(kYaml)}}});
  };
  const Response one = in_yaml(std::string(kConfigMaps) + "/a");
  EXPECT_EQ(one.headers.front().second, kYaml);
  EXPECT_TRUE(one.body.starts_with("apiVersion: v1\ndata:\n  empty: \"\"\n  flag: \"true\"\n"))
      << one.body;
  std::string problem;
  const auto read = parse_yaml(one.body, problem);
  ASSERT_TRUE(read) << problem;
  EXPECT_EQ(read->value.at("data"), api.get(std::string(kConfigMaps) + "/a").body.at("data"));
  EXPECT_TRUE(in_yaml(std::string(kConfigMaps)).body.contains("kind: ConfigMapList"));
  EXPECT_TRUE(in_yaml(std::string(kConfigMaps) + "/b").body.contains("reason: NotFound"));
  const auto watch = server.open_watch(
      {"GET", std::string(kConfigMaps), "watch=1", {{"Accept", std::string(kYaml)}}});
  ASSERT_FALSE(watch);
  EXPECT_EQ(watch.error().status, 406) << "a stream has no YAML";
  EXPECT_TRUE(watch.error().body.contains("reason: NotAcceptable")) << watch.error().body;
  EXPECT_FALSE(watch.error().body.contains("application/yaml")) << watch.error().body;
  // Block style is slow to write.
  api.post(kConfigMaps, R"({"metadata":{"name":"long"},"data":{"text":")" +
                            std::string(300'000, 'x') + R"("}})");
  const Response long_one = in_yaml(std::string(kConfigMaps) + "/long");
  EXPECT_EQ(long_one.headers.front().second, kYaml);
  EXPECT_TRUE(long_one.body.starts_with("{")) << long_one.body.substr(0, 100);
  const Response metadata = server.handle(
      {"GET",
       std::string(kConfigMaps) + "/long",
       "",
       {{"Accept", std::string(kYaml) + ";as=PartialObjectMetadata;v=v1;g=meta.k8s.io"}}});
  EXPECT_TRUE(metadata.body.contains("kind: PartialObjectMetadata\n"))
      << metadata.body.substr(0, 100);
}

// A patch that names managers m0, m1, …, all of the same fields.
std::string managers(std::size_t count, std::string_view fields) {
  std::string entries;
  for (std::size_t i = 0; i < count; ++i) {
    entries += fmt::format(
        R"({}{{"manager":"m{}","operation":"Update","apiVersion":"v1","fieldsType":"FieldsV1",)"
        R"("fieldsV1":{}}})",
        i == 0 ? "" : ",", i, fields);
  }
  return R"({"metadata":{"managedFields":[)" + entries + "]}}";
}

std::vector<std::string> managers_of(const Answer& answer) {
  std::vector<std::string> names;
  for (const Json& entry : array_at(answer.body, {"metadata", "managedFields"})) {
    names.emplace_back(text_at(entry.get_object(), {"manager"}));
  }
  std::ranges::sort(names);
  return names;
}

TEST_F(Fields, keep_managers_if_a_client_writes_invalid_ones) {
  const std::string path = std::string(kConfigMaps) + "/c";
  api.post(with(kConfigMaps, "fieldManager=maker"),
           R"({"metadata":{"name":"c"},"data":{"k":"v"}})");
  for (const auto* fields : {R"({"f:a":5})", R"({"f:a":{"f:b":"c"}})", R"({"f:a":{},"b":{}})",
                             R"({"f:a":{},"x:b":{}})"}) {
    const Answer patched = api.patch(path, kMerge, managers(12, fields));
    EXPECT_EQ(patched.status, 200) << serialize(patched.body);
    EXPECT_EQ(managers_of(patched), (std::vector<std::string>{"maker"})) << fields;
  }
  std::string no_operation = managers(1, R"({"f:a":{}})");
  no_operation.replace(no_operation.find("Update"), 6, "Other");
  EXPECT_EQ(managers_of(api.patch(path, kMerge, no_operation)),
            (std::vector<std::string>{"maker"}));
  EXPECT_EQ(managers_of(api.patch(path, kMerge, managers(1, R"({"f:a":{}})"))),
            (std::vector<std::string>{"m0"}));
}

TEST_F(Fields, have_no_managers_after_a_reset) {
  const std::string path = std::string(kConfigMaps) + "/c";
  api.post(kConfigMaps, R"({"metadata":{"name":"c"},"data":{"k":"v"}})");
  const Answer reset = api.patch(path, kMerge, R"({"metadata":{"managedFields":[{}]}})");
  EXPECT_EQ(reset.status, 200);
  EXPECT_FALSE(has(reset.body, {"metadata", "managedFields"})) << serialize(reset.body);
}

TEST_F(Fields, are_reset_by_an_empty_list_and_kept_by_null) {
  const std::string path = std::string(kConfigMaps) + "/c";
  const auto is_owned = [](const Answer& answer) {
    return has(answer.body, {"metadata", "managedFields"});
  };
  const auto make = [&] {
    api.remove(path);
    return api.post(kConfigMaps, R"({"metadata":{"name":"c"},"data":{"k":"v"}})");
  };
  constexpr std::string_view kPut = R"({"metadata":{"name":"c","managedFields":null},)"
                                    R"("data":{"k":"v"}})";
  std::string empty(kPut);
  empty.replace(empty.find("null"), 4, "[]");
  make();
  EXPECT_TRUE(is_owned(api.put(path, std::string(kPut))));
  EXPECT_FALSE(is_owned(api.put(path, empty)));
  make();
  EXPECT_TRUE(is_owned(api.patch(path, kMerge, R"({"metadata":{"managedFields":null}})")));
  EXPECT_FALSE(is_owned(api.patch(path, kMerge, R"({"metadata":{"managedFields":[]}})")));
  make();
  EXPECT_FALSE(is_owned(api.patch(
      path, kJsonPatch, R"([{"op":"replace","path":"/metadata/managedFields","value":[]}])")));
}

TEST_F(Fields, have_managers_that_json_patches_see) {
  const std::string path = std::string(kConfigMaps) + "/c";
  api.post(with(kConfigMaps, "fieldManager=maker"),
           R"({"metadata":{"name":"c"},"data":{"k":"v"}})");
  const auto patch = [&](std::string_view operation, std::string_view below,
                         std::string_view value) {
    return api.patch(path, kJsonPatch,
                     fmt::format(R"([{{"op":"{}","path":"/metadata/managedFields{}"{}}}])",
                                 operation, below, value));
  };
  EXPECT_EQ(patch("test", "/0/manager", R"(,"value":"maker")").status, 200);
  EXPECT_EQ(patch("test", "/0/manager", R"(,"value":"other")").status, 422);
  EXPECT_EQ(managers_of(patch("remove", "", "")), std::vector<std::string>{"maker"});
  EXPECT_EQ(managers_of(patch("replace", "/0/manager", R"(,"value":"other")")),
            std::vector<std::string>{"other"});
  EXPECT_EQ(managers_of(patch("remove", "/0", "")), std::vector<std::string>{});
  EXPECT_EQ(patch("remove", "", "").status, 422);
}

TEST_F(Fields, of_maps_that_are_null_are_applied_as_empty) {
  const auto apply = [&](std::string_view members) {
    return api.patch(std::string(kConfigMaps) + "/c?fieldManager=a&force=true", kApply,
                     fmt::format(R"({{"apiVersion":"v1","kind":"ConfigMap",{}}})", members));
  };
  const Answer made = apply(R"("metadata":{"name":"c","labels":{"a":null}},"data":{"n":null})");
  EXPECT_EQ(made.status, 201) << serialize(made.body);
  EXPECT_EQ(Json(object_at(made.body, {"data"})), Json(object_of(R"({"n":""})")));
  EXPECT_EQ(Json(object_at(made.body, {"metadata", "labels"})), Json(object_of(R"({"a":""})")));
  apply(R"("metadata":{"name":"c"},"data":{"n":"v"})");
  const Answer emptied = apply(R"("metadata":{"name":"c"},"data":{"n":null})");
  EXPECT_EQ(Json(object_at(emptied.body, {"data"})), Json(object_of(R"({"n":""})")));
  EXPECT_FALSE(has(apply(R"("metadata":{"name":"c"},"data":null)").body, {"data"}));
}

TEST_F(Fields, of_null_quantities_are_zero) {
  const Answer made =
      api.post(kPods, R"({"metadata":{"name":"p"},"spec":{"containers":[{"name":"c","image":"i",)"
                      R"("resources":{"limits":{"cpu":null}}}]}})");
  const JsonObject& container = as_object(array_at(made.body, {"spec", "containers"}).front());
  EXPECT_EQ(text_at(container, {"resources", "limits", "cpu"}), "0") << serialize(made.body);
}

// The times of the managers, "" without one.
std::vector<std::string> times_of(const Answer& answer) {
  std::vector<std::string> times;
  for (const Json& entry : array_at(answer.body, {"metadata", "managedFields"})) {
    times.emplace_back(text_at(entry.get_object(), {"time"}));
  }
  return times;
}

TEST_F(Fields, have_the_time_of_the_last_apply_that_changed_a_value) {
  api.post(kConfigMaps, R"({"metadata":{"name":"c"},"data":{"k":"v"}})");
  const auto apply = [&](std::string_view data) {
    time.step_wall(std::chrono::seconds(5));
    return times_of(api.patch(
        std::string(kConfigMaps) + "/c?fieldManager=a", kApply,
        fmt::format(
            R"({{"apiVersion":"v1","kind":"ConfigMap","metadata":{{"name":"c"}},"data":{}}})",
            data)));
  };
  EXPECT_EQ(apply(R"({"k":"v"})").front(), "");
  const std::string first = apply(R"({"k":"v","a":"1"})").front();
  EXPECT_NE(first, "");
  EXPECT_EQ(apply(R"({"a":"1"})").front(), first);
  EXPECT_NE(apply(R"({"a":"2"})").front(), first);
}

struct TimeRow {
  std::string_view sentence;
  std::string_view given;
  std::string_view stored;  // "": refused
};

class MicroTime : public Api, public ::testing::WithParamInterface<TimeRow> {};

TEST_P(MicroTime, has_six_digits_and_is_stored_in_utc) {
  constexpr std::string_view kLeases = "/apis/coordination.k8s.io/v1/namespaces/default/leases";
  const auto& [sentence, given, stored] = GetParam();
  const std::string spec = fmt::format(R"("spec":{{"renewTime":"{}"}})", given);
  const Answer made = api.post(kLeases, R"({"metadata":{"name":"l"},)" + spec + "}");
  EXPECT_EQ(made.status, stored.empty() ? 400 : 201) << serialize(made.body);
  EXPECT_EQ(made.text({"spec", "renewTime"}), stored);
  const Answer applied = api.patch(
      std::string(kLeases) + "/a?fieldManager=a", kApply,
      R"({"apiVersion":"coordination.k8s.io/v1","kind":"Lease","metadata":{"name":"a"},)" + spec +
          "}");
  EXPECT_EQ(applied.status, stored.empty() ? 500 : 201);
  EXPECT_EQ(applied.text({"spec", "renewTime"}), stored);
}

INSTANTIATE_TEST_SUITE_P(
    Times, MicroTime,
    ::testing::Values(TimeRow{"of six digits", "2026-01-01T00:00:00.123456Z",
                              "2026-01-01T00:00:00.123456Z"},
                      TimeRow{"of three digits", "2026-01-01T00:00:00.123Z", ""},
                      TimeRow{"of nine digits", "2026-01-01T00:00:00.123456789Z", ""},
                      TimeRow{"of whole seconds", "2026-01-01T00:00:00Z", ""},
                      TimeRow{"without a zone", "2026-01-01T00:00:00.123456", ""},
                      TimeRow{"of small letters", "2026-01-01t00:00:00.123456z", ""},
                      TimeRow{"of a leap second", "2026-01-01T00:00:60.123456Z", ""},
                      TimeRow{"of long ago", "0001-01-01T00:00:00.000000+01:00",
                              "0001-01-01T00:00:00.000000+01:00"},
                      TimeRow{"of a far future", "9999-01-01T00:00:00.000000+01:00",
                              "9999-01-01T00:00:00.000000+01:00"},
                      TimeRow{"of no day", "2026-02-30T00:00:00.123456Z", ""},
                      TimeRow{"east of Greenwich", "2026-01-01T00:00:00.123456+01:00",
                              "2025-12-31T23:00:00.123456Z"}),
    kBySentence);

TEST_F(Fields, of_times_are_stored_in_utc_without_fractions) {
  const auto stored = [&](std::string_view time) {
    const Answer made = api.post(
        "/api/v1/namespaces/default/events?dryRun=All",
        fmt::format(R"({{"metadata":{{"name":"e"}},"involvedObject":{{"namespace":"default"}},)"
                    R"("firstTimestamp":"{}"}})",
                    time));
    return std::string(made.text({"firstTimestamp"}));
  };
  EXPECT_EQ(stored("2026-01-01T00:00:00+01:00"), "2025-12-31T23:00:00Z");
  EXPECT_EQ(stored("2026-01-01T00:00:00.999Z"), "2026-01-01T00:00:00Z");
  EXPECT_EQ(stored("2026-02-30T00:00:00Z"), "");
}

TEST_F(Fields, may_have_many_managers_of_nothing) {
  const std::string path = std::string(kConfigMaps) + "/c";
  api.post(kConfigMaps, R"({"metadata":{"name":"c"}})");
  const Answer patched = api.patch(path, kMerge, managers(12, "{}"));
  EXPECT_EQ(patched.status, 200);
  EXPECT_EQ(managers_of(patched), (std::vector<std::string>{"ancient-changes", "m11", "m2", "m3",
                                                            "m4", "m5", "m6", "m7", "m8", "m9"}))
      << serialize(patched.body);
}

TEST_F(Fields, are_written_by_manager_with_printable_name) {
  const Answer made =
      api.post(with(kConfigMaps, "fieldManager=a%0Ab"), R"({"metadata":{"name":"a"}})");
  EXPECT_EQ(made.status, 422);
  EXPECT_TRUE(made.blames("fieldManager")) << serialize(made.body);
}

TEST_F(Fields, are_rejected_in_other_formats) {
  EXPECT_EQ(api.send("POST", kConfigMaps, "text/plain", R"({"metadata":{"name":"a"}})").status,
            415);
}

struct LabelRow {
  std::string_view sentence;
  std::string_view metadata;
  std::string_view blamed;
};

class Labels : public Api, public ::testing::WithParamInterface<LabelRow> {};

TEST_P(Labels, are_validated) {
  const Answer made = api.post(
      kConfigMaps, R"({"metadata":{"name":"a",)" + std::string(GetParam().metadata) + "}}");
  EXPECT_EQ(made.status, GetParam().blamed.empty() ? 201 : 422);
  if (!GetParam().blamed.empty()) EXPECT_TRUE(made.blames(GetParam().blamed));
}

constexpr LabelRow kLabelRows[] = {
    {"a key with a prefix", R"("labels":{"example.com/a.b_c-D":"v"})", ""},
    {"an empty value", R"("labels":{"a":""})", ""},
    {"a key with a space", R"("labels":{"a b":"v"})", "metadata.labels"},
    {"a key with an empty prefix", R"("labels":{"/a":"v"})", "metadata.labels"},
    {"a key with two slashes", R"("labels":{"a/b/c":"v"})", "metadata.labels"},
    {"a value that ends in a dash", R"("labels":{"a":"v-"})", "metadata.labels"},
    {"a long value",
     R"("labels":{"a":"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"})",
     "metadata.labels"},
    {"any value of an annotation", R"("annotations":{"a":"{ \"b\": 1 }"})", ""},
    {"an annotation with a tilde", R"("annotations":{"m~n":"v"})", "metadata.annotations"},
};

INSTANTIATE_TEST_SUITE_P(Rows, Labels, ::testing::ValuesIn(kLabelRows), kBySentence);

}  // namespace
}  // namespace dcm::apiserver
