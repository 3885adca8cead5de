#include "cel/kubernetes/libraries.hpp"
#include "cel/kubernetes/ordered_methods.hpp"

namespace dcm::cel {
namespace {

using Args = std::span<const Value>;

struct QuantityObject : Object {
  Quantity quantity;
};

Value equal(const Object& a, const Value& b);
std::string text(const Object& object);

constexpr ObjectClass kClass{kQuantityType, equal, nullptr, true, "cel.Quantity", text};
// The result of add() and sub(). The reference compares it by value on the left of ==, and rejects
// it on the right.
constexpr ObjectClass kSumClass{kQuantityType, equal, nullptr, true, "*cel.Quantity", text};

const Quantity& quantity_of(const Value& value) {
  return static_cast<const QuantityObject&>(value.as_object()).quantity;
}

Value equal(const Object& a, const Value& b) {
  if (!b.is(Kind::object) || b.as_object().of != &kClass) return Value::error(kNoSuchOverload);
  return Value::boolean(static_cast<const QuantityObject&>(a).quantity == quantity_of(b));
}

std::string text(const Object& object) {
  return static_cast<const QuantityObject&>(object).quantity.text();
}

Value parse(Args args, Frame& frame) {
  const auto quantity = Quantity::parse(args[0].as_text());
  return quantity ? quantity_value(*quantity, frame.arena) : Value::error(quantity.error());
}

Value is_quantity(Args args, Frame&) {
  return Value::boolean(Quantity::parse(args[0].as_text()).has_value());
}
Value sign(Args args, Frame&) {
  return Value::integer(quantity_of(args[0]).sign());
}

using Ordered = OrderedMethods<quantity_of>;

Value as_float(Args args, Frame&) {
  return Value::real(quantity_of(args[0]).as_approximate_float());
}
Value as_integer(Args args, Frame&) {
  const auto integer = quantity_of(args[0]).as_short_integer();
  return integer ? Value::integer(*integer) : Value::error("cannot convert value to integer");
}
Value is_integer(Args args, Frame&) {
  return Value::boolean(quantity_of(args[0]).as_short_integer().has_value());
}

Value sum(const std::optional<Quantity>& quantity, Frame& frame) {
  if (!quantity)
    return Value::error("quantities of more than 38 significant digits are not supported");
  return Value::object(frame.arena.make<QuantityObject>(Object{&kSumClass}, *quantity));
}

Quantity other(const Value& value) {
  return value.is(Kind::integer) ? Quantity(value.as_integer(), Quantity::Format::decimal_exponent)
                                 : quantity_of(value);
}

Value add(Args args, Frame& frame) {
  return sum(quantity_of(args[0]).add(other(args[1])), frame);
}
Value sub(Args args, Frame& frame) {
  return sum(quantity_of(args[0]).sub(other(args[1])), frame);
}

constexpr FunctionRow kRows[] = {
    {"quantity(string) kubernetes.Quantity", parse, CostRule::scan},
    {"isQuantity(string) bool", is_quantity, CostRule::scan},
    {"sign(kubernetes.Quantity) int", sign},
    {"isGreaterThan(kubernetes.Quantity; kubernetes.Quantity) bool", Ordered::is_greater},
    {"isLessThan(kubernetes.Quantity; kubernetes.Quantity) bool", Ordered::is_less},
    {"compareTo(kubernetes.Quantity; kubernetes.Quantity) int", Ordered::compare_to},
    {"asApproximateFloat(kubernetes.Quantity;) double", as_float},
    {"asInteger(kubernetes.Quantity;) int", as_integer},
    {"isInteger(kubernetes.Quantity;) bool", is_integer},
    {"add(kubernetes.Quantity; kubernetes.Quantity) kubernetes.Quantity", add},
    {"add(kubernetes.Quantity; int) kubernetes.Quantity", add},
    {"sub(kubernetes.Quantity; kubernetes.Quantity) kubernetes.Quantity", sub},
    {"sub(kubernetes.Quantity; int) kubernetes.Quantity", sub},
};

}  // namespace

std::span<const FunctionRow> quantity_functions() {
  return kRows;
}

Value quantity_value(const Quantity& quantity, Arena& arena) {
  return Value::object(arena.make<QuantityObject>(Object{&kClass}, quantity));
}

}  // namespace dcm::cel
