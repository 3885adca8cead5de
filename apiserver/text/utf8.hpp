// Untrusted text from outside a JSON parser (paths, queries, headers) for JSON answers.
#pragma once

#include <string>
#include <string_view>

namespace dcm::apiserver {

// The text with U+FFFD for each invalid byte, as Go's encoder shows it.
std::string valid_utf8(std::string_view text);

}  // namespace dcm::apiserver
