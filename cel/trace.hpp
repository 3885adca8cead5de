// Why an expression is false, or fails: the part that decides, and the values that it saw. For
// explanations on request; evaluation itself records nothing.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "cel/plan.hpp"
#include "cel/program.hpp"

namespace dcm::cel {

// The value of a part of the input: `device.attributes["gpu.example.com"].model` and `"A100"`.
struct Met {
  std::string expression;
  std::string value;  // as written in an expression, "not set", or the text of another error
};

struct Reason {
  // The smallest deciding term of && (of ||, all terms decide). Empty if it cannot be shown by
  // itself.
  std::string part = {};
  std::vector<Met> met = {};  // in the part, at most 4
};

class Trace {
 public:
  // The program and its library must outlive it.
  explicit Trace(const Program& program);

  // `frame` as for Program::evaluate(), of an evaluation that was false or an error. Costs at most
  // frame.cost_limit; beyond that, less is reported.
  Reason why(Frame& frame) const;

 private:
  using Visited = std::set<const Expr*>;

  const Expr* decisive_part(Frame& frame) const;
  void collect(const Expr& expr, Frame& frame, Visited& visited, std::vector<Met>& met) const;
  void note(const Expr& expr, Frame& frame, std::vector<Met>& met) const;
  bool is_input(const Expr& expr) const;
  // nullopt if the expression has no node of its own, or if the limit is exceeded.
  std::optional<Value> evaluate(const Expr& expr, Frame& frame) const;

  const Program& program_;
  Arena constants_;
  NodesOf nodes_;
  Plan plan_;
};

}  // namespace dcm::cel
