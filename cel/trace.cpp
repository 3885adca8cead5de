#include "cel/trace.hpp"

#include <algorithm>

#include "cel/names.hpp"
#include "cel/unparse.hpp"

namespace dcm::cel {
namespace {

constexpr std::size_t kMetMax = 4;
constexpr const char* kNotSet = "not set";

bool is_step(const Expr& expr) {
  if (expr.kind == Expr::Kind::select) return true;
  return expr.kind == Expr::Kind::call &&
         (expr.name == op::kIndex || expr.name == op::kOptionalIndex ||
          expr.name == op::kOptionalSelect);
}

bool is_call_of(const Expr& expr, std::string_view function) {
  return expr.kind == Expr::Kind::call && expr.name == function;
}

std::string text_of(const Value& value, Arena& arena) {
  if (value.is(Kind::optional) && value.as_optional() == nullptr) return kNotSet;
  if (!value.is_error()) return literal_text(value, arena);
  return value.as_text().starts_with("no such key") ? kNotSet : std::string(value.as_text());
}

}  // namespace

Trace::Trace(const Program& program)
    : program_(program), plan_(make_plan(program.root(), program.library(), constants_, &nodes_)) {}

Reason Trace::why(Frame& frame) const {
  std::vector<Value> slots(plan_.slots);
  frame.slots = slots.data();
  const Expr* const part = decisive_part(frame);
  Reason reason{.part = unparse(*part).value_or("")};
  Visited visited;
  collect(*part, frame, visited, reason.met);
  return reason;
}

const Expr* Trace::decisive_part(Frame& frame) const {
  const Expr* part = &program_.root();
  while (is_call_of(*part, op::kAnd) || is_call_of(*part, op::kOr)) {
    const auto whole = evaluate(*part, frame);
    if (!whole || whole->is_true()) return part;
    // A false || has only false terms: all of them decide.
    if (whole->is_false() && part->name == op::kOr) return part;
    const auto term = std::ranges::find_if(part->args, [&](const Expr* each) {
      const auto value = evaluate(*each, frame);
      return value && (whole->is_false() ? value->is_false() : !value->is(Kind::boolean));
    });
    if (term == part->args.end()) return part;
    part = *term;
  }
  return part;
}

void Trace::collect(const Expr& expr, Frame& frame, Visited& visited, std::vector<Met>& met) const {
  // Macros insert a node in two places: a chain of them has 2^n paths to its first one.
  if (!visited.insert(&expr).second) return;
  if (is_step(expr) && is_input(expr)) return note(expr, frame, met);
  for (const Expr* const arg : expr.args) collect(*arg, frame, visited, met);
}

// Whether it is a path into a variable of the library rather than of a loop.
bool Trace::is_input(const Expr& expr) const {
  const Expr* root = &expr;
  while (is_step(*root)) root = root->args[0];
  return root->kind == Expr::Kind::identifier &&
         program_.library().find_variable(root->name) != nullptr;
}

void Trace::note(const Expr& expr, Frame& frame, std::vector<Met>& met) const {
  const auto value = met.size() < kMetMax ? evaluate(expr, frame) : std::nullopt;
  const auto text = unparse(expr);
  if (!value || !text) return;
  const bool is_presence = expr.kind == Expr::Kind::select && expr.is_test;
  Met found{is_presence ? text->substr(4, text->size() - 5) : *text,  // except in has()
            !is_presence       ? text_of(*value, frame.arena)
            : value->is_true() ? "set"
                               : kNotSet};
  // The value of a set field is more informative.
  const auto known = std::ranges::find(met, found.expression, &Met::expression);
  if (known == met.end()) {
    met.push_back(std::move(found));
  } else if (known->value == "set") {
    *known = std::move(found);
  }
}

std::optional<Value> Trace::evaluate(const Expr& expr, Frame& frame) const {
  const auto node = nodes_.find(&expr);
  if (node == nodes_.end() || frame.is_stopped()) return std::nullopt;
  const Value value = node->second->evaluate(frame);
  return frame.is_stopped() ? std::nullopt : std::optional(value);
}

}  // namespace dcm::cel
