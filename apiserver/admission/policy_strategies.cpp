#include "apiserver/admission/policy_strategies.hpp"

#include "apiserver/admission/policy_validation.hpp"
#include "apiserver/rules/table_strategy.hpp"

namespace dcm::apiserver {

namespace {

std::string_view warn_of_authorizer(const JsonObject& policy) {
  if (!mentions_authorizer(policy)) return {};
  return "this API server has no authorization: the authorizer of expressions allows everything";
}

}  // namespace

const Strategy& policy_strategy() {
  static const KindRules kRules{.kind = "ValidatingAdmissionPolicy",
                                .generation = KindRules::Generation::counted,
                                .validate = validate_policy,
                                .warning = warn_of_authorizer};
  static const TableStrategy kStrategy(kRules, kRules.kind);
  return kStrategy;
}

const Strategy& policy_binding_strategy() {
  static const KindRules kRules{.kind = "ValidatingAdmissionPolicyBinding",
                                .generation = KindRules::Generation::counted,
                                .validate = validate_policy_binding};
  static const TableStrategy kStrategy(kRules, kRules.kind);
  return kStrategy;
}

}  // namespace dcm::apiserver
