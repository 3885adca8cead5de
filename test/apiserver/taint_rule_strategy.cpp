// DeviceTaintRule (KEP-5055): a generation that counts changes of the spec, the time of a taint,
// and metav1.Condition's rules for the status.
#include <set>

#include "test/apiserver/strategies.hpp"
#include "test/apiserver/timestamp.hpp"

namespace dcm::apiserver {

namespace {

constexpr std::size_t kMaxConditions = 8;
constexpr std::size_t kMaxMessage = 32 * 1024;

void validate_taint(const JsonObject& rule, Causes& causes) {
  const std::string_view effect = text_at(rule, {"spec", "taint", "effect"});
  if (text_at(rule, {"spec", "taint", "key"}).empty()) {
    causes.push_back(invalid_value("spec.taint.key", Json(""), "name part must be non-empty"));
    causes.push_back(invalid_value(
        "spec.taint.key", Json(""),
        "name part must consist of alphanumeric characters, '-', '_' or '.', and must start and "
        "end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex "
        "used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')"));
  }
  if (effect.empty()) {
    causes.push_back(required_value("spec.taint.effect"));
  } else if (effect != "NoSchedule" && effect != "NoExecute" && effect != "None") {
    causes.push_back({"FieldValueNotSupported",
                      "Unsupported value: " + serialize(Json(effect)) +
                          ": supported values: \"NoExecute\", \"NoSchedule\", \"None\"",
                      "spec.taint.effect"});
  }
}

void validate_condition(const JsonObject& condition, const std::string& path, Causes& causes) {
  for (const auto* key : {"type", "lastTransitionTime", "reason"}) {
    if (text_at(condition, {key}).empty()) {
      causes.push_back(required_value(path + "." + key));
    }
  }
  const std::string_view status = text_at(condition, {"status"});
  if (status != "True" && status != "False" && status != "Unknown") {
    causes.push_back({"FieldValueNotSupported",
                      "Unsupported value: " + serialize(Json(status)) +
                          ": supported values: \"False\", \"True\", \"Unknown\"",
                      path + ".status"});
  }
  const std::string_view message = text_at(condition, {"message"});
  if (message.size() > kMaxMessage) {
    causes.push_back(
        {"FieldValueTooLong", "Too long: may not be more than 32768 bytes", path + ".message"});
  }
}

void validate_conditions(const JsonArray& conditions, Causes& causes) {
  std::set<std::string_view> types;
  std::size_t index = 0;
  for (const Json& item : conditions) {
    const std::string path = indexed("status.conditions", index++);
    if (!item.is_object()) continue;
    validate_condition(item.get_object(), path, causes);
    const std::string_view type = text_at(item.get_object(), {"type"});
    if (!types.insert(type).second) causes.push_back(duplicate_value(path + ".type", Json(type)));
  }
  if (conditions.size() > kMaxConditions) {
    causes.push_back(too_many("status.conditions", conditions.size(), kMaxConditions));
  }
}

class TaintRuleStrategy final : public StatusStrategy {
 public:
  void prepare_create(JsonObject& object, const WriteContext& context) const override {
    StatusStrategy::prepare_create(object, context);
    child(object, "metadata")["generation"] = 1;
    set_default(child(child(object, "spec"), "taint"), "timeAdded", Json(timestamp(context.now)));
  }

  void validate_create(const JsonObject& object, const WriteContext&,
                       Causes& causes) const override {
    validate_taint(object, causes);
  }

  // The time of a taint is that of its effect, unless the writer says otherwise.
  void prepare_update(JsonObject& next, const JsonObject& old, Endpoint endpoint,
                      const WriteContext& context) const override {
    StatusStrategy::prepare_update(next, old, endpoint, context);
    if (endpoint == Endpoint::status) return;
    JsonObject& taint = child(child(next, "spec"), "taint");
    const JsonObject& before = object_at(old, {"spec", "taint"});
    set_default(taint, "timeAdded", Json(timestamp(context.now)));
    const bool same_time = text_at(taint, {"timeAdded"}) == text_at(before, {"timeAdded"});
    if (same_time && text_at(taint, {"effect"}) != text_at(before, {"effect"})) {
      taint["timeAdded"] = timestamp(context.now);
    }
    count_generation(next, old);
  }

  void validate_update(const JsonObject& next, const JsonObject&, Endpoint endpoint,
                       Causes& causes) const override {
    if (endpoint == Endpoint::main) {
      validate_taint(next, causes);
    } else {
      validate_conditions(array_at(next, {"status", "conditions"}), causes);
    }
  }
};

}  // namespace

const Strategy& taint_rule_strategy() {
  static const TaintRuleStrategy kStrategy;
  return kStrategy;
}

}  // namespace dcm::apiserver
