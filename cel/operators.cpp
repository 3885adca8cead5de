#include <limits>

#include "cel/library.hpp"
#include "cel/names.hpp"

namespace dcm::cel {
namespace {

using Args = std::span<const Value>;

constexpr std::string_view kIntegerOverflow = "integer overflow",
                           kUnsignedOverflow = "unsigned integer overflow",
                           kDivisionByZero = "division by zero", kModulusByZero = "modulus by zero";
constexpr std::int64_t kLeast = std::numeric_limits<std::int64_t>::min();

bool is_less(int order) {
  return order == -1;
}
bool is_not_greater(int order) {
  return order == -1 || order == 0;
}
bool is_greater(int order) {
  return order == 1;
}
bool is_not_less(int order) {
  return order == 1 || order == 0;
}

template <bool (*kTest)(int)>
Value ordered(Args args, Frame&) {
  const auto order = compare(args[0], args[1]);
  if (!order) return Value::error(kNoSuchOverload);
  if (*order == 2) return Value::error("NaN values cannot be ordered");
  return Value::boolean(kTest(*order));
}

Value is_not(Args args, Frame&) {
  return Value::boolean(!args[0].as_boolean());
}

template <bool (*kOverflows)(std::int64_t, std::int64_t, std::int64_t*)>
Value integers(Args args, Frame&) {
  std::int64_t result = 0;
  if (kOverflows(args[0].as_integer(), args[1].as_integer(), &result))
    return Value::error(kIntegerOverflow);
  return Value::integer(result);
}

template <bool (*kOverflows)(std::uint64_t, std::uint64_t, std::uint64_t*)>
Value unsigned_integers(Args args, Frame&) {
  std::uint64_t result = 0;
  if (kOverflows(args[0].as_unsigned(), args[1].as_unsigned(), &result))
    return Value::error(kUnsignedOverflow);
  return Value::unsigned_integer(result);
}

template <typename T>
bool add(T a, T b, T* result) {
  return __builtin_add_overflow(a, b, result);
}
template <typename T>
bool subtract(T a, T b, T* result) {
  return __builtin_sub_overflow(a, b, result);
}
template <typename T>
bool multiply(T a, T b, T* result) {
  return __builtin_mul_overflow(a, b, result);
}

Value divide_integers(Args args, Frame&) {
  const auto a = args[0].as_integer(), b = args[1].as_integer();
  if (b == 0) return Value::error(kDivisionByZero);
  if (a == kLeast && b == -1) return Value::error(kIntegerOverflow);
  return Value::integer(a / b);
}

Value modulo_integers(Args args, Frame&) {
  const auto a = args[0].as_integer(), b = args[1].as_integer();
  if (b == 0) return Value::error(kModulusByZero);
  if (a == kLeast && b == -1) return Value::error(kIntegerOverflow);
  return Value::integer(a % b);
}

Value divide_unsigned(Args args, Frame&) {
  if (args[1].as_unsigned() == 0) return Value::error(kDivisionByZero);
  return Value::unsigned_integer(args[0].as_unsigned() / args[1].as_unsigned());
}

Value modulo_unsigned(Args args, Frame&) {
  if (args[1].as_unsigned() == 0) return Value::error(kModulusByZero);
  return Value::unsigned_integer(args[0].as_unsigned() % args[1].as_unsigned());
}

Value add_reals(Args args, Frame&) {
  return Value::real(args[0].as_real() + args[1].as_real());
}
Value subtract_reals(Args args, Frame&) {
  return Value::real(args[0].as_real() - args[1].as_real());
}
Value multiply_reals(Args args, Frame&) {
  return Value::real(args[0].as_real() * args[1].as_real());
}
Value divide_reals(Args args, Frame&) {
  return Value::real(args[0].as_real() / args[1].as_real());
}

std::string_view join(Args args, Arena& arena) {
  const auto a = args[0].as_text(), b = args[1].as_text();
  char* const text = arena.array<char>(a.size() + b.size());
  a.copy(text, a.size());
  b.copy(text + a.size(), b.size());
  return {text, a.size() + b.size()};
}

Value add_strings(Args args, Frame& frame) {
  return Value::string(join(args, frame.arena));
}
Value add_bytes(Args args, Frame& frame) {
  return Value::bytes(join(args, frame.arena));
}
Value add_lists(Args args, Frame& frame) {
  return concatenate(args[0].as_list(), args[1].as_list(), frame.arena);
}

Value negate_integer(Args args, Frame&) {
  if (args[0].as_integer() == kLeast) return Value::error(kIntegerOverflow);
  return Value::integer(-args[0].as_integer());
}

Value negate_real(Args args, Frame&) {
  return Value::real(-args[0].as_real());
}

Value in_list(Args args, Frame& frame) {
  for (const Value& value : args[1].as_list().values)
    if (is_equal(args[0], value, frame.arena)) return Value::boolean(true);
  return Value::boolean(false);
}

Value in_map(Args args, Frame& frame) {
  return Value::boolean(args[1].as_map().contains(args[0], frame.arena));
}

Value size(Args args, Frame&) {
  return Value::integer(static_cast<std::int64_t>(size_of(args[0])));
}

Value contains(Args args, Frame&) {
  return Value::boolean(args[0].as_text().contains(args[1].as_text()));
}
Value starts_with(Args args, Frame&) {
  return Value::boolean(args[0].as_text().starts_with(args[1].as_text()));
}
Value ends_with(Args args, Frame&) {
  return Value::boolean(args[0].as_text().ends_with(args[1].as_text()));
}

// Evaluated by their own nodes; these rows serve the checker and the costs.
constexpr Implementation kSpecial = nullptr;

constexpr FunctionRow kRows[] = {
    {"_?_:_(bool, A, A) A", kSpecial, CostRule::conditional},
    {"_&&_(bool, bool) bool", kSpecial, CostRule::logic},
    {"_||_(bool, bool) bool", kSpecial, CostRule::logic},
    {"!_(bool) bool", is_not},
    {"@not_strictly_false(bool) bool", kSpecial},
    {"_==_(A, A) bool", kSpecial, CostRule::comparison},
    {"_!=_(A, A) bool", kSpecial, CostRule::comparison},
    {"_+_(bytes, bytes) bytes", add_bytes, CostRule::join_text},
    {"_+_(double, double) double", add_reals},
    {"_+_(int, int) int", integers<add<std::int64_t>>},
    {"_+_(list(A), list(A)) list(A)", add_lists, CostRule::join_lists},
    {"_+_(string, string) string", add_strings, CostRule::join_text},
    {"_+_(uint, uint) uint", unsigned_integers<add<std::uint64_t>>},
    {"_-_(double, double) double", subtract_reals},
    {"_-_(int, int) int", integers<subtract<std::int64_t>>},
    {"_-_(uint, uint) uint", unsigned_integers<subtract<std::uint64_t>>},
    {"_*_(double, double) double", multiply_reals},
    {"_*_(int, int) int", integers<multiply<std::int64_t>>},
    {"_*_(uint, uint) uint", unsigned_integers<multiply<std::uint64_t>>},
    {"_/_(double, double) double", divide_reals},
    {"_/_(int, int) int", divide_integers},
    {"_/_(uint, uint) uint", divide_unsigned},
    {"_%_(int, int) int", modulo_integers},
    {"_%_(uint, uint) uint", modulo_unsigned},
    {"-_(double) double", negate_real},
    {"-_(int) int", negate_integer},
    {"_<_(bool, bool) bool", ordered<is_less>},
    {"_<_(int, int) bool", ordered<is_less>},
    {"_<_(int, double) bool", ordered<is_less>},
    {"_<_(int, uint) bool", ordered<is_less>},
    {"_<_(uint, uint) bool", ordered<is_less>},
    {"_<_(uint, double) bool", ordered<is_less>},
    {"_<_(uint, int) bool", ordered<is_less>},
    {"_<_(double, double) bool", ordered<is_less>},
    {"_<_(double, int) bool", ordered<is_less>},
    {"_<_(double, uint) bool", ordered<is_less>},
    {"_<_(string, string) bool", ordered<is_less>, CostRule::comparison},
    {"_<_(bytes, bytes) bool", ordered<is_less>, CostRule::comparison},
    {"_<_(timestamp, timestamp) bool", ordered<is_less>},
    {"_<_(duration, duration) bool", ordered<is_less>},
    {"_<=_(bool, bool) bool", ordered<is_not_greater>},
    {"_<=_(int, int) bool", ordered<is_not_greater>},
    {"_<=_(int, double) bool", ordered<is_not_greater>},
    {"_<=_(int, uint) bool", ordered<is_not_greater>},
    {"_<=_(uint, uint) bool", ordered<is_not_greater>},
    {"_<=_(uint, double) bool", ordered<is_not_greater>},
    {"_<=_(uint, int) bool", ordered<is_not_greater>},
    {"_<=_(double, double) bool", ordered<is_not_greater>},
    {"_<=_(double, int) bool", ordered<is_not_greater>},
    {"_<=_(double, uint) bool", ordered<is_not_greater>},
    {"_<=_(string, string) bool", ordered<is_not_greater>, CostRule::comparison},
    {"_<=_(bytes, bytes) bool", ordered<is_not_greater>, CostRule::comparison},
    {"_<=_(timestamp, timestamp) bool", ordered<is_not_greater>},
    {"_<=_(duration, duration) bool", ordered<is_not_greater>},
    {"_>_(bool, bool) bool", ordered<is_greater>},
    {"_>_(int, int) bool", ordered<is_greater>},
    {"_>_(int, double) bool", ordered<is_greater>},
    {"_>_(int, uint) bool", ordered<is_greater>},
    {"_>_(uint, uint) bool", ordered<is_greater>},
    {"_>_(uint, double) bool", ordered<is_greater>},
    {"_>_(uint, int) bool", ordered<is_greater>},
    {"_>_(double, double) bool", ordered<is_greater>},
    {"_>_(double, int) bool", ordered<is_greater>},
    {"_>_(double, uint) bool", ordered<is_greater>},
    {"_>_(string, string) bool", ordered<is_greater>, CostRule::comparison},
    {"_>_(bytes, bytes) bool", ordered<is_greater>, CostRule::comparison},
    {"_>_(timestamp, timestamp) bool", ordered<is_greater>},
    {"_>_(duration, duration) bool", ordered<is_greater>},
    {"_>=_(bool, bool) bool", ordered<is_not_less>},
    {"_>=_(int, int) bool", ordered<is_not_less>},
    {"_>=_(int, double) bool", ordered<is_not_less>},
    {"_>=_(int, uint) bool", ordered<is_not_less>},
    {"_>=_(uint, uint) bool", ordered<is_not_less>},
    {"_>=_(uint, double) bool", ordered<is_not_less>},
    {"_>=_(uint, int) bool", ordered<is_not_less>},
    {"_>=_(double, double) bool", ordered<is_not_less>},
    {"_>=_(double, int) bool", ordered<is_not_less>},
    {"_>=_(double, uint) bool", ordered<is_not_less>},
    {"_>=_(string, string) bool", ordered<is_not_less>, CostRule::comparison},
    {"_>=_(bytes, bytes) bool", ordered<is_not_less>, CostRule::comparison},
    {"_>=_(timestamp, timestamp) bool", ordered<is_not_less>},
    {"_>=_(duration, duration) bool", ordered<is_not_less>},
    {"_[_](list(A), int) A", kSpecial, CostRule::index_list},
    {"_[_](map(A, B), A) B", kSpecial, CostRule::index_map},
    {"_[_](optional(list(A)), int) optional(A)", kSpecial},
    {"_[_](optional(map(A, B)), A) optional(B)", kSpecial},
    {"_[?_](list(A), int) optional(A)", kSpecial},
    {"_[?_](optional(list(A)), int) optional(A)", kSpecial},
    {"_[?_](map(A, B), A) optional(B)", kSpecial},
    {"_[?_](optional(map(A, B)), A) optional(B)", kSpecial},
    {"_?._(dyn, string) optional(A)", kSpecial},
    {"@in(A, list(A)) bool", in_list, CostRule::in_list},
    {"@in(A, map(A, B)) bool", in_map, CostRule::in_map},
    {"size(bytes) int", size},
    {"size(bytes;) int", size},
    {"size(list(A)) int", size},
    {"size(list(A);) int", size},
    {"size(map(A, B)) int", size},
    {"size(map(A, B);) int", size},
    {"size(string) int", size},
    {"size(string;) int", size},
    {"contains(string; string) bool", contains, CostRule::contains},
    {"startsWith(string; string) bool", starts_with, CostRule::affix},
    {"endsWith(string; string) bool", ends_with, CostRule::affix},
};

}  // namespace

std::span<const FunctionRow> operators() {
  return kRows;
}

}  // namespace dcm::cel
