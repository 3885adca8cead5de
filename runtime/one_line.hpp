// Text from outside, made fit for a message: a name with a line break in it must not look like a
// line of its own, nor may a terminal take it for a command, or show it in another order.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace dcm::runtime {

// The first character of a text that is UTF-8, as far as it is: a byte that is not counts as one of
// its own.
struct Character {
  std::size_t bytes = 1;
  char32_t code = 0;  // U+FFFD for a byte that is no UTF-8
  // A control character (C0, C1, DEL), a line separator, or one that changes the direction of text.
  bool is_harmful = false;
};
// Requires that `text` is not empty.
Character first_character(std::string_view text);

// Harmful characters become spaces.
std::string one_line(std::string_view text);
// The same for a text of several lines, which stay lines.
std::string plain_lines(std::string_view text);

}  // namespace dcm::runtime
