// Base64 with the standard alphabet (RFC 4648, section 4): the `…-data` fields of a kubeconfig and
// basic authentication. Not the URL-safe variant.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace dcm::client {

std::string encode_base64(std::string_view bytes);

// Nothing if `text` is not base64: padding is required, bits that encode nothing must be 0. Line
// breaks are skipped, as Go does it, since `base64` wraps its lines.
std::optional<std::string> decode_base64(std::string_view text);

}  // namespace dcm::client
