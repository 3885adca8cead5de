// Parses an expression into a tree with macros expanded.
#pragma once

#include <memory>
#include <string_view>
#include <vector>

#include "cel/ast.hpp"
#include "cel/library.hpp"
#include "cel/source.hpp"

namespace dcm::cel {

// Limit of nesting, and of the links in a chain such as a.b.c or 1 + 2 + 3. Recursion over a tree
// goes no deeper.
inline constexpr std::uint32_t kDepthMax = 250;

struct Parsed {
  std::unique_ptr<Ast> ast;
  std::vector<Issue> issues;  // empty: the tree is complete
};

// Whether CEL reserves the word, so that it cannot name a variable.
bool is_reserved(std::string_view word);

Parsed parse(std::string_view source, Bindings bindings = Bindings::present);

}  // namespace dcm::cel
