#include "apiserver/front/discovery.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "apiserver/definitions/defined_kind.hpp"
#include "apiserver/front/openapi.hpp"
#include "apiserver/requests/reviews.hpp"

namespace dcm::apiserver {

namespace {

JsonObject group_version(std::string_view group, std::string_view version) {
  return {{"groupVersion", fmt::format("{}/{}", group, version)}, {"version", version}};
}

bool is_of_reviews(std::string_view group) {
  return std::ranges::find(all_reviews(), group, &Review::group) != all_reviews().end();
}

}  // namespace

std::vector<std::string> served_groups(const ResourceTable& types) {
  std::vector<std::string> groups = types.groups();
  for (const auto* group : {"authentication.k8s.io", "authorization.k8s.io"}) {
    groups.emplace_back(group);
  }
  return groups;
}

std::vector<std::string> served_versions(const ResourceTable& types, const std::string& group) {
  std::vector<std::string> versions = types.versions_of(group);
  if (is_of_reviews(group) && versions.empty()) versions.emplace_back("v1");
  return versions;
}

namespace {

JsonObject group_of(const ResourceTable& types, const std::string& group) {
  JsonArray versions;
  for (const std::string& version : served_versions(types, group)) {
    versions.push_back(group_version(group, version));
  }
  JsonObject answer{{"name", group}, {"versions", versions}};
  if (!versions.empty()) answer["preferredVersion"] = versions.front();
  return answer;
}

Response core_versions() {
  return json_response(200, JsonObject{{"kind", "APIVersions"},
                                       {"versions", JsonArray{"v1"}},
                                       {"serverAddressByClientCIDRs", JsonArray()}});
}

Response all_groups(const ResourceTable& types) {
  JsonArray groups;
  for (const std::string& group : served_groups(types)) {
    if (!group.empty()) groups.push_back(group_of(types, group));
  }
  return json_response(
      200, JsonObject{{"kind", "APIGroupList"}, {"apiVersion", "v1"}, {"groups", groups}});
}

Response one_group(const ResourceTable& types, const std::string& group) {
  JsonObject answer{{"kind", "APIGroup"}, {"apiVersion", "v1"}};
  for (const auto& [name, value] : group_of(types, group)) answer[name] = value;
  if (!answer.contains("preferredVersion")) return page_not_found();
  return json_response(200, answer);
}

JsonArray strings(const std::vector<std::string>& values) {
  JsonArray array;
  for (const std::string& value : values) array.push_back(Json(value));
  return array;
}

JsonArray verbs_of(const ResourceType& type) {
  if (type.defined != nullptr && type.defined->is_terminating) {
    return strings({"delete", "deletecollection", "get", "list", "watch"});
  }
  if (type.defined != nullptr) {
    return strings(
        {"delete", "deletecollection", "get", "list", "patch", "create", "update", "watch"});
  }
  if (!type.deletes_collections()) {
    return strings({"create", "delete", "get", "list", "patch", "update", "watch"});
  }
  return strings(
      {"create", "delete", "deletecollection", "get", "list", "patch", "update", "watch"});
}

JsonObject resource_of(const ResourceType& type) {
  JsonObject resource{{"name", type.plural},
                      {"singularName", type.singular},
                      {"namespaced", type.namespaced()},
                      {"kind", type.kind},
                      {"verbs", verbs_of(type)}};
  if (const auto categories = type.categories(); !categories.empty()) {
    resource["categories"] = strings(categories);
  }
  if (!type.short_names.empty()) resource["shortNames"] = strings(type.short_names);
  return resource;
}

JsonObject status_of(const ResourceType& type) {
  return {{"name", type.plural + "/status"},
          {"singularName", ""},
          {"namespaced", type.namespaced()},
          {"kind", type.kind},
          {"verbs", strings({"get", "patch", "update"})}};
}

JsonObject scale_of(const ResourceType& type) {
  return {{"name", type.plural + "/scale"},
          {"singularName", ""},
          {"namespaced", type.namespaced()},
          {"group", "autoscaling"},
          {"version", "v1"},
          {"kind", "Scale"},
          {"verbs", strings({"get", "patch", "update"})}};
}

JsonObject binding_of(const ResourceType& type) {
  return {{"name", type.plural + "/binding"},
          {"singularName", ""},
          {"namespaced", true},
          {"kind", "Binding"},
          {"verbs", strings({"create"})}};
}

JsonObject eviction_of(const ResourceType& type) {
  return {{"name", type.plural + "/eviction"},
          {"singularName", ""},
          {"namespaced", true},
          {"group", "policy"},
          {"version", "v1"},
          {"kind", "Eviction"},
          {"verbs", strings({"create"})}};
}

JsonObject review_of(const Review& review) {
  std::string singular(review.plural);
  singular.pop_back();
  return {{"name", review.plural},
          {"singularName", singular},
          {"namespaced", review.scope == Scope::namespaced},
          {"kind", review.kind},
          {"verbs", strings({"create"})}};
}

JsonObject finalize_of(const ResourceType& type) {
  return {{"name", type.plural + "/finalize"},
          {"singularName", ""},
          {"namespaced", false},
          {"kind", type.kind},
          {"verbs", strings({"update"})}};
}

}  // namespace

JsonArray resources_of(const ResourceTable& types, const std::string& group,
                       const std::string& version) {
  JsonArray resources;
  for (const ResourceType& type : types.types()) {
    if (type.group != group || !type.serves(version)) continue;
    resources.push_back(resource_of(type));
    if (type.is("Pod")) {
      resources.push_back(binding_of(type));
      resources.push_back(eviction_of(type));
    }
    if (type.is("Namespace")) resources.push_back(finalize_of(type));
    if (type.has_status()) resources.push_back(status_of(type));
    if (type.defined != nullptr && defined_kind(type).scale) resources.push_back(scale_of(type));
  }
  for (const Review& review : all_reviews()) {
    if (review.group == group && version == "v1") resources.push_back(review_of(review));
  }
  return resources;
}

namespace {

Response resource_list(const ResourceTable& types, const std::string& group,
                       const std::string& version) {
  const JsonArray resources = resources_of(types, group, version);
  if (resources.empty()) return page_not_found();
  const std::string name = group.empty() ? version : group + "/" + version;
  return json_response(200, JsonObject{{"kind", "APIResourceList"},
                                       {"apiVersion", "v1"},
                                       {"groupVersion", name},
                                       {"resources", resources}});
}

Response version_of(const std::string& server_version) {
  // "v1.37.2" → "1", "37".
  const auto first = server_version.find('.');
  const auto second = server_version.find('.', first + 1);
  return json_response(
      200, JsonObject{{"major", server_version.substr(1, first - 1)},
                      {"minor", server_version.substr(first + 1, second - first - 1)},
                      {"emulationMajor", server_version.substr(1, first - 1)},
                      {"emulationMinor", server_version.substr(first + 1, second - first - 1)},
                      {"minCompatibilityMajor", "1"},
                      {"minCompatibilityMinor", "36"},
                      {"gitVersion", server_version},
                      {"gitCommit", ""},
                      {"gitTreeState", ""},
                      {"buildDate", "1970-01-01T00:00:00Z"},
                      {"goVersion", ""},
                      {"compiler", ""},
                      {"platform", "linux/amd64"}});
}

}  // namespace

Response page_not_found() {
  return {404, {{"Content-Type", "text/plain; charset=utf-8"}}, "404 page not found\n"};
}

std::optional<Response> discover(const ResourceTable& types,
                                 const std::vector<std::string>& segments,
                                 const std::string& server_version, std::string_view accept) {
  const std::string root = segments.empty() ? "" : segments[0];
  if (root == "version") return version_of(server_version);
  if (root == "readyz" || root == "livez" || root == "healthz") {
    return Response{200, {{"Content-Type", "text/plain; charset=utf-8"}}, "ok"};
  }
  if (root == "openapi") return openapi(types, segments, server_version, accept);
  const std::size_t depth = segments.size();
  if (root == "api" && depth == 1) return core_versions();
  if (root == "api" && depth == 2) return resource_list(types, "", segments[1]);
  if (root == "apis" && depth == 1) return all_groups(types);
  if (root == "apis" && depth == 2) return one_group(types, segments[1]);
  if (root == "apis" && depth == 3) return resource_list(types, segments[1], segments[2]);
  return std::nullopt;
}

}  // namespace dcm::apiserver
