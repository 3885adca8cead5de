// What an expression can use: functions, variables, types. One row per function serves the checker,
// the evaluator and cost estimates.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cel/types.hpp"
#include "cel/value.hpp"

namespace dcm::cel {

// The state of one evaluation.
struct Frame {
  Arena& arena;
  Value* slots = nullptr;            // of loop variables
  const Value* variables = nullptr;  // in the order in which the library declares them
  std::uint64_t cost = 0;
  std::uint64_t cost_limit = ~std::uint64_t{0};

  std::string_view fatal = {};  // an error that overrides every other operand of && and ||
  std::uint64_t fatal_cost = 0;

  void fail(std::string_view text) {
    if (!fatal.empty()) return;
    fatal = text;
    fatal_cost = cost;
  }

  // Whether an error has ended the evaluation, whatever else is true or false.
  bool is_stopped() const { return cost > cost_limit || !fatal.empty() || arena.is_exhausted(); }
};

using Implementation = Value (*)(std::span<const Value> args, Frame& frame);

// The cost of a call in addition to its arguments. S(x) is a size, 0.1 the share of a string that
// is read in one unit.
enum class CostRule : std::uint8_t {
  one,
  conditional,
  logic,
  comparison,  // 0.1 * the smaller S
  affix,       // startsWith: 0.1 * S(argument)
  scan,        // 0.1 * S(first)
  scan_keep,   // the same, and the result is as large
  scan_twice,  // 0.2 * S(first)
  to_bytes,    // 0.1 * S, and up to four times as large
  to_text,     // 0.1 * S
  quote,       // 0.1 * S
  format,      // 0.1 * S(format)
  in_list,     // S(list)
  in_map,      // 1
  match,       // 0.1 * (S + 1) * 0.25 * S(pattern)
  find,        // as match; the result is no larger than the text
  contains,    // 0.1 * S * 0.1 * S(argument)
  join_text,   // a + b: 0.1 * sum
  join_lists,  // a + b: 1
  index_list,
  index_map,
  aggregate,  // sum, max, …: one traversal
  includes,
  replace,
  split,
  join,
  slice,  // for lists, from here on: what is copied, plus 10 for the list
  range,
  copy,
  flatten,
  distinct,
  sort,
  sort_by,
  sets,  // S(a) * S(b)
  sets_both_ways,
  address_in_net,
  address_text_in_net,
  net_in_net,
  net_text_in_net,
  validate,
  authorize,  // 350,000
};

struct Overload {
  std::string_view function;
  bool is_member;
  std::vector<const Type*> args;  // the receiver first
  const Type* result;
  Implementation run;
  CostRule cost;

  // Judges by the kinds of the values; for lists and maps also by the kinds of their first
  // elements.
  bool accepts(std::span<const Value> values, Arena& arena) const;
};

// "name(type, type) type"; "name(receiver; type) type" is called as receiver.name(type).
struct FunctionRow {
  std::string_view signature;
  Implementation run;
  CostRule cost = CostRule::one;
};

// Upper limit of a value's size, by its origin: ["device", "driver"], with "@keys", "@values",
// "@items" for the contents of maps and lists. nullopt if unknown.
using SizeLimit = std::function<std::optional<std::uint64_t>(std::span<const std::string> path)>;

// Whether cel.bind() is a macro.
enum class Bindings : std::uint8_t { present, absent };

class Library {
 public:
  using Fields = std::map<std::string, const Type*, std::less<>>;

  Library();  // with the standard functions and types
  // With all that `base` has, which must outlive this and stay as it is, and have no variables.
  explicit Library(const Library* base) : base_(base), bindings_(base->bindings_) {}
  Library(const Library&) = delete;
  Library& operator=(const Library&) = delete;

  void add(std::span<const FunctionRow> rows);
  void add_variable(std::string name, const Type* type);
  // Adds an object type. Expressions can select its fields, but cannot create such an object.
  void add_object(std::string name, Fields fields = {});
  // Whether expressions can name the type, as in type(x) == net.IP.
  enum class TypeName : std::uint8_t { can_be_written, is_hidden };
  // Adds an object type without fields that functions make. To compare two of them costs 1.
  void add_opaque(std::string name, TypeName type_name);
  // Adds a field or changes its type, for later compilations. The object type must exist.
  void set_field(std::string_view object, std::string name, const Type* type);
  void leave_out_bindings() { bindings_ = Bindings::absent; }
  Bindings bindings() const { return bindings_; }
  void add_size_limit(SizeLimit limit) { size_limit_ = std::move(limit); }

  const std::vector<const Overload*>* find_function(std::string_view name) const;
  struct Variable {
    const Type* type;
    std::size_t index;
  };
  const Variable* find_variable(std::string_view name) const;  // "a" or ".a"
  const Type* find_type(std::string_view name) const;
  const Fields* find_object(std::string_view name) const;
  bool is_opaque(std::string_view name) const {
    return opaque_.contains(name) || (base_ != nullptr && base_->is_opaque(name));
  }
  std::optional<std::uint64_t> size_limit(std::span<const std::string> path) const {
    return size_limit_ ? size_limit_(path) : std::nullopt;
  }

  TypePool& types() { return types_; }
  // A type by its text; equal texts give the same type.
  const Type* type(std::string_view text);

 private:
  const Library* base_ = nullptr;
  TypePool types_;
  std::deque<Overload> overloads_;
  std::map<std::string, std::vector<const Overload*>, std::less<>> functions_;
  std::map<std::string, Variable, std::less<>> variables_;
  std::map<std::string, const Type*, std::less<>> named_types_;
  std::map<std::string, const Type*, std::less<>> texts_;
  std::map<std::string, Fields, std::less<>> objects_;
  std::set<std::string, std::less<>> opaque_;
  SizeLimit size_limit_;
  Bindings bindings_ = Bindings::present;
};

// The language itself and its standard extensions, one table each.
std::span<const FunctionRow> operators();
std::span<const FunctionRow> conversions();
std::span<const FunctionRow> time_functions();
std::span<const FunctionRow> optional_functions();
std::span<const FunctionRow> string_functions();
std::span<const FunctionRow> list_functions();
std::span<const FunctionRow> set_functions();
std::span<const FunctionRow> regex_functions();
std::span<const FunctionRow> map_functions();  // for two-variable macros
// Not part of a library unless added.
std::span<const FunctionRow> includes_function();

}  // namespace dcm::cel
