// Go's package strings for ASCII text, and more.
#pragma once

#include <algorithm>
#include <string_view>
#include <vector>

#include "runtime/ascii.hpp"

namespace dcm::apiserver {

using runtime::lower;  // strings.ToLower

inline constexpr std::string_view kSpace = " \t\n\v\f\r";

// strings.Fields
inline std::vector<std::string_view> fields(std::string_view text) {
  std::vector<std::string_view> found;
  while (true) {
    text.remove_prefix(std::min(text.find_first_not_of(kSpace), text.size()));
    if (text.empty()) return found;
    found.push_back(text.substr(0, text.find_first_of(kSpace)));
    text.remove_prefix(found.back().size());
  }
}

// strings.Split
inline std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  while (true) {
    const auto end = text.find(separator);
    parts.push_back(text.substr(0, end));
    if (end == std::string_view::npos) return parts;
    text.remove_prefix(end + 1);
  }
}

// strings.TrimSpace
inline std::string_view trimmed(std::string_view text) {
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
