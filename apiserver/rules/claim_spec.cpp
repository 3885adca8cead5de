#include "apiserver/rules/claim_spec.hpp"

#include <algorithm>
#include <set>

#include "apiserver/rules/device_validation.hpp"
#include "apiserver/rules/names.hpp"

namespace dcm::apiserver {

namespace {

void default_device_request(JsonObject& request) {
  set_default(request, "allocationMode", "ExactCount");
  if (text_at(request, {"allocationMode"}) == "ExactCount") set_default(request, "count", 1);
  Json* const tolerations = find(request, {"tolerations"});
  if (tolerations == nullptr || !tolerations->is_array()) return;
  for (Json& toleration : tolerations->get_array()) {
    if (toleration.is_object()) set_default(toleration.get_object(), "operator", "Equal");
  }
}

void validate_device_request(const JsonObject& request, const std::string& path, Causes& causes) {
  const std::string_view device_class = text_at(request, {"deviceClassName"});
  const auto problem = problem_with_name(NameRule::dns_subdomain, device_class);
  if (device_class.empty()) {
    causes.push_back(required_value(path + ".deviceClassName"));
  } else if (!problem.empty()) {
    causes.push_back(invalid_value(path + ".deviceClassName", Json(device_class), problem));
  }
  validate_device_selectors(array_at(request, {"selectors"}), path + ".selectors", causes);
  std::size_t index = 0;
  for (const Json& toleration : array_at(request, {"tolerations"})) {
    const std::string at = indexed(path + ".tolerations", index++);
    if (toleration.is_object()) validate_device_toleration(toleration.get_object(), at, causes);
  }
  const std::string_view mode = text_at(request, {"allocationMode"});
  if (mode != "All" && mode != "ExactCount") {
    causes.push_back(not_supported(path + ".allocationMode", Json(mode), {"All", "ExactCount"}));
  }
  if (mode == "All" && integer_at(request, {"count"}).value_or(0) != 0) {
    causes.push_back(invalid_value(path + ".count", *find(request, {"count"}),
                                   "must not be specified when allocationMode is 'All'"));
  }
  if (mode == "ExactCount" && integer_at(request, {"count"}).value_or(0) <= 0) {
    const Json* count = find(request, {"count"});
    causes.push_back(invalid_value(path + ".count", count != nullptr ? *count : Json(0),
                                   "must be greater than zero"));
  }
}

void validate_request_name(const JsonObject& request, const std::string& path, Causes& causes) {
  const std::string_view name = text_at(request, {"name"});
  if (const auto problem = problem_with_name(NameRule::dns_label, name); !problem.empty()) {
    causes.push_back(invalid_value(path + ".name", Json(name), problem));
  }
}

void validate_request(const JsonObject& request, const std::string& path, Causes& causes) {
  validate_request_name(request, path, causes);
  const bool exactly = has(request, {"exactly"});
  const bool first = has(request, {"firstAvailable"});
  if (exactly && first) {
    causes.push_back(invalid_value(path, Json(),
                                   "exactly one of `exactly` or `firstAvailable` is required, but "
                                   "multiple fields are set"));
  } else if (!exactly && !first) {
    causes.push_back(
        required_value(path, "exactly one of `exactly` or `firstAvailable` is required"));
  }
  if (exactly) validate_device_request(object_at(request, {"exactly"}), path + ".exactly", causes);
  std::size_t index = 0;
  for (const Json& alternative : array_at(request, {"firstAvailable"})) {
    if (!alternative.is_object()) continue;
    validate_device_request(alternative.get_object(), indexed(path + ".firstAvailable", index++),
                            causes);
  }
}

// The requests that a part of the spec is about.
void validate_references(const JsonObject& spec, std::string_view list, const std::string& path,
                         Causes& causes) {
  std::size_t index = 0;
  for (const Json& item : array_at(spec, {"devices", list})) {
    const std::string here = indexed(path + ".devices." + std::string(list), index++) + ".requests";
    if (!item.is_object()) continue;
    std::set<std::string> seen;
    std::size_t place = 0;
    for (const Json& reference : array_at(item.get_object(), {"requests"})) {
      const std::string at = indexed(here, place++);
      const std::string name(reference.is_string() ? view(reference.get_string()) : "");
      if (!seen.insert(name).second) causes.push_back(duplicate_value(at, reference));
      const std::string_view problem =
          problem_with_name(NameRule::dns_label, name.substr(0, name.find('/')));
      if (!problem.empty()) {
        causes.push_back(invalid_value(at, reference, problem));
      } else if (!is_claim_request(spec, name)) {
        causes.push_back(invalid_value(at, reference,
                                       "must be the name of a request in the claim or the name of "
                                       "a request and a subrequest separated by '/'"));
      }
    }
  }
}

void validate_constraints(const JsonArray& constraints, const std::string& path, Causes& causes) {
  for (std::size_t i = 0; i < constraints.size(); ++i) {
    if (!constraints[i].is_object()) continue;
    const JsonObject& constraint = constraints[i].get_object();
    const std::string at = indexed(path, i);
    bool is_any = false;
    for (const auto* kind : {"matchAttribute", "distinctAttribute"}) {
      if (!constraint.contains(kind)) continue;
      is_any = true;
      validate_full_attribute_name(text_at(constraint, {kind}), at + "." + kind, causes);
    }
    if (is_any) continue;
    causes.push_back(required_value(
        at,
        "exactly one of \"matchAttribute\" or \"distinctAttribute\" is required, but multiple "
        "fields are set"));
  }
}

}  // namespace

void default_claim_spec(JsonObject& spec) {
  Json* requests = find(spec, {"devices", "requests"});
  if (requests == nullptr || !requests->is_array()) return;
  for (Json& request : requests->get_array()) {
    if (!request.is_object()) continue;
    if (Json* exactly = find(request.get_object(), {"exactly"}); exactly && exactly->is_object()) {
      default_device_request(exactly->get_object());
    }
    Json* alternatives = find(request.get_object(), {"firstAvailable"});
    if (alternatives == nullptr || !alternatives->is_array()) continue;
    for (Json& alternative : alternatives->get_array()) {
      if (alternative.is_object()) default_device_request(alternative.get_object());
    }
  }
}

bool is_claim_request(const JsonObject& spec, std::string_view reference) {
  return std::ranges::any_of(array_at(spec, {"devices", "requests"}), [&](const Json& item) {
    if (!item.is_object()) return false;
    const JsonObject& request = item.get_object();
    const std::string name(text_at(request, {"name"}));
    if (name == reference) return true;
    return std::ranges::any_of(array_at(request, {"firstAvailable"}), [&](const Json& other) {
      return other.is_object() &&
             name + "/" + std::string(text_at(other.get_object(), {"name"})) == reference;
    });
  });
}

void validate_claim_spec(const JsonObject& spec, const std::string& path, Causes& causes) {
  const std::string requests_path = path + ".devices.requests";
  std::set<std::string_view> names;
  std::size_t index = 0;
  for (const Json& item : array_at(spec, {"devices", "requests"})) {
    const std::string at = indexed(requests_path, index++);
    if (!item.is_object()) continue;
    validate_request(item.get_object(), at, causes);
    const std::string_view name = text_at(item.get_object(), {"name"});
    if (!name.empty() && !names.insert(name).second) {
      causes.push_back(duplicate_value(at, item));
    }
  }
  validate_references(spec, "constraints", path, causes);
  validate_references(spec, "config", path, causes);
  validate_constraints(array_at(spec, {"devices", "constraints"}), path + ".devices.constraints",
                       causes);
  validate_configurations(array_at(spec, {"devices", "config"}), path + ".devices.config", causes);
}

}  // namespace dcm::apiserver
