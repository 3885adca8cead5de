#include "cel/types.hpp"

#include <algorithm>

namespace dcm::cel {

namespace types {
using K = Type::Kind;
constexpr Type error(K::error, "!error!");
constexpr Type dyn(K::dyn, "dyn");
constexpr Type any(K::any, "google.protobuf.Any");
constexpr Type null(K::null, "null_type");
constexpr Type boolean(K::boolean, "bool");
constexpr Type integer(K::integer, "int");
constexpr Type unsigned_integer(K::unsigned_integer, "uint");
constexpr Type real(K::real, "double");
constexpr Type string(K::string, "string");
constexpr Type bytes(K::bytes, "bytes");
constexpr Type timestamp(K::timestamp, "google.protobuf.Timestamp");
constexpr Type duration(K::duration, "google.protobuf.Duration");
constexpr Type list(K::list, "list");
constexpr Type map(K::map, "map");
constexpr Type type(K::type, "type");
constexpr Type optional(K::optional, "optional_type");
}  // namespace types

namespace {

struct KindRow {
  Kind kind;
  const Type* type;
};

constexpr KindRow kKinds[] = {
    {Kind::error, &types::error},
    {Kind::null, &types::null},
    {Kind::boolean, &types::boolean},
    {Kind::integer, &types::integer},
    {Kind::unsigned_integer, &types::unsigned_integer},
    {Kind::real, &types::real},
    {Kind::string, &types::string},
    {Kind::bytes, &types::bytes},
    {Kind::list, &types::list},
    {Kind::map, &types::map},
    {Kind::type, &types::type},
    {Kind::timestamp, &types::timestamp},
    {Kind::duration, &types::duration},
    {Kind::optional, &types::optional},
};
static_assert(std::ranges::all_of(kKinds, [](const KindRow& row) {
  return &row == &kKinds[static_cast<std::size_t>(row.kind)] &&
         row.kind == value_kind(row.type->kind());
}));
static_assert(value_kind(Type::Kind::object) == Kind::object);

}  // namespace

const Type* type_of_kind(Kind kind) {
  return kind == Kind::object ? nullptr : kKinds[static_cast<std::size_t>(kind)].type;
}

bool Type::is_same(const Type& other) const {
  if (this == &other) return true;
  if (kind_ == Kind::parameter) return false;  // a variable itself
  return kind_ == other.kind_ && name_ == other.name_ &&
         std::ranges::equal(parameters_, other.parameters_,
                            [](const Type* a, const Type* b) { return a->is_same(*b); });
}

std::string Type::text() const {
  switch (kind_) {
    case Kind::any:
      return "any";
    case Kind::null:
      return "null";
    case Kind::timestamp:
      return "timestamp";
    case Kind::duration:
      return "duration";
    default:
      return with_parameters(&Type::text);
  }
}

std::string Type::full_text() const {
  return with_parameters(&Type::full_text);
}

std::string Type::with_parameters(std::string (Type::*text_of)() const) const {
  std::string text(name_);
  if (parameters_.empty()) return text;
  text += '(';
  for (std::size_t i = 0; i < parameters_.size(); ++i)
    text += (i > 0 ? ", " : "") + (parameters_[i]->*text_of)();
  return text + ')';
}

const Type* TypePool::make(Type::Kind kind, std::string_view name,
                           std::vector<const Type*> parameters) {
  const auto& kept = parameters_.emplace_back(std::move(parameters));
  return &types_.emplace_back(kind, name, kept);
}

const Type* TypePool::parse(std::string_view text) {
  return parse_next(text);
}

const Type* TypePool::parse_next(std::string_view& text) {
  text.remove_prefix(std::min(text.find_first_not_of(' '), text.size()));
  const auto end = std::min(text.find_first_of("(), ;"), text.size());
  const auto name = text.substr(0, end);
  text.remove_prefix(end);
  std::vector<const Type*> parameters;
  if (text.starts_with('(')) {
    do {
      text.remove_prefix(1);
      parameters.push_back(parse_next(text));
    } while (text.starts_with(','));
    text.remove_prefix(1);
  }
  if (name == "list") return list(parameters[0]);
  if (name == "map") return map(parameters[0], parameters[1]);
  if (name == "optional") return optional(parameters[0]);
  if (name == "type") return type_of(parameters[0]);
  if (name == "wrapper") return wrapper(parameters[0]);
  if (name == "any") return &types::any;
  if (name == "timestamp") return &types::timestamp;
  if (name == "duration") return &types::duration;
  for (const Type* known : {&types::dyn, &types::null, &types::boolean, &types::integer,
                            &types::unsigned_integer, &types::real, &types::string, &types::bytes})
    if (known->name() == name) return known;
  const auto kind = name.size() == 1 ? Type::Kind::parameter : Type::Kind::object;
  return make(kind, names_.emplace_back(name), {});
}

}  // namespace dcm::cel
