#include "cel/cost.hpp"

#include <algorithm>
#include <cmath>

namespace dcm::cel {
namespace {

std::uint64_t share(std::uint64_t size, double factor) {
  return static_cast<std::uint64_t>(std::ceil(static_cast<double>(size) * factor));
}

// For sum, max, indexOf, …: a string counts by its bytes, rounded down, everything else as one.
std::uint64_t traversal(const Value& value, Arena& arena, int depth = 0) {
  if (depth > 64) return 1;
  switch (value.kind()) {
    case Kind::string:
    case Kind::bytes:
      return static_cast<std::uint64_t>(static_cast<double>(value.as_text().size()) * kTraversal);
    case Kind::list: {
      const auto values = value.as_list().values;
      if (!arena.take_steps(values.size())) return 0;
      std::uint64_t total = 0;
      for (const Value& item : values) total += traversal(item, arena, depth + 1);
      return total;
    }
    case Kind::map:
      return value.as_map().size();
    default:
      return 1;
  }
}

// For functions that return a list; each element counts `factor`.
std::uint64_t list_call(double factor, std::uint64_t size) {
  return static_cast<std::uint64_t>(static_cast<double>(size) * std::max(factor, 0.0)) + 1 +
         kListCost;
}

std::uint64_t self_comparison(const Value& list) {
  if (!list.is(Kind::list)) return 1;
  const auto values = list.as_list().values;
  const bool is_text = !values.empty() && (values[0].is(Kind::string) || values[0].is(Kind::bytes));
  return list_call(is_text ? 2 + kTraversal : 2, values.size() * values.size());
}

// Rules that hold for any overload; the others apply only if the overload is certain.
bool is_by_name(CostRule rule) {
  switch (rule) {
    case CostRule::aggregate:
    case CostRule::includes:
    case CostRule::scan:
    case CostRule::scan_keep:
    case CostRule::scan_twice:
    case CostRule::replace:
    case CostRule::split:
    case CostRule::join:
    case CostRule::find:
    case CostRule::address_in_net:
    case CostRule::address_text_in_net:
    case CostRule::net_in_net:
    case CostRule::net_text_in_net:
    case CostRule::validate:
    case CostRule::authorize:
      return true;
    default:
      return false;
  }
}

std::uint64_t net_cost(std::span<const Value> args, bool has_text, bool is_net) {
  const auto net = size_of(args[0]);
  std::uint64_t cost = share(2 * net, kTraversal);
  if (is_net) cost += share(net, kTraversal) + 1;
  if (has_text) cost += share(size_of(args[1]), kTraversal);
  return cost;
}

}  // namespace

std::uint64_t actual_cost(std::span<const Overload* const> overloads, std::span<const Value> args,
                          const Value& result, Arena& arena) {
  const CostRule rule = overloads[0]->cost;
  if (overloads.size() > 1 && !is_by_name(rule)) return 1;
  switch (rule) {
    case CostRule::comparison:
      return equality_cost(args[0], args[1], false);
    case CostRule::affix:
      return share(size_of(args[1]), kTraversal);
    case CostRule::scan:
    case CostRule::scan_keep:
    case CostRule::to_bytes:
    case CostRule::to_text:
    case CostRule::quote:
      return share(size_of(args[0]), kTraversal);
    // The reference counts the size of the format only for the former name of this function.
    case CostRule::format:
      return share(size_of(args[0]), kTraversal);
    case CostRule::scan_twice:
    case CostRule::replace:
    case CostRule::split:
      return share(size_of(args[0]), 2 * kTraversal);
    case CostRule::join:
      return share(size_of(result), 2 * kTraversal);
    case CostRule::in_list:
      return size_of(args[1]);
    case CostRule::match:
    case CostRule::find:
      return share(size_of(args[0]) + 1, kTraversal) * share(size_of(args[1]), kPattern);
    case CostRule::contains:
      return share(size_of(args[0]), kTraversal) * share(size_of(args[1]), kTraversal);
    case CostRule::join_text:
      return share(size_of(args[0]) + size_of(args[1]), kTraversal);
    case CostRule::aggregate:
    case CostRule::includes:
      return traversal(args[0], arena);
    case CostRule::slice:
    case CostRule::range:
    case CostRule::copy:
      return list_call(1, size_of(result));
    case CostRule::flatten:
      return list_call(args.size() == 2 && args[1].is(Kind::integer)
                           ? static_cast<double>(args[1].as_integer())
                           : 1,
                       size_of(args[0]));
    case CostRule::distinct:
    case CostRule::sort:
      return self_comparison(args[0]);
    case CostRule::sort_by:
      return self_comparison(args[1]);
    case CostRule::sets:
      return 1 + size_of(args[0]) * size_of(args[1]);
    case CostRule::sets_both_ways:
      return 1 + 2 * size_of(args[0]) * size_of(args[1]);
    case CostRule::address_in_net:
      return net_cost(args, false, false);
    case CostRule::address_text_in_net:
      return net_cost(args, true, false);
    case CostRule::net_in_net:
      return net_cost(args, false, true);
    case CostRule::net_text_in_net:
      return net_cost(args, true, true);
    case CostRule::validate:
      // A named format is as large as its pattern.
      return share(size_of(args[1]) + 1, kTraversal) * share(size_of(args[0]), kPattern);
    case CostRule::authorize:
      return 350'000;
    default:
      return 1;
  }
}

std::uint64_t equality_cost(const Value& a, const Value& b, bool is_equals) {
  if (is_equals && a.is(Kind::object)) return 1;
  return share(std::min(size_of(a), size_of(b)), kTraversal);
}

}  // namespace dcm::cel
