// PodDisruptionBudget (policy/v1): how many pods of a set an eviction must leave. No controller
// here computes its status; a test or client writes it.
#include "apiserver/rules/checks.hpp"
#include "apiserver/rules/conditions.hpp"
#include "apiserver/rules/int_or_percent.hpp"
#include "apiserver/rules/label_selector.hpp"
#include "apiserver/rules/strategies.hpp"

namespace dcm::apiserver {

namespace {

constexpr std::initializer_list<std::string_view> kCounts = {"disruptionsAllowed", "currentHealthy",
                                                             "desiredHealthy", "expectedPods"};

void validate_share(const JsonObject& spec, const std::string& key, Causes& causes) {
  const Json* share = spec.if_contains(key);
  if (share == nullptr) return;
  validate_int_or_percent(*share, "spec." + key, causes);
  validate_at_most_100_percent(*share, "spec." + key, causes);
}

class BudgetStrategy final : public OldStatusStrategy {
 public:
  NameRule name_rule() const override { return NameRule::path_segment; }
  void prepare_create(JsonObject& object, const WriteContext&) const override {
    child(object, "metadata")["generation"] = 1;
    object["status"] = JsonObject();
    count_zeros(object);
  }

  void prepare_update(JsonObject& next, const JsonObject& old, Endpoint endpoint,
                      const WriteContext& context) const override {
    OldStatusStrategy::prepare_update(next, old, endpoint, context);
    if (endpoint == Endpoint::main) count_generation(next, old);
    count_zeros(next);
    complete_conditions(next);
  }

  void validate_create(const JsonObject& object, const WriteContext&,
                       Causes& causes) const override {
    validate_spec(object_at(object, {"spec"}), causes);
  }

  void validate_update(const JsonObject& next, const JsonObject&, Endpoint endpoint,
                       Causes& causes) const override {
    if (endpoint == Endpoint::main) {
      validate_spec(object_at(next, {"spec"}), causes);
      return;
    }
    validate_conditions(array_at(next, {"status", "conditions"}), "status.conditions", causes);
    validate_counts(object_at(next, {"status"}), kCounts, "status", causes);
  }

 private:
  // Members that are always written.
  static void count_zeros(JsonObject& object) {
    for (const auto key : kCounts) set_default(child(object, "status"), key, 0);
  }

  static void validate_spec(const JsonObject& spec, Causes& causes) {
    if (spec.contains("minAvailable") && spec.contains("maxUnavailable")) {
      causes.push_back(
          invalid_value("spec", spec, "minAvailable and maxUnavailable cannot be both set"));
    }
    validate_share(spec, "minAvailable", causes);
    validate_share(spec, "maxUnavailable", causes);
    validate_label_selector(object_at(spec, {"selector"}), "spec.selector", causes);
    const Json* policy = spec.if_contains("unhealthyPodEvictionPolicy");
    if (policy == nullptr) return;
    validate_choice(as_text(*policy), {"AlwaysAllow", "IfHealthyBudget"},
                    "spec.unhealthyPodEvictionPolicy", causes);
  }
};

}  // namespace

const Strategy& budget_strategy() {
  static const BudgetStrategy kStrategy;
  return kStrategy;
}

}  // namespace dcm::apiserver
