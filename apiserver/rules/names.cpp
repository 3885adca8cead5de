#include "apiserver/rules/names.hpp"

#include <algorithm>
#include <iterator>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "apiserver/text/words.hpp"
#include "runtime/ascii.hpp"
#include "runtime/dns_names.hpp"

namespace dcm::apiserver {

namespace {

using runtime::is_alphanumeric;
using runtime::is_dns_label;
using runtime::is_dns_subdomain;
using runtime::is_lower_alphanumeric;
using runtime::kDnsLabelLengthMax;
using runtime::kDnsSubdomainLengthMax;

constexpr std::size_t kMaxPortName = 15;

bool is_1035_label(std::string_view label) {
  return is_dns_label(label) && !runtime::is_digit(label.front());
}

bool is_key_text(std::string_view text) {
  return !text.empty() && std::ranges::all_of(text, [](char c) {
    return is_alphanumeric(c) || c == '-' || c == '_' || c == '.';
  });
}

// The part of a label key after the slash, or its value.
bool is_label_text(std::string_view text) {
  return is_key_text(text) && is_alphanumeric(text.front()) && is_alphanumeric(text.back());
}

constexpr std::string_view kKeyRule =
    "a valid config key must consist of alphanumeric characters, '-', '_' or '.' (e.g. 'key.name', "
    " or 'KEY_NAME',  or 'key-name', regex used for validation is '[-._a-zA-Z0-9]+')";
constexpr std::string_view kSubdomainRule =
    "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or "
    "'.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used "
    "for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')";
constexpr std::string_view kCaselessRule =
    "an RFC 1123 subdomain must consist of alphanumeric characters, '-' or '.', and must start "
    "and end with an alphanumeric character (e.g. 'Example.com', regex used for validation is "
    "'[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')";
constexpr std::string_view kLabelRule =
    "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and "
    "must start and end with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used "
    "for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?')";
constexpr std::string_view k1035LabelRule =
    "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an "
    "alphabetic character, and end with an alphanumeric character (e.g. 'my-name',  or 'abc-123', "
    "regex used for validation is '[a-z]([-a-z0-9]*[a-z0-9])?')";
constexpr std::string_view kQualifiedRule =
    "must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an "
    "alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for "
    "validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')";
constexpr std::string_view kValueRule =
    "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', "
    "and must start and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or "
    "'12345', regex used for validation is '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')";

// The units in which texts give lengths.
constexpr std::string_view kCharacters = "characters";
constexpr std::string_view kBytes = "bytes";

// `broken`: the text of the rule that the name breaks, or empty.
Problems problems_of(std::string_view name, std::size_t size_max, std::string_view unit,
                     std::string_view broken) {
  Problems problems;
  if (name.size() > size_max) {
    problems.push_back(fmt::format("must be no more than {} {}", size_max, unit));
  }
  if (!broken.empty()) problems.emplace_back(broken);
  return problems;
}

Problems problems_with_label(std::string_view name, std::string_view unit) {
  const std::string_view broken = is_dns_label(name)       ? ""
                                  : is_dns_subdomain(name) ? "must not contain dots"
                                                           : kLabelRule;
  return problems_of(name, kDnsLabelLengthMax, unit, broken);
}

Problems problems_with_subdomain(std::string_view name, std::string_view unit) {
  return problems_of(name, kDnsSubdomainLengthMax, unit,
                     is_dns_subdomain(name) ? "" : kSubdomainRule);
}

Problems problems_with_path_segment(std::string_view name) {
  if (name == "." || name == "..") return {fmt::format("may not be '{}'", name)};
  Problems problems;
  for (const char character : {'/', '%'}) {
    if (name.contains(character)) {
      problems.push_back(fmt::format("may not contain '{}'", character));
    }
  }
  return problems;
}

Problems problems_with_config_map_key(std::string_view key) {
  Problems problems =
      problems_of(key, kDnsSubdomainLengthMax, kCharacters, is_key_text(key) ? "" : kKeyRule);
  if (key == "." || key == "..") {
    problems.push_back(fmt::format("must not be '{}'", key));
  } else if (key.starts_with("..")) {
    problems.emplace_back("must not start with '..'");
  }
  return problems;
}

Problems problems_with_port_name(std::string_view name) {
  const auto may_be_in = [](char c) { return is_lower_alphanumeric(c) || c == '-'; };
  const bool matches = !name.empty() && std::ranges::all_of(name, may_be_in);
  Problems problems =
      problems_of(name, kMaxPortName, kCharacters,
                  matches ? ""
                          : "must contain only alpha-numeric characters (a-z, 0-9), and hyphens "
                            "(-)");
  if (std::ranges::none_of(name, [](char c) { return c >= 'a' && c <= 'z'; })) {
    problems.emplace_back("must contain at least one letter (a-z)");
  }
  if (name.contains("--")) problems.emplace_back("must not contain consecutive hyphens");
  if (name.starts_with('-') || name.ends_with('-')) {
    problems.emplace_back("must not begin or end with a hyphen");
  }
  return problems;
}

Problems problems_with_prefix(std::string_view prefix) {
  if (prefix.empty()) return {"prefix part must be non-empty"};
  return with_prefix("prefix part ", problems_with_subdomain(prefix, kBytes));
}

}  // namespace

Problems problems_with_name(NameRule rule, std::string_view name) {
  switch (rule) {
    case NameRule::dns_subdomain:
      return problems_with_subdomain(name, kCharacters);
    case NameRule::dns_label:
      return problems_with_label(name, kCharacters);
    case NameRule::dns_1035_label:
      return problems_of(name, kDnsLabelLengthMax, kCharacters,
                         is_1035_label(name) ? "" : k1035LabelRule);
    case NameRule::path_segment:
      return problems_with_path_segment(name);
    case NameRule::config_map_key:
      return problems_with_config_map_key(name);
    case NameRule::port_name:
      return problems_with_port_name(name);
    case NameRule::short_name:
      return problems_with_label(name, kBytes);
    case NameRule::long_name:
      return problems_with_subdomain(name, kBytes);
    case NameRule::caseless_long_name:
      return problems_of(name, kDnsSubdomainLengthMax, kBytes,
                         is_dns_subdomain(lower(name)) ? "" : kCaselessRule);
  }
  return {};
}

Problems problems_with_qualified_name(std::string_view name) {
  Problems problems;
  if (const auto slash = name.find('/'); slash != std::string_view::npos) {
    problems = problems_with_prefix(name.substr(0, slash));
    name.remove_prefix(slash + 1);
  }
  if (name.contains('/')) {
    return {
        fmt::format("a valid label key {} with an optional DNS subdomain prefix and '/' (e.g. "
                    "'example.com/MyName')",
                    kQualifiedRule)};
  }
  if (name.empty()) problems.emplace_back("name part must be non-empty");
  const Problems of_name =
      problems_of(name, kDnsLabelLengthMax, kBytes, is_label_text(name) ? "" : kQualifiedRule);
  std::ranges::copy(with_prefix("name part ", of_name), std::back_inserter(problems));
  return problems;
}

Problems problems_with_label_value(std::string_view value) {
  const bool matches = value.empty() || is_label_text(value);
  return problems_of(value, kDnsLabelLengthMax, kBytes, matches ? "" : kValueRule);
}

Problems with_prefix(std::string_view prefix, Problems problems) {
  for (std::string& problem : problems) problem.insert(0, prefix);
  return problems;
}

std::string joined(const Problems& problems, std::string_view separator) {
  return fmt::format("{}", fmt::join(problems, separator));
}

void add_problems(const Problems& problems, std::string_view value, const std::string& path,
                  Causes& causes) {
  for (const std::string& problem : problems) {
    causes.push_back(invalid_value(path, Json(value), problem));
  }
}

void validate_name(NameRule rule, std::string_view name, const std::string& path, Causes& causes) {
  add_problems(problems_with_name(rule, name), name, path, causes);
}

void require_name(NameRule rule, std::string_view name, const std::string& path, Causes& causes) {
  if (name.empty()) return causes.push_back(required_value(path));
  validate_name(rule, name, path, causes);
}

void validate_qualified_name(std::string_view name, const std::string& path, Causes& causes) {
  add_problems(problems_with_qualified_name(name), name, path, causes);
}

void validate_label_value(std::string_view value, const std::string& path, Causes& causes) {
  add_problems(problems_with_label_value(value), value, path, causes);
}

void validate_labels(const JsonObject& labels, const std::string& path, Causes& causes) {
  for (const auto& [key, value] : labels) {
    validate_qualified_name(key, path, causes);
    if (value.is_string()) validate_label_value(view(value.get_string()), path, causes);
  }
}

void validate_kind_name(std::string_view kind, const std::string& path, Causes& causes) {
  const Problems problems = problems_with_name(NameRule::dns_1035_label, lower(kind));
  if (problems.empty()) return;
  causes.push_back(
      invalid_value(path, Json(kind),
                    "may have mixed case, but should otherwise match: " + joined(problems, ",")));
}

}  // namespace dcm::apiserver
