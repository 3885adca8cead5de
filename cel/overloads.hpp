// Behaviour of calls whose arguments fit no overload, or are errors.
#pragma once

#include <span>
#include <string_view>

#include "cel/value.hpp"

namespace dcm::cel {

// Operators and a few functions evaluate both arguments before they check for errors; other
// functions with several overloads stop at the first one. This affects costs.
bool is_named(std::string_view function);

// The error, as the reference words it.
Value no_overload(std::string_view function, std::span<const Value> args, Arena& arena);

}  // namespace dcm::cel
