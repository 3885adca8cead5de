#include "apiserver/definitions/merge_schema.hpp"

#include <algorithm>

namespace dcm::apiserver {

namespace {

Schema merge_of(const Structural& schema);

// The schema of values that no schema describes: objects are maps, at any depth.
std::shared_ptr<const Schema> free_form() {
  static const auto kFree = [] {
    auto free = std::make_shared<Schema>();
    free->is_json = true;
    free->values = std::shared_ptr<const Schema>(std::shared_ptr<void>(), free.get());
    return free;
  }();
  return kFree;
}

// A list's schema is that of its items, plus the rules of the list.
Schema list_of(const Structural& schema) {
  Schema list = schema.items == nullptr ? Schema() : merge_of(*schema.items);
  Schema rules = list_rules(schema);
  list.list = rules.list;
  list.keys = std::move(rules.keys);
  list.key_defaults = std::move(rules.key_defaults);
  list.is_json = true;
  return list;
}

Schema merge_of(const Structural& schema) {
  if (schema.type == "array") return list_of(schema);
  Schema merged;
  merged.is_json = true;
  if (schema.map_type == "atomic") merged.object = Schema::Object::atomic;
  for (const auto& [name, property] : schema.properties) {
    merged.fields.emplace(name, merge_of(property));
  }
  if (schema.is_embedded_resource) {
    merged.fields.try_emplace("metadata", schema_of("", "Pod").field("metadata"));
  }
  if (schema.has_values()) {
    merged.values = std::make_shared<const Schema>(merge_of(*schema.values));
  } else if (schema.preserves_unknown || schema.properties.empty()) {
    merged.values = free_form();
  }
  return merged;
}

}  // namespace

Schema list_rules(const Structural& list) {
  Schema rules;
  if (list.list_type == "set") rules.list = Schema::List::set;
  if (list.list_type != "map") return rules;
  rules.list = Schema::List::map;
  rules.keys = list.list_keys;
  std::ranges::sort(rules.keys);  // in the notation of managedFields
  for (const std::string& key : rules.keys) {
    const Structural* const member = list.items == nullptr ? nullptr : list.items->member(key);
    if (member != nullptr && member->default_value)
      rules.key_defaults[key] = *member->default_value;
  }
  return rules;
}

Schema merge_schema_of(const Structural& schema) {
  Schema merged = merge_of(schema);
  merged.fields["metadata"] = schema_of("", "Pod").field("metadata");
  return merged;
}

}  // namespace dcm::apiserver
