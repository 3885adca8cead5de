// Small helpers for Boost.JSON values. Objects are JSON trees here, on purpose: this server shares
// no type, decoder or encoder with the client under test.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/value.hpp>

namespace dcm::apiserver {

using Json = boost::json::value;
using JsonArray = boost::json::array;
using JsonObject = boost::json::object;
using Path = std::initializer_list<std::string_view>;

inline constexpr std::string_view kJson = "application/json";

// The value at `path`, or null if a step is missing or not an object.
const Json* find(const JsonObject& object, Path path);
Json* find(JsonObject& object, Path path);
// The object or array at `path`; an empty one if there is none.
const JsonObject& object_at(const JsonObject& object, Path path);
const JsonArray& array_at(const JsonObject& object, Path path);
// The string at `path`, "" if there is none. Valid until a member is added anywhere around it.
std::string_view text_at(const JsonObject& object, Path path);
std::optional<std::int64_t> integer_at(const JsonObject& object, Path path);
bool has(const JsonObject& object, Path path);
// An item of a list of objects or strings; an empty one if it is something else.
const JsonObject& as_object(const Json& value);
std::string_view as_text(const Json& value);
bool has_item(const JsonArray& list, std::string_view text);
// The items of a list of strings. The list must outlive the set.
std::set<std::string_view> texts_in(const JsonArray& list);
// Whether both are missing, or equal.
bool same(const Json* a, const Json* b);
// Whether the member is there and true.
bool has_true(const JsonObject& object, std::string_view key);
// Whether a member is non-zero: not false or "".
bool is_set(const JsonObject& object, std::string_view key);
// The object at `path`; null if there is none.
const JsonObject* object_along(const JsonObject& object, std::span<const std::string_view> path);
JsonObject* object_along(JsonObject& object, std::span<const std::string_view> path);

// The object or list member `key`; created if it is missing or something else.
JsonObject& child(JsonObject& object, std::string_view key);
JsonArray& child_list(JsonObject& object, std::string_view key);
void set_default(JsonObject& object, std::string_view key, Json value);
// Appends the text unless the list has it.
void add_once(JsonArray& list, std::string_view text);
// Copies `from[key]` to `to[key]`; removes it if absent there.
void restore(JsonObject& to, const JsonObject& from, std::string_view key);

// A whole document, or nullopt and the error.
std::optional<Json> parse(std::string_view text, std::string& problem);
// The same for input from clients: at most kValuesMax values, and paths of kPathMax bytes.
std::optional<Json> parse_body(std::string_view text, std::string& problem);
std::string serialize(const Json& value);
std::string serialize(const JsonObject& object);
// With numbers as Go writes them: 0.5, not 5E-1.
std::string serialize_as_go(const Json& value);

// Without a fraction, an integer; as Go writes it.
Json number_as_go(double number);

// A copy whose members are in the order of their names, as Go writes maps.
Json in_order(const Json& value);

// Imitates decoding into Go structs and encoding again: null members vanish, and so do empty lists.
// Two steps, because a few rules distinguish an empty list from a missing one. Free-form
// `parameters` of opaque device configuration are kept unchanged.
void drop_nulls(JsonObject& object);
// Drops empty lists, except those with these names.
void drop_empty_lists(JsonObject& object, Path but = {});

inline std::string_view view(const boost::json::string& text) {
  return {text.data(), text.size()};
}

// Calls `visit` for each object of the list, which may be null or something else.
template <class Visit>
void for_each_object(Json* list, const Visit& visit) {
  if (list == nullptr || !list->is_array()) return;
  for (Json& item : list->get_array()) {
    if (item.is_object()) visit(item.get_object());
  }
}

}  // namespace dcm::apiserver
