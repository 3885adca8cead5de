// Names of objects.
#pragma once

#include <algorithm>
#include <string_view>

#include "runtime/ascii.hpp"

namespace dcm::api {

// Whether an object or a namespace may have that name: roughly a DNS subdomain (RFC 1123). Such a
// name is safe in paths and texts.
inline bool can_be_name(std::string_view name) {
  constexpr std::size_t kNameLengthMax = 253;
  const auto is_allowed = [](char c) {
    return runtime::is_lower_alphanumeric(c) || c == '-' || c == '.';
  };
  return !name.empty() && name.size() <= kNameLengthMax && name.front() != '.' &&
         std::ranges::all_of(name, is_allowed);
}

}  // namespace dcm::api
