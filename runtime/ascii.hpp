// Classes and case of ASCII characters, whatever the locale.
#pragma once

#include <string>
#include <string_view>

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
constexpr char to_lower(char c) {
  return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}
inline std::string lower(std::string_view text) {
  std::string result(text);
  for (char& c : result) c = to_lower(c);
  return result;
}

}  // namespace dcm::runtime
