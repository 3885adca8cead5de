// What expressions cost: at run time, and at most, before they run. One unit is the cost of reading
// ten code points.
#pragma once

#include <cstdint>
#include <span>

#include "cel/ast.hpp"
#include "cel/library.hpp"

namespace dcm::cel {

inline constexpr std::uint64_t kUnboundedCost = ~std::uint64_t{0};
inline constexpr std::uint64_t kListCost = 10, kMapCost = 30, kMessageCost = 40;
// The cost of a code point that a function reads, and of one in a pattern.
inline constexpr double kTraversal = 0.1, kPattern = 0.25;

// The cost of a call, in addition to its arguments. `overloads`: those left by the checker. Takes
// steps of `arena` to walk through lists.
std::uint64_t actual_cost(std::span<const Overload* const> overloads, std::span<const Value> args,
                          const Value& result, Arena& arena);
// The cost of == and !=.
std::uint64_t equality_cost(const Value& a, const Value& b, bool is_equals);

// The greatest possible cost of a checked expression; 2^64-1: unbounded.
std::uint64_t estimate_cost(const Expr& root, const Library& library);

}  // namespace dcm::cel
