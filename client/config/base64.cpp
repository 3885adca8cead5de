#include "client/config/base64.hpp"

#include <cstdint>

namespace dcm::client {
namespace {

constexpr std::string_view kAlphabet =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

std::string without_line_breaks(std::string_view text) {
  std::string kept;
  kept.reserve(text.size());
  for (const char c : text) {
    if (c != '\n' && c != '\r') kept.push_back(c);
  }
  return kept;
}

// Takes up to two '=' off the end of whole groups of four.
std::string_view without_padding(std::string_view text) {
  for (int i = 0; i < 2 && text.ends_with('='); ++i) text.remove_suffix(1);
  return text;
}

}  // namespace

std::string encode_base64(std::string_view bytes) {
  std::string text;
  text.reserve((bytes.size() + 2) / 3 * 4);
  std::uint32_t bits = 0;
  unsigned count = 0;
  for (const char c : bytes) {
    bits = bits << 8 | static_cast<unsigned char>(c);
    for (count += 8; count >= 6; count -= 6) text.push_back(kAlphabet[bits >> (count - 6) & 63]);
  }
  if (count > 0) text.push_back(kAlphabet[bits << (6 - count) & 63]);
  while (text.size() % 4 != 0) text.push_back('=');
  return text;
}

std::optional<std::string> decode_base64(std::string_view text) {
  const std::string kept = without_line_breaks(text);
  if (kept.size() % 4 != 0) return std::nullopt;
  std::string bytes;
  bytes.reserve(kept.size() / 4 * 3);
  std::uint32_t bits = 0;
  unsigned count = 0;
  for (const char c : without_padding(kept)) {
    const std::size_t value = kAlphabet.find(c);
    if (value == std::string_view::npos) return std::nullopt;
    bits = bits << 6 | static_cast<std::uint32_t>(value);
    count += 6;
    if (count >= 8) bytes.push_back(static_cast<char>(bits >> (count -= 8) & 255));
  }
  // The remaining bits only fill up the last character, and must be zeros.
  if ((bits & ((1U << count) - 1)) != 0) return std::nullopt;
  return bytes;
}

}  // namespace dcm::client
