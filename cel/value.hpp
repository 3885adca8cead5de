// Values of CEL: 16 bytes, trivially copyable. Larger contents live in an arena, in a compiled
// program, or with the owner of the input.
#pragma once

#include <concepts>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "cel/arena.hpp"

namespace dcm::cel {

enum class Kind : std::uint8_t {
  error,
  null,
  boolean,
  integer,
  unsigned_integer,
  real,
  string,
  bytes,
  list,
  map,
  type,
  timestamp,
  duration,
  optional,
  object,  // of a type that a library adds
};

// A set of kinds: kinds(Kind::list, Kind::map).
using Kinds = unsigned;
template <std::same_as<Kind>... T>
constexpr Kinds kinds(T... each) {
  return ((1U << static_cast<unsigned>(each)) | ...);
}

class Value;
class Map;
class Type;
struct List;
struct Object;

class Value {
 public:
  constexpr Value() = default;  // null
  static constexpr Value boolean(bool value) { return {Kind::boolean, 0, {.integer = value}}; }
  static constexpr Value integer(std::int64_t value) {
    return {Kind::integer, 0, {.integer = value}};
  }
  static constexpr Value unsigned_integer(std::uint64_t value) {
    return {Kind::unsigned_integer, 0, {.unsigned_integer = value}};
  }
  static constexpr Value real(double value) { return {Kind::real, 0, {.real = value}}; }
  static constexpr Value string(std::string_view text) { return of_text(Kind::string, text); }
  static constexpr Value bytes(std::string_view bytes) { return of_text(Kind::bytes, bytes); }
  // `zone` is the offset from UTC, in minutes, that its text has.
  static constexpr Value timestamp(std::int64_t seconds, std::uint32_t nanoseconds,
                                   std::int16_t zone = 0) {
    Value value{Kind::timestamp, nanoseconds, {.integer = seconds}};
    value.zone_ = zone;
    return value;
  }
  static constexpr Value duration(std::int64_t nanoseconds) {
    return {Kind::duration, 0, {.integer = nanoseconds}};
  }
  static constexpr Value list(const List* list) { return {Kind::list, 0, {.list = list}}; }
  static constexpr Value map(const Map* map) { return {Kind::map, 0, {.map = map}}; }
  static constexpr Value type(const Type* type) { return {Kind::type, 0, {.type = type}}; }
  static constexpr Value none() { return {Kind::optional, 0, {.optional = nullptr}}; }
  static Value optional(Value value, Arena& arena) {
    return {Kind::optional, 0, {.optional = arena.make<Value>(value)}};
  }
  static constexpr Value object(const Object* object) {
    return {Kind::object, 0, {.object = object}};
  }
  // The text must outlive the evaluation, or be in its arena.
  static constexpr Value error(std::string_view text) { return of_text(Kind::error, text); }

  Kind kind() const { return kind_; }
  bool is(Kind kind) const { return kind_ == kind; }
  bool is_error() const { return kind_ == Kind::error; }
  bool is_true() const { return kind_ == Kind::boolean && payload_.integer != 0; }
  bool is_false() const { return kind_ == Kind::boolean && payload_.integer == 0; }

  // Valid only for the kind that each is named after.
  bool as_boolean() const { return payload_.integer != 0; }
  std::int64_t as_integer() const {
    return payload_.integer;
  }  // also a duration, and a timestamp's seconds
  std::uint64_t as_unsigned() const { return payload_.unsigned_integer; }
  double as_real() const { return payload_.real; }
  std::string_view as_text() const { return {payload_.text, extra_}; }  // string, bytes, error
  std::uint32_t nanoseconds() const { return extra_; }                  // of a timestamp
  std::int16_t zone() const { return zone_; }                           // of a timestamp
  const List& as_list() const { return *payload_.list; }
  const Map& as_map() const { return *payload_.map; }
  const Type& as_type() const { return *payload_.type; }
  const Value* as_optional() const { return payload_.optional; }  // nullptr: none
  const Object& as_object() const { return *payload_.object; }

 private:
  union Payload {
    std::int64_t integer;
    std::uint64_t unsigned_integer;
    double real;
    const char* text;
    const List* list;
    const Map* map;
    const Type* type;
    const Value* optional;
    const Object* object;
  };

  static constexpr Value of_text(Kind kind, std::string_view text) {
    return {kind, static_cast<std::uint32_t>(text.size()), {.text = text.data()}};
  }
  constexpr Value(Kind kind, std::uint32_t extra, Payload payload)
      : payload_(payload), extra_(extra), kind_(kind) {}

  Payload payload_{.integer = 0};
  std::uint32_t extra_ = 0;
  Kind kind_ = Kind::null;
  std::int16_t zone_ = 0;
};

// Immutable. Appending to the longest view of a buffer happens in place, so loops that build lists
// are linear.
struct List {
  struct Buffer {
    Value* values;
    std::size_t capacity;
    mutable std::size_t used;
  };

  std::span<const Value> values;
  const Buffer* buffer = nullptr;  // null: of fixed size
  bool is_unordered = false;       // equal to any permutation
};

Value make_list(std::span<const Value> values, Arena& arena);  // copies the span
Value adopt_list(std::span<const Value> values, Arena& arena);
Value adopt_unordered_list(std::span<const Value> values, Arena& arena);
Value concatenate(const List& a, const List& b, Arena& arena);

// Immutable. Implementations that are views of the input have no stored entries to point to.
class Map {
 public:
  struct Entry {
    Value key, value;
  };

  virtual std::size_t size() const = 0;
  // nullopt if absent. An error is returned as a value.
  virtual std::optional<Value> find(Value key, Arena& arena) const = 0;
  // `in`, which is stricter than find() for maps with a default.
  virtual bool contains(Value key, Arena& arena) const { return find(key, arena).has_value(); }
  // The value of an entry: for comparisons, which also see entries that find() hides.
  virtual std::optional<Value> member(Value key, Arena& arena) const { return find(key, arena); }
  virtual Entry entry(std::size_t index, Arena& arena) const = 0;

 protected:
  ~Map() = default;
};

// A map with keys of any kind. Of two entries with one key the last one counts.
Value make_map(std::span<const Map::Entry> entries, Arena& arena);
// Error if the key exists.
Value insert(const Map& map, Value key, Value value, Arena& arena);

// Objects added by a library: quantities, addresses, … Identified by their class.
struct ObjectClass {
  std::string_view type_name;
  // Both are of this class, or `b` is any value; returns an error if they cannot be compared.
  Value (*equal)(const Object& a, const Value& b);
  std::uint64_t (*size)(const Object& object) = nullptr;  // for costs; none: 1
  bool is_hashable = true;                    // false: looking one up among constants is an error
  std::string_view implementation_name = {};  // the type's name in some messages
  std::string (*text)(const Object& object) = nullptr;  // for display; empty: its type's name
};

struct Object {
  const ObjectClass* of;
};

// The error text of an evaluation.
Value make_error(Arena& arena, std::string_view text);
template <typename... Parts>
Value make_error(Arena& arena, std::string_view first, const Parts&... parts) {
  std::string text(first);
  ((text += parts), ...);
  return make_error(arena, text);
}

inline constexpr std::string_view kNoSuchOverload = "no such overload";

// `==` of the language: false for unlike kinds, numbers by value. Can be an error for objects.
Value equal(const Value& a, const Value& b, Arena& arena);
inline bool is_equal(const Value& a, const Value& b, Arena& arena) {
  return equal(a, b, arena).is_true();
}
// -1, 0, 1; 2 if one of them is not a number. nullopt for kinds without an order between them.
std::optional<int> compare(const Value& a, const Value& b);

// The size that costs are computed from: code points, bytes, elements, entries; 1 for the rest.
std::uint64_t size_of(const Value& value);
std::size_t code_points(std::string_view text);

// "int", "list", "google.protobuf.Timestamp", …
std::string_view type_name(const Value& value);

// As the reference implementation calls it in some messages: "types.Int".
std::string_view implementation_name(const Value& value);

// For messages: 1, "a", [1, 2], {a: 1}.
std::string describe(const Value& value, Arena& arena);

}  // namespace dcm::cel
