// Go's package strings for ASCII text, and more.
#pragma once

#include <algorithm>
#include <string>
#include <string_view>

namespace dcm::apiserver {

// strings.ToLower
inline std::string lower(std::string_view text) {
  std::string small(text);
  std::ranges::transform(small, small.begin(),
                         [](char c) { return c >= 'A' && c <= 'Z' ? char(c - 'A' + 'a') : c; });
  return small;
}

// strings.TrimSpace
inline std::string_view trimmed(std::string_view text) {
  constexpr std::string_view kSpace = " \t\n\v\f\r";
  text.remove_prefix(std::min(text.find_first_not_of(kSpace), text.size()));
  return text.substr(0, text.find_last_not_of(kSpace) + 1);
}

// Whether there is nothing but white space.
inline bool is_blank(std::string_view text) {
  return trimmed(text).empty();
}

// Without spaces around it; other white space stays.
inline std::string_view without_blanks(std::string_view text) {
  text.remove_prefix(std::min(text.find_first_not_of(' '), text.size()));
  return text.substr(0, text.find_last_not_of(' ') + 1);
}

}  // namespace dcm::apiserver
