#include "apiserver/admission/evaluation.hpp"

#include <algorithm>
#include <utility>

#include "apiserver/text/cel_values.hpp"
#include "cel/kubernetes/libraries.hpp"

namespace dcm::apiserver {

namespace {

constexpr std::uint64_t kCostMax = 1'000'000;  // of one expression

}  // namespace

Evaluation::Evaluation(const Expressions& variables, const Input& input, Phase phase,
                       std::uint64_t budget)
    : variables_(variables), budget_(budget) {
  const bool matches = phase == Phase::match_conditions;
  const bool authorizes = matches || phase == Phase::validations;
  values_[kObject] = cel_value(input.object, arena_);
  values_[kOldObject] = cel_value(input.old_object, arena_);
  values_[kNamespaceObject] = cel_value(matches ? nullptr : input.ns, arena_);
  values_[kRequest] = cel_value(matches ? input.original_request : input.request, arena_);
  values_[kVariables] = cel::Value::map(&lazy_);
  values_[kParams] = cel_value(input.params, arena_);
  const cel::Value unknown = cel::Value::error("no such attribute(s): authorizer");
  values_[kAuthorizer] = authorizes ? cel::permissive_authorizer() : unknown;
  values_[kRequestResource] = authorizes ? cel::permissive_resource_check() : unknown;
}

Evaluated Evaluation::run(const Expression& expression) {
  if (expression.program == nullptr) return {{}, "compilation error: " + expression.error};
  std::uint64_t cost = 0;
  const cel::Value value = evaluate(*expression.program, cost);
  spend(std::exchange(cost_of_variables_, 0));
  spend(cost);
  if (!value.is_error()) return {value};
  std::string error = "expression '" + expression.text + "' resulted in error: ";
  return {{}, error.append(value.as_text())};
}

void Evaluation::spend(std::uint64_t cost) {
  if (cost > budget_) is_out_of_budget_ = true;
  budget_ -= std::min(cost, budget_);
}

cel::Value Evaluation::evaluate(const cel::Program& program, std::uint64_t& cost) {
  cel::Frame frame{.arena = arena_, .variables = values_.data(), .cost_limit = kCostMax};
  const cel::Value value = program.evaluate(frame);
  cost = frame.cost;
  return value;
}

cel::Value Evaluation::variable(std::string_view name) {
  const auto failed = [&](std::string_view how, std::string_view why) {
    return cel::make_error(arena_, "composited variable \"", name, "\" fails to ", how, ": ", why);
  };
  const Expression& expression = variables_.find(name)->second;
  if (expression.program == nullptr) return failed("compile", expression.error);
  std::uint64_t cost = 0;
  const cel::Value value = evaluate(*expression.program, cost);
  cost_of_variables_ += cost;
  return value.is_error() ? failed("evaluate", value.as_text()) : value;
}

std::optional<cel::Value> Evaluation::LazyVariables::find(cel::Value key, cel::Arena&) const {
  if (!key.is(cel::Kind::string)) return std::nullopt;
  const std::string_view name = key.as_text();
  if (!evaluation_.variables_.contains(name)) return std::nullopt;
  const auto known = evaluation_.known_.find(name);
  if (known != evaluation_.known_.end()) return known->second;
  // The value until it is known: a variable that refers to itself sees this.
  cel::Value& value =
      evaluation_.known_.emplace(name, cel::Value::error("refers to itself")).first->second;
  value = evaluation_.variable(name);
  return value;
}

cel::Map::Entry Evaluation::LazyVariables::entry(std::size_t index, cel::Arena& arena) const {
  const auto& name = std::next(evaluation_.variables_.begin(), std::ptrdiff_t(index))->first;
  const cel::Value key = cel::Value::string(name);
  return {key, find(key, arena).value_or(cel::Value())};
}

}  // namespace dcm::apiserver
