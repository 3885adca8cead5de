// Makes nodes that create lists, maps and messages, and loops.
#pragma once

#include <expected>
#include <string_view>
#include <utility>
#include <vector>

#include "cel/cost.hpp"
#include "cel/messages.hpp"
#include "cel/node_variables.hpp"

namespace dcm::cel::nodes {

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
  // Slots: accumulator, whether it is initialized, variable, second variable.
  FoldNode(Nodes parts, std::size_t slot, bool has_second)
      : parts_(std::move(parts)), slot_(slot), has_second_(has_second) {}

  Value evaluate(Frame& frame) const override {
    const Value range = parts_[kRange]->evaluate(frame);
    if (range.is_error()) return range;
    Value* const slots = frame.slots + slot_;
    // An inner loop starts afresh on each iteration; a loop in the range of another does not
    // disturb it.
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

}  // namespace dcm::cel::nodes
