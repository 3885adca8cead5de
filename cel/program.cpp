#include "cel/program.hpp"

#include "cel/checker.hpp"
#include "cel/cost.hpp"
#include "cel/parser.hpp"
#include "cel/plan.hpp"
#include "cel/validators.hpp"

namespace dcm::cel {

struct Program::Parts {
  std::unique_ptr<Ast> ast;  // owns the strings of constants
  const Library* library = nullptr;
  TypePool types;
  Arena constants;
  Plan plan;
  const Type* type = nullptr;
  std::uint64_t max_cost = kUnboundedCost;
};

Program::Program(std::unique_ptr<Parts> parts) : parts_(std::move(parts)) {}
Program::~Program() = default;

std::expected<std::unique_ptr<const Program>, std::string> Program::compile(
    std::string_view source, const Library& library, const CheckType& check_type) {
  auto parsed = parse(source, library.bindings());
  auto issues = std::move(parsed.issues);
  auto parts = std::make_unique<Parts>();
  parts->ast = std::move(parsed.ast);
  parts->library = &library;
  if (issues.empty()) issues = check(*parts->ast, library, parts->types);
  if (issues.empty()) issues = validate(*parts->ast->root);
  if (!issues.empty())
    return std::unexpected("compilation failed: " + describe_issues(source, std::move(issues)));
  const Expr& root = *parts->ast->root;
  parts->type = root.type;
  if (check_type)
    if (auto fault = check_type(*root.type)) return std::unexpected(*std::move(fault));
  parts->plan = make_plan(root, library, parts->constants);
  if (!parts->plan.error.empty())
    return std::unexpected("program instantiation failed: " + parts->plan.error);
  parts->max_cost = estimate_cost(root, library);
  return std::unique_ptr<const Program>(new Program(std::move(parts)));
}

Value Program::evaluate(Frame& frame) const {
  constexpr std::size_t kInline = 32;
  Value slots[kInline];
  frame.slots =
      parts_->plan.slots <= kInline ? slots : frame.arena.array<Value>(parts_->plan.slots);
  if (frame.slots != slots) std::fill_n(frame.slots, parts_->plan.slots, Value());
  const Value result = parts_->plan.root->evaluate(frame);
  if (!frame.fatal.empty()) {
    frame.cost = frame.fatal_cost;
    return Value::error(frame.fatal);
  }
  if (frame.cost > frame.cost_limit)
    return Value::error("operation cancelled: actual cost limit exceeded");
  if (frame.arena.is_exhausted()) return Value::error("operation cancelled: memory limit exceeded");
  return result;
}

const Type& Program::type() const {
  return *parts_->type;
}
std::uint64_t Program::max_cost() const {
  return parts_->max_cost;
}
const Expr& Program::root() const {
  return *parts_->ast->root;
}
const Library& Program::library() const {
  return *parts_->library;
}

}  // namespace dcm::cel
