#include "apiserver/text/json.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>
#include <fmt/format.h>

#include "apiserver/text/item_budget.hpp"

namespace dcm::apiserver {

const Json* find(const JsonObject& object, Path path) {
  const JsonObject* at = &object;
  const Json* value = nullptr;
  for (const auto step : path) {
    if (at == nullptr) return nullptr;
    value = at->if_contains(step);
    if (value == nullptr) return nullptr;
    at = value->if_object();
  }
  return value;
}

Json* find(JsonObject& object, Path path) {
  return const_cast<Json*>(find(static_cast<const JsonObject&>(object), path));
}

const JsonObject& as_object(const Json& value) {
  static const JsonObject kEmpty;
  return value.is_object() ? value.get_object() : kEmpty;
}

std::string_view as_text(const Json& value) {
  return value.is_string() ? view(value.get_string()) : std::string_view();
}

bool same(const Json* a, const Json* b) {
  return a == b || (a != nullptr && b != nullptr && *a == *b);
}

bool has_true(const JsonObject& object, std::string_view key) {
  const Json* const value = object.if_contains(key);
  return value != nullptr && *value == Json(true);
}

bool is_set(const JsonObject& object, std::string_view key) {
  const Json* const value = object.if_contains(key);
  return value != nullptr && *value != Json(false) && *value != Json("");
}

const JsonObject* object_along(const JsonObject& object, std::span<const std::string_view> path) {
  const JsonObject* at = &object;
  for (const std::string_view step : path) {
    const Json* const value = at->if_contains(step);
    at = value == nullptr ? nullptr : value->if_object();
    if (at == nullptr) return nullptr;
  }
  return at;
}

JsonObject* object_along(JsonObject& object, std::span<const std::string_view> path) {
  return const_cast<JsonObject*>(object_along(std::as_const(object), path));
}

const JsonObject& object_at(const JsonObject& object, Path path) {
  static const Json kNothing;
  const Json* value = find(object, path);
  return as_object(value != nullptr ? *value : kNothing);
}

const JsonArray& array_at(const JsonObject& object, Path path) {
  static const JsonArray kEmpty;
  const Json* value = find(object, path);
  return value != nullptr && value->is_array() ? value->get_array() : kEmpty;
}

std::string_view text_at(const JsonObject& object, Path path) {
  const Json* value = find(object, path);
  return value != nullptr ? as_text(*value) : std::string_view();
}

std::optional<std::int64_t> integer_at(const JsonObject& object, Path path) {
  const Json* value = find(object, path);
  if (value == nullptr || !value->is_number()) return std::nullopt;
  boost::json::error_code failed;
  const auto number = value->to_number<std::int64_t>(failed);
  if (failed) return std::nullopt;
  return number;
}

bool has(const JsonObject& object, Path path) {
  const Json* value = find(object, path);
  return value != nullptr && !value->is_null();
}

JsonObject& child(JsonObject& object, std::string_view key) {
  Json& value = object[key];
  if (!value.is_object()) value.emplace_object();
  return value.get_object();
}

JsonArray& child_list(JsonObject& object, std::string_view key) {
  Json& value = object[key];
  if (!value.is_array()) value.emplace_array();
  return value.get_array();
}

void set_default(JsonObject& object, std::string_view key, Json value) {
  if (!object.contains(key)) object[key] = std::move(value);
}

bool has_item(const JsonArray& list, std::string_view text) {
  return std::ranges::find(list, Json(text)) != list.end();
}

std::set<std::string_view> texts_in(const JsonArray& list) {
  std::set<std::string_view> texts;
  for (const Json& item : list) texts.insert(as_text(item));
  return texts;
}

void add_once(JsonArray& list, std::string_view text) {
  if (!has_item(list, text)) list.emplace_back(text);
}

void restore(JsonObject& to, const JsonObject& from, std::string_view key) {
  const Json* value = from.if_contains(key);
  if (value == nullptr) {
    to.erase(key);
  } else {
    to[key] = *value;
  }
}

std::optional<Json> parse(std::string_view text, std::string& problem) {
  boost::json::parse_options options;
  options.max_depth = kLevelsMax;
  boost::json::error_code failed;
  Json value = boost::json::parse(text, failed, {}, options);
  if (!failed) return value;
  problem = failed.message();
  return std::nullopt;
}

std::optional<Json> parse_body(std::string_view text, std::string& problem) {
  if (count_values(text) > kValuesMax) {
    problem = TooManyValues().what();
    return std::nullopt;
  }
  auto value = parse(text, problem);
  if (!value) return std::nullopt;
  problem = excess_of(*value);
  if (!problem.empty()) return std::nullopt;
  return value;
}

std::string serialize(const Json& value) {
  return boost::json::serialize(value);
}

std::string serialize(const JsonObject& object) {
  return boost::json::serialize(object);
}

std::string serialize_as_go(const Json& value) {
  if (value.is_double()) return fmt::format("{}", value.get_double());
  std::string text;
  if (value.is_array()) {
    for (const Json& item : value.get_array()) {
      text += (text.empty() ? "" : ",") + serialize_as_go(item);
    }
    return "[" + text + "]";
  }
  if (!value.is_object()) return boost::json::serialize(value);
  for (const auto& [name, member] : value.get_object()) {
    text += fmt::format("{}{}:{}", text.empty() ? "" : ",", boost::json::serialize(Json(name)),
                        serialize_as_go(member));
  }
  return "{" + text + "}";
}

Json number_as_go(double number) {
  constexpr double kExact = 9'007'199'254'740'992.0;
  if (std::abs(number) >= kExact || std::trunc(number) != number) return number;
  return static_cast<std::int64_t>(number);
}

Json in_order(const Json& value) {
  if (value.is_array()) {
    JsonArray ordered;
    ordered.reserve(value.get_array().size());
    for (const Json& item : value.get_array()) ordered.push_back(in_order(item));
    return ordered;
  }
  if (!value.is_object()) return value;
  std::map<std::string_view, const Json*> members;
  for (const auto& [name, member] : value.get_object()) members.emplace(name, &member);
  JsonObject ordered;
  ordered.reserve(members.size());
  for (const auto& [name, member] : members) ordered.emplace(name, in_order(*member));
  return ordered;
}

namespace {

// `vanishes` decides whether a member is removed.
void drop_members(JsonObject& object, const auto& vanishes);

void drop_within(Json& value, const auto& vanishes) {
  if (value.is_object()) {
    drop_members(value.get_object(), vanishes);
  } else if (value.is_array()) {
    for (Json& item : value.get_array()) drop_within(item, vanishes);
  }
}

// Rebuilds the object only if something is removed: erase() would change the order of the members.
void drop_members(JsonObject& object, const auto& vanishes) {
  bool any = false;
  for (auto& [key, value] : object) {
    if (key == "parameters") continue;
    drop_within(value, vanishes);
    any = any || vanishes(key, value);
  }
  if (!any) return;
  JsonObject kept;
  for (auto& [key, value] : object) {
    if (key == "parameters" || !vanishes(key, value)) kept[key] = std::move(value);
  }
  object = std::move(kept);
}

}  // namespace

void drop_nulls(JsonObject& object) {
  drop_members(object, [](std::string_view, const Json& value) { return value.is_null(); });
}

void drop_empty_lists(JsonObject& object, Path but) {
  drop_members(object, [but](std::string_view key, const Json& value) {
    return value.is_array() && value.get_array().empty() &&
           std::ranges::find(but, key) == but.end();
  });
}

}  // namespace dcm::apiserver
