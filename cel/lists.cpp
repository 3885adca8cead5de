#include <algorithm>
#include <numeric>

#include "cel/library.hpp"

namespace dcm::cel {
namespace {

using Args = std::span<const Value>;

constexpr std::int64_t kRangeMax = 1'000'000;

std::span<const Value> items(const Value& list) {
  return list.as_list().values;
}

Value is_sorted(Args args, Frame&) {
  const auto values = items(args[0]);
  for (std::size_t i = 0; i < values.size(); ++i) {
    const auto order = compare(values[i > 0 ? i - 1 : 0], values[i]);
    if (!order) return Value::error(kNoSuchOverload);
    if (*order == 1) return Value::boolean(false);
  }
  return Value::boolean(true);
}

Value plus(const Value& a, const Value& b) {
  if (a.kind() != b.kind()) return Value::error(kNoSuchOverload);
  std::int64_t sum = 0;
  std::uint64_t unsigned_sum = 0;
  switch (a.kind()) {
    case Kind::integer:
      if (__builtin_add_overflow(a.as_integer(), b.as_integer(), &sum))
        return Value::error("integer overflow");
      return Value::integer(sum);
    case Kind::unsigned_integer:
      if (__builtin_add_overflow(a.as_unsigned(), b.as_unsigned(), &unsigned_sum))
        return Value::error("unsigned integer overflow");
      return Value::unsigned_integer(unsigned_sum);
    case Kind::duration:
      if (__builtin_add_overflow(a.as_integer(), b.as_integer(), &sum))
        return Value::error("integer overflow");
      return Value::duration(sum);
    default:
      return Value::real(a.as_real() + b.as_real());
  }
}

template <Kind kKind>
Value sum(Args args, Frame&) {
  Value total = kKind == Kind::integer            ? Value::integer(0)
                : kKind == Kind::unsigned_integer ? Value::unsigned_integer(0)
                : kKind == Kind::duration         ? Value::duration(0)
                                                  : Value::real(0);
  for (const Value& value : items(args[0]))
    if (total = plus(total, value); total.is_error()) return total;
  return total;
}

template <int kSign>
Value extreme(Args args, Frame&) {
  const auto values = items(args[0]);
  if (values.empty())
    return Value::error(kSign > 0 ? "max called on empty list" : "min called on empty list");
  Value best = values[0];
  for (const Value& value : values) {
    const auto order = compare(best, value);
    if (!order) return Value::error(kNoSuchOverload);
    if (*order == -kSign) best = value;
  }
  return best;
}

Value index_of(Args args, Frame& frame) {
  const auto values = items(args[0]);
  for (std::size_t i = 0; i < values.size(); ++i)
    if (is_equal(values[i], args[1], frame.arena))
      return Value::integer(static_cast<std::int64_t>(i));
  return Value::integer(-1);
}

Value last_index_of(Args args, Frame& frame) {
  const auto values = items(args[0]);
  for (std::size_t i = values.size(); i > 0; --i)
    if (is_equal(values[i - 1], args[1], frame.arena))
      return Value::integer(static_cast<std::int64_t>(i - 1));
  return Value::integer(-1);
}

Value slice(Args args, Frame& frame) {
  const auto from = args[1].as_integer(), to = args[2].as_integer();
  const auto values = items(args[0]);
  const auto fail = [&](std::string_view why) {
    return make_error(frame.arena, "cannot slice(", std::to_string(from), ", ", std::to_string(to),
                      "), ", why);
  };
  if (from < 0 || to < 0) return fail("negative indexes not supported");
  if (from > to) return fail("start index must be less than or equal to end index");
  if (std::cmp_less(values.size(), to))
    return fail("list is length " + std::to_string(values.size()));
  return adopt_list(
      values.subspan(static_cast<std::size_t>(from), static_cast<std::size_t>(to - from)),
      frame.arena);
}

// One list can be an element of another many times.
constexpr std::size_t kFlatMax = Arena::kLimit / sizeof(Value) / 4;

void flatten_into(std::vector<Value>& result, std::span<const Value> values, std::int64_t depth,
                  Arena& arena) {
  for (const Value& value : values) {
    if (result.size() > kFlatMax || !arena.take_steps(1)) return;
    if (depth > 0 && value.is(Kind::list))
      flatten_into(result, items(value), depth - 1, arena);
    else
      result.push_back(value);
  }
}

Value flatten_levels(const Value& list, std::int64_t depth, Frame& frame) {
  if (depth < 0) return Value::error("level must be non-negative");
  std::vector<Value> result;
  flatten_into(result, items(list), depth, frame.arena);
  if (result.size() > kFlatMax) return Value::error("operation cancelled: memory limit exceeded");
  return make_list(result, frame.arena);
}

Value flatten(Args args, Frame& frame) {
  return flatten_levels(args[0], 1, frame);
}
Value flatten_deep(Args args, Frame& frame) {
  return flatten_levels(args[0], args[1].as_integer(), frame);
}

Value sort_by(Args args, Frame& frame) {
  const auto values = items(args[0]), keys = items(args[1]);
  if (values.size() != keys.size())
    return make_error(frame.arena,
                      "@sortByAssociatedKeys() expected a list of the same size as the associated "
                      "keys list, but got ",
                      std::to_string(values.size()), " and ", std::to_string(keys.size()),
                      " elements respectively");
  if (values.empty()) return args[0];
  if (!compare(keys[0], keys[0])) return Value::error("list elements must be comparable");
  for (const Value& key : keys)
    if (key.kind() != keys[0].kind()) return Value::error("list elements must have the same type");
  std::vector<std::size_t> order(values.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  // Ties keep their order, so that the result is deterministic. NaN goes last.
  std::ranges::sort(order, [&](std::size_t a, std::size_t b) {
    const bool a_is_nan = *compare(keys[a], keys[a]) == 2,
               b_is_nan = *compare(keys[b], keys[b]) == 2;
    if (a_is_nan || b_is_nan) return a_is_nan == b_is_nan ? a < b : b_is_nan;
    const int sign = *compare(keys[a], keys[b]);
    return sign == 0 ? a < b : sign < 0;
  });
  Value* const sorted = frame.arena.array<Value>(values.size());
  for (std::size_t i = 0; i < values.size(); ++i) sorted[i] = values[order[i]];
  return adopt_list({sorted, values.size()}, frame.arena);
}

Value sort(Args args, Frame& frame) {
  const Value twice[] = {args[0], args[0]};
  return sort_by(twice, frame);
}

Value range(Args args, Frame& frame) {
  const auto size = args[0].as_integer();
  if (size < 0)
    return make_error(frame.arena, "lists.range: size must be non-negative, got ",
                      std::to_string(size));
  if (size > kRangeMax)
    return make_error(frame.arena, "lists.range: size ", std::to_string(size),
                      " exceeds maximum allowed (", std::to_string(kRangeMax), ")");
  Value* const values = frame.arena.array<Value>(static_cast<std::size_t>(size));
  for (std::int64_t i = 0; i < size; ++i) values[i] = Value::integer(i);
  return adopt_list({values, static_cast<std::size_t>(size)}, frame.arena);
}

Value reverse(Args args, Frame& frame) {
  std::vector<Value> values(items(args[0]).begin(), items(args[0]).end());
  std::ranges::reverse(values);
  return make_list(values, frame.arena);
}

// Comparing all pairs is not even begun if it would cost too much.
bool is_too_dear(std::size_t a, std::size_t b, Frame& frame) {
  if (a == 0 || b <= frame.cost_limit / a) return false;
  frame.cost = ~std::uint64_t{0};
  return true;
}

Value distinct(Args args, Frame& frame) {
  std::vector<Value> values;
  if (is_too_dear(items(args[0]).size(), items(args[0]).size(), frame)) return Value();
  for (const Value& value : items(args[0])) {
    if (std::ranges::none_of(
            values, [&](const Value& other) { return is_equal(value, other, frame.arena); }))
      values.push_back(value);
  }
  return make_list(values, frame.arena);
}

Value includes(Args args, Frame& frame) {
  if (!args[0].is(Kind::list)) return Value::boolean(is_equal(args[0], args[1], frame.arena));
  return Value::boolean(std::ranges::any_of(
      items(args[0]), [&](const Value& item) { return is_equal(item, args[1], frame.arena); }));
}

bool has(std::span<const Value> values, const Value& wanted, Frame& frame) {
  return std::ranges::any_of(
      values, [&](const Value& value) { return is_equal(wanted, value, frame.arena); });
}

bool has_all(const Value& list, const Value& wanted, Frame& frame) {
  return std::ranges::all_of(items(wanted),
                             [&](const Value& value) { return has(items(list), value, frame); });
}

Value sets_contains(Args args, Frame& frame) {
  if (is_too_dear(items(args[0]).size(), items(args[1]).size(), frame)) return Value();
  return Value::boolean(has_all(args[0], args[1], frame));
}
Value sets_equivalent(Args args, Frame& frame) {
  if (is_too_dear(items(args[0]).size(), items(args[1]).size(), frame)) return Value();
  return Value::boolean(has_all(args[0], args[1], frame) && has_all(args[1], args[0], frame));
}
Value sets_intersects(Args args, Frame& frame) {
  if (is_too_dear(items(args[0]).size(), items(args[1]).size(), frame)) return Value();
  return Value::boolean(std::ranges::any_of(
      items(args[0]), [&](const Value& value) { return has(items(args[1]), value, frame); }));
}

Value insert_entry(Args args, Frame& frame) {
  return insert(args[0].as_map(), args[1], args[2], frame.arena);
}

Value insert_map(Args args, Frame& frame) {
  Value result = args[0];
  const Map& more = args[1].as_map();
  for (std::size_t i = 0; i < more.size() && !result.is_error(); ++i) {
    const auto [key, value] = more.entry(i, frame.arena);
    result = insert(result.as_map(), key, value, frame.arena);
  }
  return result;
}

constexpr FunctionRow kLists[] = {
    {"isSorted(list(int);) bool", is_sorted, CostRule::aggregate},
    {"isSorted(list(uint);) bool", is_sorted, CostRule::aggregate},
    {"isSorted(list(double);) bool", is_sorted, CostRule::aggregate},
    {"isSorted(list(bool);) bool", is_sorted, CostRule::aggregate},
    {"isSorted(list(duration);) bool", is_sorted, CostRule::aggregate},
    {"isSorted(list(timestamp);) bool", is_sorted, CostRule::aggregate},
    {"isSorted(list(string);) bool", is_sorted, CostRule::aggregate},
    {"isSorted(list(bytes);) bool", is_sorted, CostRule::aggregate},
    {"sum(list(int);) int", sum<Kind::integer>, CostRule::aggregate},
    {"sum(list(uint);) uint", sum<Kind::unsigned_integer>, CostRule::aggregate},
    {"sum(list(double);) double", sum<Kind::real>, CostRule::aggregate},
    {"sum(list(duration);) duration", sum<Kind::duration>, CostRule::aggregate},
    {"max(list(int);) int", extreme<1>, CostRule::aggregate},
    {"max(list(uint);) uint", extreme<1>, CostRule::aggregate},
    {"max(list(double);) double", extreme<1>, CostRule::aggregate},
    {"max(list(bool);) bool", extreme<1>, CostRule::aggregate},
    {"max(list(duration);) duration", extreme<1>, CostRule::aggregate},
    {"max(list(timestamp);) timestamp", extreme<1>, CostRule::aggregate},
    {"max(list(string);) string", extreme<1>, CostRule::aggregate},
    {"max(list(bytes);) bytes", extreme<1>, CostRule::aggregate},
    {"min(list(int);) int", extreme<-1>, CostRule::aggregate},
    {"min(list(uint);) uint", extreme<-1>, CostRule::aggregate},
    {"min(list(double);) double", extreme<-1>, CostRule::aggregate},
    {"min(list(bool);) bool", extreme<-1>, CostRule::aggregate},
    {"min(list(duration);) duration", extreme<-1>, CostRule::aggregate},
    {"min(list(timestamp);) timestamp", extreme<-1>, CostRule::aggregate},
    {"min(list(string);) string", extreme<-1>, CostRule::aggregate},
    {"min(list(bytes);) bytes", extreme<-1>, CostRule::aggregate},
    {"sort(list(int);) list(int)", sort, CostRule::sort},
    {"sort(list(uint);) list(uint)", sort, CostRule::sort},
    {"sort(list(double);) list(double)", sort, CostRule::sort},
    {"sort(list(bool);) list(bool)", sort, CostRule::sort},
    {"sort(list(duration);) list(duration)", sort, CostRule::sort},
    {"sort(list(timestamp);) list(timestamp)", sort, CostRule::sort},
    {"sort(list(string);) list(string)", sort, CostRule::sort},
    {"sort(list(bytes);) list(bytes)", sort, CostRule::sort},
    {"@sortByAssociatedKeys(list(A); list(int)) list(A)", sort_by, CostRule::sort_by},
    {"@sortByAssociatedKeys(list(A); list(uint)) list(A)", sort_by, CostRule::sort_by},
    {"@sortByAssociatedKeys(list(A); list(double)) list(A)", sort_by, CostRule::sort_by},
    {"@sortByAssociatedKeys(list(A); list(bool)) list(A)", sort_by, CostRule::sort_by},
    {"@sortByAssociatedKeys(list(A); list(duration)) list(A)", sort_by, CostRule::sort_by},
    {"@sortByAssociatedKeys(list(A); list(timestamp)) list(A)", sort_by, CostRule::sort_by},
    {"@sortByAssociatedKeys(list(A); list(string)) list(A)", sort_by, CostRule::sort_by},
    {"@sortByAssociatedKeys(list(A); list(bytes)) list(A)", sort_by, CostRule::sort_by},
    {"indexOf(list(A); A) int", index_of, CostRule::aggregate},
    {"lastIndexOf(list(A); A) int", last_index_of, CostRule::aggregate},
    {"slice(list(A); int, int) list(A)", slice, CostRule::slice},
    {"flatten(list(list(A));) list(A)", flatten, CostRule::flatten},
    {"flatten(list(dyn); int) list(dyn)", flatten_deep, CostRule::flatten},
    {"lists.range(int) list(int)", range, CostRule::range},
    {"reverse(list(A);) list(A)", reverse, CostRule::copy},
    {"distinct(list(A);) list(A)", distinct, CostRule::distinct},
};

constexpr FunctionRow kIncludes[] = {{"includes(dyn; dyn) bool", includes, CostRule::includes}};

constexpr FunctionRow kSets[] = {
    {"sets.contains(list(A), list(A)) bool", sets_contains, CostRule::sets},
    {"sets.equivalent(list(A), list(A)) bool", sets_equivalent, CostRule::sets_both_ways},
    {"sets.intersects(list(A), list(A)) bool", sets_intersects, CostRule::sets},
};

constexpr FunctionRow kMaps[] = {
    {"cel.@mapInsert(map(A, B), A, B) map(A, B)", insert_entry},
    {"cel.@mapInsert(map(A, B), map(A, B)) map(A, B)", insert_map},
};

}  // namespace

std::span<const FunctionRow> list_functions() {
  return kLists;
}
std::span<const FunctionRow> includes_function() {
  return kIncludes;
}
std::span<const FunctionRow> set_functions() {
  return kSets;
}
std::span<const FunctionRow> map_functions() {
  return kMaps;
}

}  // namespace dcm::cel
