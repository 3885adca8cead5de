#include "cel/types.hpp"

#include <algorithm>

namespace dcm::cel {

namespace types {
using K = Type::Kind;
constinit const Type error(K::error, "!error!");
constinit const Type dyn(K::dyn, "dyn");
constinit const Type any(K::any, "google.protobuf.Any");
constinit const Type null(K::null, "null_type");
constinit const Type boolean(K::boolean, "bool");
constinit const Type integer(K::integer, "int");
constinit const Type unsigned_integer(K::unsigned_integer, "uint");
constinit const Type real(K::real, "double");
constinit const Type string(K::string, "string");
constinit const Type bytes(K::bytes, "bytes");
constinit const Type timestamp(K::timestamp, "google.protobuf.Timestamp");
constinit const Type duration(K::duration, "google.protobuf.Duration");
constinit const Type list(K::list, "list");
constinit const Type map(K::map, "map");
constinit const Type type(K::type, "type");
constinit const Type optional(K::optional, "optional_type");
}  // namespace types

bool Type::is_same(const Type& other) const {
  if (this == &other) return true;
  if (kind_ == Kind::parameter) return false;  // a variable of its own
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
