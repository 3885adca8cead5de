#include "cel/library.hpp"

namespace dcm::cel {
namespace {

using Args = std::span<const Value>;

bool is_zero(const Value& value) {
  switch (value.kind()) {
    case Kind::null:
      return true;
    case Kind::boolean:
    case Kind::integer:
    case Kind::unsigned_integer:
    case Kind::duration:
      return value.as_integer() == 0;
    case Kind::real:
      return value.as_real() == 0;
    case Kind::string:
    case Kind::bytes:
      return value.as_text().empty();
    case Kind::list:
      return value.as_list().values.empty();
    case Kind::map:
      return value.as_map().size() == 0;
    case Kind::optional:
      return value.as_optional() == nullptr || is_zero(*value.as_optional());
    default:
      return false;
  }
}

Value of(Args args, Frame& frame) {
  return Value::optional(args[0], frame.arena);
}
Value of_non_zero(Args args, Frame& frame) {
  return is_zero(args[0]) ? Value::none() : Value::optional(args[0], frame.arena);
}
Value none(Args, Frame&) {
  return Value::none();
}

Value value(Args args, Frame&) {
  return args[0].as_optional() == nullptr ? Value::error("optional.none() dereference")
                                          : *args[0].as_optional();
}
Value has_value(Args args, Frame&) {
  return Value::boolean(args[0].as_optional() != nullptr);
}

Value unwrap(Args args, Frame& frame) {
  std::vector<Value> values;
  for (const Value& item : args[0].as_list().values) {
    if (!item.is(Kind::optional))
      return make_error(frame.arena, "value ", describe(item, frame.arena), " is not optional");
    if (item.as_optional() != nullptr) values.push_back(*item.as_optional());
  }
  return make_list(values, frame.arena);
}

Value first(Args args, Frame& frame) {
  const auto values = args[0].as_list().values;
  return values.empty() ? Value::none() : Value::optional(values.front(), frame.arena);
}
Value last(Args args, Frame& frame) {
  const auto values = args[0].as_list().values;
  return values.empty() ? Value::none() : Value::optional(values.back(), frame.arena);
}

constexpr Implementation kSpecial = nullptr;  // evaluated by a node of its own

constexpr FunctionRow kRows[] = {
    {"optional.of(A) optional(A)", of},
    {"optional.ofNonZeroValue(A) optional(A)", of_non_zero},
    {"optional.none() optional(A)", none},
    {"value(optional(A);) A", value},
    {"hasValue(optional(A);) bool", has_value},
    {"or(optional(A); optional(A)) optional(A)", kSpecial},
    {"orValue(optional(A); A) A", kSpecial},
    {"optional.unwrap(list(optional(A))) list(A)", unwrap},
    {"unwrapOpt(list(optional(A));) list(A)", unwrap},
    {"first(list(A);) optional(A)", first},
    {"last(list(A);) optional(A)", last},
};

}  // namespace

std::span<const FunctionRow> optional_functions() {
  return kRows;
}

}  // namespace dcm::cel
