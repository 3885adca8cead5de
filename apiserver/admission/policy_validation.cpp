#include "apiserver/admission/policy_validation.hpp"

#include <algorithm>
#include <set>

#include <fmt/format.h>

#include "apiserver/admission/match_validation.hpp"
#include "apiserver/admission/policy.hpp"
#include "apiserver/rules/checks.hpp"
#include "apiserver/rules/label_selector.hpp"
#include "apiserver/rules/names.hpp"
#include "apiserver/text/words.hpp"
#include "cel/parser.hpp"

namespace dcm::apiserver {

namespace {

constexpr std::size_t kConditionsMax = 64;
constexpr std::size_t kAnnotationsMax = 20;
constexpr std::size_t kAnnotationExpressionMax = 5 * 1024;

std::string text_in(const JsonObject& object, std::string_view key) {
  return std::string(text_at(object, {key}));
}

// Compiles a policy's expressions in order: each sees the variables before it.
class Validator {
 public:
  Validator(const JsonObject& policy, Causes& causes)
      : spec_(object_at(policy, {"spec"})),
        name_(text_at(policy, {"metadata", "name"})),
        params_(has(spec_, {"paramKind"}) ? Params::present : Params::none),
        composed_(params_, array_at(spec_, {"variables"}).empty() ? Composition::none
                                                                  : Composition::variables),
        causes_(causes) {}

  void check_conditions() {
    const JsonArray& conditions = array_at(spec_, {"matchConditions"});
    if (conditions.size() > kConditionsMax) {
      causes_.push_back(too_many("spec.matchConditions", conditions.size(), kConditionsMax));
    }
    // Match conditions have no variables.
    const Environment plain(params_, Composition::none);
    std::set<std::string> names;
    for (const auto& [condition, path] : with_paths(conditions, "spec.matchConditions")) {
      const std::string expression(trimmed(text_in(condition, "expression")));
      if (expression.empty()) {
        causes_.push_back(required_value(path + ".expression"));
      } else {
        compile(expression, plain.with_authorizer(), Returns::boolean, path + ".expression");
      }
      check_condition_name(text_in(condition, "name"), path + ".name", names);
    }
  }

  void check_variables() {
    const JsonArray& variables = array_at(spec_, {"variables"});
    for (const auto& [variable, path] : with_paths(variables, "spec.variables")) {
      const std::string name = text_in(variable, "name");
      if (is_blank(name)) {
        causes_.push_back(required_value(path + ".name", "name is not specified"));
      } else if (!is_identifier(name)) {
        causes_.push_back(
            invalid_value(path + ".name", Json(name), "must be a valid CEL identifier"));
      }
      const std::string expression = text_in(variable, "expression");
      if (is_blank(expression)) {
        causes_.push_back(required_value(path + ".expression", "expression is not specified"));
        continue;
      }
      const Expression compiled =
          compile(expression, composed_.with_authorizer(), Returns::anything, path + ".expression");
      composed_.declare(name, compiled.program ? &compiled.program->type() : nullptr);
    }
  }

  void check_validations() {
    const JsonArray& validations = array_at(spec_, {"validations"});
    for (const auto& [validation, path] : with_paths(validations, "spec.validations")) {
      check_expression(validation, path);
      check_message(text_in(validation, "message"), path + ".message");
      check_reason(validation, path + ".reason");
    }
  }

  void check_annotations() {
    const JsonArray& annotations = array_at(spec_, {"auditAnnotations"});
    if (annotations.size() > kAnnotationsMax) {
      causes_.push_back(invalid_value(
          "spec.auditAnnotations", annotations,
          fmt::format("must not have more than {} auditAnnotations", kAnnotationsMax)));
    }
    std::set<std::string> keys;
    for (const auto& [annotation, path] : with_paths(annotations, "spec.auditAnnotations")) {
      const std::string key = text_in(annotation, "key");
      check_annotation_key(key, path + ".key");
      check_annotation_value(text_in(annotation, "valueExpression"), path + ".valueExpression");
      if (!keys.insert(key).second) {
        causes_.push_back(duplicate_value(path + ".key", Json(key)));
      }
    }
  }

 private:
  static bool is_identifier(std::string_view name) {
    const auto is_letter = [](char c) {
      return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
    };
    const auto is_part = [&](char c) { return is_letter(c) || (c >= '0' && c <= '9'); };
    return is_letter(name.front()) && std::ranges::all_of(name, is_part) && !cel::is_reserved(name);
  }

  Expression compile(const std::string& text, const cel::Library& library, Returns returns,
                     const std::string& path) {
    Expression expression = compile_expression(text, library, returns);
    if (!expression.error.empty()) {
      causes_.push_back(bad_expression(path, text, expression.error));
    }
    return expression;
  }

  void check_condition_name(const std::string& name, const std::string& path,
                            std::set<std::string>& names) {
    if (name.empty()) {
      causes_.push_back(required_value(path));
      return;
    }
    validate_qualified_name(name, path, causes_);
    if (!names.insert(name).second) causes_.push_back(duplicate_value(path, Json(name)));
  }

  void check_expression(const JsonObject& validation, const std::string& path) {
    const std::string expression = text_in(validation, "expression");
    if (is_blank(expression)) {
      causes_.push_back(required_value(path + ".expression", "expression is not specified"));
    } else {
      compile(expression, composed_.with_authorizer(), Returns::boolean, path + ".expression");
    }
    const std::string message = text_in(validation, "messageExpression");
    if (message.empty()) return;
    const std::string message_path = path + ".messageExpression";
    if (is_blank(message)) {
      causes_.push_back(
          invalid_value(message_path, Json(message), "must be non-empty if specified"));
    } else {
      compile(message, composed_.without_authorizer(), Returns::string, message_path);
    }
  }

  void check_message(const std::string& message, const std::string& path) {
    if (message.empty()) return;
    if (is_blank(message)) {
      causes_.push_back(invalid_value(path, Json(message), "must be non-empty if specified"));
    } else if (trimmed(message).find_first_of("\n\r") != std::string::npos) {
      causes_.push_back(invalid_value(path, Json(message), "must not contain line breaks"));
    }
  }

  void check_reason(const JsonObject& validation, const std::string& path) {
    if (!has(validation, {"reason"})) return;
    const std::string reason = text_in(validation, "reason");
    validate_choice(reason, {"Forbidden", "Invalid", "RequestEntityTooLarge"}, path, causes_);
  }

  void check_annotation_key(const std::string& key, const std::string& path) {
    if (name_.empty()) {
      causes_.push_back(invalid_value(path, Json(key), "requires metadata.name be non-empty"));
      return;
    }
    validate_qualified_name(fmt::format("{}/{}", name_, key), path, causes_);
  }

  void check_annotation_value(const std::string& expression, const std::string& path) {
    const std::string text(trimmed(expression));
    if (text.empty()) {
      causes_.push_back(required_value(path, "valueExpression is not specified"));
    } else if (text.size() > kAnnotationExpressionMax) {
      causes_.push_back(required_value(
          path, fmt::format("must not exceed {} bytes in length", kAnnotationExpressionMax)));
    } else {
      compile(text, composed_.with_authorizer(), Returns::string_or_null, path);
    }
  }

  const JsonObject& spec_;
  std::string_view name_;
  Params params_;
  Environment composed_;
  Causes& causes_;
};

void validate_param_kind(const JsonObject& kind, Causes& causes) {
  constexpr auto* kVersion = "spec.paramKind.apiVersion";
  const std::string api_version = text_in(kind, "apiVersion");
  const auto slash = api_version.find('/');
  const auto validate_part = [&](NameRule rule, const std::string& part) {
    const Problems problems = problems_with_name(rule, part);
    if (problems.empty()) return;
    causes.push_back(invalid_value(kVersion, Json(part), joined(problems, ",")));
  };
  if (api_version.empty()) {
    causes.push_back(required_value(kVersion));
  } else if (std::ranges::count(api_version, '/') > 1) {
    causes.push_back(invalid_value(kVersion, Json(api_version),
                                   "unexpected GroupVersion string: " + api_version));
  } else {
    const std::string group = slash == std::string::npos ? "" : api_version.substr(0, slash);
    const std::string version = api_version.substr(slash + 1);
    if (!group.empty()) validate_part(NameRule::dns_subdomain, group);
    if (version.empty()) {
      causes.push_back(invalid_value(kVersion, Json(api_version), "version must be specified"));
    } else {
      validate_part(NameRule::dns_1035_label, version);
    }
  }
  const std::string name = text_in(kind, "kind");
  if (name.empty()) {
    causes.push_back(required_value("spec.paramKind.kind"));
  } else {
    validate_kind_name(name, "spec.paramKind.kind", causes);
  }
}

void validate_constraints(const JsonObject& spec, Causes& causes) {
  constexpr auto* kConstraints = "spec.matchConstraints";
  if (!has(spec, {"matchConstraints"})) {
    causes.push_back(required_value(kConstraints));
    return;
  }
  const JsonObject& constraints = object_at(spec, {"matchConstraints"});
  validate_match_resources(constraints, kConstraints, causes);
  if (!array_at(constraints, {"resourceRules"}).empty()) return;
  causes.push_back(required_value("spec.matchConstraints.resourceRules"));
}

void validate_param_ref(const JsonObject& spec, Causes& causes) {
  if (!has(spec, {"paramRef"})) return;
  constexpr auto* kExclusive = "name and selector are mutually exclusive";
  const JsonObject& reference = object_at(spec, {"paramRef"});
  const std::string_view name = text_at(reference, {"name"});
  const bool selects = has(reference, {"selector"});
  if (!name.empty()) {
    validate_name(NameRule::path_segment, name, "spec.paramRef.name", causes);
    if (selects) causes.push_back(forbidden_value("spec.paramRef.name", kExclusive));
  }
  if (selects) {
    validate_label_selector(object_at(reference, {"selector"}), "spec.paramRef.selector", causes);
    if (!name.empty()) causes.push_back(forbidden_value("spec.paramRef.selector", kExclusive));
  }
  if (name.empty() && !selects) {
    causes.push_back(required_value("spec.paramRef", "one of name or selector must be specified"));
  }
  require_choice(text_at(reference, {"parameterNotFoundAction"}), {"Deny", "Allow"},
                 "spec.paramRef.parameterNotFoundAction", causes);
}

void validate_actions(const JsonObject& spec, Causes& causes) {
  constexpr auto* kActions = "spec.validationActions";
  const JsonArray& actions = array_at(spec, {"validationActions"});
  std::set<std::string_view> seen;
  for (const auto& [action, at] : texts_with_paths(actions, kActions)) {
    validate_choice(action, {"Audit", "Deny", "Warn"}, at, causes);
    if (!seen.insert(action).second) causes.push_back(duplicate_value(at, Json(action)));
  }
  if (seen.contains("Deny") && seen.contains("Warn")) {
    causes.push_back(invalid_value(kActions, actions,
                                   "must not contain both Deny and Warn (repeating the same "
                                   "validation failure information in the API response and "
                                   "headers serves no purpose)"));
  }
  if (actions.empty()) {
    causes.push_back(required_value(kActions));
  }
}

}  // namespace

void validate_policy(const JsonObject& policy, const JsonObject* old, Causes& causes) {
  const JsonObject& spec = object_at(policy, {"spec"});
  validate_choice(text_at(spec, {"failurePolicy"}), {"Fail", "Ignore"}, "spec.failurePolicy",
                  causes);
  if (has(spec, {"paramKind"})) validate_param_kind(object_at(spec, {"paramKind"}), causes);
  validate_constraints(spec, causes);
  Validator validator(policy, causes);
  // Unchanged conditions are accepted.
  const bool has_same_conditions =
      old != nullptr &&
      array_at(spec, {"matchConditions"}) == array_at(*old, {"spec", "matchConditions"});
  if (!has_same_conditions) validator.check_conditions();
  validator.check_variables();
  if (array_at(spec, {"validations"}).empty() && array_at(spec, {"auditAnnotations"}).empty()) {
    for (const auto* path : {"spec.validations", "spec.auditAnnotations"}) {
      causes.push_back(
          required_value(path, "validations or auditAnnotations must contain at least one item"));
    }
    return;
  }
  validator.check_validations();
  validator.check_annotations();
}

void validate_policy_binding(const JsonObject& binding, const JsonObject*, Causes& causes) {
  const JsonObject& spec = object_at(binding, {"spec"});
  require_name(NameRule::dns_subdomain, text_at(spec, {"policyName"}), "spec.policyName", causes);
  validate_param_ref(spec, causes);
  if (has(spec, {"matchResources"})) {
    validate_match_resources(object_at(spec, {"matchResources"}), "spec.matchResources", causes);
  }
  validate_actions(spec, causes);
}

bool mentions_authorizer(const JsonObject& policy) {
  const auto mentions = [&](std::string_view list, std::string_view key) {
    return std::ranges::any_of(array_at(policy, {"spec", list}), [&](const Json& item) {
      return text_at(as_object(item), {key}).contains("authorizer");
    });
  };
  return mentions("matchConditions", "expression") || mentions("variables", "expression") ||
         mentions("validations", "expression");
}

}  // namespace dcm::apiserver
