#include "cel/plan.hpp"

#include <algorithm>
#include <map>

#include "cel/cost.hpp"
#include "cel/messages.hpp"
#include "cel/names.hpp"
#include "cel/overloads.hpp"
#include "cel/regex.hpp"
#include "cel/select.hpp"

namespace dcm::cel {
namespace {

using Nodes = std::vector<const Node*>;

Value no_such_overload(const Value& value) {
  return value.is_error() ? value : Value::error(kNoSuchOverload);
}

class Constant final : public Node {
 public:
  explicit Constant(Value value) : value_(value) {}
  Value evaluate(Frame&) const override { return value_; }
  const Value* constant() const override { return &value_; }

 private:
  Value value_;
};

class Variable final : public Node {
 public:
  Variable(std::size_t index, std::uint64_t cost) : index_(index), cost_(cost) {}
  Value evaluate(Frame& frame) const override {
    frame.cost += cost_;
    return frame.variables[index_];
  }

 private:
  std::size_t index_;
  std::uint64_t cost_;
};

// A variable of a loop. The accumulator's first value is computed when it is first asked for.
class Local final : public Node {
 public:
  Local(std::size_t slot, const Node* init, std::uint64_t cost)
      : slot_(slot), init_(init), cost_(cost) {}
  Value evaluate(Frame& frame) const override {
    frame.cost += cost_;
    if (init_ != nullptr && !frame.slots[slot_ + 1].is_true()) {
      frame.slots[slot_ + 1] = Value::boolean(true);
      frame.slots[slot_] = init_->evaluate(frame);
    }
    return frame.slots[slot_];
  }

 private:
  std::size_t slot_;
  const Node* init_;
  std::uint64_t cost_;
};

// a.b, a[b], a.?b, a[?b]
class Select final : public Node {
 public:
  Select(const Node* operand, bool unwraps, const Node* key, bool is_optional,
         std::uint64_t base_cost)
      : operand_(operand),
        unwraps_(unwraps),
        key_(key),
        constant_(key->constant()),
        is_optional_(is_optional),
        base_cost_(base_cost) {}

  Value evaluate(Frame& frame) const override {
    Value operand = operand_->evaluate(frame);
    frame.cost += base_cost_;
    if (operand.is_error()) return operand;
    bool is_optional = is_optional_;
    if (unwraps_ && operand.is(Kind::optional)) {
      if (operand.as_optional() == nullptr) return operand;
      operand = *operand.as_optional();
      is_optional = true;
    }
    const Value key = constant_ != nullptr ? *constant_ : key_->evaluate(frame);
    const auto found = key.is_error() ? key : look_up(operand, key, frame.arena);
    if (is_optional) {
      if (!found) return Value::none();
      if (found->is_error()) return *found;  // a failed look-up has no cost
      ++frame.cost;
      return Value::optional(*found, frame.arena);
    }
    ++frame.cost;
    return found ? *found : missing(operand, key, frame.arena);
  }

 private:
  const Node* operand_;
  bool unwraps_;
  const Node* key_;
  const Value* constant_;
  bool is_optional_;
  std::uint64_t base_cost_;
};

// has(a.b)
class Has final : public Node {
 public:
  Has(const Node* operand, bool unwraps, Value key)
      : operand_(operand), unwraps_(unwraps), key_(key) {}

  Value evaluate(Frame& frame) const override {
    Value operand = operand_->evaluate(frame);
    if (operand.is_error()) return operand;
    const bool is_optional = unwraps_ && operand.is(Kind::optional);
    if (is_optional) {
      if (operand.as_optional() == nullptr) return Value::boolean(false);
      operand = *operand.as_optional();
    }
    const auto found = look_up(operand, key_, frame.arena);
    frame.cost += is_optional && !found ? 0 : 1;
    return found && found->is_error() ? *found : Value::boolean(found.has_value());
  }

 private:
  const Node* operand_;
  bool unwraps_;
  Value key_;
};

// && and ||: `decisive` on any side wins over errors on the others.
class Logic final : public Node {
 public:
  Logic(Nodes terms, bool decisive) : terms_(std::move(terms)), decisive_(decisive) {}

  Value evaluate(Frame& frame) const override {
    Value error;
    for (const Node* term : terms_) {
      const Value value = term->evaluate(frame);
      if (value.is(Kind::boolean)) {
        if (value.as_boolean() == decisive_) return value;
      } else if (!error.is_error()) {
        error = no_such_overload(value);
      }
    }
    return error.is_error() ? error : Value::boolean(!decisive_);
  }

 private:
  Nodes terms_;
  bool decisive_;
};

class Conditional final : public Node {
 public:
  Conditional(const Node* condition, const Node* yes, const Node* no)
      : condition_(condition), yes_(yes), no_(no) {}

  Value evaluate(Frame& frame) const override {
    const Value condition = condition_->evaluate(frame);
    if (!condition.is(Kind::boolean)) return no_such_overload(condition);
    if (frame.is_stopped()) return Value();
    return (condition.as_boolean() ? yes_ : no_)->evaluate(frame);
  }

 private:
  const Node* condition_;
  const Node* yes_;
  const Node* no_;
};

class Equality final : public Node {
 public:
  Equality(const Node* left, const Node* right, bool wanted)
      : left_(left), right_(right), wanted_(wanted) {}

  Value evaluate(Frame& frame) const override {
    const Value left = left_->evaluate(frame), right = right_->evaluate(frame);
    frame.cost += equality_cost(left, right, wanted_);
    const Value result = equal(left, right, frame.arena);
    // An error of the comparison itself makes != true; one of a side stays an error.
    if (wanted_ || left.is_error() || right.is_error()) return result;
    return Value::boolean(!result.is_true());
  }

 private:
  const Node* left_;
  const Node* right_;
  bool wanted_;
};

// x in [constants], which costs nothing.
class Membership final : public Node {
 public:
  Membership(const Node* value, const Map* set) : value_(value), set_(set) {}

  Value evaluate(Frame& frame) const override {
    const Value value = value_->evaluate(frame);
    if (value.is_error()) return value;
    if (value.is(Kind::bytes) || (value.is(Kind::object) && !value.as_object().of->is_hashable)) {
      frame.fail(make_error(frame.arena, "internal error: runtime error: hash of unhashable type ",
                            implementation_name(value))
                     .as_text());
      return Value();
    }
    return Value::boolean(set_->find(value, frame.arena).has_value());
  }

 private:
  const Node* value_;
  const Map* set_;
};

// optional.or(), optional.orValue(): the right side is evaluated only if it is needed.
class Otherwise final : public Node {
 public:
  Otherwise(const Node* left, const Node* right, bool unwraps)
      : left_(left), right_(right), unwraps_(unwraps) {}

  Value evaluate(Frame& frame) const override {
    const Value left = left_->evaluate(frame);
    if (!left.is(Kind::optional)) return no_such_overload(left);
    if (left.as_optional() == nullptr) return right_->evaluate(frame);
    return unwraps_ ? *left.as_optional() : left;
  }

 private:
  const Node* left_;
  const Node* right_;
  bool unwraps_;
};

constexpr std::size_t kArgumentsMax = 4;

// The reference cannot count what such a call with an error costs, and gives up.
bool needs_list(CostRule rule) {
  return rule == CostRule::distinct || rule == CostRule::sort || rule == CostRule::sort_by;
}

class Call : public Node {
 public:
  Call(Nodes args, std::vector<const Overload*> overloads, bool is_known)
      : args_(std::move(args)),
        overloads_(std::move(overloads)),
        is_known_(is_known),
        stops_at_errors_(args_.size() > 2 ||
                         (overloads_.size() > 1 && is_named(overloads_[0]->function))) {}

  Value evaluate(Frame& frame) const override {
    Value values[kArgumentsMax];
    Value error;
    for (std::size_t i = 0; i < args_.size(); ++i) {
      values[i] = args_[i]->evaluate(frame);
      if (!values[i].is_error()) continue;
      if (!error.is_error()) error = values[i];
      if (stops_at_errors_ && i + 1 < args_.size()) return error;
    }
    if (frame.is_stopped()) return Value();
    const std::span<const Value> args(values, args_.size());
    if (error.is_error() && overloads_.size() == 1 && needs_list(overloads_[0]->cost)) {
      frame.fail(
          "internal error: interface conversion: *types.Err is not traits.Lister: missing method "
          "Add");
      return error;
    }
    const Value result = error.is_error() ? error : run(args, frame);
    frame.cost += actual_cost(overloads_, args, result);
    return result;
  }

 protected:
  virtual Value run(std::span<const Value> args, Frame& frame) const {
    if (is_known_) return overloads_[0]->run(args, frame);
    for (const Overload* overload : overloads_)
      if (overload->accepts(args, frame.arena)) return overload->run(args, frame);
    return no_overload(overloads_[0]->function, args, frame.arena);
  }

 private:
  Nodes args_;
  std::vector<const Overload*> overloads_;
  bool is_known_;  // one overload, and the checker knows that the arguments fit

 protected:
  bool stops_at_errors_;
};

// matches, find, findAll with a constant pattern.
class PatternCall final : public Call {
 public:
  PatternCall(Nodes args, std::vector<const Overload*> overloads, std::string_view function,
              Regex regex)
      : Call(std::move(args), std::move(overloads), false),
        function_(function),
        regex_(std::move(regex)) {
    stops_at_errors_ = true;
  }

 protected:
  Value run(std::span<const Value> args, Frame& frame) const override {
    if (!args[0].is(Kind::string)) return Value::error(kNoSuchOverload);
    const auto text = args[0].as_text();
    if (function_ == "matches") return Value::boolean(regex_.matches(text));
    if (function_ == "find") return Value::string(regex_.find(text));
    if (args.size() == 3 && !args[2].is(Kind::integer)) return Value::error(kNoSuchOverload);
    std::vector<Value> all;
    for (const auto part : regex_.find_all(text, args.size() == 3 ? args[2].as_integer() : -1))
      all.push_back(Value::string(part));
    return make_list(all, frame.arena);
  }

 private:
  std::string_view function_;
  Regex regex_;
};

class NotStrictlyFalse final : public Node {
 public:
  explicit NotStrictlyFalse(const Node* operand) : operand_(operand) {}
  Value evaluate(Frame& frame) const override {
    const Value value = operand_->evaluate(frame);
    frame.cost += 1;
    return Value::boolean(!value.is_false());
  }

 private:
  const Node* operand_;
};

class MakeList final : public Node {
 public:
  MakeList(Nodes elements, std::vector<bool> optionals)
      : elements_(std::move(elements)), optionals_(std::move(optionals)) {}

  Value evaluate(Frame& frame) const override {
    Value* const values = frame.arena.array<Value>(elements_.size());
    std::size_t size = 0;
    Value error;
    for (std::size_t i = 0; i < elements_.size() && !error.is_error(); ++i) {
      Value value = elements_[i]->evaluate(frame);
      if (value.is_error()) {
        error = value;
      } else if (optionals_[i] && !value.is(Kind::optional)) {
        error = make_error(frame.arena,
                           "cannot initialize optional list element from non-optional value ",
                           describe(value, frame.arena));
      } else if (!optionals_[i] || value.as_optional() != nullptr) {
        values[size++] = optionals_[i] ? *value.as_optional() : value;
      }
    }
    frame.cost += kListCost;
    return error.is_error() ? error : adopt_list({values, size}, frame.arena);
  }

 private:
  Nodes elements_;
  std::vector<bool> optionals_;
};

class MakeMap final : public Node {
 public:
  MakeMap(Nodes parts, std::vector<bool> optionals)
      : parts_(std::move(parts)), optionals_(std::move(optionals)) {}

  Value evaluate(Frame& frame) const override {
    const Value result = make(frame);
    frame.cost += kMapCost;
    return result;
  }

 private:
  Value make(Frame& frame) const {
    std::vector<Map::Entry> entries;
    for (std::size_t i = 0; i < parts_.size(); i += 2) {
      const Value key = parts_[i]->evaluate(frame);
      if (key.is_error()) return key;
      Value value = parts_[i + 1]->evaluate(frame);
      if (value.is_error()) return value;
      if (optionals_[i / 2]) {
        if (!value.is(Kind::optional))
          return make_error(frame.arena, "cannot initialize optional entry '",
                            describe(key, frame.arena), "' from non-optional value ",
                            describe(value, frame.arena));
        if (value.as_optional() == nullptr) {
          std::erase_if(entries,
                        [&](const Map::Entry& e) { return is_equal(e.key, key, frame.arena); });
          continue;
        }
        value = *value.as_optional();
      }
      if (key.is(Kind::bytes) || (key.is(Kind::object) && !key.as_object().of->is_hashable))
        return make_error(frame.arena, "unsupported key type: ", type_name(key));
      entries.push_back({key, value});
    }
    return make_map(entries, frame.arena);
  }

  Nodes parts_;
  std::vector<bool> optionals_;
};

class MakeMessage final : public Node {
 public:
  MakeMessage(const Message* message, std::vector<std::string_view> fields, Nodes values,
              std::vector<bool> optionals)
      : message_(message),
        fields_(std::move(fields)),
        values_(std::move(values)),
        optionals_(std::move(optionals)) {}

  Value evaluate(Frame& frame) const override {
    const Value result = make(frame);
    frame.cost += kMessageCost;
    return result;
  }

 private:
  Value make(Frame& frame) const {
    std::vector<Value> values;
    std::vector<std::string_view> fields;
    for (std::size_t i = 0; i < values_.size(); ++i) {
      Value value = values_[i]->evaluate(frame);
      if (value.is_error()) return value;
      if (optionals_[i]) {
        if (!value.is(Kind::optional)) return Value::error(kNoSuchOverload);
        if (value.as_optional() == nullptr) continue;
        value = *value.as_optional();
      }
      values.push_back(value);
      fields.push_back(fields_[i]);
    }
    return message_->make(fields, values, frame.arena);
  }

  const Message* message_;
  std::vector<std::string_view> fields_;
  Nodes values_;
  std::vector<bool> optionals_;
};

class FoldNode final : public Node {
 public:
  // Slots: accumulator, whether it has its first value, variable, second variable.
  FoldNode(Nodes parts, std::size_t slot, bool has_second)
      : parts_(std::move(parts)), slot_(slot), has_second_(has_second) {}

  Value evaluate(Frame& frame) const override {
    const Value range = parts_[kRange]->evaluate(frame);
    if (range.is_error()) return range;
    Value* const slots = frame.slots + slot_;
    // A loop within a loop starts afresh each time; a loop in its own range does not disturb it.
    const Value before[] = {slots[0], slots[1], slots[2], slots[3]};
    slots[1] = Value::boolean(false);
    Value result;
    if (range.is(Kind::list)) {
      const auto values = range.as_list().values;
      for (std::size_t i = 0; i < values.size(); ++i)
        if (!step(frame, has_second_ ? Value::integer(static_cast<std::int64_t>(i)) : values[i],
                  values[i]))
          break;
      result = parts_[kResult]->evaluate(frame);
    } else if (range.is(Kind::map)) {
      const std::size_t size = range.as_map().size();
      for (std::size_t i = 0; i < size; ++i) {
        const auto [key, value] = range.as_map().entry(i, frame.arena);
        if (!step(frame, key, value)) break;
      }
      result = parts_[kResult]->evaluate(frame);
    } else {
      const auto name = implementation_name(range);
      result = has_second_ ? make_error(frame.arena, "unsupported comprehension range type: ", name)
                           : make_error(frame.arena, "got '", name, "', expected iterable type");
    }
    std::ranges::copy(before, slots);
    return result;
  }

 private:
  bool step(Frame& frame, Value first, Value second) const {
    if (frame.is_stopped()) return false;
    Value* const slots = frame.slots + slot_;
    slots[2] = first;
    slots[3] = second;
    const Value condition = parts_[kCondition]->evaluate(frame);
    if (condition.is_false()) return false;
    const Value next = parts_[kStep]->evaluate(frame);
    slots[0] = next;
    slots[1] = Value::boolean(true);
    return true;
  }

  Nodes parts_;
  std::size_t slot_;
  bool has_second_;
};

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
  // of ?:, nor in has().
  const Node* plan(const Expr& expr, bool charges_base = true) {
    const std::pair key(&expr, charges_base);
    // Only what macros have put into the tree twice is found here, and always within the same
    // loops.
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

  // What qualifiers are added to without a unit of its own: a.b, a[b], c ? a : b.
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

  // Whether an optional value of it stands for the rest of a chain: after a.?b, or when the chain
  // begins with one. An optional that is found in a map or list on the way is a value like others.
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

  // Evaluates what does not depend on anything.
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
    auto regex = Regex::compile(pattern->as_text());
    if (!regex) {
      if (plan_.error.empty()) plan_.error = regex.error();
      return nullptr;
    }
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

  // A literal of constants that is an error stays one at run time.
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
