// Rejects well-typed expressions with unreadable literals or lists of mixed elements.
#pragma once

#include <vector>

#include "cel/ast.hpp"
#include "cel/source.hpp"

namespace dcm::cel {

std::vector<Issue> validate(const Expr& root);

}  // namespace dcm::cel
