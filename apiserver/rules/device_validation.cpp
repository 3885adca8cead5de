#include "apiserver/rules/device_validation.hpp"

#include <algorithm>
#include <array>
#include <set>

#include <fmt/format.h>

#include "apiserver/rules/names.hpp"
#include "cel/kubernetes/selector.hpp"
#include "runtime/ascii.hpp"

namespace dcm::apiserver {

namespace {

using runtime::is_alphanumeric;
using runtime::is_digit;
using runtime::is_letter;

constexpr std::size_t kDriverNameMax = 63;
constexpr std::size_t kPoolNameMax = 253;
constexpr std::size_t kIdentifierMax = 32;
constexpr std::size_t kAttributeValueMax = 64;
constexpr std::size_t kDevicesMax = 128;
constexpr std::size_t kAdvancedDevicesMax = 64;  // with taints, counters or lists of attributes
constexpr std::size_t kAttributesMax = 32;       // of a device, including capacities
constexpr std::size_t kTaintsMax = 16;
constexpr std::size_t kSelectorsMax = 32;
constexpr std::size_t kParametersMax = 10 * 1024;

constexpr std::array<std::string_view, 8> kAttributeTypes = {
    "int", "bool", "string", "version", "ints", "bools", "strings", "versions"};

void check_name(NameRule rule, std::string_view name, const std::string& path, Causes& causes) {
  const auto problem = problem_with_name(rule, name);
  if (!problem.empty()) causes.push_back(invalid_value(path, Json(name), problem));
}

void check_identifier(std::string_view id, const std::string& path, Causes& causes) {
  if (id.size() > kIdentifierMax) causes.push_back(too_long(path, kIdentifierMax));
  const bool starts_well = !id.empty() && (is_letter(id.front()) || id.front() == '_');
  const bool goes_well =
      std::ranges::all_of(id, [](char c) { return is_alphanumeric(c) || c == '_'; });
  if (starts_well && goes_well) return;
  causes.push_back(invalid_value(
      path, Json(id),
      "a valid C identifier must start with alphabetic character or '_', followed by a string of "
      "alphanumeric characters or '_' (e.g. 'my_name',  or 'MY_NAME',  or 'MyName', regex used for "
      "validation is '[A-Za-z_][A-Za-z0-9_]*')"));
}

// "[domain/]name". A name with more slashes is accepted, as in the real server.
void check_attribute_name(std::string_view name, const std::string& path, Causes& causes) {
  const auto slashes = std::ranges::count(name, '/');
  if (slashes == 0) return check_identifier(name, path, causes);
  if (slashes > 1) return;
  const auto slash = name.find('/');
  const std::string_view domain = name.substr(0, slash);
  const std::string_view rest = name.substr(slash + 1);
  if (domain.empty()) {
    causes.push_back(invalid_value(path, Json(""), "the domain must not be empty"));
  } else {
    validate_driver_name(domain, path, causes);
  }
  if (rest.empty()) {
    causes.push_back(invalid_value(path, Json(""), "the name must not be empty"));
  } else {
    check_identifier(rest, path, causes);
  }
}

// A part of a version: numbers have no leading zeros.
bool is_number(std::string_view part) {
  return !part.empty() && std::ranges::all_of(part, is_digit) &&
         (part.size() == 1 || part.front() != '0');
}

enum class Zeros { allowed_in_front, not_in_front };

// "rc.1", after "-" or "+".
bool are_identifiers(std::string_view text, Zeros zeros) {
  for (bool more = true; more;) {
    const auto dot = text.find('.');
    const std::string_view part = text.substr(0, dot);
    const bool is_plain =
        std::ranges::all_of(part, [](char c) { return is_alphanumeric(c) || c == '-'; });
    const bool is_numeric = std::ranges::all_of(part, is_digit);
    if (part.empty() || !is_plain) return false;
    if (zeros == Zeros::not_in_front && is_numeric && !is_number(part)) return false;
    more = dot != std::string_view::npos;
    if (more) text.remove_prefix(dot + 1);
  }
  return true;
}

// semver.org, 2.0.0.
bool is_semver(std::string_view text) {
  const auto plus = text.find('+');
  const std::string_view version = text.substr(0, plus);
  if (plus != std::string_view::npos &&
      !are_identifiers(text.substr(plus + 1), Zeros::allowed_in_front)) {
    return false;
  }
  const auto minus = version.find('-');
  if (minus != std::string_view::npos &&
      !are_identifiers(version.substr(minus + 1), Zeros::not_in_front)) {
    return false;
  }
  const std::string_view core = version.substr(0, minus);
  const auto first = core.find('.');
  const auto second = first == std::string_view::npos ? first : core.find('.', first + 1);
  return second != std::string_view::npos && is_number(core.substr(0, first)) &&
         is_number(core.substr(first + 1, second - first - 1)) &&
         is_number(core.substr(second + 1));
}

void check_version(const Json& value, const std::string& path, Causes& causes) {
  if (!value.is_string()) return;
  const std::string_view text = view(value.get_string());
  if (!is_semver(text)) {
    causes.push_back(
        invalid_value(path, value, "must be a string compatible with semver.org spec 2.0.0"));
  }
  if (text.size() > kAttributeValueMax) causes.push_back(too_long(path, kAttributeValueMax));
}

void check_string(const Json& value, const std::string& path, Causes& causes) {
  const bool is_long = value.is_string() && value.get_string().size() > kAttributeValueMax;
  if (is_long) causes.push_back(too_long(path, kAttributeValueMax));
}

template <class Check>
void check_list(const JsonObject& attribute, std::string_view name, const std::string& path,
                Causes& causes, Check&& check) {
  if (!attribute.contains(name)) return;
  const std::string here = path + "." + std::string(name);
  const JsonArray& items = array_at(attribute, {name});
  if (items.empty()) {
    causes.push_back(invalid_value(here, Json(JsonArray()), "must not be empty if specified"));
  }
  for (std::size_t i = 0; i < items.size(); ++i) check(items[i], indexed(here, i), causes);
}

// Exactly one of its types.
void check_attribute(const JsonObject& attribute, const std::string& path, Causes& causes) {
  const auto check_nothing = [](const Json&, const std::string&, Causes&) {};
  if (const Json* value = attribute.if_contains("string")) {
    check_string(*value, path + ".string", causes);
  }
  if (const Json* value = attribute.if_contains("version")) {
    check_version(*value, path + ".version", causes);
  }
  check_list(attribute, "bools", path, causes, check_nothing);
  check_list(attribute, "ints", path, causes, check_nothing);
  check_list(attribute, "strings", path, causes, check_string);
  check_list(attribute, "versions", path, causes, check_version);
  std::string types;
  std::string set;
  std::size_t count = 0;
  for (const std::string_view type : kAttributeTypes) {
    types += fmt::format("{}`{}`", types.empty() ? "" : ", ", type);
    if (!attribute.contains(type)) continue;
    set += fmt::format("{}{}", count++ == 0 ? "" : ", ", type);
  }
  if (count == 1) return;
  causes.push_back(count == 0 ? invalid_value(path, Json(""), "must specify one of: " + types)
                              : invalid_value(path, Json("{" + set + "}"),
                                              "must specify exactly one of: " + types));
}

void check_place(const JsonObject& device, bool chooses_node, const std::string& path,
                 Causes& causes) {
  std::string set;
  std::size_t count = 0;
  for (const auto* name : {"nodeName", "nodeSelector", "allNodes"}) {
    if (!device.contains(name)) continue;
    set += fmt::format("{}`{}`", count++ == 0 ? "" : ", ", name);
  }
  constexpr std::string_view kRule =
      "exactly one of `nodeName`, `nodeSelector`, or `allNodes` is required when "
      "`perDeviceNodeSelection` is set to true in the ResourceSlice spec";
  if (!chooses_node && count > 0) {
    causes.push_back(invalid_value(
        path, Json(),
        "`nodeName`, `nodeSelector` and `allNodes` can only be set if `perDeviceNodeSelection` is "
        "set to true in the ResourceSlice spec"));
  } else if (chooses_node && count == 0) {
    causes.push_back(required_value(path, kRule));
  } else if (chooses_node && count > 1) {
    causes.push_back(invalid_value(path, Json("{" + set + "}"), kRule));
  }
}

void check_device(const JsonObject& device, bool chooses_node, const std::string& path,
                  Causes& causes) {
  const JsonObject& attributes = object_at(device, {"attributes"});
  const JsonObject& capacity = object_at(device, {"capacity"});
  if (const auto size = attributes.size() + capacity.size(); size > kAttributesMax) {
    causes.push_back(invalid_value(
        path, Json(size),
        fmt::format("the total number of attributes and capacities must not exceed {}",
                    kAttributesMax)));
  }
  for (const auto& member : attributes) {
    check_attribute_name(member.key(), path + ".attributes", causes);
    if (!member.value().is_object()) continue;
    check_attribute(member.value().get_object(),
                    fmt::format("{}.attributes[{}]", path, std::string_view(member.key())), causes);
  }
  for (const auto& member : capacity) {
    check_attribute_name(member.key(), path + ".capacity", causes);
  }
  const JsonArray& taints = array_at(device, {"taints"});
  if (taints.size() > kTaintsMax) {
    causes.push_back(too_many(path + ".taints", taints.size(), kTaintsMax));
  }
  for (std::size_t i = 0; i < taints.size(); ++i) {
    if (!taints[i].is_object()) continue;
    validate_device_taint(taints[i].get_object(), indexed(path + ".taints", i), causes);
  }
  check_place(device, chooses_node, path, causes);
}

std::string in_lower_case(std::string_view text) {
  std::string lower(text);
  std::ranges::transform(lower, lower.begin(), [](char c) {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  });
  return lower;
}

// `problem_with_part` gets each part, the whole name, and the part's number.
void check_pool_name(std::string_view name, const std::string& path, auto problem_with_part,
                     Causes& causes) {
  if (name.empty()) return causes.push_back(required_value(path));
  if (name.size() > kPoolNameMax) causes.push_back(too_long(path, kPoolNameMax));
  const std::string_view whole = name;
  bool more = true;
  for (std::size_t number = 0; more; ++number) {
    const auto slash = name.find('/');
    problem_with_part(name.substr(0, slash), whole, number);
    more = slash != std::string_view::npos;
    if (more) name.remove_prefix(slash + 1);
  }
}
bool is_advanced(const JsonObject& device) {
  return !array_at(device, {"taints"}).empty() || !array_at(device, {"consumesCounters"}).empty() ||
         std::ranges::any_of(object_at(device, {"attributes"}), [](const auto& member) {
           return member.value().is_object() &&
                  std::ranges::any_of(
                      std::array{"ints", "bools", "strings", "versions"},
                      [&](const char* list) { return member.value().get_object().contains(list); });
         });
}

}  // namespace

void validate_driver_name(std::string_view name, const std::string& path, Causes& causes) {
  if (name.empty()) return causes.push_back(required_value(path));
  if (name.size() > kDriverNameMax) causes.push_back(too_long(path, kDriverNameMax));
  const auto problem = problem_with_name(NameRule::dns_subdomain, in_lower_case(name));
  if (!problem.empty()) causes.push_back(invalid_value(path, Json(name), problem));
}

void validate_caseless_driver_name(std::string_view name, const std::string& path, Causes& causes) {
  if (name.empty()) return causes.push_back(required_value(path));
  if (name.size() > kDriverNameMax) causes.push_back(too_many_characters(path, kDriverNameMax));
  if (problem_with_name(NameRule::dns_subdomain, in_lower_case(name)).empty()) return;
  causes.push_back(invalid_value(
      path, Json(name),
      "an RFC 1123 subdomain must consist of alphanumeric characters, '-' or '.', and must start "
      "and end with an alphanumeric character (e.g. 'Example.com', regex used for validation is "
      "'[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')"));
}

void validate_pool_name(std::string_view name, const std::string& path, Causes& causes) {
  check_pool_name(
      name, path,
      [&](std::string_view part, std::string_view, std::size_t) {
        check_name(NameRule::dns_subdomain, part, path, causes);
      },
      causes);
}

void validate_allocated_pool_name(std::string_view name, const std::string& path, Causes& causes) {
  check_pool_name(
      name, path,
      [&](std::string_view part, std::string_view whole, std::size_t number) {
        const auto problem = problem_with_name(NameRule::dns_subdomain, part);
        if (problem.empty()) return;
        causes.push_back(invalid_value(
            path, Json(part.empty() ? whole : part),
            fmt::format("segment {}: {}", number, part.empty() ? "must not be empty" : problem)));
      },
      causes);
}

void validate_devices(const JsonObject& slice_spec, const std::string& path, Causes& causes) {
  const JsonArray& devices = array_at(slice_spec, {"devices"});
  const bool is_any_advanced = std::ranges::any_of(devices, [](const Json& device) {
    return device.is_object() && is_advanced(device.get_object());
  });
  const std::size_t most = is_any_advanced ? kAdvancedDevicesMax : kDevicesMax;
  if (devices.size() > most) return causes.push_back(too_many(path, devices.size(), most));
  const Json* const chooses = slice_spec.if_contains("perDeviceNodeSelection");
  const bool chooses_node = chooses != nullptr && *chooses == Json(true);
  std::set<std::string_view> names;
  for (std::size_t i = 0; i < devices.size(); ++i) {
    if (!devices[i].is_object()) continue;
    const JsonObject& device = devices[i].get_object();
    const std::string at = indexed(path, i);
    const std::string_view name = text_at(device, {"name"});
    if (!names.insert(name).second) causes.push_back(duplicate_value(at, Json(name)));
    check_name(NameRule::dns_label, name, at + ".name", causes);
    check_device(device, chooses_node, at, causes);
  }
}

void validate_device_taint(const JsonObject& taint, const std::string& path, Causes& causes) {
  validate_label_name(text_at(taint, {"key"}), path + ".key", causes);
  const std::string_view value = text_at(taint, {"value"});
  if (const auto problem = problem_with_label_value(value); !problem.empty()) {
    causes.push_back(invalid_value(path + ".value", Json(value), problem));
  }
  const std::string_view effect = text_at(taint, {"effect"});
  if (effect.empty()) {
    causes.push_back(required_value(path + ".effect"));
  } else if (effect != "NoSchedule" && effect != "NoExecute" && effect != "None") {
    causes.push_back(
        not_supported(path + ".effect", Json(effect), {"NoExecute", "NoSchedule", "None"}));
  }
}

void validate_device_toleration(const JsonObject& toleration, const std::string& path,
                                Causes& causes) {
  const std::string_view key = text_at(toleration, {"key"});
  const auto key_problem = key.empty() ? std::string_view() : problem_with_qualified_name(key);
  if (!key_problem.empty()) causes.push_back(invalid_value(path + ".key", Json(key), key_problem));
  const std::string_view value = text_at(toleration, {"value"});
  const std::string_view operation = text_at(toleration, {"operator"});
  if (operation == "Exists") {
    if (!value.empty()) {
      causes.push_back(
          invalid_value(path + ".value", Json(value), "must be empty for operator `Exists`"));
    }
  } else if (operation == "Equal") {
    const auto problem = problem_with_label_value(value);
    if (!problem.empty()) causes.push_back(invalid_value(path + ".value", Json(value), problem));
  } else {
    causes.push_back(not_supported(path + ".operator", Json(operation), {"Equal", "Exists"}));
  }
  const std::string_view effect = text_at(toleration, {"effect"});
  if (!effect.empty() && effect != "NoSchedule" && effect != "NoExecute" && effect != "None") {
    causes.push_back(
        not_supported(path + ".effect", Json(effect), {"NoExecute", "NoSchedule", "None"}));
  }
}

namespace {

constexpr std::size_t kExpressionMax = 10 * 1024;
constexpr std::uint64_t kExpressionCostMax = 1'000'000;

void validate_expression(std::string_view expression, const std::string& path, Causes& causes) {
  if (expression.size() > kExpressionMax) return causes.push_back(too_long(path, kExpressionMax));
  // The same expressions recur.
  static cel::SelectorCompiler compiler;
  const auto selector = compiler.compile(expression, cel::Environment::new_expressions);
  if (!selector) {
    causes.push_back(invalid_value(path, Json(expression), selector.error()));
  } else if ((*selector)->max_cost() > kExpressionCostMax) {
    causes.push_back(forbidden_value(path, "too complex, exceeds cost limit"));
  }
}

}  // namespace

void validate_extended_resource_name(std::string_view name, const std::string& path,
                                     Causes& causes) {
  const auto refuse = [&](std::string_view why) {
    causes.push_back(invalid_value(path, Json(name), why));
  };
  if (!name.contains('/')) {
    refuse("a name must be a domain-prefixed path, such as 'example.com/my-prop'");
  } else if (name.contains("kubernetes.io/")) {
    refuse("must not have \"kubernetes.io/\" domain");
  }
  if (name.starts_with("requests.")) refuse("must not have \"requests.\" prefix");
  // A quota on it uses a label key.
  const std::string quota = "requests." + std::string(name);
  if (const auto problem = problem_with_qualified_name(quota); !problem.empty()) refuse(problem);
}

void validate_device_selectors(const JsonArray& selectors, const std::string& path,
                               Causes& causes) {
  if (selectors.size() > kSelectorsMax) {
    causes.push_back(too_many(path, selectors.size(), kSelectorsMax));
    return;
  }
  for (std::size_t i = 0; i < selectors.size(); ++i) {
    if (!selectors[i].is_object()) continue;
    const std::string at = indexed(path, i) + ".cel";
    if (has(selectors[i].get_object(), {"cel"})) {
      validate_expression(text_at(selectors[i].get_object(), {"cel", "expression"}),
                          at + ".expression", causes);
    } else {
      causes.push_back(required_value(at));
    }
  }
}

void validate_full_attribute_name(std::string_view name, const std::string& path, Causes& causes) {
  check_attribute_name(name, path, causes);
  if (name.contains('/')) return;
  causes.push_back(invalid_value(
      path, Json(name), "a fully qualified name must be a domain and a name separated by a slash"));
}

void validate_raw_object(const Json& value, const std::string& path, std::size_t bytes_max,
                         Causes& causes) {
  if (serialize(value).size() > bytes_max) {
    causes.push_back(too_long(path, bytes_max));
  } else if (value.is_null()) {
    causes.push_back(required_value(path));
  } else if (!value.is_object()) {
    causes.push_back(invalid_value(path, "<value omitted>", "must be a valid JSON object"));
  }
}

void validate_configuration(const JsonObject& configuration, const std::string& path,
                            Causes& causes) {
  const std::string at = path + ".opaque";
  if (!has(configuration, {"opaque"})) {
    causes.push_back(required_value(at));
    return;
  }
  validate_caseless_driver_name(text_at(configuration, {"opaque", "driver"}), at + ".driver",
                                causes);
  const Json* const parameters = find(configuration, {"opaque", "parameters"});
  validate_raw_object(parameters != nullptr ? *parameters : Json(), at + ".parameters",
                      kParametersMax, causes);
}

void validate_configurations(const JsonArray& configurations, const std::string& path,
                             Causes& causes) {
  if (configurations.size() > kConfigurationsMax) {
    causes.push_back(too_many(path, configurations.size(), kConfigurationsMax));
    return;
  }
  for (std::size_t i = 0; i < configurations.size(); ++i) {
    validate_configuration(as_object(configurations[i]), indexed(path, i), causes);
  }
}

}  // namespace dcm::apiserver
