#include "apiserver/rules/volume_claim.hpp"

#include "apiserver/rules/checks.hpp"
#include "apiserver/rules/names.hpp"
#include "apiserver/rules/quantities.hpp"

namespace dcm::apiserver {

// The controller that binds a claim sets its volume; a bound one may grow.
void validate_volume_claim(const JsonObject& next, const JsonObject* old, Causes& causes) {
  const JsonObject& spec = object_at(next, {"spec"});
  if (old != nullptr) {
    JsonObject now = spec;
    JsonObject before = object_at(*old, {"spec"});
    const bool is_bound = text_at(*old, {"status", "phase"}) == "Bound";
    for (JsonObject* part : {&now, &before}) {
      if (text_at(*old, {"spec", "volumeName"}).empty()) part->erase("volumeName");
      if (is_bound) part->erase("volumeAttributesClassName");
      if (is_bound) child(*part, "resources").erase("requests");
    }
    if (now != before) {
      causes.push_back(forbidden_value("spec",
                                       "spec is immutable after creation except resources.requests "
                                       "and volumeAttributesClassName for bound claims"));
    }
  }
  validate_volume_claim_spec(spec, "spec", causes);
}

void validate_volume_claim_spec(const JsonObject& spec, const std::string& path, Causes& causes) {
  const JsonArray& modes = array_at(spec, {"accessModes"});
  const std::string at = path + ".accessModes";
  if (modes.empty()) {
    causes.push_back(required_value(at, "at least 1 access mode is required"));
  }
  bool is_of_one_pod = false;
  bool is_of_more = false;
  for (const Json& item : modes) {
    const std::string_view mode = as_text(item);
    const bool is_valid = validate_choice(
        mode, {"ReadOnlyMany", "ReadWriteMany", "ReadWriteOnce", "ReadWriteOncePod"}, at, causes);
    is_of_one_pod |= mode == "ReadWriteOncePod";
    is_of_more |= is_valid && mode != "ReadWriteOncePod";
  }
  if (is_of_one_pod && is_of_more) {
    causes.push_back(forbidden_value(at, "may not use ReadWriteOncePod with other access modes"));
  }
  const auto size = quantity_at(spec, {"resources", "requests", "storage"});
  const std::string where = path + ".resources[storage]";
  if (!has(spec, {"resources", "requests", "storage"})) {
    causes.push_back(required_value(where));
  } else if (size && size->sign() <= 0) {
    causes.push_back(invalid_value(where, Json(size->text()), "must be greater than zero"));
  }
  if (const std::string_view name = text_at(spec, {"storageClassName"}); !name.empty()) {
    validate_name(NameRule::dns_subdomain, name, path + ".storageClassName", causes);
  }
  const std::string_view mode = text_at(spec, {"volumeMode"});
  if (mode.empty()) return;
  validate_choice(mode, {"Block", "Filesystem"}, path + ".volumeMode", causes);
}

}  // namespace dcm::apiserver
