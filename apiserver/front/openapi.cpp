#include "apiserver/front/openapi.hpp"

#include <fmt/format.h>

#include "apiserver/definitions/published.hpp"
#include "apiserver/schemas/openapi_schemas.hpp"

namespace dcm::apiserver {

namespace {

// The operation of a path: its kind, its verb, and its query parameters.
struct Operation {
  std::string_view method;
  std::string_view action;
  std::vector<std::string_view> parameters;
};

constexpr auto kDryRun = "dryRun";
constexpr auto kManager = "fieldManager";
constexpr auto kValidation = "fieldValidation";

const std::vector<Operation>& object_operations() {
  static const std::vector<Operation> kOperations = {
      {"get", "get", {}},
      {"put", "put", {kDryRun, kManager, kValidation}},
      {"patch", "patch", {kDryRun, kManager, kValidation, "force"}},
      {"delete", "delete", {kDryRun, "gracePeriodSeconds", "propagationPolicy"}},
  };
  return kOperations;
}

const std::vector<Operation>& collection_operations() {
  static const std::vector<Operation> kOperations = {
      {"get", "list", {"labelSelector", "fieldSelector", "limit", "continue", "watch"}},
      {"post", "post", {kDryRun, kManager, kValidation}},
      {"delete", "deletecollection", {kDryRun, "labelSelector", "fieldSelector"}},
  };
  return kOperations;
}

JsonObject parameter(std::string_view name, std::string_view in) {
  JsonObject shown{{"name", name},
                   {"in", in},
                   {"schema", JsonObject{{"type", "string"}, {"uniqueItems", true}}}};
  if (in == "path") shown["required"] = true;
  return shown;
}

JsonObject operations_of(const ResourceType& type, std::string_view version,
                         const std::vector<Operation>& operations) {
  JsonObject shown;
  for (const Operation& operation : operations) {
    JsonArray parameters;
    for (const auto name : operation.parameters) parameters.push_back(parameter(name, "query"));
    shown[operation.method] =
        JsonObject{{"parameters", parameters},
                   {"responses", JsonObject{{"200", JsonObject{{"description", Json("OK")}}}}},
                   {"x-kubernetes-action", operation.action},
                   {"x-kubernetes-group-version-kind",
                    JsonObject{{"group", type.group}, {"kind", type.kind}, {"version", version}}}};
  }
  return shown;
}

std::string root_of(std::string_view group, std::string_view version) {
  return group.empty() ? fmt::format("api/{}", version) : fmt::format("apis/{}/{}", group, version);
}

void add_paths(JsonObject& paths, const ResourceType& type, std::string_view version) {
  const std::string place = type.namespaced() ? "namespaces/{namespace}/" : "";
  const std::string collection =
      fmt::format("/{}/{}{}", root_of(type.group, version), place, type.plural);
  const std::string object = collection + "/{name}";
  paths[collection] = operations_of(type, version, collection_operations());
  paths[object] = operations_of(type, version, object_operations());
  paths[object].get_object()["parameters"] = JsonArray{parameter("name", "path")};
  if (type.namespaced()) {
    for (const auto& path : {collection, object}) {
      JsonObject& shown = paths[path].get_object();
      JsonArray parameters = array_at(shown, {"parameters"});
      parameters.push_back(parameter("namespace", "path"));
      shown["parameters"] = std::move(parameters);
    }
  }
}

// "" if not served, or without schemas.
std::string document(const ResourceTable& types, std::string_view group, std::string_view version,
                     std::string_view server_version) {
  JsonObject paths;
  std::string api_version;
  for (const ResourceType& type : types.types()) {
    if (type.group != group || !type.serves(version)) continue;
    api_version = type.api_version(version);
    add_paths(paths, type, version);
  }
  std::string schemas(openapi_schemas(api_version));
  if (const JsonObject defined = published_schemas(types, group, version); !defined.empty()) {
    const std::string text = serialize(defined);
    schemas += (schemas.empty() ? "" : ",") + text.substr(1, text.size() - 2);
  }
  if (schemas.empty()) return {};
  return fmt::format(
      R"({{"openapi":"3.0.0","info":{{"title":"Kubernetes","version":"{}"}},"paths":{},)"
      R"("components":{{"schemas":{{{}}}}}}})",
      server_version, serialize(paths), schemas);
}

// Clients cache a document as long as its hash is the same (FNV-1a, 64 bits).
std::string hash_of(std::string_view text) {
  std::uint64_t hash = 14'695'981'039'346'656'037U;
  for (const char c : text) {
    hash = (hash ^ static_cast<unsigned char>(c)) * 1'099'511'628'211U;
  }
  return fmt::format("{:016X}", hash);
}

// kubectl looks here for a kind missing in version 3. It reads gnostic's protobuf: Document {
// swagger = 1, info = 2 { title = 1, version = 2 } }, and no paths.
Response empty_version_two(const std::string& server_version) {
  const auto field = [](int number, const std::string& bytes) {
    return fmt::format("{:c}{:c}{}", number * 8 + 2, static_cast<int>(bytes.size()), bytes);
  };
  const std::string info = field(1, "Kubernetes") + field(2, server_version);
  return {200,
          {{"Content-Type", "application/com.github.proto-openapi.spec.v2.v1.0+protobuf"}},
          field(1, "2.0") + field(2, info)};
}

Response index(const ResourceTable& types, const std::string& server_version) {
  JsonObject paths;
  for (const std::string& group : types.groups()) {
    for (const std::string& version : types.versions_of(group)) {
      const std::string text = document(types, group, version, server_version);
      if (text.empty()) continue;
      const std::string root = root_of(group, version);
      paths[root] = JsonObject{
          {"serverRelativeURL", fmt::format("/openapi/v3/{}?hash={}", root, hash_of(text))}};
    }
  }
  return json_response(200, JsonObject{{"paths", paths}});
}

}  // namespace

std::optional<Response> openapi(const ResourceTable& types,
                                const std::vector<std::string>& segments,
                                const std::string& server_version) {
  const std::size_t depth = segments.size();
  if (depth < 2 || segments[0] != "openapi") return std::nullopt;
  if (depth == 2 && segments[1] == "v2") return empty_version_two(server_version);
  if (segments[1] != "v3") return std::nullopt;
  if (depth == 2) return index(types, server_version);
  const bool core = segments[2] == "api" && depth == 4;
  if (!core && (segments[2] != "apis" || depth != 5)) return std::nullopt;
  std::string text = document(types, core ? "" : segments[3], segments.back(), server_version);
  if (text.empty()) return std::nullopt;
  const std::string tag = '"' + hash_of(text) + '"';
  Response answer = json_response(200, std::move(text));
  answer.headers.emplace_back("Etag", tag);
  return answer;
}

}  // namespace dcm::apiserver
