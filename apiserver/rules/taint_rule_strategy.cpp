// DeviceTaintRule (KEP-5055): a generation that counts changes of the spec, the time of a taint,
// and metav1.Condition's rules for the status.
#include "apiserver/rules/conditions.hpp"
#include "apiserver/rules/device_names.hpp"
#include "apiserver/rules/device_validation.hpp"
#include "apiserver/rules/names.hpp"
#include "apiserver/rules/strategies.hpp"
#include "runtime/timestamp.hpp"

namespace dcm::apiserver {

namespace {

constexpr std::size_t kMaxConditions = 8;

// Each part is optional.
void validate_selector(const JsonObject& rule, Causes& causes) {
  const JsonObject& selector = object_at(rule, {"spec", "deviceSelector"});
  const std::string path = "spec.deviceSelector.";
  if (has(selector, {"driver"})) {
    validate_driver_name(text_at(selector, {"driver"}), path + "driver", causes);
  }
  if (has(selector, {"pool"})) {
    validate_pool_name(text_at(selector, {"pool"}), path + "pool", causes);
  }
  if (has(selector, {"device"})) {
    validate_name(NameRule::dns_label, text_at(selector, {"device"}), path + "device", causes);
  }
}

class TaintRuleStrategy final : public StatusStrategy {
 public:
  void set_defaults(JsonObject& object, const WriteContext& context) const override {
    set_default(child(child(object, "spec"), "taint"), "timeAdded",
                Json(runtime::timestamp(context.now)));
  }

  void prepare_create(JsonObject& object, const WriteContext& context) const override {
    StatusStrategy::prepare_create(object, context);
    child(object, "metadata")["generation"] = 1;
  }

  void validate_create(const JsonObject& object, const WriteContext&,
                       Causes& causes) const override {
    validate_selector(object, causes);
    validate_device_taint(object_at(object, {"spec", "taint"}), "spec.taint", causes);
  }

  // The time of a taint is when it takes effect, unless the writer sets it.
  void prepare_update(JsonObject& next, const JsonObject& old, Endpoint endpoint,
                      const WriteContext& context) const override {
    StatusStrategy::prepare_update(next, old, endpoint, context);
    complete_conditions(next);
    if (endpoint == Endpoint::status) return;
    JsonObject& taint = child(child(next, "spec"), "taint");
    const JsonObject& before = object_at(old, {"spec", "taint"});
    const bool has_same_time = text_at(taint, {"timeAdded"}) == text_at(before, {"timeAdded"});
    if (has_same_time && text_at(taint, {"effect"}) != text_at(before, {"effect"})) {
      taint["timeAdded"] = runtime::timestamp(context.now);
    }
    count_generation(next, old);
  }

  void validate_update(const JsonObject& next, const JsonObject&, Endpoint endpoint,
                       Causes& causes) const override {
    if (endpoint == Endpoint::main) {
      validate_selector(next, causes);
      validate_device_taint(object_at(next, {"spec", "taint"}), "spec.taint", causes);
    } else {
      const JsonArray& conditions = array_at(next, {"status", "conditions"});
      validate_conditions(conditions, "status.conditions", causes);
      if (conditions.size() > kMaxConditions) {
        causes.push_back(too_many("status.conditions", conditions.size(), kMaxConditions));
      }
    }
  }
};

}  // namespace

const Strategy& taint_rule_strategy() {
  static const TaintRuleStrategy kStrategy;
  return kStrategy;
}

}  // namespace dcm::apiserver
