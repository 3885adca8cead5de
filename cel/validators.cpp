#include "cel/validators.hpp"

#include <set>

#include "cel/format.hpp"
#include "cel/regex.hpp"
#include "cel/time.hpp"
#include "cel/types.hpp"

namespace dcm::cel {
namespace {

class Validator {
 public:
  std::vector<Issue> run(const Expr& root) {
    visit(root, false);
    return std::move(issues_);
  }

 private:
  void report(const Expr& at, std::string message) {
    issues_.push_back({at.offset, std::move(message)});
  }

  void visit(const Expr& expr, bool is_formatted) {
    if (!seen_.insert(&expr).second) return;
    if (expr.kind == Expr::Kind::call) {
      check_literal(expr);
      check_format(expr);
      is_formatted = is_formatted || expr.name == "format";
    }
    if (expr.kind == Expr::Kind::list && !is_formatted) check_alike(expr, 1, 0);
    if (expr.kind == Expr::Kind::map && !is_formatted) {
      check_alike(expr, 2, 0);
      check_alike(expr, 2, 1);
    }
    for (const Expr* arg : expr.args) visit(*arg, is_formatted);
  }

  void check_literal(const Expr& call) {
    const std::size_t first = call.is_member ? 1 : 0;
    if (call.args.size() <= first || call.args[first]->kind != Expr::Kind::literal) return;
    const Value& literal = call.args[first]->literal;
    const auto is_wrong = [&] {
      if (literal.is(Kind::integer))
        return call.name == "timestamp" && !is_timestamp(literal.as_integer());
      if (!literal.is(Kind::string)) return false;
      const auto text = literal.as_text();
      return (call.name == "duration" && !parse_duration(text)) ||
             (call.name == "timestamp" && !parse_timestamp(text)) ||
             (call.name == "matches" && !patterns_.is_exhausted() &&
              !Regex::compile(text, patterns_));
    };
    if (is_wrong()) report(*call.args[first], "invalid " + call.name + " argument");
  }

  void check_format(const Expr& call) {
    if (call.name != "format" || !call.is_member || call.args.size() != 2) return;
    const Expr& text = *call.args[0];
    if (text.kind != Expr::Kind::literal || !text.literal.is(Kind::string) ||
        call.args[1]->kind != Expr::Kind::list)
      return;
    if (auto fault = check_format_call(text.literal.as_text(), call.args[1]->args))
      report(fault->argument == nullptr ? call : *fault->argument, std::move(fault->text));
  }

  // Each `step`th entry from `start` has the type of the first.
  void check_alike(const Expr& expr, std::size_t step, std::size_t start) {
    const Type* first = nullptr;
    for (std::size_t i = start; i < expr.args.size(); i += step) {
      const Type* type = expr.args[i]->type;
      const bool is_value = step == 1 || start == 1;
      if (is_value && !expr.optionals.empty() && expr.optionals[i / step] &&
          type->kind() == Type::Kind::optional)
        type = &type->parameter(0);
      if (first == nullptr) first = type;
      if (type->is_same(*first)) continue;
      report(*expr.args[i],
             "expected type '" + first->text() + "' but found '" + type->text() + "'");
      if (step == 1) return;  // one element of a list suffices
    }
  }

  Arena patterns_;  // takes the steps of their compilation
  std::set<const Expr*> seen_;
  std::vector<Issue> issues_;
};

}  // namespace

std::vector<Issue> validate(const Expr& root) {
  return Validator().run(root);
}

}  // namespace dcm::cel
