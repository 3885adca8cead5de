// Credentials as header values.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace dcm::client {

// Whether Go's net/http (and so client-go) would send `text` in a header field: no control
// character, apart from tabs, so nothing can end the field and begin another (RFC 9110, 5.5).
bool is_field_value(std::string_view text);

// `text` without surrounding blanks and line breaks; nullopt if it is not a valid header value.
std::optional<std::string> trimmed_field_value(std::string_view text);

}  // namespace dcm::client
