#include "apiserver/definitions/shaping.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "apiserver/definitions/embedded.hpp"
#include "apiserver/definitions/surroundings.hpp"
#include "apiserver/text/item_budget.hpp"

namespace dcm::apiserver {

namespace {

bool is_forbidden_null(const Json& value, const Structural* schema) {
  return value.is_null() && schema != nullptr && !schema->is_nullable;
}

// Rebuilds the object without those members: erase() would change the order of the rest.
void drop_members(JsonObject& object, const auto& goes) {
  if (std::ranges::none_of(
          object, [&](const auto& member) { return goes(member.key(), member.value()); })) {
    return;
  }
  JsonObject kept;
  for (auto& [key, value] : object) {
    if (!goes(key, value)) kept[key] = std::move(value);
  }
  object = std::move(kept);
}

void drop_nulls_within(Json& value, const Structural* schema) {
  if (value.is_array()) {
    const Structural* const items = schema == nullptr ? nullptr : schema->items.get();
    for (Json& item : value.get_array()) drop_nulls_within(item, items);
  }
  if (!value.is_object()) return;
  const auto member = [&](std::string_view name) {
    return schema == nullptr ? nullptr : schema->member(name);
  };
  drop_members(value.get_object(), [&](std::string_view name, const Json& one) {
    const Structural* const known = member(name);
    return is_forbidden_null(one, known) && !known->default_value;
  });
  for (auto& [name, one] : value.get_object()) drop_nulls_within(one, member(name));
}

// A default is copied into each item of a list, so it could multiply a body: beyond the number of
// values that an object may have, no more are added, and the object is refused.
class Defaults {
 public:
  void add_to_members(JsonObject& object, const Structural& schema) {
    for (const auto& [name, property] : schema.properties) {
      if (!property.default_value || is_spent()) continue;
      const Json* const there = object.if_contains(name);
      if (there == nullptr || is_forbidden_null(*there, &property)) {
        object[name] = copy(*property.default_value);
      }
    }
    for (auto& [name, value] : object) {
      const Structural* const known = schema.member(name);
      if (!schema.properties.contains(std::string_view(name))) replace_null(value, known);
      add(value, known);
    }
  }

 private:
  bool is_spent() const { return added_ > kObjectValuesMax; }

  Json copy(const Json& value) {
    added_ += values_of(value);
    return value;
  }

  void replace_null(Json& value, const Structural* schema) {
    if (!is_forbidden_null(value, schema)) return;
    value = schema->default_value && !is_spent() ? copy(*schema->default_value) : Json();
  }

  void add(Json& value, const Structural* schema) {
    if (schema == nullptr) return;
    if (value.is_object()) return add_to_members(value.get_object(), *schema);
    if (!value.is_array()) return;
    for (Json& item : value.get_array()) {
      replace_null(item, schema->items.get());
      add(item, schema->items.get());
    }
  }

  std::size_t added_ = 0;
};

class Pruner {
 public:
  std::vector<std::string> take() {
    std::ranges::sort(unknown_);
    return std::move(unknown_);
  }

  // `is_resource`: it has type and metadata, known to the schema or not.
  void object(JsonObject& object, const Structural* schema, bool is_resource,
              const std::string& path) {
    const bool keeps_all = schema != nullptr && schema->preserves_unknown;
    const auto is_known = [&](std::string_view name) {
      if (keeps_all || (is_resource && is_meta(name))) return true;
      if (schema == nullptr) return false;
      return schema->properties.contains(name) ||
             schema->additional != Structural::Additional::absent;
    };
    for (auto& [name, value] : object) {
      const std::string below =
          path.empty() ? std::string(name) : fmt::format("{}.{}", path, std::string_view(name));
      if (is_resource && is_meta(name)) continue;
      if (!is_known(name)) {
        if (unknown_.size() < kReportedMax) unknown_.push_back(below);
        continue;
      }
      const Structural* const known = schema->member(name);
      const bool is_named =
          known != nullptr || schema->additional != Structural::Additional::absent;
      if (is_named) this->value(value, known, below);
    }
    drop_members(object, [&](std::string_view name, const Json&) { return !is_known(name); });
  }

  void value(Json& value, const Structural* schema, const std::string& path) {
    if (value.is_object()) {
      return object(value.get_object(), schema, schema != nullptr && schema->is_embedded_resource,
                    path);
    }
    if (!value.is_array()) return;
    const Structural* const items = schema == nullptr ? nullptr : schema->items.get();
    if (items == nullptr && schema != nullptr && schema->preserves_unknown) return;
    std::size_t index = 0;
    for (Json& item : value.get_array())
      this->value(item, items, fmt::format("{}[{}]", path, index++));
  }

 private:
  std::vector<std::string> unknown_;
};

}  // namespace

void drop_nulls(JsonObject& object, const Structural& schema) {
  Json whole(std::move(object));
  drop_nulls_within(whole, &schema);
  object = std::move(whole.get_object());
}

void set_defaults(JsonObject& object, const Structural& schema) {
  Defaults().add_to_members(object, schema);
}

std::vector<std::string> prune(Json& value, const Structural& schema, Root root) {
  if (value.is_object()) return prune(value.get_object(), schema, root);
  Pruner pruner;
  pruner.value(value, &schema, "");
  return pruner.take();
}

std::vector<std::string> prune(JsonObject& object, const Structural& schema, Root root) {
  Pruner pruner;
  pruner.object(object, &schema, root == Root::resource, "");
  return pruner.take();
}

namespace {

class DefaultsPruner {
 public:
  explicit DefaultsPruner(const Structural& root) : root_(root) {}

  void prune_below(Structural& schema, const Surroundings& place) {
    if (schema.default_value) prune_default(schema.default_value, place);
    if (schema.items != nullptr) prune_below(*schema.items, place.item());
    if (schema.values != nullptr) prune_below(*schema.values, place.member("*"));
    for (auto& [name, property] : schema.properties) prune_below(property, place.member(name));
  }

 private:
  // Metadata decides about what is within it, so the default is pruned as part of an object.
  void prune_default(std::optional<Json>& value, const Surroundings& place) const {
    Json object = place.around(std::move(*value));
    if (object.is_object()) {
      decode_embedded(object.get_object(), root_, Root::resource);
      prune(object, root_, Root::resource);
    }
    const Json* const left = place.find_in(object);
    value = left == nullptr ? std::nullopt : std::optional(*left);
  }

  const Structural& root_;
};

}  // namespace

void prune_defaults(Structural& schema) {
  DefaultsPruner(schema).prune_below(schema, {});
}

}  // namespace dcm::apiserver
