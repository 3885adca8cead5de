// Cuts an expression into tokens.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace dcm::cel {

struct Token {
  enum class Kind : std::uint8_t {
    end,
    malformed,  // the text that cannot be read
    identifier,
    escaped,  // `a-b`, the text without its quotes
    integer,
    unsigned_integer,
    real,
    string,
    bytes,
    symbol,  // operators, brackets, and the words `in`, `true`, `false`, `null`
  };

  Kind kind = Kind::end;
  std::string_view text;
  std::uint32_t offset = 0;  // in code points

  bool is(std::string_view symbol) const { return kind == Kind::symbol && text == symbol; }
};

class Lexer {
 public:
  explicit Lexer(std::string_view source) : rest_(source) {}

  Token next();

 private:
  Token take(Token::Kind kind, std::size_t size);
  Token take_malformed(std::size_t at);
  Token take_number();
  Token take_string(std::size_t prefix, bool raw, Token::Kind kind);
  void skip_blanks();
  void skip(std::size_t bytes);

  std::string_view rest_;
  std::uint32_t offset_ = 0;
};

// The value of a string or bytes literal, or an error message.
struct Unescaped {
  std::string text;
  std::string_view error;
};
Unescaped unescape(std::string_view literal, bool is_bytes);

}  // namespace dcm::cel
