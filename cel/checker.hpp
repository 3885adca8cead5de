// Finds the type of each node, and the overloads that calls may use.
#pragma once

#include <vector>

#include "cel/ast.hpp"
#include "cel/library.hpp"
#include "cel/source.hpp"

namespace dcm::cel {

// Writes types and overloads into the tree; `types` keeps the new ones. It is well typed if there
// are no issues.
std::vector<Issue> check(Ast& ast, const Library& library, TypePool& types);

}  // namespace dcm::cel
