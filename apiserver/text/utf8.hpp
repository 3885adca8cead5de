// Text that comes from outside a JSON parser (paths, queries, headers) and goes into JSON answers.
#pragma once

#include <string>
#include <string_view>

namespace dcm::apiserver {

// The text with U+FFFD for each byte that is no part of valid UTF-8, as Go's encoder shows it.
std::string valid_utf8(std::string_view text);

}  // namespace dcm::apiserver
