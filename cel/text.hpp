// Text in UTF-8.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace dcm::cel {

// Removes the first code point. Malformed bytes are removed one at a time, as U+FFFD.
char32_t take_code_point(std::string_view& text);
void append_code_point(std::string& text, char32_t code_point);
bool is_utf8(std::string_view text);

// Byte offset of code point number `index`; npos beyond the end. The end itself is valid.
std::size_t offset_of(std::string_view text, std::int64_t index);

// In double quotes with escapes, as shown in messages: "a\n".
std::string quoted(std::string_view text);

}  // namespace dcm::cel
