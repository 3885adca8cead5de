#include "cel/lexer.hpp"

#include <algorithm>

#include "cel/ascii.hpp"
#include "cel/text.hpp"
#include "cel/value.hpp"

namespace dcm::cel {
namespace {

bool begins_word(char c) {
  return is_letter(c) || c == '_';
}
bool is_word(char c) {
  return begins_word(c) || is_digit(c);
}

// The number of leading characters that match.
template <typename Fits>
std::size_t span_of(std::string_view text, Fits fits) {
  return static_cast<std::size_t>(std::ranges::find_if_not(text, fits) - text.begin());
}

constexpr std::string_view kSymbols[] = {"==", "!=", "<=", ">=", "&&", "||", "<", ">",
                                         "[",  "]",  "{",  "}",  "(",  ")",  ".", ",",
                                         "-",  "!",  "?",  ":",  "+",  "*",  "/", "%"};
constexpr std::string_view kWords[] = {"in", "true", "false", "null"};

std::size_t exponent_size(std::string_view text) {
  if (text.empty() || (text[0] | 0x20) != 'e') return 0;
  const std::size_t sign = text.size() > 1 && (text[1] == '+' || text[1] == '-') ? 1 : 0;
  const auto digits = span_of(text.substr(1 + sign), is_digit);
  return digits == 0 ? 0 : 1 + sign + digits;
}

// An escape sequence after its backslash.
struct EscapeSpan {
  std::size_t size;  // bytes that fit
  bool is_whole;
};

EscapeSpan escape_span(std::string_view text) {
  if (text.empty()) return {0, false};
  const auto with_digits = [&](std::size_t count, auto fits) {
    const auto found = span_of(text.substr(1, count), fits);
    return EscapeSpan{1 + found, found == count};
  };
  const char c = text[0];
  if (std::string_view("abfnrtv\"'\\?`").contains(c)) return {1, true};
  if (c == 'x' || c == 'X') return with_digits(2, is_hex);
  if (c == 'u') return with_digits(4, is_hex);
  if (c == 'U') return with_digits(8, is_hex);
  const auto is_octal = [](char digit) { return digit >= '0' && digit <= '7'; };
  return c >= '0' && c <= '3' ? with_digits(2, is_octal) : EscapeSpan{0, false};
}

}  // namespace

void Lexer::skip(std::size_t bytes) {
  offset_ += static_cast<std::uint32_t>(code_points(rest_.substr(0, bytes)));
  rest_.remove_prefix(bytes);
}

Token Lexer::take(Token::Kind kind, std::size_t size) {
  const Token token{kind, rest_.substr(0, size), offset_};
  skip(size);
  return token;
}

void Lexer::skip_blanks() {
  while (true) {
    skip(span_of(rest_, [](char c) {
      return c == ' ' || c == '\t' || c == '\r' || c == '\n' || c == '\f';
    }));
    if (!rest_.starts_with("//")) return;
    skip(std::min(rest_.find('\n'), rest_.size()));
  }
}

Token Lexer::take_number() {
  const auto suffix = [&](std::size_t size) {
    const bool is_unsigned = size < rest_.size() && (rest_[size] | 0x20) == 'u';
    return is_unsigned ? take(Token::Kind::unsigned_integer, size + 1)
                       : take(Token::Kind::integer, size);
  };
  if (rest_.starts_with("0x") && rest_.size() > 2 && is_hex(rest_[2]))
    return suffix(2 + span_of(rest_.substr(2), is_hex));
  std::size_t size = span_of(rest_, is_digit);
  const std::size_t whole = size;
  if (size + 1 < rest_.size() && rest_[size] == '.' && is_digit(rest_[size + 1]))
    size += 1 + span_of(rest_.substr(size + 1), is_digit);
  const std::size_t exponent = exponent_size(rest_.substr(size));
  if (size == whole && exponent == 0) return suffix(size);
  return take(Token::Kind::real, size + exponent);
}

Token Lexer::take_string(std::size_t prefix, bool raw, Token::Kind kind) {
  const char quote = rest_[prefix];
  const std::string triple(3, quote);
  const bool is_long = rest_.substr(prefix).starts_with(triple);
  std::size_t at = prefix + (is_long ? 3 : 1);
  while (at < rest_.size()) {
    if (is_long ? rest_.substr(at).starts_with(triple) : rest_[at] == quote)
      return take(kind, at + (is_long ? 3 : 1));
    if (!is_long && (rest_[at] == '\n' || rest_[at] == '\r')) break;
    if (rest_[at] == '\\' && !raw) {
      const auto [size, is_whole] = escape_span(rest_.substr(at + 1));
      at += size + (is_whole ? 0 : 1);
      if (!is_whole) break;
    }
    ++at;
  }
  // An unterminated long string is read as an empty literal.
  if (is_long) return take(kind, prefix + 2);
  // The letters before the quote are a word then.
  if (prefix > 0) return take(Token::Kind::identifier, prefix);
  return take_malformed(std::min(at, rest_.size()));
}

// Up to and including the character at which it is wrong.
Token Lexer::take_malformed(std::size_t at) {
  std::string_view rest = rest_.substr(at);
  if (!rest.empty()) take_code_point(rest);
  return take(Token::Kind::malformed, rest_.size() - rest.size());
}

Token Lexer::next() {
  skip_blanks();
  if (rest_.empty()) return {Token::Kind::end, {}, offset_};
  const char c = rest_[0];
  const char second = rest_.size() > 1 ? rest_[1] : '\0';
  if (is_digit(c) || (c == '.' && is_digit(second))) return take_number();
  const auto prefix = std::min(rest_.find_first_of("\"'"), rest_.size());
  if (prefix <= 2 && prefix < rest_.size()) {
    std::string before(rest_.substr(0, prefix));
    std::ranges::transform(before, before.begin(),
                           [](char letter) { return static_cast<char>(letter | 0x20); });
    if (before.empty() || before == "r")
      return take_string(prefix, !before.empty(), Token::Kind::string);
    if (before == "b" || before == "br")
      return take_string(prefix, before == "br", Token::Kind::bytes);
  }
  if (begins_word(c)) {
    const auto size = span_of(rest_, is_word);
    const bool is_symbol = std::ranges::find(kWords, rest_.substr(0, size)) != std::end(kWords);
    return take(is_symbol ? Token::Kind::symbol : Token::Kind::identifier, size);
  }
  if (c == '`') {
    const auto size = span_of(rest_.substr(1), [](char letter) {
      return is_word(letter) || letter == '.' || letter == '-' || letter == '/' || letter == ' ';
    });
    if (size > 0 && 1 + size < rest_.size() && rest_[1 + size] == '`') {
      Token token = take(Token::Kind::escaped, size + 2);
      token.text = token.text.substr(1, size);
      return token;
    }
  }
  for (const auto symbol : kSymbols)
    if (rest_.starts_with(symbol)) return take(Token::Kind::symbol, symbol.size());
  return take_malformed(0);
}

namespace {

struct Escape {
  std::size_t size;  // after the backslash
  char32_t value;
  bool is_byte;
};

Escape read_escape(std::string_view text) {
  const auto number = [&](std::size_t from, std::size_t count, char32_t base) {
    char32_t value = 0;
    for (const char c : text.substr(from, count))
      value = value * base + static_cast<char32_t>(is_digit(c) ? c - '0' : (c | 0x20) - 'a' + 10);
    return value;
  };
  constexpr std::string_view kLetters = "abfnrtv", kMeaning = "\a\b\f\n\r\t\v";
  const char c = text[0];
  if (const auto at = kLetters.find(c); at != kLetters.npos)
    return {1, static_cast<char32_t>(kMeaning[at]), false};
  if (c == 'x' || c == 'X') return {3, number(1, 2, 16), true};
  if (c == 'u') return {5, number(1, 4, 16), false};
  if (c == 'U') return {9, number(1, 8, 16), false};
  if (c >= '0' && c <= '3') return {3, number(0, 3, 8), true};
  return {1, static_cast<char32_t>(c), false};
}

}  // namespace

Unescaped unescape(std::string_view literal, bool is_bytes) {
  const bool is_raw = (literal[0] | 0x20) == 'r';
  if (is_raw) literal.remove_prefix(1);
  const std::size_t quotes =
      literal.size() >= 6 && literal[1] == literal[0] && literal[2] == literal[0] ? 3 : 1;
  literal = literal.substr(quotes, literal.size() - 2 * quotes);
  Unescaped result;
  while (!literal.empty()) {
    const char c = literal[0];
    literal.remove_prefix(1);
    if (c == '\r') {
      if (literal.starts_with('\n')) literal.remove_prefix(1);
      result.text.push_back('\n');
    } else if (c != '\\' || is_raw) {
      result.text.push_back(c);
    } else {
      const bool is_unicode = literal[0] == 'u' || literal[0] == 'U';
      const auto [size, value, is_byte] = read_escape(literal);
      literal.remove_prefix(size);
      if (is_bytes && is_unicode) return {{}, "unable to unescape string"};
      if (!is_bytes && (value > 0x10ffff || (value >= 0xd800 && value < 0xe000)))
        return {{}, "invalid unicode code point"};
      if (is_bytes && is_byte) {
        result.text.push_back(static_cast<char>(value));
      } else {
        append_code_point(result.text, value);
      }
    }
  }
  return result;
}

}  // namespace dcm::cel
