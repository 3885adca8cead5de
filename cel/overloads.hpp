// What calls do whose arguments fit no overload, or are errors.
#pragma once

#include <span>
#include <string_view>

#include "cel/value.hpp"

namespace dcm::cel {

// Operators and a few functions evaluate both arguments before they look at errors; other functions
// of several overloads stop at the first. It shows in costs.
bool is_named(std::string_view function);

// The error, in the words of the reference.
Value no_overload(std::string_view function, std::span<const Value> args, Arena& arena);

}  // namespace dcm::cel
