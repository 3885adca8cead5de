#include "apiserver/front/aggregated_discovery.hpp"

#include "apiserver/front/discovery.hpp"
#include "apiserver/reads/media.hpp"

namespace dcm::apiserver {

namespace {

constexpr std::string_view kMediaType =
    "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList";

// Clients of other releases prefer other versions; the first served one is used.
bool is_preferred(std::string_view accept) {
  for (const MediaType& type : parse_accept(accept)) {
    const std::string_view as = type.parameter("as");
    if (as.empty() && type.is_json()) return false;
    if (as == "APIGroupDiscoveryList" && type.is_json() && type.parameter("v") == "v2" &&
        type.parameter("g") == "apidiscovery.k8s.io") {
      return true;
    }
  }
  return false;
}

// A subresource of another kind, such as /scale, says so itself.
JsonObject kind_of(const JsonObject& resource, std::string_view group, std::string_view version) {
  const bool is_other = resource.contains("version");
  return {{"group", is_other ? text_at(resource, {"group"}) : group},
          {"version", is_other ? text_at(resource, {"version"}) : version},
          {"kind", text_at(resource, {"kind"})}};
}

JsonObject encode_resource(const JsonObject& resource, std::string_view group,
                           std::string_view version) {
  JsonObject shown{{"resource", resource.at("name")},
                   {"responseKind", kind_of(resource, group, version)},
                   {"scope", resource.at("namespaced") == Json(true) ? "Namespaced" : "Cluster"},
                   {"singularResource", resource.at("singularName")},
                   {"verbs", resource.at("verbs")}};
  for (const auto* name : {"shortNames", "categories"}) restore(shown, resource, name);
  return shown;
}

JsonObject version_of(const ResourceTable& types, const std::string& group,
                      const std::string& version) {
  JsonArray resources;
  for (const Json& item : resources_of(types, group, version)) {
    const JsonObject& resource = item.get_object();
    const std::string_view name = text_at(resource, {"name"});
    const auto slash = name.find('/');
    if (slash == std::string_view::npos) {
      resources.push_back(encode_resource(resource, group, version));
      continue;
    }
    // The subresources follow their resource.
    JsonObject& around = resources.back().get_object();
    JsonArray subresources = array_at(around, {"subresources"});
    subresources.push_back(JsonObject{{"subresource", name.substr(slash + 1)},
                                      {"responseKind", kind_of(resource, group, version)},
                                      {"verbs", resource.at("verbs")}});
    around["subresources"] = std::move(subresources);
  }
  return {{"version", version}, {"resources", resources}, {"freshness", "Current"}};
}

JsonObject group_of(const ResourceTable& types, const std::string& group) {
  JsonArray versions;
  for (const std::string& version : served_versions(types, group)) {
    versions.push_back(version_of(types, group, version));
  }
  JsonObject metadata;
  if (!group.empty()) metadata["name"] = group;
  return {{"metadata", metadata}, {"versions", versions}};
}

}  // namespace

std::optional<Response> discover_at_once(const ResourceTable& types,
                                         const std::vector<std::string>& segments,
                                         std::string_view accept) {
  const bool is_core = segments == std::vector<std::string>{"api"};
  if (!is_core && segments != std::vector<std::string>{"apis"}) return std::nullopt;
  if (!is_preferred(accept)) return std::nullopt;
  JsonArray groups;
  for (const std::string& group : served_groups(types)) {
    if (group.empty() == is_core) groups.push_back(group_of(types, group));
  }
  Response response = json_response(200, JsonObject{{"kind", "APIGroupDiscoveryList"},
                                                    {"apiVersion", "apidiscovery.k8s.io/v2"},
                                                    {"metadata", JsonObject()},
                                                    {"items", groups}});
  response.headers.front().second = kMediaType;
  return response;
}

}  // namespace dcm::apiserver
