// "%s has %d".format([name, count])
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cel/ast.hpp"

namespace dcm::cel {

// Returns an error as a value.
Value format(std::string_view text, const List& args, Arena& arena);

// What is wrong with a constant format and a list of arguments with known types.
struct FormatFault {
  std::string text;
  const Expr* argument;  // null: the call itself
};
std::optional<FormatFault> check_format_call(std::string_view text, const std::vector<Expr*>& args);

}  // namespace dcm::cel
