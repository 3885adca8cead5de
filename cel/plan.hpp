// Turns a checked tree into nodes that evaluate themselves.
#pragma once

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
  // If not nullptr, the constant value.
  virtual const Value* constant() const { return nullptr; }
};

struct Plan {
  std::vector<std::unique_ptr<const Node>> nodes;
  const Node* root = nullptr;
  std::size_t slots = 0;   // of loop variables
  std::string error = {};  // of constant calls such as int("x")
};

// The evaluating node of each part of a tree.
using NodesOf = std::map<const Expr*, const Node*>;

// `constants` owns the values computed now. `nodes_of`: filled unless null.
Plan make_plan(const Expr& root, const Library& library, Arena& constants,
               NodesOf* nodes_of = nullptr);

}  // namespace dcm::cel
