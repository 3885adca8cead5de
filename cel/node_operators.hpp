// Nodes that decide which of their operands are evaluated, and function calls.
#pragma once

#include <utility>

#include "cel/cost.hpp"
#include "cel/node_variables.hpp"
#include "cel/overloads.hpp"
#include "cel/regex.hpp"

namespace dcm::cel::nodes {

// && and ||: a `decisive` operand overrides errors of the others.
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
    // An error of the comparison itself makes != true; an error of an operand remains an error.
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

inline constexpr std::size_t kArgumentsMax = 4;

// If the argument of such a call is an error, the reference cannot compute the cost, and gives up.
inline bool needs_list(CostRule rule) {
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
    frame.cost += actual_cost(overloads_, args, result, frame.arena);
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
  bool is_known_;  // one overload whose arguments fit, as the checker has verified

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
    if (function_ == "matches") return Value::boolean(regex_.matches(text, frame.arena));
    if (function_ == "find") return Value::string(regex_.find(text, frame.arena));
    if (args.size() == 3 && !args[2].is(Kind::integer)) return Value::error(kNoSuchOverload);
    std::vector<Value> all;
    for (const auto part :
         regex_.find_all(text, args.size() == 3 ? args[2].as_integer() : -1, frame.arena))
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

}  // namespace dcm::cel::nodes
