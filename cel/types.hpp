// Types of CEL, as the checker sees them and as `type(x)` returns them.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cel/value.hpp"

namespace dcm::cel {

class Type {
 public:
  // The kinds of values, in their order (types.cpp checks it), then the kinds that only types have.
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
    object,  // by name
    dyn,
    any,
    wrapper,    // for a scalar that may be null
    parameter,  // in a function's signature, or an inference variable
  };

  constexpr Type(Kind kind, std::string_view name, std::span<const Type* const> parameters = {})
      : kind_(kind), name_(name), parameters_(parameters) {}

  constexpr Kind kind() const { return kind_; }
  std::string_view name() const { return name_; }
  std::span<const Type* const> parameters() const { return parameters_; }
  const Type& parameter(std::size_t i) const { return *parameters_[i]; }

  bool is_dynamic() const { return kind_ == Kind::dyn || kind_ == Kind::any; }
  bool is_same(const Type& other) const;
  // As shown in messages: "list(int)", "map(string, dyn)".
  std::string text() const;
  // With the names that types have at run time: "map(string, google.protobuf.Any)".
  std::string full_text() const;

 private:
  std::string with_parameters(std::string (Type::*text_of)() const) const;

  Kind kind_;
  std::string_view name_;
  std::span<const Type* const> parameters_;
};

namespace types {
extern const Type error, dyn, any, null, boolean, integer, unsigned_integer, real, string, bytes,
    timestamp, duration, list, map, type,
    optional;  // the last four without parameters: what type() returns
}  // namespace types

// The kind of the values of a type; nullopt if they can be of several kinds.
constexpr std::optional<Kind> value_kind(Type::Kind kind) {
  return kind > Type::Kind::object ? std::nullopt : std::optional(static_cast<Kind>(kind));
}
// The type of values of that kind, without parameters. Null for objects, whose types have names.
const Type* type_of_kind(Kind kind);

// Owns types that are created later.
class TypePool {
 public:
  TypePool() = default;
  TypePool(const TypePool&) = delete;
  TypePool& operator=(const TypePool&) = delete;

  const Type* list(const Type* element) { return make(Type::Kind::list, "list", {element}); }
  const Type* map(const Type* key, const Type* value) {
    return make(Type::Kind::map, "map", {key, value});
  }
  const Type* optional(const Type* value) {
    return make(Type::Kind::optional, "optional_type", {value});
  }
  const Type* type_of(const Type* type) { return make(Type::Kind::type, "type", {type}); }
  const Type* wrapper(const Type* type) { return make(Type::Kind::wrapper, "wrapper", {type}); }
  const Type* make(Type::Kind kind, std::string_view name, std::vector<const Type*> parameters);
  // Reads "map(string, list(A))": names of the language; single capitals are parameters, other
  // names are objects.
  const Type* parse(std::string_view text);

 private:
  const Type* parse_next(std::string_view& text);

  std::deque<Type> types_;
  std::deque<std::vector<const Type*>> parameters_;
  std::deque<std::string> names_;
};

}  // namespace dcm::cel
