// Sanitizes untrusted text for messages: a line break in a name must not look like a new line of
// the log, nor may a terminal interpret it as a command, or show it in another order.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace dcm::runtime {

// The first character of a text that should be UTF-8: an invalid byte counts as a character.
struct Character {
  std::size_t bytes = 1;
  char32_t code = 0;  // U+FFFD for an invalid byte
  // A control character (C0, C1, DEL), a line separator, or one that changes the direction of text.
  bool is_harmful = false;

  bool is_broken() const noexcept { return bytes == 1 && code == 0xfffd; }  // an invalid byte
};
// Requires that `text` is not empty.
Character first_character(std::string_view text);

// The longest start of `text` that has at most `bytes_max` bytes and ends between two characters of
// UTF-8. Callers mark the cut themselves.
std::string_view cut_utf8(std::string_view text, std::size_t bytes_max);

// Each invalid byte becomes U+FFFD, as in Go's JSON.
std::string valid_utf8(std::string_view text);
// Harmful characters become spaces.
std::string one_line(std::string_view text);
// The same for a text of several lines: line breaks are kept.
std::string plain_lines(std::string_view text);

}  // namespace dcm::runtime
