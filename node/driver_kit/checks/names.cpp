#include "node/driver_kit/checks/names.hpp"

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

#include "runtime/ascii.hpp"
#include "runtime/dns_names.hpp"

namespace dcm::driver_kit {
namespace {

constexpr std::string_view kLabelRule =
    "must be a DNS label: at most 63 lower-case letters, digits and '-', with a letter or digit at "
    "either end";
constexpr std::string_view kSubdomainRule =
    "must be a DNS subdomain: at most 253 lower-case letters, digits, '-' and '.'";
constexpr std::string_view kDriverRule = "must be a DNS subdomain of at most 63 characters";
constexpr std::string_view kPoolRule =
    "must be DNS subdomains with '/' between them, at most 253 characters";
constexpr std::string_view kKeyRule =
    "must be [prefix/]name: a name of at most 63 letters, digits, '-', '_' and '.', after a DNS "
    "subdomain";
constexpr std::string_view kValueRule =
    "must be at most 63 letters, digits, '-', '_' and '.', with a letter or digit at either end";
constexpr std::string_view kAttributeRule =
    "must be [domain/]name: a C identifier of at most 32 characters, after a DNS subdomain of at "
    "most 63";
constexpr std::string_view kVersionRule = "must be a semantic version (semver.org 2.0.0)";

using runtime::is_alphanumeric;
using runtime::is_digit;

std::vector<std::string_view> parts_of(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  while (true) {
    const std::size_t end = text.find(separator);
    parts.push_back(text.substr(0, end));
    if (end == std::string_view::npos) return parts;
    text.remove_prefix(end + 1);
  }
}

bool is_driver(std::string_view name) {
  return runtime::is_driver_name(runtime::lower(name));
}

// The name of a label, or its value.
bool is_label_text(std::string_view text) {
  const auto is_inner = [](char c) {
    return is_alphanumeric(c) || c == '-' || c == '_' || c == '.';
  };
  return !text.empty() && text.size() <= 63 && std::ranges::all_of(text, is_inner) &&
         is_alphanumeric(text.front()) && is_alphanumeric(text.back());
}

bool is_identifier(std::string_view id) {
  const auto is_inner = [](char c) { return is_alphanumeric(c) || c == '_'; };
  return !id.empty() && id.size() <= 32 && !is_digit(id.front()) &&
         std::ranges::all_of(id, is_inner);
}

bool is_number(std::string_view part) {
  return !part.empty() && std::ranges::all_of(part, is_digit) &&
         (part.size() == 1 || part.front() != '0');
}

// The part after '+' in a version; the part after '-' has no numbers with leading zeros.
bool is_build(std::string_view text) {
  return std::ranges::all_of(parts_of(text, '.'), [](std::string_view part) {
    return !part.empty() &&
           std::ranges::all_of(part, [](char c) { return is_alphanumeric(c) || c == '-'; });
  });
}
bool is_pre_release(std::string_view text) {
  return is_build(text) && std::ranges::all_of(parts_of(text, '.'), [](std::string_view part) {
           return !std::ranges::all_of(part, is_digit) || is_number(part);
         });
}

// The parts before and after `mark`; without a mark the second is absent.
std::pair<std::string_view, const char*> cut(std::string_view text, char mark) {
  const std::size_t at = text.find(mark);
  return {text.substr(0, at), at == std::string_view::npos ? nullptr : text.data() + at + 1};
}

bool is_version(std::string_view text) {
  const char* const end = text.data() + text.size();
  const auto [version, build] = cut(text, '+');
  if (build != nullptr && !is_build({build, end})) return false;
  const auto [core, pre_release] = cut(version, '-');
  if (pre_release != nullptr && !is_pre_release({pre_release, version.data() + version.size()})) {
    return false;
  }
  const auto numbers = parts_of(core, '.');
  return numbers.size() == 3 && std::ranges::all_of(numbers, is_number);
}

std::string_view unless(bool is_well, std::string_view rule) {
  return is_well ? std::string_view() : rule;
}

}  // namespace

std::string_view problem_with_label(std::string_view name) {
  return unless(runtime::can_be_label(name), kLabelRule);
}

std::string_view problem_with_subdomain(std::string_view name) {
  return unless(runtime::can_be_name(name), kSubdomainRule);
}

std::string_view problem_with_driver_name(std::string_view name) {
  return unless(is_driver(name), kDriverRule);
}

std::string_view problem_with_pool_name(std::string_view name) {
  return unless(name.size() <= runtime::kDnsSubdomainLengthMax &&
                    std::ranges::all_of(parts_of(name, '/'), runtime::can_be_name),
                kPoolRule);
}

std::string_view problem_with_label_key(std::string_view name) {
  const auto parts = parts_of(name, '/');
  return unless(parts.size() <= 2 && is_label_text(parts.back()) &&
                    (parts.size() == 1 || runtime::can_be_name(parts.front())),
                kKeyRule);
}

std::string_view problem_with_label_value(std::string_view value) {
  return unless(value.empty() || is_label_text(value), kValueRule);
}

std::string_view problem_with_attribute_name(std::string_view name) {
  const auto parts = parts_of(name, '/');
  return unless(parts.size() <= 2 && is_identifier(parts.back()) &&
                    (parts.size() == 1 || is_driver(parts.front())),
                kAttributeRule);
}

std::string_view problem_with_version(std::string_view version) {
  return unless(is_version(version) && version.size() <= 64, kVersionRule);
}

}  // namespace dcm::driver_kit
