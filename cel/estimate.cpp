#include <algorithm>
#include <cmath>
#include <map>
#include <optional>

#include "cel/cost.hpp"
#include "cel/names.hpp"
#include "cel/numbers.hpp"

namespace dcm::cel {
namespace {

using Number = std::uint64_t;
using Path = std::vector<std::string>;

constexpr Number kUnbounded = kUnboundedCost;
constexpr double kFormatPatternMax = 128 * kPattern;  // the longest pattern of a named format
constexpr std::size_t kVisitsMax = 200'000;  // for nodes that macros have inserted repeatedly

// All sums saturate.
Number plus(Number a, Number b) {
  return a > kUnbounded - b ? kUnbounded : a + b;
}
Number times(Number a, Number b) {
  return b != 0 && a > kUnbounded / b ? kUnbounded : a * b;
}
Number times(Number a, double factor) {
  const double product = std::ceil(static_cast<double>(a) * factor);
  return product >= kBeyondUnsigned ? kUnbounded : static_cast<Number>(product);
}

struct Range {
  Number min = 0, max = 0;

  static Range fixed(Number value) { return {value, value}; }
  static Range unknown() { return {0, kUnbounded}; }
  Range operator+(const Range& other) const { return {plus(min, other.min), plus(max, other.max)}; }
  Range& operator+=(const Range& other) { return *this = *this + other; }
  Range operator*(const Range& other) const {
    return {times(min, other.min), times(max, other.max)};
  }
  Range operator*(double factor) const { return {times(min, factor), times(max, factor)}; }
  Range operator|(const Range& other) const {
    return {std::min(min, other.min), std::max(max, other.max)};
  }
};

using Size = std::optional<Range>;

// Sizes of elements of a list or map.
struct Entries {
  bool is_list;
  Range key, value;
};
using EntrySizes = std::optional<Entries>;

EntrySizes unite(const EntrySizes& a, const EntrySizes& b) {
  if (!a || !b) return std::nullopt;
  return Entries{a->is_list, a->key | b->key, a->value | b->value};
}

struct Estimate {
  Range cost;
  Size result;
};

bool is_scalar(const Type& type) {
  using K = Type::Kind;
  switch (type.kind()) {
    case K::boolean:
    case K::real:
    case K::duration:
    case K::integer:
    case K::timestamp:
    case K::unsigned_integer:
    case K::wrapper:
      return true;
    case K::optional:
      return is_scalar(type.parameter(0));
    default:
      return false;
  }
}

bool is_text(const Type& type) {
  return type.kind() == Type::Kind::string || type.kind() == Type::Kind::bytes;
}

class Estimator {
 public:
  explicit Estimator(const Library& library) : library_(library) {}

  Number run(const Expr& root) {
    const Range cost = cost_of(root);
    return visits_ > kVisitsMax ? kUnbounded : cost.max;
  }

 private:
  struct Local {
    std::string_view name;
    Path path;
    Size size;
    EntrySizes entries;
  };

  Range cost_of(const Expr& expr) {
    if (++visits_ > kVisitsMax) return Range::unknown();
    switch (expr.kind) {
      case Expr::Kind::literal:
        return {};
      case Expr::Kind::identifier:
        return cost_of_identifier(expr);
      case Expr::Kind::select:
        return cost_of_select(expr);
      case Expr::Kind::call:
        return cost_of_call(expr);
      case Expr::Kind::list:
        return cost_of_list(expr);
      case Expr::Kind::map:
        return cost_of_map(expr);
      case Expr::Kind::message:
        return sum_of(expr.args) + Range::fixed(kMessageCost);
      case Expr::Kind::fold:
        return cost_of_fold(expr);
    }
    return {};
  }

  Range sum_of(const std::vector<Expr*>& exprs) {
    Range sum;
    for (const Expr* expr : exprs) sum += cost_of(*expr);
    return sum;
  }

  const Local* find_local(std::string_view name) const {
    const auto found = std::find_if(locals_.rbegin(), locals_.rend(),
                                    [&](const Local& l) { return l.name == name; });
    return found == locals_.rend() ? nullptr : &*found;
  }

  Range cost_of_identifier(const Expr& expr) {
    const Local* const local = find_local(expr.name);
    const std::size_t dot = expr.name.starts_with('.') ? 1 : 0;
    paths_[&expr] = local != nullptr ? local->path : Path{expr.name.substr(dot)};
    return Range::fixed(1);
  }

  Range cost_of_select(const Expr& expr) {
    const Expr& operand = *expr.args[0];
    if (expr.denoted != nullptr) return Range::fixed(1);
    Range sum = cost_of(operand);
    if (expr.is_test) return sum;
    const auto kind = operand.type->kind();
    if (kind == Type::Kind::map || kind == Type::Kind::object) sum += Range::fixed(1);
    Path path = path_of(operand);
    path.push_back(expr.name);
    paths_[&expr] = std::move(path);
    return sum;
  }

  Range cost_of_list(const Expr& expr) {
    Range sum, element{expr.args.empty() ? 0 : kUnbounded, 0};
    for (const Expr* arg : expr.args) {
      sum += cost_of(*arg);
      element = element | size_or_unknown(*arg);
    }
    entries_[&expr] = Entries{true, Range::fixed(1), element};
    return sum + Range::fixed(kListCost);
  }

  Range cost_of_map(const Expr& expr) {
    const Number least = expr.args.empty() ? 0 : kUnbounded;
    Range sum, parts[] = {{least, 0}, {least, 0}};
    for (std::size_t i = 0; i < expr.args.size(); ++i) {
      sum += cost_of(*expr.args[i]);
      parts[i % 2] = parts[i % 2] | size_or_unknown(*expr.args[i]);
    }
    entries_[&expr] = Entries{false, parts[0], parts[1]};
    return sum + Range::fixed(kMapCost);
  }

  static bool is_bind(const Expr& expr) {
    const Expr& range = *expr.args[kRange];
    return range.kind == Expr::Kind::list && range.args.empty() &&
           expr.args[kCondition]->literal.is_false() &&
           expr.args[kCondition]->kind == Expr::Kind::literal;
  }

  void push_whole(std::string_view name, const Expr& value) {
    locals_.push_back({name, path_of(value), size_of(value), entries_of(value)});
  }

  void push_part(std::string_view name, const Expr& range, bool is_key, bool is_only) {
    const EntrySizes sizes = entries_of(range);
    const bool is_list = sizes ? sizes->is_list : range.type->kind() == Type::Kind::list;
    const bool takes_value = is_only ? is_list : !is_key;
    Path path = path_of(range);
    path.emplace_back(takes_value ? (is_list ? "@items" : "@values")
                                  : (is_list ? "@indices" : "@keys"));
    Size size;
    if (sizes) size = takes_value ? sizes->value : sizes->key;
    locals_.push_back({name, std::move(path), size, std::nullopt});
  }

  Range cost_of_fold(const Expr& expr) {
    const Expr& range = *expr.args[kRange];
    const Expr& init = *expr.args[kInit];
    Range sum = cost_of(range) + cost_of(init);
    const auto outer = locals_.size();
    push_whole(expr.fields[kAccumulator], init);
    if (is_bind(expr)) {
      sum += cost_of(*expr.args[kResult]);
      locals_.resize(outer);
      copy_sizes(expr, *expr.args[kResult]);
      return sum;
    }
    const bool has_second = !expr.fields[kSecond].empty();
    push_part(expr.fields[kVariable], range, true, !has_second);
    if (has_second) push_part(expr.fields[kSecond], range, false, false);
    const Range condition = cost_of(*expr.args[kCondition]);
    const Range step = cost_of(*expr.args[kStep]);
    locals_.resize(outer + 1);
    sum += cost_of(*expr.args[kResult]);
    locals_.resize(outer);
    const Range count = size_or_unknown(range);
    sum += count * (step + condition);
    if (init.kind == Expr::Kind::literal) {
      set_size(expr, size_of(init));
    } else if (init.kind == Expr::Kind::list || init.kind == Expr::Kind::map) {
      set_size(expr, count);
      if (const EntrySizes sizes = entries_of(*expr.args[kStep])) entries_[&expr] = *sizes;
    }
    return sum;
  }

  Range cost_of_call(const Expr& expr) {
    if (expr.name == "dyn" && expr.args.size() == 1) {
      const Range cost = cost_of(*expr.args[0]) + Range::fixed(1);
      copy_sizes(expr, *expr.args[0]);
      return cost;
    }
    const std::size_t first = expr.is_member ? 1 : 0;
    std::vector<Range> costs(expr.args.size());
    for (std::size_t i = first; i < expr.args.size(); ++i) costs[i] = cost_of(*expr.args[i]);
    Range sum;
    if (expr.is_member) sum = cost_of(*expr.args[0]);
    Range args;
    for (std::size_t i = first; i < costs.size(); ++i) args += costs[i];
    Range call{kUnbounded, 0};
    Size result;
    for (const Overload* overload : expr.overloads) {
      const Estimate estimate = estimate_call(expr, *overload, costs, args);
      call = call | estimate.cost;
      if (estimate.result) result = result ? *result | *estimate.result : *estimate.result;
      if (overload->cost == CostRule::index_list || overload->cost == CostRule::index_map) {
        const EntrySizes sizes = entries_of(*expr.args[0]);
        result = sizes ? Size(sizes->value) : std::nullopt;
        Path path = path_of(*expr.args[0]);
        path.emplace_back(overload->cost == CostRule::index_list ? "@items" : "@values");
        paths_[&expr] = std::move(path);
      }
      if (!result) result = size_of(expr);
    }
    set_size(expr, result);
    return sum + call;
  }

  Estimate estimate_call(const Expr& expr, const Overload& overload,
                         const std::vector<Range>& costs, Range args) {
    if (overload.cost == CostRule::logic) {
      Range total = costs[0];
      for (std::size_t i = 1; i < costs.size(); ++i) total.max = plus(total.max, costs[i].max);
      return {total, {}};
    }
    if (overload.cost == CostRule::conditional) {
      entries_.erase(&expr);
      if (const auto sizes = unite(entries_of(*expr.args[1]), entries_of(*expr.args[2])))
        entries_[&expr] = *sizes;
      return {costs[0] + (costs[1] | costs[2]),
              size_or_unknown(*expr.args[1]) | size_or_unknown(*expr.args[2])};
    }
    Estimate estimate = estimate_rule(expr, overload);
    estimate.cost += args;
    return estimate;
  }

  Range arg_size(const Expr& expr, std::size_t i) { return size_or_unknown(*expr.args[i]); }

  Estimate estimate_rule(const Expr& expr, const Overload& overload) {
    const auto size = [&](std::size_t i) { return arg_size(expr, i); };
    constexpr Range kOne{1, 1};
    switch (overload.cost) {
      case CostRule::comparison:
        return {compare_cost(expr), {}};
      case CostRule::affix:
        return {size(1) * kTraversal, {}};
      case CostRule::scan:
      case CostRule::format:
        return {size(0) * kTraversal, {}};
      case CostRule::scan_keep:
        return {size(0) * kTraversal, size(0)};
      case CostRule::scan_twice:
        return {size(0) * (2 * kTraversal), {}};
      case CostRule::to_bytes:
        return {size(0) * kTraversal, Range{size(0).min, size(0).max * 4}};
      case CostRule::to_text:
        return {size(0) * kTraversal, Range{size(0).min / 4, size(0).max}};
      case CostRule::quote:
        return {size(0) * kTraversal, Range{size(0).min + 2, size(0).max * 2 + 2}};
      case CostRule::in_list:
        return {size(1) * 1.0, {}};
      case CostRule::match:
        return {match_cost(size(0), size(1)), {}};
      case CostRule::find:
        return {match_cost(size(0), size(1)), Range{0, size(0).max}};
      case CostRule::contains:
        return {(size(0) * kTraversal) * (size(1) * kTraversal), {}};
      case CostRule::join_text:
      case CostRule::join_lists: {
        if (const auto sizes = unite(entries_of(*expr.args[0]), entries_of(*expr.args[1])))
          entries_[&expr] = *sizes;
        const Range sum = size(0) + size(1);
        return {overload.cost == CostRule::join_lists ? kOne : sum * kTraversal, sum};
      }
      case CostRule::aggregate:
      case CostRule::includes:
        return {aggregate_cost(expr, overload), {}};
      case CostRule::replace:
        return {size(0) * (2 * kTraversal), replaced_size(size(0), size(1), size(2))};
      case CostRule::split:
        return {size(0) * (2 * kTraversal), Range{0, split_size(expr)}};
      case CostRule::join:
        return estimate_join(expr);
      case CostRule::slice: {
        const Number start = constant_or(*expr.args[1], 0),
                     end = constant_or(*expr.args[2], size(0).max);
        return list_call(1, Range::fixed(end - start));
      }
      case CostRule::range:
        return list_call(1, Range::fixed(constant_or(*expr.args[0], kUnbounded)));
      case CostRule::copy:
        return list_call(1, size(0));
      case CostRule::flatten: {
        const Number depth = expr.args.size() == 2 ? constant_or(*expr.args[1], kUnbounded) : 1;
        return list_call(static_cast<double>(depth), size(0));
      }
      case CostRule::distinct:
        return list_call(2, size(0) * size(0));
      case CostRule::sort:
      case CostRule::sort_by: {
        const std::size_t keys = overload.cost == CostRule::sort ? 0 : 1;
        const double factor = is_text(overload.args[keys]->parameter(0)) ? 2 + kTraversal : 2;
        return list_call(factor, size(keys) * size(keys));
      }
      case CostRule::sets:
        return {(size(0) * size(1)) * 1.0 + kOne, {}};
      case CostRule::sets_both_ways:
        return {(size(0) * size(1)) * 2.0 + kOne, {}};
      case CostRule::address_in_net:
      case CostRule::address_text_in_net:
      case CostRule::net_in_net:
      case CostRule::net_text_in_net:
        return {net_cost(expr, overload.cost), {}};
      case CostRule::validate:
        return {size(1) * kTraversal * kFormatPatternMax, {}};
      case CostRule::authorize:
        return {Range::fixed(350'000), {}};
      default:
        return {kOne, {}};
    }
  }

  Range compare_cost(const Expr& expr) {
    const Type& left = *expr.args[0]->type;
    if (expr.name == op::kEquals && left.kind() == Type::Kind::object &&
        library_.is_opaque(left.name()) && left.is_same(*expr.args[1]->type))
      return Range::fixed(1);
    const Number smaller = std::min(arg_size(expr, 0).max, arg_size(expr, 1).max);
    return Range{smaller > 0 ? Number{1} : 0, smaller} * kTraversal;
  }

  static Range match_cost(Range text, Range pattern) {
    return ((text + Range::fixed(1)) * kTraversal) * (pattern * kPattern);
  }

  static Estimate list_call(double factor, Range size) {
    return {size * factor + Range::fixed(1) + Range::fixed(kListCost), size};
  }

  // The sizes of elements are looked up by the list's path if it has one.
  Range element_size(const Expr& list) {
    Path path = path_of(list);
    if (!path.empty()) path.emplace_back("@items");
    const auto limit = path.empty() ? std::nullopt : library_.size_limit(path);
    return limit ? Range{0, *limit} : Range::unknown();
  }

  Range aggregate_cost(const Expr& expr, const Overload& overload) {
    const Type& target = *expr.args[0]->type;
    const Range size = arg_size(expr, 0);
    if (!target.parameters().empty()) {
      Range each = Range::fixed(1);
      if (is_text(target.parameter(0))) each += element_size(*expr.args[0]) * kTraversal;
      return size * each;
    }
    return overload.cost == CostRule::includes ? size * Range::fixed(1) : size * kTraversal;
  }

  static Range replaced_size(Range text, Range old, Range with) {
    Range count, rest;
    const auto one_more = [](Number n) { return n < kUnbounded ? n + 1 : n; };
    const auto parts = [](Number a, Number b) {
      return static_cast<Number>(std::min(
          std::ceil(static_cast<double>(a) / static_cast<double>(b)), 18446744073709549568.0));
    };
    if (old.min == 0) {
      count.max = one_more(text.max);
      rest.max = text.max;
    } else if (with.max <= old.min) {
      rest.max = text.max;
    } else {
      count.max = text.max == kUnbounded && old.min == 1 ? kUnbounded : parts(text.max, old.min);
    }
    if (old.max == 0) {
      count.min = one_more(text.min);
      rest.min = text.min;
    } else if (old.max <= with.min) {
      rest.min = text.min;
    } else {
      count.min = parts(text.min, old.max);
    }
    return count * with + rest;
  }

  Number split_size(const Expr& expr) {
    if (expr.args.size() > 2 && expr.args[2]->kind == Expr::Kind::literal &&
        expr.args[2]->literal.is(Kind::integer))
      return static_cast<Number>(expr.args[2]->literal.as_integer());
    return arg_size(expr, 0).max;
  }

  Estimate estimate_join(const Expr& expr) {
    const Range list = arg_size(expr, 0);
    Range size;
    if (!expr.args[0]->type->parameters().empty()) size = list * element_size(*expr.args[0]);
    if (expr.args.size() > 1) {
      const Range separators{list.min > 0 ? list.min - 1 : 0, list.max > 0 ? list.max - 1 : 0};
      size += arg_size(expr, 1) * separators;
    }
    return {size * kTraversal, size};
  }

  Range net_cost(const Expr& expr, CostRule rule) {
    constexpr Range kAddress{4, 16};
    Range cost = (kAddress + kAddress) * kTraversal;
    if (rule == CostRule::net_in_net || rule == CostRule::net_text_in_net)
      cost += kAddress * kTraversal + Range::fixed(1);
    if (rule == CostRule::address_text_in_net || rule == CostRule::net_text_in_net)
      cost += arg_size(expr, 1) * kTraversal;
    return cost;
  }

  static Number constant_or(const Expr& expr, Number otherwise) {
    if (expr.kind != Expr::Kind::literal || !expr.literal.is(Kind::integer)) return otherwise;
    return expr.literal.as_integer() < 0 ? 0 : static_cast<Number>(expr.literal.as_integer());
  }

  Path path_of(const Expr& expr) const {
    if (expr.kind == Expr::Kind::identifier)
      if (const Local* const local = find_local(expr.name)) return local->path;
    const auto found = paths_.find(&expr);
    return found == paths_.end() ? Path() : found->second;
  }

  Range size_or_unknown(const Expr& expr) { return size_of(expr).value_or(Range::unknown()); }

  Size size_of(const Expr& expr) {
    if (const auto found = sizes_.find(&expr); found != sizes_.end()) return found->second;
    if (expr.kind == Expr::Kind::literal) return Range::fixed(cel::size_of(expr.literal));
    if (expr.kind == Expr::Kind::list) return Range::fixed(expr.args.size());
    if (expr.kind == Expr::Kind::map) return Range::fixed(expr.args.size() / 2);
    const Path path = path_of(expr);
    if (const auto limit = path.empty() ? std::nullopt : library_.size_limit(path)) {
      sizes_[&expr] = Range{0, *limit};
      return Range{0, *limit};
    }
    if (is_scalar(*expr.type)) return Range::fixed(1);
    if (expr.kind == Expr::Kind::identifier)
      if (const Local* const local = find_local(expr.name)) return local->size;
    return std::nullopt;
  }

  EntrySizes entries_of(const Expr& expr) const {
    if (const auto found = entries_.find(&expr); found != entries_.end()) return found->second;
    if (expr.kind == Expr::Kind::identifier)
      if (const Local* const local = find_local(expr.name)) return local->entries;
    return std::nullopt;
  }

  void set_size(const Expr& expr, const Size& size) {
    if (size) sizes_[&expr] = *size;
  }

  void copy_sizes(const Expr& to, const Expr& from) {
    set_size(to, size_of(from));
    if (const auto sizes = entries_of(from)) entries_[&to] = *sizes;
  }

  const Library& library_;
  std::vector<Local> locals_;
  std::map<const Expr*, Path> paths_;
  std::map<const Expr*, Range> sizes_;
  std::map<const Expr*, Entries> entries_;
  std::size_t visits_ = 0;
};

}  // namespace

std::uint64_t estimate_cost(const Expr& root, const Library& library) {
  return Estimator(library).run(root);
}

}  // namespace dcm::cel
