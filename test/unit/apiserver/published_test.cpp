// How clients discover defined kinds: aggregated discovery and OpenAPI v3.
#include "test/unit/apiserver/defined.hpp"

namespace dcm::apiserver {
namespace {

class Published : public Defined {
 protected:
  Published() { api.post(kDefinitions, definition()); }

  Response discover(std::string_view accept) {
    return server.handle(
        {.method = "GET", .path = "/apis", .headers = {{"Accept", std::string(accept)}}});
  }
};

constexpr std::string_view kAggregated =
    "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList";

TEST_F(Published, aggregates_all_groups_on_request) {
  const Response answer = discover(std::string(kAggregated) + ",application/json");
  EXPECT_EQ(answer.headers.front().second, kAggregated);
  const JsonObject all = object_of(answer.body);
  const JsonArray& groups = array_at(all, {"items"});
  const auto group = std::ranges::find_if(groups, [](const Json& one) {
    return text_at(one.get_object(), {"metadata", "name"}) == "example.com";
  });
  ASSERT_NE(group, groups.end());
  const JsonObject& version = array_at(group->get_object(), {"versions"}).front().get_object();
  ASSERT_EQ(array_at(version, {"resources"}).size(), 1U);
  const JsonObject& widgets = array_at(version, {"resources"}).front().get_object();
  EXPECT_EQ(text_at(widgets, {"resource"}), "widgets");
  EXPECT_EQ(text_at(widgets, {"scope"}), "Namespaced");
  const JsonArray& below = array_at(widgets, {"subresources"});
  ASSERT_EQ(below.size(), 2U);
  EXPECT_EQ(text_at(below[1].get_object(), {"responseKind", "group"}), "autoscaling");
  EXPECT_EQ(object_of(discover("application/json").body).at("kind"), "APIGroupList");
}

TEST_F(Published, includes_schema_of_defined_kind) {
  const JsonObject paths = object_at(api.get("/openapi/v3").body, {"paths"});
  const std::string_view url = text_at(paths, {"apis/example.com/v1", "serverRelativeURL"});
  ASSERT_FALSE(url.empty());
  const JsonObject document = api.get(url).body;
  const JsonObject& widget =
      object_at(document, {"components", "schemas", "com.example.v1.Widget"});
  EXPECT_EQ(text_at(widget, {"properties", "spec", "properties", "color", "type"}), "string");
  EXPECT_TRUE(has(widget, {"properties", "metadata", "allOf"}));
  EXPECT_TRUE(
      has(document, {"components", "schemas", "io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta"}));
  EXPECT_TRUE(
      has(document, {"paths", "/apis/example.com/v1/namespaces/{namespace}/widgets/{name}"}));
}

TEST_F(Published, is_served_in_version_2) {
  const JsonObject document = api.get("/openapi/v2").body;
  EXPECT_EQ(text_at(document, {"swagger"}), "2.0");
  const JsonObject& widget = object_at(document, {"definitions", "com.example.v1.Widget"});
  EXPECT_EQ(text_at(widget, {"properties", "spec", "properties", "color", "type"}), "string");
  EXPECT_EQ(text_at(widget, {"properties", "metadata", "$ref"}),
            "#/definitions/io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta");
  EXPECT_TRUE(
      has(document, {"paths", "/apis/example.com/v1/namespaces/{namespace}/widgets/{name}"}));
  EXPECT_EQ(serialize(object_at(document,
                                {"definitions", "io.k8s.apimachinery.pkg.util.intstr.IntOrString"})
                          .at("type")),
            R"("string")");
}

// The rules of pkg/controller/openapi/v2.
TEST_F(Published, omits_unsupported_parts_from_version_2) {
  std::string loose =
      definition(R"(,"open":{"type":"object","x-kubernetes-preserve-unknown-fields":true,)"
                 R"("properties":{"a":{"type":"string"}}},)"
                 R"("perhaps":{"type":"string","nullable":true},)"
                 R"("either":{"x-kubernetes-int-or-string":true,"anyOf":[{"type":"integer"},)"
                 R"({"type":"string"}]},"size":{"type":"string","default":"small"})");
  replace_all(loose, R"("metadata":{)",
              R"("metadata":{"resourceVersion":")" +
                  std::string(api.get(kWidgetsDefinition).resource_version()) + R"(",)");
  const Answer written = api.put(kWidgetsDefinition, loose);
  ASSERT_TRUE(written.ok()) << serialize(written.body);
  const JsonObject document = api.get("/openapi/v2").body;
  const JsonObject& spec = object_at(
      document, {"definitions", "com.example.v1.Widget", "properties", "spec", "properties"});
  EXPECT_EQ(serialize(spec.at("open")), R"({"x-kubernetes-preserve-unknown-fields":true})");
  EXPECT_EQ(serialize(spec.at("perhaps")), "{}");
  EXPECT_EQ(serialize(spec.at("either")), R"({"x-kubernetes-int-or-string":true})");
  EXPECT_EQ(serialize(spec.at("size")), R"({"type":"string"})");
}

}  // namespace
}  // namespace dcm::apiserver
