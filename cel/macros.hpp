// Macros: calls that become other expressions while they are parsed.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "cel/ast.hpp"

namespace dcm::cel {

struct MacroResult {
  Expr* expr = nullptr;  // nullptr without an error: not a macro
  std::string error = {};
  std::uint32_t offset = 0;  // of the error
};

// `target` is nullptr for a call without receiver.
MacroResult expand_macro(Ast& ast, std::uint32_t offset, std::string_view function, Expr* target,
                         const std::vector<Expr*>& args);

}  // namespace dcm::cel
