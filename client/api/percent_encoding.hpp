// Percent-encoding in URLs (RFC 3986).
#pragma once

#include <string>
#include <string_view>

#include "runtime/ascii.hpp"

namespace dcm::api {

// Appends `text`, escaping all characters but the unreserved ones.
inline void append_percent_encoded(std::string& out, std::string_view text) {
  constexpr std::string_view kHexDigits = "0123456789ABCDEF";
  for (const char c : text) {
    if (runtime::is_alphanumeric(c) || std::string_view("-._~").contains(c)) {
      out += c;
      continue;
    }
    const auto byte = static_cast<unsigned char>(c);
    out += '%';
    out += kHexDigits[byte >> 4];
    out += kHexDigits[byte & 15];
  }
}

}  // namespace dcm::api
