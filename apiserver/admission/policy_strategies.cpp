#include "apiserver/admission/policy_strategies.hpp"

#include "apiserver/admission/policy_validation.hpp"
#include "apiserver/rules/plain_kind.hpp"

namespace dcm::apiserver {

namespace {

PlainKind policy_rules() {
  PlainKind rules{"ValidatingAdmissionPolicy"};
  rules.generation = PlainKind::Generation::counted;
  rules.validate = validate_policy;
  rules.warning = [](const JsonObject& policy) -> std::string_view {
    if (!mentions_authorizer(policy)) return {};
    return "this API server has no authorization: the authorizer of expressions allows everything";
  };
  return rules;
}

PlainKind policy_binding_rules() {
  PlainKind rules{"ValidatingAdmissionPolicyBinding"};
  rules.generation = PlainKind::Generation::counted;
  rules.validate = [](const JsonObject& binding, const JsonObject*, Causes& causes) {
    validate_policy_binding(binding, causes);
  };
  return rules;
}

}  // namespace

const Strategy& policy_strategy() {
  static const PlainKind kRules = policy_rules();
  static const PlainStrategy kStrategy(kRules, kRules.kind);
  return kStrategy;
}

const Strategy& policy_binding_strategy() {
  static const PlainKind kRules = policy_binding_rules();
  static const PlainStrategy kStrategy(kRules, kRules.kind);
  return kStrategy;
}

}  // namespace dcm::apiserver
