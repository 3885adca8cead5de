#include "apiserver/text/utf8.hpp"

#include <algorithm>

namespace dcm::apiserver {

namespace {

constexpr std::string_view kReplacement = "\xEF\xBF\xBD";

// The length of a sequence that starts with this byte; 0 if none does.
std::size_t length_of(unsigned char first) {
  if (first < 0x80) return 1;
  if (first >= 0xC2 && first < 0xE0) return 2;
  if (first >= 0xE0 && first < 0xF0) return 3;
  if (first >= 0xF0 && first < 0xF5) return 4;
  return 0;
}

// Neither overlong, nor a surrogate, nor beyond Unicode (RFC 3629).
bool is_sequence(std::string_view bytes) {
  const auto at = [&](std::size_t i) { return static_cast<unsigned char>(bytes[i]); };
  for (std::size_t i = 1; i < bytes.size(); ++i) {
    if ((at(i) & 0xC0) != 0x80) return false;
  }
  if (at(0) == 0xE0) return at(1) >= 0xA0;
  if (at(0) == 0xED) return at(1) < 0xA0;
  if (at(0) == 0xF0) return at(1) >= 0x90;
  if (at(0) == 0xF4) return at(1) < 0x90;
  return true;
}

}  // namespace

std::string valid_utf8(std::string_view text) {
  const auto is_ascii = [](char c) { return static_cast<unsigned char>(c) < 0x80; };
  if (std::ranges::all_of(text, is_ascii)) return std::string(text);
  std::string valid;
  while (!text.empty()) {
    const std::size_t length = length_of(static_cast<unsigned char>(text.front()));
    const bool good = length > 0 && length <= text.size() && is_sequence(text.substr(0, length));
    valid += good ? text.substr(0, length) : kReplacement;
    text.remove_prefix(good ? length : 1);
  }
  return valid;
}

}  // namespace dcm::apiserver
