#include "apiserver/rules/names.hpp"

#include <algorithm>

#include "runtime/ascii.hpp"

namespace dcm::apiserver {

namespace {

using runtime::is_alphanumeric;
using runtime::is_letter;
using runtime::is_lower_alphanumeric;

constexpr std::size_t kMaxLabel = 63;
constexpr std::size_t kMaxSubdomain = 253;

bool is_dns_label(std::string_view label) {
  if (label.empty() || !is_lower_alphanumeric(label.front()) ||
      !is_lower_alphanumeric(label.back())) {
    return false;
  }
  return std::ranges::all_of(label, [](char c) { return is_lower_alphanumeric(c) || c == '-'; });
}

bool is_dns_subdomain(std::string_view name) {
  if (name.empty() || name.size() > kMaxSubdomain) return false;
  for (;;) {
    const auto dot = name.find('.');
    if (!is_dns_label(name.substr(0, dot))) return false;
    if (dot == std::string_view::npos) return true;
    name = name.substr(dot + 1);
  }
}

// The part of a label key after the slash, or its value.
bool is_label_text(std::string_view text) {
  if (text.empty() || text.size() > kMaxLabel) return false;
  if (!is_alphanumeric(text.front()) || !is_alphanumeric(text.back())) return false;
  return std::ranges::all_of(
      text, [](char c) { return is_alphanumeric(c) || c == '-' || c == '_' || c == '.'; });
}

bool is_config_map_key(std::string_view key) {
  if (key.empty() || key.size() > kMaxSubdomain || key == "." || key.starts_with(".."))
    return false;
  return std::ranges::all_of(
      key, [](char c) { return is_alphanumeric(c) || c == '-' || c == '_' || c == '.'; });
}

constexpr std::string_view kKeyRule =
    "a valid config key must consist of alphanumeric characters, '-', '_' or '.' (e.g. 'key.name', "
    " or 'KEY_NAME',  or 'key-name', regex used for validation is '[-._a-zA-Z0-9]+')";
constexpr std::string_view kSubdomainRule =
    "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or "
    "'.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used "
    "for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')";
constexpr std::string_view kLabelRule =
    "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and "
    "must start and end with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used "
    "for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?')";
constexpr std::string_view kOldLabelRule =
    "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an "
    "alphabetic character, and end with an alphanumeric character (e.g. 'my-name',  or 'abc-123', "
    "regex used for validation is '[a-z]([-a-z0-9]*[a-z0-9])?')";
constexpr std::string_view kQualifiedRule =
    "name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end "
    "with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for "
    "validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')";
constexpr std::string_view kValueRule =
    "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', "
    "and must start and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or "
    "'12345', regex used for validation is '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')";

constexpr std::string_view kReasonRule =
    "a condition reason must start with alphabetic character, optionally followed by a string of "
    "alphanumeric characters or '_,:', and must end with an alphanumeric character or '_' (e.g. "
    "'my_name',  or 'MY_NAME',  or 'MyName',  or 'ReasonA,ReasonB',  or 'ReasonA:ReasonB', regex "
    "used for validation is '[A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?')";

}  // namespace

std::string_view problem_with_name(NameRule rule, std::string_view name) {
  switch (rule) {
    case NameRule::dns_subdomain:
      if (name.size() > kMaxSubdomain) return "must be no more than 253 bytes";
      return is_dns_subdomain(name) ? "" : kSubdomainRule;
    case NameRule::dns_label:
      if (name.size() > kMaxLabel) return "must be no more than 63 bytes";
      return is_dns_label(name) ? "" : kLabelRule;
    case NameRule::path_segment:
      if (name == "." || name == "..") return "may not be '.' or '..'";
      return name.find_first_of("/%") == std::string_view::npos ? "" : "may not contain '/' or '%'";
    case NameRule::config_map_key:
      return is_config_map_key(name) ? "" : kKeyRule;
  }
  return "";
}

std::string_view problem_with_qualified_name(std::string_view name) {
  const auto slash = name.find('/');
  if (slash != std::string_view::npos) {
    if (!is_dns_subdomain(name.substr(0, slash))) return kSubdomainRule;
    name = name.substr(slash + 1);
  }
  return is_label_text(name) ? "" : kQualifiedRule;
}

std::string_view problem_with_label_value(std::string_view value) {
  return value.empty() || is_label_text(value) ? "" : kValueRule;
}

std::string_view problem_with_old_label(std::string_view label) {
  if (label.size() > kMaxLabel) return "must be no more than 63 bytes";
  const bool good = is_dns_label(label) && label.front() >= 'a' && label.front() <= 'z';
  return good ? "" : kOldLabelRule;
}

std::string_view problem_with_reason(std::string_view reason) {
  const bool good = !reason.empty() && is_letter(reason.front()) && reason.back() != ',' &&
                    reason.back() != ':' && std::ranges::all_of(reason, [](char c) {
                      return is_alphanumeric(c) || c == '_' || c == ',' || c == ':';
                    });
  return good ? "" : kReasonRule;
}

}  // namespace dcm::apiserver
