#include "runtime/one_line.hpp"

#include <algorithm>

namespace dcm::runtime {
namespace {

constexpr char32_t kNoCharacter = 0xfffd;

// Unicode's Bidi_Control and its line and paragraph separators; C0, DEL and C1.
bool is_harmful(char32_t code) {
  return code < 0x20 || (code >= 0x7f && code < 0xa0) || code == 0x061c ||
         (code >= 0x200e && code <= 0x200f) || (code >= 0x2028 && code <= 0x202e) ||
         (code >= 0x2066 && code <= 0x2069);
}

// The properties of a sequence, by its first byte (RFC 3629).
struct Lead {
  std::size_t bytes;
  char32_t bits;
  char32_t smallest;  // below this, the sequence is overlong, so invalid
};

Lead lead_of(unsigned char byte) {
  if (byte < 0x80) return {1, byte, 0};
  if (byte >= 0xc2 && byte < 0xe0) return {2, char32_t{byte} & 0x1f, 0x80};
  if (byte >= 0xe0 && byte < 0xf0) return {3, char32_t{byte} & 0x0f, 0x800};
  if (byte >= 0xf0 && byte < 0xf5) return {4, char32_t{byte} & 0x07, 0x10000};
  return {1, kNoCharacter, 0};
}

}  // namespace

Character first_character(std::string_view text) {
  const Lead lead = lead_of(static_cast<unsigned char>(text.front()));
  // A single byte above 0x7f may be a C1 character to a terminal that does not know UTF-8.
  constexpr Character kBroken{1, kNoCharacter, true};
  if (lead.bits == kNoCharacter || text.size() < lead.bytes) return kBroken;
  char32_t code = lead.bits;
  for (std::size_t i = 1; i < lead.bytes; ++i) {
    const auto byte = static_cast<unsigned char>(text[i]);
    if ((byte & 0xc0) != 0x80) return kBroken;
    code = code << 6 | (byte & 0x3f);
  }
  const bool is_surrogate = code >= 0xd800 && code < 0xe000;
  if (code < lead.smallest || code > 0x10ffff || is_surrogate) return kBroken;
  return {lead.bytes, code, is_harmful(code)};
}

namespace {

// Harmful characters not in `kept` become spaces.
std::string harmless(std::string_view text, std::string_view kept) {
  std::string result;
  result.reserve(text.size());
  while (!text.empty()) {
    const Character next = first_character(text);
    if (next.is_harmful && !kept.contains(text.front())) {
      result += ' ';
    } else {
      result += text.substr(0, next.bytes);
    }
    text.remove_prefix(next.bytes);
  }
  return result;
}

}  // namespace

std::string_view cut_utf8(std::string_view text, std::size_t bytes_max) {
  if (text.size() <= bytes_max) return text;
  const auto continues = [](char c) { return (static_cast<unsigned char>(c) & 0xc0) == 0x80; };
  std::size_t end = bytes_max;
  while (end > 0 && continues(text[end])) --end;
  return text.substr(0, end);
}

std::string valid_utf8(std::string_view text) {
  const auto is_ascii = [](char c) { return static_cast<unsigned char>(c) < 0x80; };
  if (std::ranges::all_of(text, is_ascii)) return std::string(text);
  std::string result;
  result.reserve(text.size());
  while (!text.empty()) {
    const Character next = first_character(text);
    result += next.is_broken() ? "\xef\xbf\xbd" : text.substr(0, next.bytes);
    text.remove_prefix(next.bytes);
  }
  return result;
}

std::string one_line(std::string_view text) {
  return harmless(text, "");
}

std::string plain_lines(std::string_view text) {
  return harmless(text, "\n");
}

}  // namespace dcm::runtime
