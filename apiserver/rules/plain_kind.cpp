#include "apiserver/rules/plain_kind.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "apiserver/rules/plain_defaults.hpp"
#include "apiserver/rules/pod_defaults.hpp"
#include "apiserver/rules/pod_spec.hpp"

namespace dcm::apiserver {

namespace {

constexpr auto kCounted = PlainKind::Generation::counted;

std::vector<std::string_view> path_of(PlainKind::Pods pods) {
  switch (pods) {
    case PlainKind::Pods::none:
      break;
    case PlainKind::Pods::of_template:
    case PlainKind::Pods::of_optional_template:
      return {"spec", "template", "spec"};
    case PlainKind::Pods::of_job_template:
      return {"spec", "jobTemplate", "spec", "template", "spec"};
    case PlainKind::Pods::of_stored_template:
      return {"template", "spec"};
  }
  return {};
}

// When a real server repeats its warnings about a pod template.
bool is_warned_of_change(std::string_view kind, const JsonObject& next, const JsonObject& old) {
  if (kind == "ReplicationController") return false;
  if (kind == "DaemonSet") {
    return object_at(next, {"spec", "template"}) != object_at(old, {"spec", "template"});
  }
  return integer_at(next, {"metadata", "generation"}) !=
         integer_at(old, {"metadata", "generation"});
}

}  // namespace

Json* PlainStrategy::pod_spec(JsonObject& object) const {
  Json* found = nullptr;
  JsonObject* parent = &object;
  for (const std::string_view step : path_of(rules_.pods)) {
    found = find(*parent, {step});
    if (found == nullptr || !found->is_object()) return nullptr;
    parent = &found->get_object();
  }
  return found;
}

std::vector<std::string> PlainStrategy::warnings(const JsonObject& object,
                                                 const JsonObject* old) const {
  if (rules_.pods != PlainKind::Pods::none) {
    if (old != nullptr && !is_warned_of_change(kind_, object, *old)) return {};
    const auto path = path_of(rules_.pods);
    const JsonObject* spec = &object;
    for (const std::string_view step : path) spec = &object_at(*spec, {step});
    return warnings_of_pod_spec(*spec, fmt::format("{}", fmt::join(path, ".")));
  }
  const std::string_view text =
      rules_.warning == nullptr ? std::string_view() : rules_.warning(object);
  return text.empty() ? std::vector<std::string>() : std::vector{std::string(text)};
}

void PlainStrategy::set_defaults(JsonObject& object, const WriteContext&) const {
  const bool may_be_missing = rules_.pods == PlainKind::Pods::of_optional_template;
  const bool is_missing = may_be_missing && !has(object, {"spec", "template"});
  const bool has_pods = rules_.pods != PlainKind::Pods::none && !is_missing;
  JsonObject* spec = &object;
  if (has_pods) {
    for (const std::string_view step : path_of(rules_.pods)) spec = &child(*spec, step);
  }
  set_plain_defaults(kind_, object);
  if (rules_.set_defaults != nullptr) rules_.set_defaults(object);
  if (Json* pods = pod_spec(object); has_pods && pods != nullptr) {
    default_template_spec(pods->get_object());
  }
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
  const bool is_template = rules_.pods == PlainKind::Pods::of_stored_template;
  if (rules_.generation == kCounted) count_generation(next, old, is_template ? "template" : "spec");
}

void PlainStrategy::validate_create(const JsonObject& object, const WriteContext&,
                                    Causes& causes) const {
  if (rules_.validate != nullptr) rules_.validate(object, nullptr, causes);
}

void PlainStrategy::validate_update(const JsonObject& next, const JsonObject& old,
                                    Endpoint endpoint, Causes& causes) const {
  if (endpoint != Endpoint::main) return;
  if (rules_.validate != nullptr) rules_.validate(next, &old, causes);
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

// The API's defaults for the status are kept; what the writer sets is not.
JsonObject PlainStrategy::begin_status() const {
  JsonObject defaults;
  set_plain_defaults(kind_, defaults);
  return object_at(defaults, {"status"});
}

}  // namespace dcm::apiserver
