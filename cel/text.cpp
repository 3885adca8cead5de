#include "cel/text.hpp"

#include <cstdio>

namespace dcm::cel {
namespace {

constexpr char32_t kReplacement = 0xfffd;

struct Form {
  std::size_t length;
  char32_t bits, least;
};

Form form_of(unsigned char lead) {
  if (lead < 0x80) return {1, lead, 0};
  if ((lead & 0xe0) == 0xc0) return {2, lead & 0x1fU, 0x80};
  if ((lead & 0xf0) == 0xe0) return {3, lead & 0x0fU, 0x800};
  if ((lead & 0xf8) == 0xf0) return {4, lead & 0x07U, 0x10000};
  return {0, 0, 0};
}

// Length 0: malformed.
std::size_t decode(std::string_view text, char32_t& code_point) {
  auto [length, bits, least] = form_of(static_cast<unsigned char>(text[0]));
  if (length == 0 || text.size() < length) return 0;
  for (std::size_t i = 1; i < length; ++i) {
    const auto byte = static_cast<unsigned char>(text[i]);
    if ((byte & 0xc0) != 0x80) return 0;
    bits = bits << 6 | (byte & 0x3fU);
  }
  if (bits < least || bits > 0x10ffff || (bits >= 0xd800 && bits < 0xe000)) return 0;
  code_point = bits;
  return length;
}

}  // namespace

char32_t take_code_point(std::string_view& text) {
  char32_t code_point = kReplacement;
  const auto length = decode(text, code_point);
  text.remove_prefix(length == 0 ? 1 : length);
  return length == 0 ? kReplacement : code_point;
}

void append_code_point(std::string& text, char32_t c) {
  const auto put = [&](char32_t byte) { text.push_back(static_cast<char>(byte)); };
  if (c < 0x80) {
    put(c);
  } else if (c < 0x800) {
    put(0xc0 | c >> 6);
    put(0x80 | (c & 0x3f));
  } else if (c < 0x10000) {
    put(0xe0 | c >> 12);
    put(0x80 | (c >> 6 & 0x3f));
    put(0x80 | (c & 0x3f));
  } else {
    put(0xf0 | c >> 18);
    put(0x80 | (c >> 12 & 0x3f));
    put(0x80 | (c >> 6 & 0x3f));
    put(0x80 | (c & 0x3f));
  }
}

bool is_utf8(std::string_view text) {
  char32_t ignored = 0;
  while (!text.empty()) {
    const auto length = decode(text, ignored);
    if (length == 0) return false;
    text.remove_prefix(length);
  }
  return true;
}

std::size_t offset_of(std::string_view text, std::int64_t index) {
  if (index < 0) return text.npos;
  std::string_view rest = text;
  for (; index > 0; --index) {
    if (rest.empty()) return text.npos;
    take_code_point(rest);
  }
  return text.size() - rest.size();
}

std::string quoted(std::string_view text) {
  std::string result = "\"";
  while (!text.empty()) {
    const char first = text[0];
    const char32_t c = take_code_point(text);
    constexpr std::string_view kNamed = "\a\b\f\n\r\t\v\\\"", kLetters = "abfnrtv\\\"";
    if (const auto at = c < 0x80 ? kNamed.find(static_cast<char>(c)) : kNamed.npos;
        at != kNamed.npos) {
      result += {'\\', kLetters[at]};
    } else if (c < 0x20 || c == 0x7f) {
      char escape[8];
      std::snprintf(escape, sizeof escape, "\\x%02x", static_cast<unsigned>(c));
      result += escape;
    } else if (c == kReplacement && static_cast<unsigned char>(first) != 0xef) {
      char escape[8];
      std::snprintf(escape, sizeof escape, "\\x%02x", static_cast<unsigned char>(first));
      result += escape;
    } else {
      append_code_point(result, c);
    }
  }
  return result + '"';
}

}  // namespace dcm::cel
