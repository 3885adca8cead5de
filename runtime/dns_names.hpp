// Names of RFC 1123, as Kubernetes validates them (apimachinery, util/validation): in lower case.
// is_dns_label() and is_dns_subdomain() leave the length to the caller, which may have to say which
// rule a name breaks.
#pragma once

#include <algorithm>
#include <cstddef>
#include <string_view>

#include "runtime/ascii.hpp"

namespace dcm::runtime {

inline constexpr std::size_t kDnsLabelLengthMax = 63;
inline constexpr std::size_t kDnsSubdomainLengthMax = 253;
inline constexpr std::size_t kDriverNameLengthMax = 63;

// Letters, digits and '-', with a letter or digit at either end.
inline bool is_dns_label(std::string_view text) {
  return !text.empty() && is_lower_alphanumeric(text.front()) &&
         is_lower_alphanumeric(text.back()) &&
         std::ranges::all_of(text, [](char c) { return is_lower_alphanumeric(c) || c == '-'; });
}

// Such labels, each of any length, with '.' between them.
inline bool is_dns_subdomain(std::string_view text) {
  while (true) {
    const std::size_t dot = text.find('.');
    if (!is_dns_label(text.substr(0, dot))) return false;
    if (dot == std::string_view::npos) return true;
    text.remove_prefix(dot + 1);
  }
}

// Whether an object that requires a label may have that name.
inline bool can_be_label(std::string_view text) {
  return text.size() <= kDnsLabelLengthMax && is_dns_label(text);
}

// Whether an object or a namespace may have that name. Such a name is safe in paths and texts.
inline bool can_be_name(std::string_view text) {
  return text.size() <= kDnsSubdomainLengthMax && is_dns_subdomain(text);
}

// As the API requires of a slice's driver, which may also have capitals.
inline bool is_driver_name(std::string_view text) {
  return text.size() <= kDriverNameLengthMax && is_dns_subdomain(text);
}

}  // namespace dcm::runtime
