// Base64 (RFC 4648), via OpenSSL.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace dcm::runtime {

// With the standard alphabet (section 4) and padding, as in the `…-data` fields of a kubeconfig,
// basic authentication, and bytes in JSON.
std::string encode_base64(std::string_view bytes);

// nullopt if `text` is not base64: padding is required, unused bits must be 0. Line breaks are
// skipped, as in Go, since `base64` wraps its lines.
std::optional<std::string> decode_base64(std::string_view text);

// For URLs and file names (section 5), without padding.
std::string encode_base64_url(std::string_view bytes);
std::optional<std::string> decode_base64_url(std::string_view text);

}  // namespace dcm::runtime
