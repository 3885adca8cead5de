// SHA-256 via OpenSSL.
#pragma once

#include <string>
#include <string_view>

namespace dcm::http {

// The 32 bytes of SHA-256 (FIPS 180-4).
std::string sha256(std::string_view text);

}  // namespace dcm::http
