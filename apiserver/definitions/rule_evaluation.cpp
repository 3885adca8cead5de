// Evaluates the rules of an object, within a cost budget.
#include <algorithm>
#include <iterator>

#include <fmt/format.h>

#include "apiserver/definitions/bounded_causes.hpp"
#include "apiserver/definitions/list_items.hpp"
#include "apiserver/definitions/rules.hpp"
#include "apiserver/definitions/typed_values.hpp"
#include "apiserver/definitions/value_validation.hpp"
#include "apiserver/text/cel_messages.hpp"

namespace dcm::apiserver {

namespace {

constexpr std::uint64_t kCostMax = 1'000'000;  // of one expression

// A value, and what it was before an update.
struct Change {
  const Json& now;
  const Json* before;  // null if unknown
  const Structural& schema;
  const Change* around = nullptr;

  // Of the nearest value around it whose predecessor is known.
  bool is_none() const {
    if (before != nullptr) return is_unchanged(before, now, schema);
    return around != nullptr && around->is_none();
  }
};

// Whether a rule may fail for an unchanged value.
enum class Unchanged { accepted, checked };

class Evaluation {
 public:
  Evaluation(std::uint64_t budget, Unchanged unchanged) : left_(budget), unchanged_(unchanged) {}

  Causes take() { return std::move(causes_).take(); }

  // 0 if exhausted.
  std::uint64_t left() const { return is_over_ ? 0 : left_; }

  void check(const Rules& rules, const Change& change, const std::string& path) {
    if (change.now.is_null() || is_over_) return;
    own_rules(rules, change, path);
    if (change.now.is_array()) check_items(rules, change, path);
    if (change.now.is_object()) check_members(rules, change, path);
  }

 private:
  static std::string field_of(const std::string& path) { return path.empty() ? "<nil>" : path; }

  void own_rules(const Rules& rules, const Change& change, const std::string& path) {
    if (rules.compiled().empty()) return;
    const bool has_old = change.before != nullptr && !change.before->is_null();
    for (const CompiledRule& rule : rules.compiled()) {
      if (is_over_) return;
      const bool is_optional = rule.text->optional_old_self.value_or(false);
      if (rule.uses_old && !has_old && !is_optional) continue;
      cel::Arena arena;  // bounds the memory of one rule
      const cel::Value self = typed_value(change.now, rules.schema(), rules.resource(), arena);
      const cel::Value old =
          has_old ? typed_value(*change.before, rules.schema(), rules.resource(), arena)
                  : cel::Value();
      const cel::Value optional_old =
          has_old ? cel::Value::optional(old, arena) : cel::Value::none();
      const cel::Value variables[] = {self, is_optional ? optional_old : old};
      const cel::Value plain[] = {self, old};
      one_rule(rule, rules, change, {variables, plain}, path, arena);
    }
  }

  struct Variables {
    const cel::Value* of_rule;
    const cel::Value* of_message;
  };

  void one_rule(const CompiledRule& rule, const Rules& rules, const Change& change,
                const Variables& variables, const std::string& path, cel::Arena& arena) {
    const std::string type = rules.schema().type;
    const auto fail = [&](std::string_view why) {
      causes_.add(invalid_value(field_of(path), Json(type), why));
      if (causes_.is_full()) is_over_ = true;
    };
    if (!rule.error.empty()) return fail("rule compile error: " + rule.error);
    if (rule.program == nullptr) return;
    cel::Frame frame{.arena = arena, .variables = variables.of_rule, .cost_limit = kCostMax};
    const cel::Value result = rule.program->evaluate(frame);
    // A rule without cost takes time as well.
    if (!spend(std::max<std::uint64_t>(frame.cost, 1))) return fail(kOutOfBudget);
    if (result.is_true()) return;
    if (result.is_error()) return failed(rule, result.as_text(), fail);
    std::string field = rule.field;
    if (!path.empty()) field = rule.field.empty() ? path : path + "." + rule.field;
    const std::string detail = message_of(rule, variables, arena);
    if (is_over_)
      return fail(
          "messageExpression evaluation failed due to running out of cost "
          "budget, no further validation rules will be run");
    Cause cause = cause_of(rule, field_of(field), change.now, type, detail);
    cause.is_accepted = unchanged_ == Unchanged::accepted && !rule.uses_old && change.is_none();
    causes_.add(std::move(cause));
    if (causes_.is_full()) is_over_ = true;
  }

  void failed(const CompiledRule& rule, std::string_view error, const auto& fail) {
    if (error.starts_with("no such overload")) {
      fail(
          fmt::format("'{}': call arguments did not match a supported operator, function or macro "
                      "signature for rule: {}",
                      error, rule.text->shown()));
    } else if (error.starts_with("operation cancelled: actual cost limit exceeded")) {
      is_over_ = true;
      fail(
          fmt::format("'{}': no further validation rules will be run due to call cost exceeds "
                      "limit for rule: {}",
                      error, rule.text->shown()));
    } else {
      fail(fmt::format("{} evaluating rule: {}", error, rule.text->shown()));
    }
  }

  // False if the budget is exhausted.
  bool spend(std::uint64_t cost) {
    if (cost > left_) is_over_ = true;
    left_ -= std::min(cost, left_);
    return !is_over_;
  }

  std::string message_of(const CompiledRule& rule, const Variables& variables, cel::Arena& arena) {
    if (rule.message == nullptr) return rule.text->shown_message();
    cel::Frame frame{.arena = arena, .variables = variables.of_message, .cost_limit = kCostMax};
    const cel::Value result = rule.message->evaluate(frame);
    if (!spend(frame.cost) || !result.is(cel::Kind::string)) return rule.text->shown_message();
    std::string message = shown_message(result.as_text());
    return message.empty() ? rule.text->shown_message() : message;
  }

  static Cause cause_of(const CompiledRule& rule, const std::string& field, const Json& value,
                        std::string_view type, const std::string& detail) {
    const std::string& reason = rule.text->reason;
    const bool is_shown = type != "object" && type != "array";
    if (reason == "FieldValueForbidden") return forbidden_value(field, detail);
    if (reason == "FieldValueRequired") return required_value(field, detail);
    if (reason == "FieldValueDuplicate") {
      if (is_shown) return duplicate_value(field, value);
      return {"FieldValueDuplicate", "Duplicate value", field};
    }
    if (is_shown) return invalid_value(field, value, detail);
    return {"FieldValueInvalid", "Invalid value: " + detail, field};
  }

  void check_items(const Rules& rules, const Change& change, const std::string& path) {
    if (rules.items() == nullptr) return;
    const OldItems old_items(change.before, rules.schema());
    std::size_t index = 0;
    for (const Json& item : change.now.get_array()) {
      check(*rules.items(), {item, old_items.find(item), rules.items()->schema(), &change},
            fmt::format("{}[{}]", path, index++));
    }
  }

  void check_members(const Rules& rules, const Change& change, const std::string& path) {
    const JsonObject* const old = change.before == nullptr ? nullptr : change.before->if_object();
    for (const auto& [name, member] : change.now.get_object()) {
      const auto named = rules.properties().find(name);
      const bool is_named = rules.schema().properties.contains(std::string_view(name));
      const Rules* const known = named != rules.properties().end() ? named->second.get()
                                 : is_named                        ? nullptr
                                                                   : rules.values();
      if (known == nullptr) continue;
      const Json* const was = old == nullptr ? nullptr : old->if_contains(name);
      const std::string below = !is_named      ? fmt::format("{}[{}]", path, std::string_view(name))
                                : path.empty() ? std::string(name)
                                               : fmt::format("{}.{}", path, std::string_view(name));
      check(*known, {member, was, known->schema(), &change}, below);
    }
  }

  BoundedCauses causes_;
  std::uint64_t left_;
  Unchanged unchanged_;
  bool is_over_ = false;
};

}  // namespace

void Rules::validate(const Json& value, const Json* old, Causes& causes) const {
  if (blocks_rules(causes)) {
    causes.push_back({"FieldValueInvalid",
                      "Invalid value: null: some validation rules were not checked because the "
                      "object was invalid; correct the existing errors to complete validation",
                      "<nil>"});
    return;
  }
  Evaluation evaluation(kRuleBudget, Unchanged::accepted);
  evaluation.check(*this, {value, old, schema()}, "");
  std::ranges::move(evaluation.take(), std::back_inserter(causes));
}

void Rules::validate_default(const Json& value, const std::string& path, std::uint64_t& budget,
                             Causes& causes) const {
  if (budget == 0) return;
  // Within a value of a known type, rules for values of unknown types are left out.
  if (type() == nullptr && !schema().rules.empty()) {
    causes.push_back(invalid_value(path, Json(schema().type),
                                   "rule compiler initialization error: failed to convert to "
                                   "declType for CEL validation rules"));
  }
  Evaluation evaluation(budget, Unchanged::checked);
  evaluation.check(*this, {value, &value, schema()}, path);
  std::ranges::move(evaluation.take(), std::back_inserter(causes));
  budget = evaluation.left();
}

}  // namespace dcm::apiserver
