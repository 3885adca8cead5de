// Turns an expression tree back into text.
#pragma once

#include <optional>
#include <string>

#include "cel/ast.hpp"

namespace dcm::cel {

// Canonical text: double quotes, single blanks, no redundant parentheses. nullopt if it contains a
// loop, whose macro is no longer in the tree, or a message.
std::optional<std::string> unparse(const Expr& expr);

// A value as it is written in an expression: "A100", 3, ["a", "b"]. Library objects have their own
// text: 40Gi, 1.2.3. At most about 100 characters.
std::string literal_text(const Value& value, Arena& arena);

}  // namespace dcm::cel
