#include "apiserver/rules/workload_parts.hpp"

#include <fmt/format.h>

#include "apiserver/rules/label_selector.hpp"
#include "apiserver/rules/metadata_rules.hpp"
#include "apiserver/rules/pod_spec.hpp"

namespace dcm::apiserver {

namespace {

Json member(const JsonObject& object, std::string_view name) {
  const Json* const value = object.if_contains(name);
  return value == nullptr ? Json() : *value;
}

}  // namespace

void validate_template(const JsonObject& pod_template, const std::string& path, Causes& causes,
                       const JsonArray& claims) {
  validate_labels_and_annotations(object_at(pod_template, {"metadata"}), path, causes);
  const JsonObject& spec = object_at(pod_template, {"spec"});
  validate_pod_spec(spec, path + ".spec", causes, claims);
  if (array_at(spec, {"ephemeralContainers"}).empty()) return;
  causes.push_back(forbidden_value(path + ".spec.ephemeralContainers",
                                   "ephemeral containers not allowed in pod template"));
}

void validate_template_labels(const JsonObject* selector, const JsonObject& pod_template,
                              const std::string& path, Causes& causes) {
  const JsonObject& metadata = object_at(pod_template, {"metadata"});
  if (selects(selector, object_at(metadata, {"labels"}))) return;
  causes.push_back(invalid_value(path + ".metadata.labels", member(metadata, "labels"),
                                 "`selector` does not match template `labels`"));
}

bool validate_selector(const JsonObject& selector, const std::string& path, Causes& causes) {
  const std::size_t before = causes.size();
  validate_label_selector(selector, path, causes);
  return causes.size() == before;
}

void validate_immutable(const JsonObject& next, const JsonObject& old, std::string_view name,
                        Causes& causes) {
  const Json now = member(object_at(next, {"spec"}), name);
  if (now == member(object_at(old, {"spec"}), name)) return;
  causes.push_back(invalid_value(fmt::format("spec.{}", name), now, "field is immutable"));
}

}  // namespace dcm::apiserver
