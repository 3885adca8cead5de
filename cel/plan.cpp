#include "cel/plan.hpp"

#include <algorithm>
#include <map>

#include "cel/names.hpp"
#include "cel/node_makers.hpp"
#include "cel/node_operators.hpp"
#include "cel/node_variables.hpp"
#include "cel/overloads.hpp"

namespace dcm::cel {
namespace {

using namespace nodes;

bool is_fully_known(const Type& type) {
  if (type.is_dynamic() || type.kind() == Type::Kind::parameter ||
      type.kind() == Type::Kind::error || type.kind() == Type::Kind::null ||
      type.kind() == Type::Kind::wrapper)
    return false;
  return std::ranges::all_of(type.parameters(),
                             [](const Type* parameter) { return is_fully_known(*parameter); });
}

bool is_conversion(std::string_view function) {
  constexpr std::string_view kConversions[] = {"bool", "bytes",  "double",    "duration", "dyn",
                                               "int",  "string", "timestamp", "type",     "uint"};
  return std::ranges::find(kConversions, function) != std::end(kConversions);
}

// Plans each node once for each of its two ways to be charged.
class Planner {
 public:
  Planner(const Library& library, Arena& constants) : library_(library), constants_(constants) {}

  Plan run(const Expr& root, NodesOf* nodes_of) {
    plan_.root = plan(root);
    if (nodes_of != nullptr) {
      for (const auto& [key, node] : known_) nodes_of->emplace(key.first, node);
    }
    return std::move(plan_);
  }

 private:
  struct Scope {
    std::string_view name;
    std::size_t slot;
    const Node* init;  // of an accumulator
  };

  template <typename T, typename... Arguments>
  const Node* make(Arguments&&... arguments) {
    plan_.nodes.push_back(std::make_unique<const T>(std::forward<Arguments>(arguments)...));
    return plan_.nodes.back().get();
  }

  // `charges_base`: whether the variable at the root of a.b.c costs a unit. It does not as a branch
  // of ?: or in has().
  const Node* plan(const Expr& expr, bool charges_base = true) {
    const std::pair key(&expr, charges_base);
    // Only nodes that macros have inserted twice are found here, always within the same loops.
    if (const auto known = known_.find(key); known != known_.end()) return known->second;
    const Node* const node = plan_uncached(expr, charges_base);
    known_.emplace(key, node);
    return node;
  }

  const Node* plan_uncached(const Expr& expr, bool charges_base) {
    switch (expr.kind) {
      case Expr::Kind::literal:
        return make<Constant>(expr.literal);
      case Expr::Kind::identifier:
        return identifier(expr, charges_base);
      case Expr::Kind::select:
        return select(expr, charges_base);
      case Expr::Kind::call:
        return call(expr, charges_base);
      case Expr::Kind::list:
        return list(expr);
      case Expr::Kind::map:
        return map(expr);
      case Expr::Kind::message:
        return message(expr);
      case Expr::Kind::fold:
        return fold(expr);
    }
    return nullptr;
  }

  Nodes plan_all(const std::vector<Expr*>& exprs) {
    Nodes nodes;
    for (const Expr* expr : exprs) nodes.push_back(plan(*expr));
    return nodes;
  }

  const Node* identifier(const Expr& expr, bool charges_base) {
    const std::uint64_t cost = charges_base ? 1 : 0;
    if (expr.denoted != nullptr) return make<Constant>(Value::type(expr.denoted));
    const auto scope = std::find_if(scopes_.rbegin(), scopes_.rend(),
                                    [&](const Scope& s) { return s.name == expr.name; });
    if (scope != scopes_.rend()) return make<Local>(scope->slot, scope->init, cost);
    return make<Variable>(library_.find_variable(expr.name)->index, cost);
  }

  // Expressions that take qualifiers without a unit of their own: a.b, a[b], c ? a : b.
  static bool is_attribute(const Expr& expr) {
    switch (expr.kind) {
      case Expr::Kind::identifier:
      case Expr::Kind::select:
        return expr.denoted == nullptr;
      case Expr::Kind::call:
        return expr.name == op::kIndex || expr.name == op::kOptionalIndex ||
               expr.name == op::kOptionalSelect || expr.name == op::kConditional;
      default:
        return false;
    }
  }

  // Whether an optional value of it propagates through the rest of a chain: after a.?b, or when the
  // chain begins with one. An optional found in a map or list on the way is an ordinary value.
  static bool can_be_chained(const Expr& expr) {
    if (expr.kind == Expr::Kind::call &&
        (expr.name == op::kOptionalIndex || expr.name == op::kOptionalSelect))
      return true;
    const bool is_step = expr.kind == Expr::Kind::select ||
                         (expr.kind == Expr::Kind::call && expr.name == op::kIndex);
    return is_step && expr.denoted == nullptr
               ? can_be_chained(*expr.args[0])
               : expr.type->kind() == Type::Kind::optional || expr.type->is_dynamic();
  }

  const Node* select(const Expr& expr, bool charges_base) {
    if (expr.denoted != nullptr) return make<Constant>(Value::type(expr.denoted));
    const Value key = Value::string(expr.name);
    if (expr.is_test)
      return make<Has>(plan(*expr.args[0], false), can_be_chained(*expr.args[0]), key);
    return qualify(*expr.args[0], make<Constant>(key), false, charges_base);
  }

  const Node* qualify(const Expr& operand, const Node* key, bool is_optional, bool charges_base) {
    const bool is_first = !is_attribute(operand);
    return make<Select>(plan(operand, charges_base), can_be_chained(operand), key, is_optional,
                        is_first && charges_base ? 1U : 0U);
  }

  const Node* index(const Expr& expr, bool charges_base) {
    const Expr& key = *expr.args[1];
    const Node* const key_node = plan(key, !is_attribute(key));
    if (const Value* const constant = key_node->constant();
        constant != nullptr && !is_key(*constant) && plan_.error.empty())
      plan_.error = "invalid qualifier type: " + std::string(implementation_name(*constant));
    return qualify(*expr.args[0], key_node, expr.name == op::kOptionalIndex, charges_base);
  }

  const Node* call(const Expr& expr, bool charges_base) {
    const std::string_view name = expr.name;
    if (name == op::kIndex || name == op::kOptionalIndex) return index(expr, charges_base);
    if (name == op::kOptionalSelect)
      return qualify(*expr.args[0], plan(*expr.args[1]), true, charges_base);
    if (name == op::kConditional)
      return make<Conditional>(plan(*expr.args[0]), plan(*expr.args[1], false),
                               plan(*expr.args[2], false));
    Nodes args = plan_all(expr.args);
    if (name == op::kAnd || name == op::kOr) return make<Logic>(std::move(args), name == op::kOr);
    if (name == op::kEquals || name == op::kNotEquals)
      return make<Equality>(args[0], args[1], name == op::kEquals);
    if (name == op::kNotStrictlyFalse) return make<NotStrictlyFalse>(args[0]);
    if (expr.is_member && (name == "or" || name == "orValue"))
      return make<Otherwise>(args[0], args[1], name == "orValue");
    if (name == op::kIn)
      if (const Node* const membership = constant_set(expr, args)) return membership;
    if (name == "matches" || name == "find" || name == "findAll")
      if (const Node* const pattern = pattern_call(expr, args)) return pattern;
    const bool is_constant =
        args.size() == 1 && args[0]->constant() != nullptr && is_conversion(name);
    const bool is_known =
        expr.overloads.size() == 1 &&
        std::ranges::all_of(expr.args, [](const Expr* arg) { return is_fully_known(*arg->type); });
    const Node* const node = make<Call>(std::move(args), expr.overloads, is_known);
    return is_constant ? fold_now(node) : node;
  }

  // Evaluates constant expressions.
  const Node* fold_now(const Node* node) {
    Frame frame{constants_};
    const Value value = node->evaluate(frame);
    if (value.is_error() && plan_.error.empty()) plan_.error = value.as_text();
    return make<Constant>(value);
  }

  const Node* constant_set(const Expr& expr, const Nodes& args) {
    const Value* const list = args[1]->constant();
    if (list == nullptr || !list->is(Kind::list) || expr.overloads.size() != 1) return nullptr;
    const auto values = list->as_list().values;
    if (values.empty()) return make<Constant>(Value::boolean(false));
    std::vector<Map::Entry> entries;
    for (const Value& value : values) {
      if (!is_key(value)) return nullptr;
      entries.push_back({value, Value::boolean(true)});
    }
    return make<Membership>(args[0], &make_map(entries, constants_).as_map());
  }

  const Node* pattern_call(const Expr& expr, const Nodes& args) {
    const Value* const pattern = args.size() > 1 ? args[1]->constant() : nullptr;
    if (pattern == nullptr || !pattern->is(Kind::string)) return nullptr;
    if (!plan_.error.empty()) return nullptr;
    auto regex = Regex::compile(pattern->as_text(), constants_);
    if (!regex) {
      plan_.error = regex.error();
      return nullptr;
    }
    if (constants_.is_exhausted()) plan_.error = "the patterns are too large";
    return make<PatternCall>(args, expr.overloads, expr.overloads[0]->function, *std::move(regex));
  }

  static std::vector<bool> optionals_of(const Expr& expr, std::size_t size) {
    return expr.optionals.empty() ? std::vector<bool>(size, false) : expr.optionals;
  }

  static bool are_constant(const Nodes& nodes) {
    return std::ranges::all_of(nodes, [](const Node* node) { return node->constant() != nullptr; });
  }

  const Node* list(const Expr& expr) {
    Nodes elements = plan_all(expr.args);
    const bool is_constant = are_constant(elements);
    const Node* const node =
        make<MakeList>(std::move(elements), optionals_of(expr, expr.args.size()));
    return is_constant ? constant_or(node) : node;
  }

  const Node* map(const Expr& expr) {
    Nodes parts = plan_all(expr.args);
    const bool is_constant = are_constant(parts);
    const Node* const node =
        make<MakeMap>(std::move(parts), optionals_of(expr, expr.args.size() / 2));
    return is_constant ? constant_or(node) : node;
  }

  // A constant literal that is an error stays one at run time.
  const Node* constant_or(const Node* node) {
    Frame frame{constants_};
    return make<Constant>(node->evaluate(frame));
  }

  const Node* message(const Expr& expr) {
    return make<MakeMessage>(find_message(expr.name),
                             std::vector<std::string_view>(expr.fields.begin(), expr.fields.end()),
                             plan_all(expr.args), expr.optionals);
  }

  const Node* fold(const Expr& expr) {
    const bool has_second = !expr.fields[kSecond].empty();
    const Node* const init = plan(*expr.args[kInit]);
    const Node* const range = plan(*expr.args[kRange]);
    const std::size_t slot = plan_.slots;
    plan_.slots += 4;
    const auto outer = scopes_.size();
    scopes_.push_back({expr.fields[kAccumulator], slot, init});
    scopes_.push_back({expr.fields[kVariable], slot + 2, nullptr});
    if (has_second) scopes_.push_back({expr.fields[kSecond], slot + 3, nullptr});
    const Node* const condition = plan(*expr.args[kCondition]);
    const Node* const step = plan(*expr.args[kStep]);
    scopes_.resize(outer + 1);
    const Node* const result = plan(*expr.args[kResult]);
    scopes_.resize(outer);
    return make<FoldNode>(Nodes{range, init, condition, step, result}, slot, has_second);
  }

  const Library& library_;
  Arena& constants_;
  Plan plan_;
  std::vector<Scope> scopes_;
  std::map<std::pair<const Expr*, bool>, const Node*> known_;
};

}  // namespace

Plan make_plan(const Expr& root, const Library& library, Arena& constants, NodesOf* nodes_of) {
  return Planner(library, constants).run(root, nodes_of);
}

}  // namespace dcm::cel
