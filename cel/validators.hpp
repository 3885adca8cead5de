// What is well typed, and still refused: literals that cannot be read, lists of unlike elements.
#pragma once

#include <vector>

#include "cel/ast.hpp"
#include "cel/source.hpp"

namespace dcm::cel {

std::vector<Issue> validate(const Expr& root);

}  // namespace dcm::cel
