// kubectl apply, and then kubectl apply --server-side: the annotation with the last applied
// configuration.
#include <fmt/format.h>

#include "test/unit/apiserver/fixture.hpp"

namespace dcm::apiserver {
namespace {

constexpr std::string_view kMaps = "/api/v1/namespaces/default/configmaps";
constexpr std::string_view kMap = "/api/v1/namespaces/default/configmaps/m";
constexpr std::string_view kAnnotation = "kubectl.kubernetes.io/last-applied-configuration";
constexpr std::string_view kApplied = R"({"a":"1","b":"3","c":"4"})";

std::string configuration(std::string_view data) {
  return fmt::format(
      R"({{"apiVersion":"v1","kind":"ConfigMap","metadata":{{"name":"m"}},"data":{}}})", data);
}

class LastApplied : public Api {
 protected:
  // What a client-side apply of `last` leaves if others have made `data` of it.
  void apply_by_client(const std::string& last, std::string_view data) {
    const JsonObject annotations{{kAnnotation, last}};
    JsonObject object = object_of(configuration(data));
    child(object, "metadata")["annotations"] = annotations;
    EXPECT_EQ(
        api.post(std::string(kMaps) + "?fieldManager=kubectl-client-side-apply", serialize(object))
            .status,
        201);
  }
  Answer apply(std::string_view data, std::string_view options = "fieldManager=kubectl") {
    return api.patch(fmt::format("{}?{}", kMap, options), kApply, configuration(data));
  }
  std::string annotation() {
    return std::string(api.get(kMap).text({"metadata", "annotations", kAnnotation}));
  }
};

TEST_F(LastApplied, fields_are_taken_over_without_conflict) {
  constexpr std::string_view kBefore = R"({"a":"1","b":"2"})";
  apply_by_client(configuration(kBefore), kBefore);
  EXPECT_EQ(apply(kApplied, "fieldManager=other").status, 409);
  const Answer applied = apply(kApplied);
  EXPECT_EQ(applied.status, 200) << serialize(applied.body);
  EXPECT_EQ(Json(object_at(applied.body, {"data"})), Json(object_of(kApplied)));
  EXPECT_EQ(annotation(),
            R"({"apiVersion":"v1","data":{"a":"1","b":"3","c":"4"},"kind":"ConfigMap",)"
            R"("metadata":{"name":"m"}})"
            "\n");
}

TEST_F(LastApplied, follow_each_apply_of_kubectl_only) {
  apply_by_client("{}", R"({"a":"1"})");
  apply(R"({"a":"1"})", "fieldManager=other");
  EXPECT_EQ(annotation(), "{}");
  apply(R"({"a":"<&>"})", "fieldManager=kubectl&force=true");
  EXPECT_TRUE(annotation().contains(R"("a":"\u003c\u0026\u003e")")) << annotation();
}

TEST_F(LastApplied, are_written_when_created_with_annotation) {
  JsonObject wanted = object_of(configuration("{}"));
  child(wanted, "metadata")["annotations"] = JsonObject{{kAnnotation, "x"}};
  api.patch(fmt::format("{}?fieldManager=kubectl", kMap), kApply, serialize(wanted));
  EXPECT_TRUE(annotation().contains(R"("metadata":{"annotations":{},"name":"m"})")) << annotation();
}

TEST_F(LastApplied, are_dropped_if_too_large) {
  constexpr std::string_view kBefore = R"({"a":"1"})";
  apply_by_client(configuration(kBefore), kBefore);
  const Answer applied = apply(fmt::format(R"({{"a":"{}"}})", std::string(300'000, 'x')));
  EXPECT_EQ(applied.status, 200);
  EXPECT_FALSE(has(applied.body, {"metadata", "annotations"}));
}

struct Row {
  std::string_view sentence;
  std::string last;
  std::string_view data;
  std::vector<std::string> causes;
};

class Contested : public LastApplied, public ::testing::WithParamInterface<Row> {};

TEST_P(Contested, fields_are_conflicts) {
  apply_by_client(GetParam().last, GetParam().data);
  const Answer refused = apply(R"({"a":"2","b":"3"})");
  EXPECT_EQ(refused.status, 409);
  std::vector<std::string> fields;
  for (const Json& cause : array_at(refused.body, {"details", "causes"})) {
    fields.emplace_back(text_at(as_object(cause), {"field"}));
  }
  EXPECT_EQ(fields, GetParam().causes) << serialize(refused.body);
}

std::string of_kind(std::string_view version, std::string_view kind, std::string_view members) {
  return fmt::format(R"({{"apiVersion":"{}","kind":"{}",{}"data":{{"a":"1"}}}})", version, kind,
                     members);
}

INSTANTIATE_TEST_SUITE_P(
    Annotations, Contested,
    ::testing::Values(
        Row{"with another value than applied",
            configuration(R"({"a":"1","b":"2"})"),
            R"({"a":"1","b":"9"})",
            {".data.b"}},
        Row{"not in the annotation",
            configuration(R"({"a":"1"})"),
            R"({"a":"1","b":"2"})",
            {".data.b"}},
        Row{"without a configuration", "", R"({"a":"1"})", {".data.a"}},
        Row{"with nonsense", "nonsense", R"({"a":"1"})", {".data.a"}},
        Row{"of another version", of_kind("v2", "ConfigMap", ""), R"({"a":"1"})", {".data.a"}},
        Row{"of another kind", of_kind("v1", "Secret", ""), R"({"a":"1"})", {".data.a"}},
        Row{"with an unknown field",
            of_kind("v1", "ConfigMap", R"("x":1,)"),
            R"({"a":"1"})",
            {".data.a"}}),
    kBySentence);

}  // namespace
}  // namespace dcm::apiserver
