#include "apiserver/rules/table_strategy.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "apiserver/rules/default_values.hpp"
#include "apiserver/rules/pod_defaults.hpp"
#include "apiserver/rules/pod_warnings.hpp"

namespace dcm::apiserver {

namespace {

constexpr auto kCounted = KindRules::Generation::counted;

}  // namespace

bool has_new_generation(const JsonObject& next, const JsonObject& old) {
  return integer_at(next, {"metadata", "generation"}) !=
         integer_at(old, {"metadata", "generation"});
}

std::vector<std::string> TableStrategy::warnings(const JsonObject& object,
                                                 const JsonObject* old) const {
  if (!rules_.pod_spec.empty()) {
    if (old != nullptr && !rules_.warns_again(object, *old)) return {};
    const JsonObject* const spec = object_along(object, rules_.pod_spec);
    if (spec == nullptr) return {};
    return warnings_of_pod_spec(*spec, fmt::format("{}", fmt::join(rules_.pod_spec, ".")));
  }
  const std::string_view text =
      rules_.warning == nullptr ? std::string_view() : rules_.warning(object);
  return text.empty() ? std::vector<std::string>() : std::vector{std::string(text)};
}

void TableStrategy::set_defaults(JsonObject& object, const WriteContext&) const {
  const bool is_required = rules_.pod_template == KindRules::Template::required;
  if (is_required || has(object, {"spec", "template"})) {
    JsonObject* spec = &object;
    for (const std::string_view step : rules_.pod_spec) spec = &child(*spec, step);
  }
  set_default_values(kind_, object);
  if (rules_.set_defaults != nullptr) rules_.set_defaults(object);
  if (rules_.pod_spec.empty()) return;
  if (JsonObject* const spec = object_along(object, rules_.pod_spec)) default_template_spec(*spec);
}

void TableStrategy::prepare_create(JsonObject& object, const WriteContext&) const {
  if (object.contains("status") || makes_pods()) object["status"] = begin_status();
  if (rules_.generation == kCounted) child(object, "metadata")["generation"] = 1;
  if (rules_.on_create != nullptr) rules_.on_create(object);
}

void TableStrategy::prepare_update(JsonObject& next, const JsonObject& old, Endpoint endpoint,
                                   const WriteContext& context) const {
  OldStatusStrategy::prepare_update(next, old, endpoint, context);
  if (endpoint != Endpoint::main) return;
  for (const auto name : rules_.kept) {
    if (!has(next, {"spec", name})) restore(child(next, "spec"), object_at(old, {"spec"}), name);
  }
  if (rules_.on_update != nullptr) rules_.on_update(next, old);
  const auto wanted = rules_.pod_spec.empty() ? "spec" : rules_.pod_spec.front();
  if (rules_.generation == kCounted) count_generation(next, old, wanted);
}

void TableStrategy::validate_create(const JsonObject& object, const WriteContext&,
                                    Causes& causes) const {
  if (rules_.validate != nullptr) rules_.validate(object, nullptr, causes);
}

void TableStrategy::validate_update(const JsonObject& next, const JsonObject& old,
                                    Endpoint endpoint, Causes& causes) const {
  if (endpoint != Endpoint::main) return;
  if (rules_.validate != nullptr) rules_.validate(next, &old, causes);
}

SelectableFields TableStrategy::selectable_fields(const JsonObject& object) const {
  return rules_.selectable_fields == nullptr ? SelectableFields()
                                             : rules_.selectable_fields(object);
}

// The API's defaults for the status are kept; what the writer sets is not.
JsonObject TableStrategy::begin_status() const {
  JsonObject defaults;
  set_default_values(kind_, defaults);
  return object_at(defaults, {"status"});
}

}  // namespace dcm::apiserver
