// OpenAPI v3: what kubectl reads before it relies on the server to check fields.
#include "apiserver/schemas/openapi_schemas.hpp"
#include "test/unit/apiserver/fixture.hpp"

namespace dcm::apiserver {
namespace {

class OpenApi : public Api {
 protected:
  OpenApi()
      : Api({.served = {.resource = {"v1", "v1beta2", "v1beta1"},
                        .device_taint_rules = {"v1", "v1beta2", "v1alpha3"}}}) {}

  // The URLs of the index, by the root of the paths they describe.
  JsonObject index() { return object_at(api.get("/openapi/v3").body, {"paths"}); }
  JsonObject document(std::string_view root) {
    return api.get(text_at(index(), {root, "serverRelativeURL"})).body;
  }
};

// All `$ref`s anywhere below.
void collect_references(const Json& value, std::vector<std::string>& names) {
  if (value.is_array()) {
    for (const Json& item : value.get_array()) collect_references(item, names);
  } else if (value.is_object()) {
    for (const auto& [key, member] : value.get_object()) {
      if (key == "$ref" && member.is_string()) names.emplace_back(view(member.get_string()));
      collect_references(member, names);
    }
  }
}

TEST_F(OpenApi, has_document_for_each_served_group_version) {
  std::vector<std::string> roots;
  for (const auto& entry : index()) roots.emplace_back(entry.key());
  EXPECT_EQ(roots, (std::vector<std::string>{"api/v1",
                                             "apis/coordination.k8s.io/v1",
                                             "apis/policy/v1",
                                             "apis/resource.k8s.io/v1",
                                             "apis/resource.k8s.io/v1beta2",
                                             "apis/resource.k8s.io/v1beta1",
                                             "apis/resource.k8s.io/v1alpha3",
                                             "apis/events.k8s.io/v1",
                                             "apis/admissionregistration.k8s.io/v1",
                                             "apis/networking.k8s.io/v1",
                                             "apis/node.k8s.io/v1",
                                             "apis/flowcontrol.apiserver.k8s.io/v1",
                                             "apis/apiregistration.k8s.io/v1",
                                             "apis/apps/v1",
                                             "apis/batch/v1",
                                             "apis/discovery.k8s.io/v1",
                                             "apis/rbac.authorization.k8s.io/v1",
                                             "apis/scheduling.k8s.io/v1",
                                             "apis/storage.k8s.io/v1",
                                             "apis/apiextensions.k8s.io/v1"}));
}

TEST_F(OpenApi, refers_only_to_existing_schemas) {
  for (const auto& entry : index()) {
    const JsonObject shown = document(entry.key());
    std::vector<std::string> references;
    collect_references(shown, references);
    EXPECT_FALSE(references.empty()) << entry.key();
    for (const std::string& reference : references) {
      const std::string name = reference.substr(reference.rfind('/') + 1);
      EXPECT_TRUE(object_at(shown, {"components", "schemas"}).contains(name)) << name;
    }
  }
}

TEST_F(OpenApi, announces_field_validation_of_patches) {
  const JsonObject shown = document("apis/resource.k8s.io/v1");
  const JsonObject& patch = object_at(
      shown,
      {"paths", "/apis/resource.k8s.io/v1/namespaces/{namespace}/resourceclaims/{name}", "patch"});
  EXPECT_EQ(text_at(patch, {"x-kubernetes-group-version-kind", "kind"}), "ResourceClaim");
  std::vector<std::string> names;
  for (const Json& parameter : array_at(patch, {"parameters"})) {
    names.emplace_back(text_at(parameter.get_object(), {"name"}));
  }
  EXPECT_EQ(names,
            (std::vector<std::string>{"dryRun", "fieldManager", "fieldValidation", "force"}));
}

TEST_F(OpenApi, describes_list_merging) {
  const JsonObject shown = document("api/v1");
  const JsonObject& claims = object_at(
      shown,
      {"components", "schemas", "io.k8s.api.core.v1.PodSpec", "properties", "resourceClaims"});
  EXPECT_EQ(text_at(claims, {"x-kubernetes-patch-merge-key"}), "name");
}

TEST_F(OpenApi, changes_hash_with_served_kinds) {
  const JsonObject before = index();
  server.serve({.resource = {"v1"}, .device_taint_rules = {"v1beta2"}});
  const JsonObject after = index();
  EXPECT_EQ(before.at("api/v1"), after.at("api/v1"));
  EXPECT_NE(before.at("apis/resource.k8s.io/v1"), after.at("apis/resource.k8s.io/v1"));
}

TEST_F(OpenApi, answers_not_found_for_unserved_group) {
  for (const auto* path : {"/openapi/v1", "/openapi/v3/apis/things/v1", "/openapi/v3/api",
                           "/openapi/v3/apis/resource.k8s.io"}) {
    EXPECT_EQ(api.get(path).status, 404) << path;
  }
}

}  // namespace
}  // namespace dcm::apiserver
