// Credentials as the value of a header field.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace dcm::client {

// Whether Go's net/http (and so client-go) would send `text` in a header field: no control
// character, apart from tabs, so nothing can end the field and begin another (RFC 9110, 5.5).
bool is_field_value(std::string_view text);

// `text` without blanks and line breaks at its ends; nothing if it is no field value.
std::optional<std::string> trimmed_field_value(std::string_view text);

}  // namespace dcm::client
