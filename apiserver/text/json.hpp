// Small helpers for Boost.JSON values. Objects are JSON trees here, on purpose: this server shares
// no type, decoder or encoder with the client under test.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <optional>
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
// An item of a list of objects; an empty one if it is something else.
const JsonObject& as_object(const Json& value);

// The object member `key`; created if it is missing or not an object.
JsonObject& child(JsonObject& object, std::string_view key);
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

}  // namespace dcm::apiserver
