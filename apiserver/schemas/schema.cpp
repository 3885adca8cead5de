#include "apiserver/schemas/schema.hpp"

#include <algorithm>

#include "apiserver/schemas/published_schemas.hpp"

namespace dcm::apiserver {

namespace {

constexpr std::string_view kSchema = ".apiextensions.v1.JSONSchemaProps";
constexpr std::string_view kObjectMeta = "io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta";

bool has_rule(const Schema& schema) {
  return schema.list != Schema::List::atomic || schema.patch != Schema::Patch::replace ||
         schema.object != Schema::Object::granular || !schema.fields.empty();
}

const JsonObject& resolved(const PublishedSchemas& all, const JsonObject& published) {
  const auto name = PublishedSchemas::referred(published);
  return name.empty() ? published : all.named(name);
}

void read_list(const JsonObject& published, const JsonObject& item, Schema& schema) {
  const std::string_view type = text_at(published, {"x-kubernetes-list-type"});
  if (type == "map") schema.list = Schema::List::map;
  if (type == "set") schema.list = Schema::List::set;
  for (const Json& key : array_at(published, {"x-kubernetes-list-map-keys"})) {
    const std::string& name = schema.keys.emplace_back(view(key.get_string()));
    const Json* const value = find(item, {"properties", name, "default"});
    if (value != nullptr) schema.key_defaults.emplace(name, *value);
  }
  std::ranges::sort(schema.keys);  // in the notation of managedFields
  if (text_at(published, {"x-kubernetes-patch-strategy"}).starts_with("merge")) {
    schema.patch = Schema::Patch::merge;
    schema.merge_key = text_at(published, {"x-kubernetes-patch-merge-key"});
  }
}

// Lists inside map values have no rules, and neither have recursive types, which would be endless.
Schema read(const PublishedSchemas& all, const JsonObject& published) {
  if (PublishedSchemas::referred(published).ends_with(kSchema)) return {};
  if (const JsonObject& named = resolved(all, published); &named != &published) {
    return read(all, named);
  }
  Schema schema;
  if (const JsonObject& items = object_at(published, {"items"}); !items.empty()) {
    schema = read(all, items);
    read_list(published, resolved(all, items), schema);
    return schema;
  }
  // An object without members of its own belongs to a driver or plugin (RawExtension).
  const bool is_raw = text_at(published, {"type"}) == "object" &&
                      !published.contains("properties") &&
                      !published.contains("additionalProperties");
  if (is_raw || text_at(published, {"x-kubernetes-map-type"}) == "atomic") {
    schema.object = Schema::Object::atomic;
  }
  for (const auto& [name, property] : object_at(published, {"properties"})) {
    Schema field = read(all, property.get_object());
    if (has_rule(field)) schema.fields.emplace(name, std::move(field));
  }
  return schema;
}

// A kind without a schema is user-defined: only the fields that all kinds have are known.
Schema read_unknown() {
  const PublishedSchemas& core = PublishedSchemas::of("v1");
  Schema schema;
  schema.fields["metadata"] = read(core, core.named(kObjectMeta));
  Schema& conditions = schema.fields["status"].fields["conditions"];
  conditions.list = Schema::List::map;
  conditions.keys = {"type"};
  return schema;
}

Schema build(std::string_view group, std::string_view kind) {
  for (const std::string_view version : {"v1", "v1beta1"}) {
    std::string api_version(group);
    if (!group.empty()) api_version += '/';
    const PublishedSchemas& all = PublishedSchemas::of(api_version.append(version));
    const auto name = all.name_of_kind(kind);
    if (!name.empty()) return read(all, all.named(name));
  }
  return read_unknown();
}

}  // namespace

const Schema& Schema::field(std::string_view name) const {
  static const Schema kNoRule;
  const auto found = fields.find(name);
  if (found != fields.end()) return found->second;
  return values == nullptr ? kNoRule : *values;
}

const Schema& schema_of(std::string_view group, std::string_view kind) {
  static std::map<std::string, std::map<std::string, Schema, std::less<>>, std::less<>> groups;
  auto kinds = groups.find(group);
  if (kinds == groups.end()) kinds = groups.try_emplace(std::string(group)).first;
  const auto found = kinds->second.find(kind);
  if (found != kinds->second.end()) return found->second;
  return kinds->second.emplace(std::string(kind), build(group, kind)).first->second;
}

}  // namespace dcm::apiserver
