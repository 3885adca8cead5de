// Why an expression is false, or fails: the part that decides, and the values that it met. For
// people, when they ask; evaluation itself keeps no record.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "cel/plan.hpp"
#include "cel/program.hpp"

namespace dcm::cel {

// What a part of the input was: `device.attributes["gpu.example.com"].model` and `"A100"`.
struct Met {
  std::string expression;
  std::string value;  // as in an expression; "not set"; of another error its text
};

struct Reason {
  // The smallest term of && that decides (of || all terms do). Empty: it has no text of its own.
  std::string part = {};
  std::vector<Met> met = {};  // in the part, at most 4
};

class Trace {
 public:
  // The program and its library must outlive it.
  explicit Trace(const Program& program);

  // `frame` as for Program::evaluate(), of an evaluation that was false or an error. Costs at most
  // frame.cost_limit: beyond that, less is said.
  Reason why(Frame& frame) const;

 private:
  const Expr* decisive_part(Frame& frame) const;
  void collect(const Expr& expr, Frame& frame, std::vector<Met>& met) const;
  void note(const Expr& expr, Frame& frame, std::vector<Met>& met) const;
  bool is_input(const Expr& expr) const;
  // nullopt: not of its own, or over the limit.
  std::optional<Value> evaluate(const Expr& expr, Frame& frame) const;

  const Program& program_;
  Arena constants_;
  NodesOf nodes_;
  Plan plan_;
};

}  // namespace dcm::cel
