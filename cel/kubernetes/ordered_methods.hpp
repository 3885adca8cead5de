// isGreaterThan, isLessThan and compareTo, which Kubernetes' ordered types have in common.
#pragma once

#include <span>

#include "cel/kubernetes/libraries.hpp"

namespace dcm::cel {

// `kOf` reads the ordered C++ value from a CEL value of its type.
template <auto kOf>
struct OrderedMethods {
  static auto order(std::span<const Value> args) { return kOf(args[0]) <=> kOf(args[1]); }

  static Value is_greater(std::span<const Value> args, Frame&) {
    return Value::boolean(order(args) > 0);
  }
  static Value is_less(std::span<const Value> args, Frame&) {
    return Value::boolean(order(args) < 0);
  }
  static Value compare_to(std::span<const Value> args, Frame&) {
    const auto result = order(args);
    return Value::integer(result < 0 ? -1 : result > 0 ? 1 : 0);
  }
};

}  // namespace dcm::cel
