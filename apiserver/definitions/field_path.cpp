#include "apiserver/definitions/field_path.hpp"

#include <fmt/format.h>

namespace dcm::apiserver {

namespace {

using Failure = std::unexpected<std::string>;

// The next delimiter, quoted text or name; "" at the end.
std::string_view take_token(std::string_view& text) {
  if (text.empty()) return {};
  std::size_t end = 1;
  if (text.front() == '\'') {
    while (end < text.size() && (text[end] != '\'' || text[end - 1] == '\\')) ++end;
    end = std::min(end + 1, text.size());
  } else if (text.find_first_of(".[]") != 0) {
    end = std::min(text.find_first_of(".[]"), text.size());
  }
  const std::string_view token = text.substr(0, end);
  text.remove_prefix(end);
  return token;
}

std::expected<std::string, std::string> unquoted(std::string_view token) {
  if (token.size() < 2 || token.front() != '\'' || token.back() != '\'') {
    return Failure(fmt::format("expected single quoted string but got {}", token));
  }
  constexpr std::string_view kLetters = "abfnrtv'\\";
  constexpr std::string_view kMeanings = "\a\b\f\n\r\t\v'\\";
  std::string text;
  const std::string_view inside = token.substr(1, token.size() - 2);
  for (std::size_t i = 0; i < inside.size(); ++i) {
    if (inside[i] != '\\' || i + 1 == inside.size()) {
      text += inside[i];
      continue;
    }
    const auto letter = kLetters.find(inside[++i]);
    if (letter == std::string_view::npos) {
      return Failure(fmt::format("invalid string literal: invalid escape char \\{}", inside[i]));
    }
    text += kMeanings[letter];
  }
  return text;
}

class Walk {
 public:
  explicit Walk(const Structural& schema) : at_{"", &schema} {}

  std::expected<void, std::string> step(const std::string& name) {
    const bool is_named = !at_.schema->properties.empty();
    const Structural* const next = at_.schema->member(name);
    if (next == nullptr) return Failure("does not refer to a valid field");
    at_.path += is_named ? fmt::format("{}{}", at_.path.empty() ? "" : ".", name)
                         : fmt::format("[{}]", name);
    at_.schema = next;
    return {};
  }

  const FoundField& found() const { return at_; }

 private:
  FoundField at_;
};

std::expected<void, std::string> take_bracket(Walk& walk, std::string_view& path,
                                              ArrayNotation notation) {
  if (notation == ArrayNotation::refused) return Failure("array notation is not allowed");
  if (path.empty()) return Failure("unexpected end of JSON path");
  const auto name = unquoted(take_token(path));
  if (!name) return Failure(name.error());
  if (auto stepped = walk.step(*name); !stepped) return stepped;
  if (path.empty()) return Failure("unexpected end of JSON path");
  const std::string_view end = take_token(path);
  if (end != "]") return Failure(fmt::format("expected ] but got {}", end));
  return {};
}

}  // namespace

std::expected<FoundField, std::string> find_field(std::string_view path, const Structural& schema,
                                                  ArrayNotation notation) {
  Walk walk(schema);
  while (!path.empty()) {
    const std::string_view token = take_token(path);
    std::expected<void, std::string> stepped;
    if (token == "[") {
      stepped = take_bracket(walk, path, notation);
    } else if (token != ".") {
      stepped = Failure(fmt::format("expected [ or . but got: {}", token));
    } else if (path.empty()) {
      stepped = Failure("unexpected end of JSON path");
    } else {
      stepped = walk.step(std::string(take_token(path)));
    }
    if (!stepped) return Failure(stepped.error());
  }
  return walk.found();
}

}  // namespace dcm::apiserver
