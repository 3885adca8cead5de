#include "apiserver/admission/policy.hpp"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "apiserver/admission/evaluation.hpp"
#include "apiserver/text/cel_messages.hpp"
#include "apiserver/text/cel_values.hpp"
#include "apiserver/text/words.hpp"

namespace dcm::apiserver {

namespace {

constexpr std::uint64_t kBudget = 10'000'000;
constexpr std::uint64_t kConditionsBudget = 2'500'000;

// "list(int)", "google.protobuf.Timestamp".
std::string declared_name(const cel::Type& type) {
  return type.parameters().empty() ? std::string(type.name()) : type.text();
}

std::string problem_with_type(const cel::Type& type, Returns returns) {
  using Kind = cel::Type::Kind;
  const bool is_string = type.kind() == Kind::string;
  switch (returns) {
    case Returns::anything:
      return {};
    case Returns::boolean:
      if (type.kind() == Kind::boolean) return {};
      return "must evaluate to bool but got " + declared_name(type);
    case Returns::string:
      if (is_string) return {};
      return "must evaluate to string but got " + declared_name(type);
    case Returns::string_or_null:
      if (is_string || type.kind() == Kind::null) return {};
      return "must evaluate to one of [string null_type] but got " + declared_name(type);
  }
  return {};
}

// Joined like Go's errors; duplicates count once.
std::string aggregate(const std::vector<std::string>& errors) {
  std::vector<std::string> unique;
  for (const std::string& error : errors) {
    if (std::ranges::find(unique, error) == unique.end()) unique.push_back(error);
  }
  return unique.size() == 1 ? unique.front() : fmt::format("[{}]", fmt::join(unique, ", "));
}

// The result of a message expression; "" if it cannot be shown.
std::string message_of(const Evaluated& result) {
  if (!result.error.empty() || !result.value.is(cel::Kind::string)) return {};
  return shown_message(result.value.as_text());
}

}  // namespace

Expression compile_expression(std::string text, const cel::Library& library, Returns returns) {
  auto program = cel::Program::compile(text, library);
  if (!program) return {std::move(text), nullptr, std::move(program.error())};
  std::string problem = problem_with_type((*program)->type(), returns);
  if (!problem.empty()) return {std::move(text), nullptr, std::move(problem)};
  return {std::move(text), *std::move(program)};
}

Policy::Policy(const JsonObject& policy)
    : fails_closed_(text_at(policy, {"spec", "failurePolicy"}) != "Ignore"),
      environment_(has(policy, {"spec", "paramKind"}) ? Params::present : Params::none,
                   Composition::variables) {
  const JsonObject& spec = object_at(policy, {"spec"});
  const auto text = [](const Json& item, std::string_view key) {
    return std::string(text_at(as_object(item), {key}));
  };
  const cel::Library& library = environment_.with_authorizer();
  for (const Json& item : array_at(spec, {"variables"})) {
    Expression variable = compile_expression(text(item, "expression"), library, Returns::anything);
    const std::string name = text(item, "name");
    environment_.declare(name, variable.program ? &variable.program->type() : nullptr);
    variables_.insert_or_assign(name, std::move(variable));
  }
  for (const Json& item : array_at(spec, {"matchConditions"})) {
    conditions_.push_back(compile_expression(text(item, "expression"), library, Returns::boolean));
  }
  for (const Json& item : array_at(spec, {"validations"})) {
    Validation validation{compile_expression(text(item, "expression"), library, Returns::boolean),
                          std::nullopt, std::string(trimmed(text(item, "message"))),
                          text(item, "reason")};
    if (std::string message = text(item, "messageExpression"); !message.empty()) {
      validation.message_expression = compile_expression(
          std::move(message), environment_.without_authorizer(), Returns::string);
    }
    validations_.push_back(std::move(validation));
  }
  for (const Json& item : array_at(spec, {"auditAnnotations"})) {
    annotations_.emplace_back(
        text(item, "key"),
        compile_expression(text(item, "valueExpression"), library, Returns::string_or_null));
  }
}

Verdict Policy::failed(std::string message) const {
  Verdict verdict;
  if (fails_closed_) verdict.denials.push_back({std::move(message), ""});
  return verdict;
}

std::expected<bool, std::string> Policy::meets_conditions(const Input& input) const {
  Evaluation evaluation(variables_, input, Phase::match_conditions, kConditionsBudget);
  std::vector<Evaluated> results;
  for (const Expression& condition : conditions_) {
    results.push_back(evaluation.run(condition));
    if (evaluation.is_out_of_budget()) return std::unexpected(std::string(kOutOfBudget));
  }
  std::vector<std::string> errors;
  for (const Evaluated& result : results) {
    if (!result.error.empty()) errors.push_back(result.error);
    if (result.error.empty() && result.value.is_false()) return false;
  }
  if (!errors.empty()) return std::unexpected(aggregate(errors));
  return true;
}

Verdict Policy::evaluate(const Input& input) const {
  const auto applies = meets_conditions(input);
  if (!applies) return failed(applies.error());
  if (!*applies) return {};
  Evaluation evaluation(variables_, input, Phase::validations, kBudget);
  std::vector<Evaluated> results;
  for (const Validation& validation : validations_) {
    results.push_back(evaluation.run(validation.expression));
    if (evaluation.is_out_of_budget()) return failed(std::string(kOutOfBudget));
  }
  Verdict verdict = judge(results, input, evaluation.budget());
  if (auto problem = annotate(input, verdict)) return failed(*std::move(problem));
  return verdict;
}

Verdict Policy::judge(const std::vector<Evaluated>& results, const Input& input,
                      std::uint64_t budget) const {
  Evaluation evaluation(variables_, input, Phase::messages, budget);
  std::vector<std::string> messages;
  for (const Validation& validation : validations_) {
    std::string& message = messages.emplace_back();
    if (!validation.message_expression || evaluation.is_out_of_budget()) continue;
    message = message_of(evaluation.run(*validation.message_expression));
  }
  Verdict verdict;
  for (std::size_t i = 0; i < results.size(); ++i) {
    const Evaluated& result = results[i];
    const bool is_error = !result.error.empty() || evaluation.is_out_of_budget();
    if (is_error) {
      const std::string why = result.error.empty()
                                  ? fmt::format("failed messageExpression: {}", kOutOfBudget)
                                  : result.error;
      if (fails_closed_) verdict.denials.push_back({why, ""});
    } else if (!result.value.is_true()) {
      verdict.denials.push_back(denial_of(validations_[i], std::move(messages[i])));
    }
  }
  return verdict;
}

Denial Policy::denial_of(const Validation& validation, std::string message) {
  if (message.empty()) message = validation.message;
  if (message.empty()) {
    message = fmt::format("failed expression: {}", trimmed(validation.expression.text));
  }
  return {std::move(message), validation.reason};
}

std::optional<std::string> Policy::annotate(const Input& input, Verdict& verdict) const {
  Evaluation evaluation(variables_, input, Phase::audit, kBudget);
  for (const auto& [key, expression] : annotations_) {
    const Evaluated result = evaluation.run(expression);
    if (evaluation.is_out_of_budget()) return std::string(kOutOfBudget);
    if (!result.error.empty()) {
      if (fails_closed_) verdict.failed_annotations.push_back({result.error, ""});
      continue;
    }
    if (!result.value.is(cel::Kind::string)) continue;
    if (std::string value(trimmed(result.value.as_text())); !value.empty()) {
      verdict.annotations.emplace(key, std::move(value));
    }
  }
  return std::nullopt;
}

}  // namespace dcm::apiserver
