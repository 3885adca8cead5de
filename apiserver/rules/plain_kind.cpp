#include "apiserver/rules/plain_kind.hpp"

#include "apiserver/rules/label_selector.hpp"
#include "apiserver/rules/plain_defaults.hpp"
#include "apiserver/rules/pod_defaults.hpp"

namespace dcm::apiserver {

namespace {

constexpr auto kCounted = PlainKind::Generation::counted;
constexpr auto kOfTemplate = PlainKind::Selector::of_template;

Json* pod_spec_of(JsonObject& object, PlainKind::Pods pods) {
  if (pods == PlainKind::Pods::none) return nullptr;
  if (pods == PlainKind::Pods::of_template) return find(object, {"spec", "template", "spec"});
  if (pods == PlainKind::Pods::of_stored_template) return find(object, {"template", "spec"});
  return find(object, {"spec", "jobTemplate", "spec", "template", "spec"});
}

}  // namespace

Json* PlainStrategy::pod_spec(JsonObject& object) const {
  return pod_spec_of(object, rules_.pods);
}

std::vector<std::string> PlainStrategy::warnings(const JsonObject& object,
                                                 const JsonObject*) const {
  const std::string_view text =
      rules_.warning == nullptr ? std::string_view() : rules_.warning(object);
  return text.empty() ? std::vector<std::string>() : std::vector{std::string(text)};
}

void PlainStrategy::set_defaults(JsonObject& object, const WriteContext&) const {
  set_plain_defaults(kind_, object);
  if (rules_.set_defaults != nullptr) rules_.set_defaults(object);
  Json* pods = pod_spec(object);
  if (pods != nullptr && pods->is_object()) default_template_spec(pods->get_object());
}

void PlainStrategy::prepare_create(JsonObject& object, const WriteContext&) const {
  if (object.contains("status") || makes_pods()) object["status"] = begin_status();
  if (rules_.generation == kCounted) child(object, "metadata")["generation"] = 1;
  if (rules_.on_create != nullptr) rules_.on_create(object);
}

void PlainStrategy::prepare_update(JsonObject& next, const JsonObject& old, Endpoint endpoint,
                                   const WriteContext& context) const {
  OldStatusStrategy::prepare_update(next, old, endpoint, context);
  if (endpoint != Endpoint::main) return;
  for (const auto name : rules_.kept) {
    if (!has(next, {"spec", name})) restore(child(next, "spec"), object_at(old, {"spec"}), name);
  }
  if (rules_.on_update != nullptr) rules_.on_update(next, old);
  if (rules_.generation == kCounted) count_generation(next, old);
}

void PlainStrategy::validate_create(const JsonObject& object, const WriteContext&,
                                    Causes& causes) const {
  validate_selector(object, causes);
  if (rules_.validate != nullptr) rules_.validate(object, nullptr, causes);
}

void PlainStrategy::validate_update(const JsonObject& next, const JsonObject& old,
                                    Endpoint endpoint, Causes& causes) const {
  if (endpoint != Endpoint::main) return;
  validate_selector(next, causes);
  if (rules_.validate != nullptr) rules_.validate(next, &old, causes);
  const JsonObject& selector = object_at(next, {"spec", "selector"});
  if (rules_.selector == kOfTemplate && selector != object_at(old, {"spec", "selector"})) {
    causes.push_back(invalid_value("spec.selector", selector, "field is immutable"));
  }
}

SelectableFields PlainStrategy::selectable_fields(const JsonObject& object) const {
  const auto count = [&](std::string_view name) {
    return std::to_string(integer_at(object, {"status", name}).value_or(0));
  };
  if (kind_ == "Secret") return {{"type", std::string(text_at(object, {"type"}))}};
  if (kind_ == "Job") return {{"status.successful", count("succeeded")}};
  if (kind_ == "ReplicationController") return {{"status.replicas", count("replicas")}};
  if (kind_ == "Service") {
    return {{"spec.clusterIP", std::string(text_at(object, {"spec", "clusterIP"}))},
            {"spec.type", std::string(text_at(object, {"spec", "type"}))}};
  }
  return {};
}

void PlainStrategy::validate_selector(const JsonObject& object, Causes& causes) const {
  if (rules_.selector != kOfTemplate) return;
  if (!has(object, {"spec", "selector"})) {
    causes.push_back(required_value("spec.selector"));
    return;
  }
  const JsonObject& labels = object_at(object, {"spec", "template", "metadata", "labels"});
  if (selects(&object_at(object, {"spec", "selector"}), labels)) return;
  causes.push_back(invalid_value("spec.template.metadata.labels", labels,
                                 "`selector` does not match template `labels`"));
}

// The API's defaults for the status are kept; what the writer sets is not.
JsonObject PlainStrategy::begin_status() const {
  JsonObject defaults;
  set_plain_defaults(kind_, defaults);
  return object_at(defaults, {"status"});
}

}  // namespace dcm::apiserver
