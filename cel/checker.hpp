// Finds the type of each node, and which functions calls can mean.
#pragma once

#include <vector>

#include "cel/ast.hpp"
#include "cel/library.hpp"
#include "cel/source.hpp"

namespace dcm::cel {

// Writes types and overloads into the tree; `types` keeps what is made on the way. No issues: it is
// well typed.
std::vector<Issue> check(Ast& ast, const Library& library, TypePool& types);

}  // namespace dcm::cel
