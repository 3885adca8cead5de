// Definitions that change, or have several versions, while there are objects; and what clients may
// make large. The real server (1.37) answers the same, except to what is too large.
#include <algorithm>

#include "apiserver/text/item_budget.hpp"
#include "test/unit/apiserver/defined.hpp"

namespace dcm::apiserver {
namespace {

constexpr std::string_view kWidget = "/apis/example.com/v1/namespaces/default/widgets/a";
constexpr std::string_view kOld = "/apis/example.com/v1beta1/namespaces/default/widgets";

std::string repeated(std::size_t count, std::string_view text) {
  std::string all;
  for (std::size_t i = 0; i < count; ++i) all += text;
  return all;
}

class Redefined : public Defined {
 protected:
  void define(std::string_view spec, std::string_view root = "") {
    const Answer made = api.post(kDefinitions, definition(spec, root));
    ASSERT_EQ(made.status, 201) << serialize(made.body);
  }
  void redefine(std::string_view spec, std::string_view root = "") {
    JsonObject next = object_of(definition(spec, root));
    const Answer changed =
        api.patch(kWidgetsDefinition, kMerge, serialize(JsonObject{{"spec", next.at("spec")}}));
    ASSERT_EQ(changed.status, 200) << serialize(changed.body);
  }
  std::string spec_of(std::string_view path) {
    return serialize(object_at(api.get(path).body, {"spec"}));
  }
  // Denies an operation on a resource of a group.
  void deny(std::string_view group, std::string_view resource, std::string_view operation) {
    constexpr std::string_view kAdmission =
        "/apis/admissionregistration.k8s.io/v1/validatingadmissionpolic";
    api.post(std::string(kAdmission) + "ies",
             fmt::format(R"({{"metadata":{{"name":"no"}},"spec":{{"matchConstraints":{{)"
                         R"("resourceRules":[{{"apiGroups":["{}"],"apiVersions":["v1"],)"
                         R"("operations":["{}"],"resources":["{}"]}}]}},)"
                         R"("validations":[{{"expression":"false"}}]}}}})",
                         group, operation, resource));
    const Answer bound = api.post(
        std::string(kAdmission) + "ybindings",
        R"({"metadata":{"name":"no"},"spec":{"policyName":"no","validationActions":["Deny"]}})");
    ASSERT_EQ(bound.status, 201) << serialize(bound.body);
  }
};

TEST_F(Redefined, compares_update_with_object_as_new_schema_shows_it) {
  define(R"(,"gone":{"type":"string"})");
  api.post(kWidgets, widget("a", R"({"gone":"x"})"));
  redefine(R"(,"mode":{"type":"string","default":"m","x-kubernetes-validations":[)"
           R"({"rule":"self == oldSelf"}]})");
  const Answer labelled = api.patch(kWidget, kMerge, R"({"metadata":{"labels":{"l":"1"}}})");
  ASSERT_EQ(labelled.status, 200) << serialize(labelled.body);
  EXPECT_EQ(integer_at(labelled.body, {"metadata", "generation"}), 1)
      << "neither the new default nor the dropped field is the client's change";
  EXPECT_EQ(api.patch(kWidget, kMerge, R"({"spec":{"mode":"n"}})").status, 422);
}

TEST_F(Redefined, shows_later_default_in_columns_selectors_and_scale) {
  std::string text = definition();
  replace_all(text, R"("replicas":{"type":"integer","default":1,)",
              R"("replicas":{"type":"integer",)");
  api.post(kDefinitions, text);
  api.post(kWidgets, widget("a", "{}"));
  EXPECT_EQ(api.get(std::string(kWidget) + "/scale").status, 500);
  redefine(R"(,"other":{"type":"string"})");
  EXPECT_EQ(integer_at(api.get(std::string(kWidget) + "/scale").body, {"spec", "replicas"}), 1);
  const Response table =
      server.handle({.method = "GET",
                     .path = std::string(kWidget),
                     .headers = {{"Accept", "application/json;as=Table;v=v1;g=meta.k8s.io"}}});
  EXPECT_NE(table.body.find(R"("cells":["a",1])"), std::string::npos) << table.body;
  text = definition();
  replace_all(text, R"("color":{"type":"string"})", R"("color":{"type":"string","default":"red"})");
  JsonObject next = object_of(text);
  api.patch(kWidgetsDefinition, kMerge, serialize(JsonObject{{"spec", next.at("spec")}}));
  const Answer red = api.get(std::string(kWidgets) + "?fieldSelector=spec.color%3Dred");
  EXPECT_EQ(array_at(red.body, {"items"}).size(), 1U);
}

TEST_F(Redefined, stores_and_defaults_by_schema_of_stored_version) {
  std::string text = definition();
  replace_all(text, R"("versions":[)",
              R"("versions":[{"name":"v1beta1","served":true,"storage":false,"schema":{)"
              R"("openAPIV3Schema":{"type":"object","properties":{"spec":{"type":"object",)"
              R"("properties":{"color":{"type":"string"},"old":{"type":"integer"},)"
              R"("mode":{"type":"string","default":"slow"}}}}}}},)");
  ASSERT_EQ(api.post(kDefinitions, text).status, 201);
  const Answer made = api.post(
      kOld, R"({"apiVersion":"example.com/v1beta1","kind":"Widget","metadata":{"name":"a"},)"
            R"("spec":{"color":"red","old":1}})");
  ASSERT_EQ(made.status, 201) << serialize(made.body);
  EXPECT_EQ(spec_of(kWidget), R"({"color":"red","replicas":1})");
  EXPECT_EQ(spec_of(std::string(kOld) + "/a"), R"({"color":"red"})")
      << "defaults come from the stored version";
}

TEST_F(Redefined, deletes_objects_whatever_policies_say) {
  define("");
  api.post(kWidgets, widget("a", "{}"));
  deny("example.com", "widgets", "DELETE");
  EXPECT_EQ(api.remove(kWidget).status, 422);
  api.remove(kWidgetsDefinition);
  EXPECT_EQ(api.get(kWidgetsDefinition).status, 404);
}

TEST_F(Redefined, shows_watch_the_end_of_last_object) {
  define("");
  api.post(kWidgets, R"({"apiVersion":"example.com/v1","kind":"Widget","metadata":{"name":"a",)"
                     R"("finalizers":["example.com/hold"]}})");
  auto watch = api.watch("/apis/example.com/v1/widgets?watch=1");
  ASSERT_TRUE(watch.has_value());
  api.remove(kWidgetsDefinition);
  EXPECT_FALSE((*watch)->ended());
  api.patch(kWidget, kMerge, R"({"metadata":{"finalizers":null}})");
  EXPECT_EQ(summary(drain(**watch)),
            (std::vector<std::string>{"ADDED a", "MODIFIED a", "DELETED a"}));
  EXPECT_TRUE((*watch)->ended());
}

// Two definitions that waited for one name used to wake each other in an endless loop.
TEST_F(Redefined, settles_while_a_policy_forbids_its_status) {
  for (const auto* name : {"as", "bs", "cs"}) {
    std::string text = definition();
    replace_all(text, "widgets", name);
    replace_all(text, "Widget", fmt::format("{}Kind", name));
    replace_all(text, R"("kind":)", R"("shortNames":["s"],"kind":)");
    replace_all(text, R"("shortNames":["s"],"kind":"CustomResourceDefinition")",
                R"("kind":"CustomResourceDefinition")");
    const Answer made = api.post(kDefinitions, text);
    ASSERT_EQ(made.status, 201) << serialize(made.body);
  }
  const std::string b = std::string(kDefinitions) + "/bs.example.com";
  const std::string c = std::string(kDefinitions) + "/cs.example.com";
  EXPECT_EQ(condition(api.get(b), "NamesAccepted"), "False ShortNamesConflict");
  deny("apiextensions.k8s.io", "customresourcedefinitions/status", "UPDATE");
  api.patch(b, kMerge, R"({"spec":{"names":{"shortNames":["t"]}}})");
  api.patch(c, kMerge, R"({"spec":{"names":{"shortNames":["u"]}}})");
  EXPECT_EQ(condition(api.get(c), "NamesAccepted"), "False ShortNamesConflict");
}

TEST_F(Redefined, validates_names_written_to_its_status) {
  define("");
  const Answer refused = api.patch(std::string(kWidgetsDefinition) + "/status", kMerge,
                                   R"({"status":{"acceptedNames":{"plural":"Not a name"}}})");
  EXPECT_EQ(refused.status, 422);
  EXPECT_TRUE(refused.blames("status.acceptedNames.plural")) << serialize(refused.body);
}

TEST_F(Redefined, scales_only_by_a_scale) {
  define("");
  api.post(kWidgets, widget("a", R"({"replicas":2})"));
  const std::string scale = std::string(kWidget) + "/scale";
  const auto put = [&](std::string_view kind, std::string_view replicas, std::string_view query) {
    return api.put(scale + std::string(query),
                   fmt::format(R"({{"kind":"{}","apiVersion":"autoscaling/v1",)"
                               R"("metadata":{{"name":"a"}},"spec":{{"replicas":{}}}}})",
                               kind, replicas));
  };
  EXPECT_EQ(put("Scale", R"("5")", "").status, 400);
  EXPECT_EQ(put("Widget", "5", "").status, 400);
  EXPECT_EQ(put("Scale", "5", "?dryRun=all").status, 422);
  EXPECT_EQ(put("Scale", "5", "?dryRun=All").status, 200);
  EXPECT_EQ(api.patch(scale, kMerge, R"({"spec":{"replicas":"5"}})").status, 422);
  EXPECT_EQ(api.patch(scale, kStrategic, R"({"spec":{"replicas":5}})").status, 415);
  EXPECT_EQ(integer_at(api.get(kWidget).body, {"spec", "replicas"}), 2) << "none was written";
}

TEST_F(Redefined, says_that_replicas_were_never_set) {
  std::string text = definition();
  replace_all(text, R"("default":1,)", "");
  api.post(kDefinitions, text);
  api.post(kWidgets, widget("a", "{}"));
  const Answer refused =
      api.patch(std::string(kWidget) + "/scale", kMerge, R"({"metadata":{"labels":{"a":"b"}}})");
  EXPECT_EQ(refused.status, 400);
  EXPECT_EQ(refused.text({"message"}),
            "the spec replicas field \".spec.replicas\" cannot be empty");
}

TEST_F(Redefined, refuses_reads_in_wrong_scope) {
  std::string text = definition();
  replace_all(text, "Namespaced", "Cluster");
  api.post(kDefinitions, text);
  const Request list{.method = "GET", .path = std::string(kWidgets)};
  EXPECT_EQ(server.open_list(list), nullptr);
  EXPECT_EQ(server.handle(list).status, 404);
  EXPECT_EQ(api.watch(std::string(kWidgets) + "?watch=1").error().status, 404);
}

TEST_F(Redefined, merges_oldest_managers_of_many) {
  define("");
  api.post(kWidgets, widget("a", "{}"));
  for (int i = 0; i < 12; ++i) {
    time.advance_to(time.now() + std::chrono::seconds(1));
    api.patch(fmt::format("{}?fieldManager=m{:02}", kWidget, i), kMerge,
              fmt::format(R"({{"metadata":{{"annotations":{{"a{}":"1"}}}}}})", i));
  }
  std::vector<std::string> names;
  for (const Json& entry : array_at(api.get(kWidget).body, {"metadata", "managedFields"})) {
    names.emplace_back(text_at(entry.get_object(), {"manager"}));
  }
  std::ranges::sort(names);
  EXPECT_EQ(names, (std::vector<std::string>{"ancient-changes", "m03", "m04", "m05", "m06", "m07",
                                             "m08", "m09", "m10", "m11"}));
}

TEST_F(Redefined, forgets_history_of_a_kind_that_is_gone) {
  define("");
  api.post(kWidgets, widget("a", "{}"));
  const std::string version(
      api.post(kWidgets, widget("b", "{}")).text({"metadata", "resourceVersion"}));
  api.remove(kWidgetsDefinition);
  define("");
  auto watch = api.watch(std::string(kWidgets) + "?watch=1&resourceVersion=" + version);
  ASSERT_TRUE(watch.has_value());
  EXPECT_EQ(summary(drain(**watch)), (std::vector<std::string>{"ERROR Expired"}));
}

struct Column {
  std::string_view sentence;
  std::string_view path;
  std::string_view cell;  // as JSON
};

class ColumnOf : public Redefined, public ::testing::WithParamInterface<Column> {};

TEST_P(ColumnOf, shows) {
  std::string text =
      definition(R"(,"a.b/c":{"type":"string"},"a":{"type":"object","properties":{)"
                 R"("b":{"type":"string"}}},"l":{"type":"array","items":{)"
                 R"("type":"object","properties":{"k":{"type":"object","properties":{)"
                 R"("x":{"type":"string"}}},"v":{"type":"string"},)"
                 R"("n":{"type":"integer"}}}})");
  replace_all(text, R"("type":"integer","jsonPath":".spec.replicas")",
              R"("type":"string","jsonPath":)" + serialize(Json(GetParam().path)));
  const Answer made = api.post(kDefinitions, text);
  ASSERT_EQ(made.status, 201) << serialize(made.body);
  api.post(kWidgets, widget("a", R"({"a.b/c":"escaped","a":{"b":"nested"},"l":[)"
                                 R"({"k":{"x":"1"},"v":"one","n":1},{"k":{"x":"2"},"n":2}]})"));
  const Response table =
      server.handle({.method = "GET",
                     .path = std::string(kWidget),
                     .headers = {{"Accept", "application/json;as=Table;v=v1;g=meta.k8s.io"}}});
  EXPECT_NE(table.body.find(fmt::format(R"("cells":["a",{}])", GetParam().cell)), std::string::npos)
      << table.body;
}

INSTANTIATE_TEST_SUITE_P(
    Rows, ColumnOf,
    ::testing::Values(Column{"a quoted name with escaped dots", R"(.spec['a\.b/c'])",
                             R"("escaped")"},
                      Column{"a quoted path", ".spec['a.b']", R"("nested")"},
                      Column{"an item by a nested value", R"(.spec.l[?(@.k.x=="2")].n)", R"("2")"},
                      Column{"an item by comparison", ".spec.l[?(@.n>1)].k.x", R"("2")"},
                      Column{"an item with a member", ".spec.l[?(@.v)].n", R"("1")"},
                      Column{"the kind", ".kind", R"("Widget")"}),
    kBySentence);

// ---- what clients may make large ----------------------------------------------------------------

TEST_F(Redefined, refuses_defaults_that_multiply) {
  define(R"(,"list":{"type":"array","items":{"type":"object","properties":{"x":{"type":"array",)"
         R"("items":{"type":"integer"},"default":[0)" +
         repeated(20'000, ",0") + "]}}}}");
  const Answer refused =
      api.post(kWidgets, widget("a", R"({"list":[{})" + repeated(20'000, ",{}") + "]}"));
  EXPECT_EQ(refused.status, 413);
  EXPECT_EQ(refused.reason(), "RequestEntityTooLarge");
  EXPECT_EQ(api.post(kWidgets, widget("a", R"({"list":[{},{}]})")).status, 201);
}

TEST_F(Redefined, refuses_long_paths) {
  define(R"(,"map":{"type":"object","additionalProperties":{"type":"array","items":{)"
         R"("type":"integer"}}})");
  const auto named = [](std::size_t bytes) {
    return widget("a", R"({"map":{")" + std::string(bytes, 'k') + R"(":[0]}})");
  };
  EXPECT_EQ(api.post(kWidgets, named(kPathMax)).status, 400);
  EXPECT_EQ(api.post(kWidgets, named(kPathMax / 2)).status, 201);
  const std::string two =
      R"([{"op":"add","path":"/spec/map/)" + std::string(kPathMax, 'k') + R"(","value":[0]}])";
  EXPECT_EQ(api.patch(kWidget, kJsonPatch, two).status, 413);
}

TEST_F(Redefined, refuses_objects_that_grow_by_patches) {
  constexpr std::string_view kMap = "/api/v1/namespaces/default/configmaps/m";
  api.post("/api/v1/namespaces/default/configmaps", R"({"metadata":{"name":"m"}})");
  const auto add = [&](int number) {
    return api
        .patch(kMap, kMerge,
               fmt::format(R"({{"metadata":{{"annotations":{{"example.com/a{}":"{}"}}}},)"
                           R"("data":{{"k{}":"{}"}}}})",
                           number, "a", number, std::string(1'000'000, 'v')))
        .status;
  };
  int number = 0;
  while (number < 20 && add(number) == 200) ++number;
  EXPECT_EQ(number, 8) << "8 MiB";
}

TEST_F(Redefined, reports_wrong_keys_of_list_once) {
  std::string keys;
  for (int i = 0; i < 3'000; ++i) keys += fmt::format(R"({}"k{}")", i == 0 ? "" : ",", i);
  const Answer refused =
      api.post(kDefinitions, definition(R"(,"list":{"type":"array","x-kubernetes-list-type":"map",)"
                                        R"("x-kubernetes-list-map-keys":[)" +
                                        keys + R"(],"items":{"type":"object"}})"));
  EXPECT_EQ(refused.status, 422);
  EXPECT_LT(serialize(refused.body).size(), 200'000U);
}

TEST_F(Redefined, reports_a_few_of_many_controllers) {
  define("");
  std::string owners;
  for (int i = 0; i < 3'000; ++i) {
    owners += fmt::format(R"({}{{"apiVersion":"v1","kind":"Pod","name":"p{}","uid":"{}",)"
                          R"("controller":true}})",
                          i == 0 ? "" : ",", i, i);
  }
  const Answer refused =
      api.post("/api/v1/namespaces/default/configmaps",
               R"({"metadata":{"name":"m","ownerReferences":[)" + owners + "]}}");
  EXPECT_EQ(refused.status, 422);
  EXPECT_LE(array_at(refused.body, {"details", "causes"}).size(), 10U);
}

}  // namespace
}  // namespace dcm::apiserver
