// Syntax trees of expressions, after macros.
#pragma once

#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <vector>

#include "cel/value.hpp"

namespace dcm::cel {

struct Overload;

struct Expr {
  enum class Kind : std::uint8_t { literal, identifier, select, call, list, map, message, fold };

  Kind kind = Kind::literal;
  bool is_member = false;    // call: args[0] is the receiver
  bool is_test = false;      // select: has()
  std::uint32_t offset = 0;  // in code points, where messages point to
  std::uint32_t depth = 1;   // nesting depth, which is bounded
  Value literal = {};
  std::string name = {};  // identifier, field, function, or message type
  // select: operand; call: arguments; list: elements; map: keys and values in turn; message:
  // values; fold: see Fold
  std::vector<Expr*> args = {};
  std::vector<bool> optionals = {};  // list, map, message: which entries have a '?'; empty: none
  // message: names; fold: loop variable, second or "", accumulator
  std::vector<std::string> fields = {};

  // Results of the checker.
  const Type* type = nullptr;
  std::vector<const Overload*> overloads = {};  // call: the overloads that may apply
  const Type* denoted = nullptr;                // identifier or select: the type that it names
};

// A loop: `accumulator = init; for (variable in range) { if (!condition) break; accumulator = step;
// } result`.
enum Fold : std::uint8_t { kRange, kInit, kCondition, kStep, kResult };
enum FoldName : std::uint8_t { kVariable, kSecond, kAccumulator };

// Owns the nodes and the texts of literals.
class Ast {
 public:
  Ast() = default;
  Ast(const Ast&) = delete;
  Ast& operator=(const Ast&) = delete;

  Expr* make(Expr expr) { return &nodes_.emplace_back(std::move(expr)); }
  std::string_view keep(std::string text) { return texts_.emplace_back(std::move(text)); }

  Expr* root = nullptr;

 private:
  std::deque<Expr> nodes_;
  std::deque<std::string> texts_;
};

}  // namespace dcm::cel
