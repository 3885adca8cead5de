#include "apiserver/rules/device_attributes.hpp"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "apiserver/rules/checks.hpp"
#include "apiserver/rules/device_names.hpp"
#include "apiserver/rules/names.hpp"
#include "runtime/ascii.hpp"

namespace dcm::apiserver {

namespace {

using runtime::is_alphanumeric;
using runtime::is_digit;
using runtime::is_letter;

constexpr std::size_t kIdentifierMax = 32;
constexpr std::size_t kPrefixMax = 63;
constexpr std::size_t kAttributeValueMax = 64;

constexpr std::array<std::string_view, 8> kAttributeTypes = {
    "int", "bool", "string", "version", "ints", "bools", "strings", "versions"};

void check_identifier(std::string_view id, const std::string& path, Causes& causes) {
  if (id.size() > kIdentifierMax) causes.push_back(too_long(path, kIdentifierMax));
  const bool has_good_start = !id.empty() && (is_letter(id.front()) || id.front() == '_');
  const bool has_good_rest =
      std::ranges::all_of(id, [](char c) { return is_alphanumeric(c) || c == '_'; });
  if (has_good_start && has_good_rest) return;
  causes.push_back(invalid_value(
      path, Json(id),
      "a valid C identifier must start with alphabetic character or '_', followed by a string of "
      "alphanumeric characters or '_' (e.g. 'my_name',  or 'MY_NAME',  or 'MyName', regex used for "
      "validation is '[A-Za-z_][A-Za-z0-9_]*')"));
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

// As declarative validation does.
void check_prefix(std::string_view prefix, const std::string& path, Causes& causes) {
  if (prefix.size() > kPrefixMax) causes.push_back(too_long(path, kPrefixMax));
  add_problems(with_prefix("prefix: ", problems_with_name(NameRule::long_name, prefix)), prefix,
               path, causes);
}

// "[domain/]name"; `article` and `domain` are the real server's words. A name with more slashes is
// accepted, as in the real server.
void check_parts(std::string_view name, std::string_view article, std::string_view domain,
                 auto check_domain, const std::string& path, Causes& causes) {
  const auto check = [&](std::string_view part, std::string_view what, auto check_part) {
    if (!part.empty()) return check_part(part, path, causes);
    causes.push_back(
        invalid_value(path, Json(""), fmt::format("{}{} must not be empty", article, what)));
  };
  const auto slash = name.find('/');
  if (slash == std::string_view::npos) return check_identifier(name, path, causes);
  if (name.find('/', slash + 1) != std::string_view::npos) return;
  check(name.substr(0, slash), domain, check_domain);
  check(name.substr(slash + 1), "name", check_identifier);
}

}  // namespace

void validate_attribute_name(std::string_view name, const std::string& path, Causes& causes) {
  check_parts(name, "the ", "domain", validate_driver_name, path, causes);
}

void validate_full_attribute_name(std::string_view name, const std::string& path, Causes& causes) {
  check_parts(name, "", "prefix", check_prefix, path, causes);
  if (name.contains('/')) return;
  causes.push_back(invalid_value(
      path, Json(name), "a fully qualified name must be a domain and a name separated by a slash"));
}

void validate_attribute(const JsonObject& attribute, const std::string& path, Causes& causes) {
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

}  // namespace dcm::apiserver
