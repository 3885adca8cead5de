// Text in UTF-8.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace dcm::cel {

// Takes the first code point off. Of malformed bytes one at a time, as U+FFFD.
char32_t take_code_point(std::string_view& text);
void append_code_point(std::string& text, char32_t code_point);
bool is_utf8(std::string_view text);

// Byte offset of the code point number `index`; npos beyond the end. The end itself is a place.
std::size_t offset_of(std::string_view text, std::int64_t index);

// In double quotes, with escapes, as messages have it: "a\n".
std::string quoted(std::string_view text);

}  // namespace dcm::cel
