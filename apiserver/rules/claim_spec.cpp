#include "apiserver/rules/claim_spec.hpp"

#include <algorithm>
#include <set>

#include "apiserver/rules/checks.hpp"
#include "apiserver/rules/device_attributes.hpp"
#include "apiserver/rules/device_configuration.hpp"
#include "apiserver/rules/device_validation.hpp"
#include "apiserver/rules/names.hpp"

namespace dcm::apiserver {

namespace {

constexpr std::size_t kRequestsMax = 32;
constexpr std::size_t kAlternativesMax = 8;
constexpr std::size_t kConstraintsMax = 32;

void default_device_request(JsonObject& request) {
  // An empty mode and a count of 0 are the same as missing ones.
  if (text_at(request, {"allocationMode"}).empty()) request["allocationMode"] = "ExactCount";
  if (integer_at(request, {"count"}) == 0) request.erase("count");
  if (text_at(request, {"allocationMode"}) == "ExactCount") set_default(request, "count", 1);
  for_each_object(find(request, {"tolerations"}), [](JsonObject& toleration) {
    if (text_at(toleration, {"operator"}).empty()) toleration["operator"] = "Equal";
  });
}

void validate_device_request(const JsonObject& request, const std::string& path, Causes& causes) {
  require_name(NameRule::dns_subdomain, text_at(request, {"deviceClassName"}),
               path + ".deviceClassName", causes);
  validate_device_selectors(array_at(request, {"selectors"}), path + ".selectors", causes);
  const JsonArray& tolerations = array_at(request, {"tolerations"});
  for (const auto& [toleration, at] : with_paths(tolerations, path + ".tolerations")) {
    validate_device_toleration(toleration, at, causes);
  }
  const std::string_view mode = text_at(request, {"allocationMode"});
  validate_choice(mode, {"All", "ExactCount"}, path + ".allocationMode", causes);
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
  validate_name(NameRule::dns_label, text_at(request, {"name"}), path + ".name", causes);
}

void validate_alternatives(const JsonArray& alternatives, const std::string& path, Causes& causes) {
  if (alternatives.size() > kAlternativesMax) {
    causes.push_back(too_many(path, alternatives.size(), kAlternativesMax));
    return;
  }
  std::set<std::string_view> names;
  for (const auto& [alternative, at] : with_paths(alternatives, path)) {
    validate_request_name(alternative, at, causes);
    validate_device_request(alternative, at, causes);
    if (!names.insert(text_at(alternative, {"name"})).second) {
      causes.push_back(duplicate_value(at, alternative));
    }
  }
}

void validate_request(const JsonObject& request, const std::string& path, Causes& causes) {
  validate_request_name(request, path, causes);
  const bool has_exactly = has(request, {"exactly"});
  const bool has_first = !array_at(request, {"firstAvailable"}).empty();
  if (has_exactly && has_first) {
    causes.push_back(invalid_value(path, Json(),
                                   "exactly one of `exactly` or `firstAvailable` is required, but "
                                   "multiple fields are set"));
  } else if (!has_exactly && !has_first) {
    causes.push_back(
        required_value(path, "exactly one of `exactly` or `firstAvailable` is required"));
  }
  if (has_exactly == has_first) return;
  if (has_exactly)
    validate_device_request(object_at(request, {"exactly"}), path + ".exactly", causes);
  if (has_first) {
    validate_alternatives(array_at(request, {"firstAvailable"}), path + ".firstAvailable", causes);
  }
}

constexpr std::string_view kNoSuchRequest =
    "must be the name of a request in the claim or the name of a request and a subrequest "
    "separated by '/'";

// The requests that a part of the spec applies to.
void validate_references(const JsonObject& spec, std::string_view list, const std::string& path,
                         Causes& causes) {
  const JsonArray& parts = array_at(spec, {"devices", list});
  for (const auto& [part, at] : with_paths(parts, path + ".devices." + std::string(list))) {
    validate_request_references(spec, array_at(part, {"requests"}), at + ".requests", causes);
  }
}

void validate_constraints(const JsonArray& constraints, const std::string& path, Causes& causes) {
  for (const auto& [constraint, at] : with_paths(constraints, path)) {
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

void validate_requests(const JsonArray& requests, const std::string& path, Causes& causes) {
  if (requests.size() > kRequestsMax) {
    causes.push_back(too_many(path, requests.size(), kRequestsMax));
    return;
  }
  std::set<std::string_view> names;
  for (const auto& [request, at] : with_paths(requests, path)) {
    validate_request(request, at, causes);
    if (!names.insert(text_at(request, {"name"})).second) {
      causes.push_back(duplicate_value(at, request));
    }
  }
}

}  // namespace

void default_claim_spec(JsonObject& spec) {
  for_each_object(find(spec, {"devices", "requests"}), [](JsonObject& request) {
    if (Json* const exactly = find(request, {"exactly"}); exactly && exactly->is_object()) {
      default_device_request(exactly->get_object());
    }
    for_each_object(find(request, {"firstAvailable"}), default_device_request);
  });
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

void validate_request_reference(const JsonObject& spec, std::string_view name,
                                const std::string& path, Causes& causes) {
  const auto slashes = std::ranges::count(name, '/');
  const auto slash = name.find('/');
  const auto check_part = [&](std::string_view part) {
    validate_name(NameRule::dns_label, part, path, causes);
  };
  if (slashes <= 1) check_part(name.substr(0, slash));
  if (slashes == 1) check_part(name.substr(slash + 1));
  if (slashes > 1 || !is_claim_request(spec, name)) {
    causes.push_back(invalid_value(path, Json(name), kNoSuchRequest));
  }
}

void validate_request_references(const JsonObject& spec, const JsonArray& names,
                                 const std::string& path, Causes& causes) {
  if (names.size() > kRequestsMax) {
    causes.push_back(too_many(path, names.size(), kRequestsMax));
    return;
  }
  std::set<std::string_view> seen;
  for (const auto& [name, at] : texts_with_paths(names, path)) {
    if (!seen.insert(name).second) causes.push_back(duplicate_value(at, Json(name)));
    validate_request_reference(spec, name, at, causes);
  }
}

void validate_claim_spec(const JsonObject& spec, const std::string& path, Causes& causes) {
  validate_requests(array_at(spec, {"devices", "requests"}), path + ".devices.requests", causes);
  const JsonArray& constraints = array_at(spec, {"devices", "constraints"});
  if (constraints.size() > kConstraintsMax) {
    causes.push_back(too_many(path + ".devices.constraints", constraints.size(), kConstraintsMax));
  } else {
    validate_references(spec, "constraints", path, causes);
    validate_constraints(constraints, path + ".devices.constraints", causes);
  }
  const JsonArray& configurations = array_at(spec, {"devices", "config"});
  if (configurations.size() <= kConfigurationsMax) {
    validate_references(spec, "config", path, causes);
  }
  validate_configurations(configurations, path + ".devices.config", causes);
}

}  // namespace dcm::apiserver
