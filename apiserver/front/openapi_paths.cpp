#include "apiserver/front/openapi_paths.hpp"

#include <vector>

#include <fmt/format.h>

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

JsonObject parameter(std::string_view name, std::string_view in, OpenApi edition) {
  JsonObject shown{{"name", name}, {"in", in}};
  const JsonObject type{{"type", "string"}, {"uniqueItems", true}};
  if (edition == OpenApi::v3) {
    shown["schema"] = type;
  } else {
    shown.insert(type.begin(), type.end());
  }
  if (in == "path") shown["required"] = true;
  return shown;
}

JsonObject operations_of(const ResourceType& type, std::string_view version,
                         const std::vector<Operation>& operations, OpenApi edition) {
  JsonObject shown;
  for (const Operation& operation : operations) {
    JsonArray parameters;
    for (const auto name : operation.parameters)
      parameters.push_back(parameter(name, "query", edition));
    shown[operation.method] =
        JsonObject{{"parameters", parameters},
                   {"responses", JsonObject{{"200", JsonObject{{"description", Json("OK")}}}}},
                   {"x-kubernetes-action", operation.action},
                   {"x-kubernetes-group-version-kind",
                    JsonObject{{"group", type.group}, {"kind", type.kind}, {"version", version}}}};
  }
  return shown;
}

}  // namespace

std::string openapi_root(std::string_view group, std::string_view version) {
  return group.empty() ? fmt::format("api/{}", version) : fmt::format("apis/{}/{}", group, version);
}

void add_openapi_paths(JsonObject& paths, const ResourceType& type, std::string_view version,
                       OpenApi edition) {
  const std::string place = type.namespaced() ? "namespaces/{namespace}/" : "";
  const std::string collection =
      fmt::format("/{}/{}{}", openapi_root(type.group, version), place, type.plural);
  const std::string object = collection + "/{name}";
  paths[collection] = operations_of(type, version, collection_operations(), edition);
  paths[object] = operations_of(type, version, object_operations(), edition);
  paths[object].get_object()["parameters"] = JsonArray{parameter("name", "path", edition)};
  if (!type.namespaced()) return;
  for (const auto& path : {collection, object}) {
    JsonObject& shown = paths[path].get_object();
    JsonArray parameters = array_at(shown, {"parameters"});
    parameters.push_back(parameter("namespace", "path", edition));
    shown["parameters"] = std::move(parameters);
  }
}

}  // namespace dcm::apiserver
