#include "playground/objects/collections.hpp"

#include <algorithm>
#include <set>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>

namespace dcm::playground {
namespace {

using Array = boost::json::array;
using Object = boost::json::object;

// The finalizer of the namespace controller, in `spec.finalizers` (not in the metadata).
constexpr std::string_view kFinalizer = "kubernetes";

Result<Object> parse_object(std::string_view body) {
  boost::json::error_code problem;
  boost::json::value parsed = boost::json::parse(body, problem);
  if (problem || !parsed.is_object()) {
    return runtime::fail(runtime::Reason::malformed, "the answer is no JSON object");
  }
  return std::move(parsed.get_object());
}

const Array& items_of(const Object& object, std::string_view name) {
  static const Array kNone;
  const boost::json::value* found = object.if_contains(name);
  return found != nullptr && found->is_array() ? found->get_array() : kNone;
}

std::string text_of(const Object& object, std::string_view name) {
  const boost::json::value* found = object.if_contains(name);
  return found != nullptr && found->is_string() ? std::string(found->get_string()) : std::string();
}

bool can(const Object& resource, std::string_view verb) {
  const Array& verbs = items_of(resource, "verbs");
  return std::ranges::find(verbs, boost::json::value(verb)) != verbs.end();
}

}  // namespace

Result<std::vector<std::vector<std::string>>> decode_roots(std::string_view body) {
  const Result<Object> groups = parse_object(body);
  if (!groups) return runtime::fail(groups.error());
  std::vector<std::vector<std::string>> roots;
  for (const boost::json::value& group : items_of(*groups, "groups")) {
    const Object* shown = group.if_object();
    if (shown == nullptr) continue;
    std::vector<std::string>& of_group = roots.emplace_back();
    for (const boost::json::value& version : items_of(*shown, "versions")) {
      const Object* named = version.if_object();
      if (named != nullptr) of_group.push_back("/apis/" + text_of(*named, "groupVersion"));
    }
  }
  return roots;
}

Result<std::vector<std::string>> decode_collections(std::string_view body) {
  const Result<Object> resources = parse_object(body);
  if (!resources) return runtime::fail(resources.error());
  std::vector<std::string> names;
  for (const boost::json::value& item : items_of(*resources, "resources")) {
    const Object* resource = item.if_object();
    if (resource == nullptr) continue;
    const boost::json::value* scoped = resource->if_contains("namespaced");
    if (scoped == nullptr || *scoped != boost::json::value(true)) continue;
    if (!can(*resource, "list") || !can(*resource, "deletecollection")) continue;
    names.push_back(text_of(*resource, "name"));
  }
  return names;
}

Result<bool> is_empty_list(std::string_view body) {
  const Result<Object> list = parse_object(body);
  if (!list) return runtime::fail(list.error());
  return items_of(*list, "items").empty();
}

Result<std::string> encode_finalized(std::string_view namespace_) {
  Result<Object> object = parse_object(namespace_);
  if (!object) return runtime::fail(object.error());
  boost::json::value* const spec = object->if_contains("spec");
  if (spec != nullptr && spec->is_object()) {
    Array kept;
    for (const boost::json::value& finalizer : items_of(spec->get_object(), "finalizers")) {
      if (finalizer != boost::json::value(kFinalizer)) kept.push_back(finalizer);
    }
    spec->get_object()["finalizers"] = std::move(kept);
  }
  return boost::json::serialize(*object);
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
