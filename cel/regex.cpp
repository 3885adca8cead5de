#include "cel/regex.hpp"

#include <algorithm>
#include <set>
#include <utility>

#include <re2/re2.h>

#include "cel/ascii.hpp"
#include "cel/text.hpp"
#include "cel/unicode_class.hpp"

namespace dcm::cel {
namespace {

re2::RE2::Options options() {
  re2::RE2::Options options;
  options.set_log_errors(false);
  options.set_max_mem(8 << 20);  // a larger program is refused
  return options;
}

re2::StringPiece piece(std::string_view text) {
  return {text.data(), text.size()};
}

// In the words of Go's library, which the reference prints.
std::string_view describe(re2::RE2::ErrorCode code) {
  using RE2 = re2::RE2;
  switch (code) {
    case RE2::ErrorBadEscape:
      return "invalid escape sequence";
    case RE2::ErrorBadCharClass:
      return "invalid character class";
    case RE2::ErrorBadCharRange:
      return "invalid character class range";
    case RE2::ErrorMissingBracket:
      return "missing closing ]";
    case RE2::ErrorMissingParen:
      return "missing closing )";
    case RE2::ErrorUnexpectedParen:
      return "unexpected )";
    case RE2::ErrorTrailingBackslash:
      return "trailing backslash at end of expression";
    case RE2::ErrorRepeatArgument:
      return "missing argument to repetition operator";
    case RE2::ErrorRepeatSize:
      return "invalid repeat count";
    case RE2::ErrorRepeatOp:
      return "invalid nested repetition operator";
    case RE2::ErrorBadPerlOp:
      return "invalid or unsupported Perl syntax";
    case RE2::ErrorBadUTF8:
      return "invalid UTF-8";
    case RE2::ErrorBadNamedCapture:
      return "invalid named capture";
    default:
      return "expression too large";
  }
}

struct Translated {
  std::string text;                // for RE2
  std::string_view unclosed = {};  // of the original, from a bracket that nothing closes; or empty
  std::string fault = {};          // an error of Go's: `text` is what comes before it
};

bool is_about_end(re2::RE2::ErrorCode code) {
  return code == re2::RE2::ErrorMissingParen || code == re2::RE2::ErrorMissingBracket;
}

// The part of the pattern that the error is about, as the user wrote it.
std::string_view culprit(const re2::RE2& regex, std::string_view pattern,
                         const Translated& translated) {
  switch (regex.error_code()) {
    case re2::RE2::ErrorTrailingBackslash:
      return {};
    case re2::RE2::ErrorMissingParen:
    case re2::RE2::ErrorUnexpectedParen:
    case re2::RE2::ErrorPatternTooLarge:
      return pattern;
    case re2::RE2::ErrorMissingBracket:
      return translated.unclosed;
    default:
      return regex.error_arg();
  }
}

std::string parse_error(std::string_view why, std::string_view what) {
  return "error parsing regexp: " + std::string(why) + ": `" + std::string(what) + "`";
}

// The start of a named group: "(?P<" or "(?<", which RE2 does not know; 0 if there is none.
std::size_t named_group(std::string_view text) {
  return text.starts_with("(?P<") ? 4 : text.starts_with("(?<") ? 3 : 0;
}

bool is_perl_class(std::string_view text) {
  return text.size() > 1 && text[0] == '\\' && std::string_view("dDsSwW").contains(text[1]);
}

// Bytes of the character at the start of the text, as it is written in a class.
std::size_t character_size(std::string_view text) {
  if (text.starts_with("\\x{")) return std::min(text.find('}'), text.size() - 1) + 1;
  if (text[0] == '\\') return std::min<std::size_t>(text.starts_with("\\x") ? 4 : 2, text.size());
  std::string_view rest = text;
  take_code_point(rest);
  return text.size() - rest.size();
}

// Some classes take 10 KB; a program for more than a hundred of them is too large anyway.
constexpr std::size_t kTranslatedMax = 1 << 20;

// The pattern for RE2, which has some syntax that Go lacks, and the other way round.
Translated to_re2(std::string_view pattern) {
  const std::string_view whole = pattern;
  std::string out;
  const auto take = [&](std::size_t bytes) {
    out += pattern.substr(0, bytes);
    pattern.remove_prefix(std::min(bytes, pattern.size()));
  };
  const auto refuse = [&](std::string_view why, std::string_view what) {
    return Translated{.text = std::move(out), .fault = parse_error(why, what)};
  };
  std::set<std::string> classes;  // that RE2 has accepted
  bool is_in_class = false;
  bool is_first = false;      // in the class
  std::string_view in_class;  // from its bracket on
  while (!pattern.empty()) {
    const bool begins_class = std::exchange(is_first, false);
    if (!is_in_class && pattern.starts_with("\\Q")) {
      take(pattern.find("\\E"));
    } else if (pattern.starts_with("\\C")) {
      return refuse("invalid escape sequence", pattern.substr(0, 2));
    } else if (const auto found = unicode_class_at_start(pattern)) {
      const std::string& inside = found->in_brackets;
      const bool is_new = !found->is_combined && classes.insert(inside).second;
      if (is_new && !re2::RE2(inside, options()).ok()) {
        return refuse("invalid character class range", found->text);
      }
      out += is_in_class || !found->is_combined ? inside : "[" + inside + "]";
      if (out.size() > kTranslatedMax) return refuse("expression too large", whole);
      pattern.remove_prefix(found->text.size());
    } else if (pattern.starts_with("\\p{") || pattern.starts_with("\\P{")) {
      return refuse("invalid character class range", pattern);
    } else if (is_in_class && !begins_class && pattern[0] == ']') {
      is_in_class = false;
      take(1);
    } else if (is_in_class) {
      const auto named = pattern.starts_with("[:") ? pattern.find(":]", 2) : pattern.npos;
      const bool is_set = is_perl_class(pattern) || named != pattern.npos;
      take(named != pattern.npos ? named + 2 : character_size(pattern));
      const bool is_range = !is_set && pattern.size() > 1 && pattern[0] == '-' && pattern[1] != ']';
      if (!is_range) continue;
      take(1);
      if (pattern.starts_with("\\p") || pattern.starts_with("\\P"))
        return refuse("invalid escape sequence", pattern.substr(0, 2));
      take(character_size(pattern));
    } else if (pattern[0] == '\\') {
      take(2);
    } else if (pattern[0] == '[') {
      is_in_class = is_first = true;
      in_class = pattern;
      take(pattern.starts_with("[^") ? 2 : 1);
    } else if (const auto start = named_group(pattern); start > 0) {
      const auto group = pattern.substr(0, std::min(pattern.find('>'), pattern.size() - 1) + 1);
      const auto name = group.substr(start, group.find('>') - start);
      const auto is_word = [](char c) { return is_letter(c) || is_digit(c) || c == '_'; };
      if (!group.ends_with('>') || name.empty() || !std::ranges::all_of(name, is_word))
        return refuse("invalid named capture", group);
      out += "(?P<";
      pattern.remove_prefix(start);
    } else {
      take(1);
    }
  }
  return {.text = std::move(out), .unclosed = is_in_class ? in_class : std::string_view()};
}

// Measured: a program takes some 300 ns per instruction, and a pattern that is refused up to 20 µs
// per byte, or 150 ms if its program would be too large.
constexpr std::size_t kLeastSteps = 200;

std::size_t steps_to_refuse(std::string_view pattern) {
  return kLeastSteps + 100 * pattern.size();
}

std::size_t steps_to_compile(std::string_view pattern, const re2::RE2& regex) {
  if (regex.ok()) return kLeastSteps + 8 * static_cast<std::size_t>(regex.ProgramSize());
  const bool is_too_large = regex.error_code() == re2::RE2::ErrorPatternTooLarge;
  return is_too_large ? 1'000'000 : steps_to_refuse(pattern);
}

}  // namespace

Regex::Regex(std::unique_ptr<re2::RE2> regex) : regex_(std::move(regex)) {}
Regex::Regex(Regex&&) noexcept = default;
Regex& Regex::operator=(Regex&&) noexcept = default;
Regex::~Regex() = default;

std::expected<Regex, std::string> Regex::compile(std::string_view pattern) {
  Arena arena;
  return compile(pattern, arena);
}

std::expected<Regex, std::string> Regex::compile(std::string_view pattern, Arena& arena) {
  const Translated translated = to_re2(pattern);
  Regex regex(std::make_unique<re2::RE2>(piece(translated.text), options()));
  // To parse one byte takes up to 50 ns.
  arena.take_steps(translated.text.size() / 4 + steps_to_compile(pattern, *regex.regex_));
  const auto code = regex.regex_->error_code();
  if (!translated.fault.empty() && (regex.regex_->ok() || is_about_end(code))) {
    arena.take_steps(steps_to_refuse(pattern));
    return std::unexpected(translated.fault);
  }
  if (!regex.regex_->ok()) {
    return std::unexpected(
        parse_error(describe(code), culprit(*regex.regex_, pattern, translated)));
  }
  return regex;
}

bool Regex::matches(std::string_view text) const {
  return re2::RE2::PartialMatch(piece(text), *regex_);
}

bool Regex::matches(std::string_view text, Arena& arena) const {
  return may_search(text.size(), arena) && matches(text);
}

// A search takes up to 3 ns per byte and instruction.
bool Regex::may_search(std::size_t bytes, Arena& arena) const {
  return arena.take_steps(bytes * static_cast<std::size_t>(regex_->ProgramSize()) / 64 + 1);
}

std::string_view Regex::find(std::string_view text, Arena& arena) const {
  if (!may_search(text.size(), arena)) return {};
  re2::StringPiece found;
  if (!regex_->Match(piece(text), 0, text.size(), re2::RE2::UNANCHORED, &found, 1)) return {};
  return {found.data(), found.size()};
}

// Each search may read the whole rest of the text.
std::vector<std::string_view> Regex::find_all(std::string_view text, std::int64_t limit,
                                              Arena& arena) const {
  std::vector<std::string_view> all;
  const char* last_end = nullptr;
  for (std::size_t at = 0; at <= text.size() && (limit < 0 || std::cmp_less(all.size(), limit));) {
    if (!may_search(text.size() - at, arena)) break;
    re2::StringPiece found;
    if (!regex_->Match(piece(text), at, text.size(), re2::RE2::UNANCHORED, &found, 1)) break;
    const auto end = static_cast<std::size_t>(found.data() + found.size() - text.data());
    // An empty match right after the previous one does not count.
    if (!found.empty() || found.data() != last_end) all.emplace_back(found.data(), found.size());
    last_end = found.data() + found.size();
    at = end;
    if (!found.empty()) continue;
    do ++at;
    while (at < text.size() && (static_cast<unsigned char>(text[at]) & 0xc0) == 0x80);
  }
  return all;
}

}  // namespace dcm::cel
