#include "apiserver/definitions/embedded.hpp"

#include <algorithm>
#include <iterator>

#include <fmt/format.h>

#include "apiserver/definitions/bounded_causes.hpp"
#include "apiserver/rules/checks.hpp"
#include "apiserver/rules/metadata_rules.hpp"
#include "apiserver/rules/names.hpp"

namespace dcm::apiserver {

namespace {

// A member's path: "spec.template".
std::string member(const std::string& path, std::string_view name) {
  return path.empty() ? std::string(name) : fmt::format("{}.{}", path, name);
}

void validate_text(const JsonObject& object, std::string_view name, const std::string& path,
                   Causes& causes) {
  const std::string field = member(path, name);
  const Json* const value = object.if_contains(name);
  if (value == nullptr) {
    causes.push_back(required_value(field));
  } else if (!value->is_string()) {
    causes.push_back(invalid_value(field, *value, "must be a string"));
  } else if (value->get_string().empty()) {
    causes.push_back(invalid_value(field, *value, "must not be empty"));
  } else if (name == "apiVersion" && std::ranges::count(value->get_string(), '/') > 1) {
    causes.push_back(invalid_value(
        field, *value,
        fmt::format("unexpected GroupVersion string: {}", view(value->get_string()))));
  } else if (name == "kind") {
    validate_kind_name(view(value->get_string()), field, causes);
  }
}

// In an embedded object only the client sets managedFields.
void validate_managed_fields(const JsonArray& entries, Causes& causes) {
  constexpr std::size_t kSubresourceMax = 256;
  for (const auto& [entry, field] : with_paths(entries, "metadata.managedFields")) {
    require_choice(text_at(entry, {"operation"}), {"Apply", "Update"}, field + ".operation", causes,
                   "must not be empty");
    const std::string_view type = text_at(entry, {"fieldsType"});
    if (!type.empty() && type != "FieldsV1") {
      causes.push_back(invalid_value(field + ".fieldsType", Json(type), "must be `FieldsV1`"));
    }
    validate_field_manager(text_at(entry, {"manager"}), field + ".manager", causes);
    if (text_at(entry, {"subresource"}).size() > kSubresourceMax) {
      causes.push_back(too_long(field + ".subresource", kSubresourceMax));
    }
  }
}

void validate_resource(const JsonObject& object, const std::string& path, BoundedCauses& causes) {
  Causes of_type;
  validate_text(object, "apiVersion", path, of_type);
  validate_text(object, "kind", path, of_type);
  causes.add_all(std::move(of_type));
  const Json* const metadata = object.if_contains("metadata");
  if (metadata == nullptr) return;
  JsonObject named{{"metadata", *metadata}};
  if (const TypedResult typed = decode_metadata(named); typed.problem) {
    causes.add(invalid_value(member(path, "metadata"), *metadata, typed.problem->message));
    return;
  }
  if (text_at(named, {"metadata", "name"}).empty()) child(named, "metadata")["name"] = "fakename";
  Causes found;
  validate_metadata("", named, NameRule::path_segment, found);
  if (const auto ns = text_at(named, {"metadata", "namespace"}); !ns.empty()) {
    validate_name(NameRule::dns_label, ns, "metadata.namespace", found);
  }
  validate_managed_fields(array_at(named, {"metadata", "managedFields"}), found);
  for (Cause& cause : found) {
    if (causes.is_full()) return;
    cause.field = member(path, cause.field);
    causes.add(std::move(cause));
  }
}

// The same; "templates[a]" in a map.
std::string below(const std::string& path, const Structural& schema, std::string_view name) {
  if (!schema.properties.contains(name)) return fmt::format("{}[{}]", path, name);
  return member(path, name);
}

bool is_empty(const Json& value) {
  return value.is_null() || value == Json("") || value == Json(0) ||
         (value.is_array() && value.get_array().empty()) ||
         (value.is_object() && value.get_object().empty());
}

void drop_empty_members(JsonObject& object) {
  for (auto member = object.begin(); member != object.end();) {
    // Go tells an empty value of these from none.
    const bool is_pointer =
        member->key() == "deletionGracePeriodSeconds" || member->key() == "fieldsV1";
    const bool is_kept = is_pointer ? !member->value().is_null() : !is_empty(member->value());
    member = is_kept ? std::next(member) : object.stable_erase(member);
  }
}

void write_metadata_as_go(JsonObject& metadata) {
  drop_empty_members(metadata);
  for_each_object(metadata.if_contains("ownerReferences"), [](JsonObject& owner) {
    drop_nulls(owner);
    for (const std::string_view name : {"apiVersion", "kind", "name", "uid"}) {
      owner.emplace(name, "");
    }
  });
  for_each_object(metadata.if_contains("managedFields"), drop_empty_members);
}

class EmbeddedDecoder {
 public:
  EmbeddedResult take() {
    std::ranges::sort(result_.unknown);
    return std::move(result_);
  }

  void value(Json& value, const Structural& schema, const std::string& path) {
    if (!schema.has_embedded) return;
    if (value.is_array() && schema.items != nullptr) {
      std::size_t index = 0;
      for (Json& item : value.get_array()) {
        this->value(item, *schema.items, fmt::format("{}[{}]", path, index++));
      }
    }
    if (value.is_object()) object(value.get_object(), schema, path, Root::value);
  }

  void object(JsonObject& object, const Structural& schema, const std::string& path, Root root) {
    if (schema.is_embedded_resource || root == Root::resource) resource(object, path);
    for (auto& [name, member] : object) {
      const Structural* const known = schema.member(name);
      if (known == nullptr || !known->has_embedded) continue;
      value(member, *known, below(path, schema, name));
    }
  }

 private:
  void resource(JsonObject& object, const std::string& path) {
    for (const std::string_view name : {"apiVersion", "kind"}) {
      const Json* const value = object.if_contains(name);
      if (value != nullptr && !value->is_string()) {
        reject(member(path, name), *value, "must be a string");
      }
    }
    if (!object.contains("metadata")) return;
    Json before = object.at("metadata");
    TypedResult typed = decode_metadata(object);
    if (typed.problem) {
      reject(member(path, "metadata"), before, typed.problem->message);
      object["metadata"] = std::move(before);
      return;
    }
    for (const std::string& unknown : typed.unknown) {
      result_.unknown.push_back(member(path, unknown));
    }
  }

  void reject(const std::string& path, const Json& value, std::string_view why) {
    if (!result_.problem) result_.problem = invalid_value(path, in_order(value), why);
  }

  EmbeddedResult result_;
};

}  // namespace

TypedResult decode_metadata(JsonObject& object, MapKeys keys) {
  Json* const metadata = object.if_contains("metadata");
  if (metadata == nullptr) return {};
  if (metadata->is_null()) metadata->emplace_object();
  const FieldType& type = *field_type("v1", "ConfigMap").fields.at("metadata");
  TypedResult result = decode_typed(*metadata, type, "ObjectMeta", keys);
  for (std::string& unknown : result.unknown) unknown.insert(0, "metadata.");
  if (!result.problem) write_metadata_as_go(metadata->get_object());
  return result;
}

EmbeddedResult decode_embedded(JsonObject& object, const Structural& schema, Root root) {
  EmbeddedDecoder decoder;
  decoder.object(object, schema, "", root);
  return decoder.take();
}

EmbeddedResult decode_embedded(Json& value, const Structural& schema, const std::string& path) {
  EmbeddedDecoder decoder;
  decoder.value(value, schema, path);
  return decoder.take();
}

namespace {

void validate_resources(const Json& value, const Structural& schema, const std::string& path,
                        BoundedCauses& causes, Root root) {
  if (causes.is_full() || (!schema.has_embedded && root == Root::value)) return;
  if (value.is_array() && schema.items != nullptr) {
    std::size_t index = 0;
    for (const Json& item : value.get_array()) {
      validate_resources(item, *schema.items, fmt::format("{}[{}]", path, index++), causes,
                         Root::value);
    }
  }
  if (!value.is_object()) return;
  const JsonObject& object = value.get_object();
  if (schema.is_embedded_resource || root == Root::resource) {
    validate_resource(object, path, causes);
  }
  for (const auto& [name, member] : object) {
    const Structural* const known = schema.member(name);
    if (known == nullptr || !known->has_embedded) continue;
    validate_resources(member, *known, below(path, schema, name), causes, Root::value);
  }
}

}  // namespace

void validate_embedded(const Json& value, const Structural& schema, const std::string& path,
                       Causes& causes, Root root) {
  BoundedCauses found;
  validate_resources(value, schema, path, found, root);
  std::ranges::move(std::move(found).take(), std::back_inserter(causes));
}

}  // namespace dcm::apiserver
