// Base64 for URLs, without padding (RFC 4648 section 5), for continue tokens.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace dcm::apiserver {

std::string base64_encoded(std::string_view bytes);
std::optional<std::string> base64_decoded(std::string_view text);

// The ordinary one, with padding (section 4), for bytes in JSON.
std::string padded_base64(std::string_view bytes);

}  // namespace dcm::apiserver
