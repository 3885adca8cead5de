#include "client/auth/field_value.hpp"

#include <algorithm>

namespace dcm::client {

bool is_field_value(std::string_view text) {
  return std::ranges::none_of(text, [](char c) {
    const auto byte = static_cast<unsigned char>(c);
    return (byte < ' ' && c != '\t') || byte == 0x7f;
  });
}

std::optional<std::string> trimmed_field_value(std::string_view text) {
  constexpr std::string_view kBlanks = " \t\r\n\v\f";
  const auto begin = text.find_first_not_of(kBlanks);
  if (begin == std::string_view::npos) return std::string();
  text = text.substr(begin, text.find_last_not_of(kBlanks) - begin + 1);
  if (!is_field_value(text)) return std::nullopt;
  return std::string(text);
}

}  // namespace dcm::client
