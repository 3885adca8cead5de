// Nodes that read constants, variables, fields and entries.
#pragma once

#include <cstdint>
#include <vector>

#include "cel/names.hpp"
#include "cel/plan.hpp"
#include "cel/select.hpp"

namespace dcm::cel::nodes {

using Nodes = std::vector<const Node*>;

inline Value no_such_overload(const Value& value) {
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

// A loop variable. The accumulator is initialized on first use.
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

}  // namespace dcm::cel::nodes
