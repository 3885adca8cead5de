// Base64 (RFC 4648).
#pragma once

#include <cstddef>
#include <expected>
#include <optional>
#include <string>
#include <string_view>

namespace dcm::runtime {

// With the standard alphabet (section 4) and padding, as in the `…-data` fields of a kubeconfig,
// basic authentication, and bytes in JSON.
std::string encode_base64(std::string_view bytes);

// The bytes, or the position at which Go's decoder gives up. Padding is required; unused bits are
// ignored, and so are line breaks, since `base64` wraps its lines.
std::expected<std::string, std::size_t> decode_base64(std::string_view text);

// For URLs and file names (section 5), without padding.
std::string encode_base64_url(std::string_view bytes);
std::optional<std::string> decode_base64_url(std::string_view text);

}  // namespace dcm::runtime
