// Classes of ASCII characters, whatever the locale.
#pragma once

namespace dcm::runtime {

constexpr bool is_digit(char c) {
  return c >= '0' && c <= '9';
}
constexpr bool is_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}
constexpr bool is_alphanumeric(char c) {
  return is_letter(c) || is_digit(c);
}
// As in API names, letters must be lowercase.
constexpr bool is_lower_alphanumeric(char c) {
  return (c >= 'a' && c <= 'z') || is_digit(c);
}

}  // namespace dcm::runtime
