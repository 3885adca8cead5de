#include "playground/objects/collections.hpp"

#include <algorithm>
#include <set>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>

#include "runtime/json.hpp"

namespace dcm::playground {
namespace {

namespace json = boost::json;
using runtime::array_at;
using runtime::text_at;

// The finalizer of the namespace controller, in `spec.finalizers` (not in the metadata).
constexpr std::string_view kFinalizer = "kubernetes";

bool can(const json::value& resource, std::string_view verb) {
  return std::ranges::any_of(array_at(resource, "/verbs"),
                             [&](const json::value& each) { return text_at(each, "") == verb; });
}

}  // namespace

Result<std::vector<std::vector<std::string>>> decode_roots(std::string_view body) {
  const Result<json::object> groups = runtime::parse_json_object(body);
  if (!groups) return runtime::fail(groups.error());
  std::vector<std::vector<std::string>> roots;
  for (const json::value& group : array_at(*groups, "/groups")) {
    std::vector<std::string>& of_group = roots.emplace_back();
    for (const json::value& version : array_at(group, "/versions")) {
      of_group.push_back("/apis/" + text_at(version, "/groupVersion"));
    }
  }
  return roots;
}

Result<std::vector<std::string>> decode_collections(std::string_view body) {
  const Result<json::object> resources = runtime::parse_json_object(body);
  if (!resources) return runtime::fail(resources.error());
  std::vector<std::string> names;
  for (const json::value& resource : array_at(*resources, "/resources")) {
    const json::value* const scoped = runtime::find_at(resource, "/namespaced");
    if (scoped == nullptr || *scoped != json::value(true)) continue;
    if (!can(resource, "list") || !can(resource, "deletecollection")) continue;
    names.push_back(text_at(resource, "/name"));
  }
  return names;
}

Result<bool> is_empty_list(std::string_view body) {
  const Result<json::object> list = runtime::parse_json_object(body);
  if (!list) return runtime::fail(list.error());
  return array_at(*list, "/items").empty();
}

Result<std::string> encode_finalized(std::string_view namespace_) {
  Result<json::object> object = runtime::parse_json_object(namespace_);
  if (!object) return runtime::fail(object.error());
  json::value* const spec = object->if_contains("spec");
  if (spec != nullptr && spec->is_object()) {
    json::array kept;
    for (const json::value& finalizer : array_at(*spec, "/finalizers")) {
      if (finalizer != json::value(kFinalizer)) kept.push_back(finalizer);
    }
    spec->get_object()["finalizers"] = std::move(kept);
  }
  return json::serialize(*object);
}

Task<Result<std::vector<std::string>>> find_namespaced_collections(Api& api,
                                                                   std::string namespace_) {
  const Result<http::Response> groups = co_await api.get("/apis");
  if (!groups) co_return runtime::fail(groups.error());
  Result<std::vector<std::vector<std::string>>> roots = decode_roots(groups->body);
  if (!roots) co_return runtime::fail(roots.error());
  roots->insert(roots->begin(), {"/api/v1"});
  std::vector<std::string> collections;
  for (const std::vector<std::string>& of_group : *roots) {
    std::set<std::string> known;
    for (const std::string& root : of_group) {
      const Result<http::Response> answer = co_await api.get(root);
      if (!answer) co_return runtime::fail(answer.error());
      const Result<std::vector<std::string>> names = decode_collections(answer->body);
      if (!names) co_return runtime::fail(names.error());
      for (const std::string& name : *names) {
        if (!known.insert(name).second) continue;
        collections.push_back(root + "/namespaces/" + namespace_ + "/" + name);
      }
    }
  }
  co_return collections;
}

}  // namespace dcm::playground
