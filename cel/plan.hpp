// Turns a checked tree into nodes that evaluate themselves.
#pragma once

#include <deque>
#include <expected>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "cel/ast.hpp"
#include "cel/library.hpp"

namespace dcm::cel {

class Node {
 public:
  virtual ~Node() = default;
  virtual Value evaluate(Frame& frame) const = 0;
  // Not nullptr: it is this value, always.
  virtual const Value* constant() const { return nullptr; }
};

struct Plan {
  std::vector<std::unique_ptr<const Node>> nodes;
  const Node* root = nullptr;
  std::size_t slots = 0;   // of loop variables
  std::string error = {};  // of what can be evaluated at once: int("x")
};

// Of each part of a tree a node that evaluates it, for those who look at parts.
using NodesOf = std::map<const Expr*, const Node*>;

// `constants` keeps what is evaluated now. `nodes_of`: filled, unless it is null.
Plan make_plan(const Expr& root, const Library& library, Arena& constants,
               NodesOf* nodes_of = nullptr);

}  // namespace dcm::cel
