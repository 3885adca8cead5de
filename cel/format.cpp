#include "cel/format.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <expected>
#include <functional>

#include "cel/numbers.hpp"
#include "cel/text.hpp"
#include "cel/time.hpp"
#include "cel/types.hpp"

namespace dcm::cel {
namespace {

using Text = std::expected<std::string, std::string>;
using Error = std::unexpected<std::string>;

constexpr int kPrecision = 6;
// golang.org/x/text stops reading a larger number, and then finds no verb.
constexpr std::int64_t kPrecisionMax = 10'000'009;
// No double has more nonzero digits after the decimal point.
constexpr int kDigitsMax = 1'074;
constexpr int kDepthMax = 64;
constexpr std::size_t kResultMax = Arena::kLimit / 4;

std::string string_error(std::string_view type) {
  return "string clause can only be used on strings, bools, bytes, ints, doubles, maps, lists, "
         "types, durations, and "
         "timestamps, was given " +
         std::string(type);
}

struct Clause {
  char verb;
  std::optional<std::int64_t> precision;
};

// The kinds that a verb accepts, as a bit set, and the error for others.
struct Verb {
  char name;
  Kinds kinds;
  std::string_view error;
};

constexpr Kinds kIntegers = kinds(Kind::integer, Kind::unsigned_integer);
constexpr Verb kVerbs[] = {
    {'s',
     kIntegers | kinds(Kind::list, Kind::map, Kind::real, Kind::boolean, Kind::string,
                       Kind::timestamp, Kind::bytes, Kind::duration, Kind::type, Kind::null),
     ""},
    {'d', kIntegers, "decimal clause can only be used on integers, was given "},
    {'f', kinds(Kind::real, Kind::string),
     "fixed-point clause can only be used on doubles, was given "},
    {'e', kinds(Kind::real, Kind::string),
     "scientific clause can only be used on doubles, was given "},
    {'b', kIntegers | kinds(Kind::boolean),
     "only integers and bools can be formatted as binary, was given "},
    {'x', kIntegers | kinds(Kind::string, Kind::bytes),
     "only integers, byte buffers, and strings can be formatted as hex, was given "},
    {'X', kIntegers | kinds(Kind::string, Kind::bytes),
     "only integers, byte buffers, and strings can be formatted as hex, was given "},
    {'o', kIntegers, "octal clause can only be used on integers, was given "},
};

const Verb* find_verb(char name) {
  const auto found = std::ranges::find(kVerbs, name, &Verb::name);
  return found == std::end(kVerbs) ? nullptr : found;
}

std::string refusal(const Verb& verb, std::string_view type) {
  return verb.error.empty() ? string_error(type) : std::string(verb.error) + std::string(type);
}

enum class Purpose : std::uint8_t { evaluate, check };

// Parses the format; `put` is called for each clause.
Text interpolate(std::string_view text, std::size_t args, Purpose purpose,
                 const std::function<Text(Clause, std::size_t)>& put) {
  std::string result;
  std::size_t index = 0;
  while (!text.empty()) {
    const auto percent = std::min(text.find('%'), text.size());
    result += text.substr(0, percent);
    text.remove_prefix(percent);
    if (text.empty()) break;
    if (text.starts_with("%%")) {
      result += '%';
      text.remove_prefix(2);
      continue;
    }
    const bool is_last = text.size() == 1;
    if (index >= args && !(is_last && purpose == Purpose::check))
      return Error("index " + std::to_string(index) + " out of range");
    text.remove_prefix(1);
    if (text.empty()) return Error("unexpected end of string");
    Clause clause{0, {}};
    constexpr std::string_view kPrefix = "could not parse formatting clause: ";
    if (text[0] == '.') {
      const auto digits = std::min(text.find_first_not_of("0123456789", 1), text.size());
      const std::string_view number = text.substr(1, digits - 1);
      clause.precision = parse_integer(number);
      if (digits == text.size())
        return Error(std::string(kPrefix) +
                     "error while parsing precision: could not find end of precision specifier");
      if (!clause.precision)
        return Error(std::string(kPrefix) +
                     "error while parsing precision: error while converting precision to integer: "
                     "strconv.Atoi: parsing \"" +
                     std::string(number) +
                     "\": " + (number.empty() ? "invalid syntax" : "value out of range"));
      text.remove_prefix(digits);
    }
    clause.verb = text[0];
    if (find_verb(clause.verb) == nullptr) {
      std::string shown;  // the reference takes a byte for a character
      append_code_point(shown, static_cast<unsigned char>(clause.verb));
      return Error(std::string(kPrefix) + "unrecognized formatting clause \"" + shown + "\"");
    }
    text.remove_prefix(1);
    const auto part = put(clause, index++);
    if (!part) return Error("error during formatting: " + part.error());
    result += *part;
    if (result.size() > kResultMax) return Error("error during formatting: the text is too long");
  }
  return result;
}

std::string fixed(double value, int precision) {
  std::string text(std::size_t{320} + static_cast<std::size_t>(precision), '\0');
  text.resize(
      static_cast<std::size_t>(std::snprintf(text.data(), text.size(), "%.*f", precision, value)));
  return text;
}

// The shortest text without an exponent that reads back as the same number.
std::string shortest(double value) {
  char text[1100];
  return {text, std::to_chars(text, text + sizeof text, value, std::chars_format::fixed).ptr};
}

// golang.org/x/text keeps the minimum number of digits in 8 bits, and the maximum in 16, with a
// sign: a negative maximum means that there is none.
std::string with_digits(double value, std::int64_t precision) {
  const auto most = static_cast<std::int16_t>(precision);
  std::string text = most < 0 ? shortest(value) : fixed(value, std::min<int>(most, kDigitsMax));
  const auto least = static_cast<std::size_t>(precision & 0xff);
  const auto point = std::min(text.find('.'), text.size());
  if (point == text.size() && least > 0) text += '.';
  const auto is_short = [&] { return text.size() <= point + 1 + least; };
  while (!is_short() && text.ends_with('0')) text.pop_back();
  if (is_short() && least > 0) text.resize(point + 1 + least, '0');
  if (text.ends_with('.')) text.pop_back();
  return text;
}

// As numbers are written in English: 1,234.50, ∞.
std::string printed(double value, std::int64_t precision) {
  if (std::isnan(value)) return "NaN";
  if (std::isinf(value)) return value < 0 ? "-∞" : "∞";
  std::string text = with_digits(value, precision);
  const auto point = std::min(text.find('.'), text.size());
  const std::size_t first = text.starts_with('-') ? 1 : 0;
  for (std::size_t at = point; at > first + 3;) text.insert(at -= 3, ",");
  return text;
}

std::string scientific(double value) {
  if (std::isnan(value) || std::isinf(value)) return printed(value, 0);
  char text[64];
  std::snprintf(text, sizeof text, "%.*e", kPrecision, value);
  const std::string_view whole = text;
  const auto e = whole.find('e');
  constexpr std::string_view kRaised[] = {"⁰", "¹", "²", "³", "⁴", "⁵", "⁶", "⁷", "⁸", "⁹"};
  std::string result = std::string(whole.substr(0, e)) + "×10";
  for (const char c : whole.substr(e + 1))
    result += c == '-' ? "⁻" : c == '+' ? "" : kRaised[static_cast<std::size_t>(c - '0')];
  return result;
}

std::string in_base(const Value& value, int base) {
  char text[80];
  const auto end = value.is(Kind::integer)
                       ? std::to_chars(text, text + sizeof text, value.as_integer(), base).ptr
                       : std::to_chars(text, text + sizeof text, value.as_unsigned(), base).ptr;
  return {text, end};
}

std::string hex(const Value& value) {
  if (value.is(Kind::integer) || value.is(Kind::unsigned_integer)) return in_base(value, 16);
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string text;
  for (const char c : value.as_text()) {
    text += kDigits[static_cast<unsigned char>(c) >> 4];
    text += kDigits[static_cast<unsigned char>(c) & 15];
  }
  return text;
}

// The parts of a value may be shared, so that no cost counts them.
Text charged(Text part, Arena& arena) {
  if (part && !arena.take_steps(part->size() / 64 + 1)) return Error("the text is too long");
  return part;
}

Text as_string(const Value& value, Arena& arena, int depth);

// Inside lists and maps: strings in quotes, doubles with six digits.
Text inside(const Value& value, Arena& arena, int depth) {
  switch (value.kind()) {
    case Kind::string:
      return quoted(value.as_text());
    case Kind::bytes:
      return "b" + quoted(value.as_text());
    case Kind::timestamp:
      return "timestamp(\"" + text_of_timestamp(value) + "\")";
    case Kind::duration:
      return "duration(\"" + text_of_duration(value.as_integer()) + "\")";
    case Kind::real:
      if (std::isnan(value.as_real())) return "\"NaN\"";
      if (std::isinf(value.as_real())) return value.as_real() < 0 ? "\"-Inf\"" : "\"+Inf\"";
      return fixed(value.as_real(), kPrecision);
    case Kind::optional:
    case Kind::object:
      return Error("no formatting function for " + std::string(type_name(value)));
    default:
      return as_string(value, arena, depth);
  }
}

Text list_text(const List& list, Arena& arena, int depth) {
  std::string text = "[";
  for (const Value& item : list.values) {
    const auto part = charged(inside(item, arena, depth + 1), arena);
    if (!part) return part;
    text += (text.size() > 1 ? ", " : "") + *part;
    if (text.size() > kResultMax) return Error("the text is too long");
  }
  return text + "]";
}

Text map_text(const Map& map, Arena& arena, int depth) {
  std::vector<std::pair<std::string, std::string>> parts;
  std::size_t size = 0;
  for (std::size_t i = 0; i < map.size(); ++i) {
    const auto [key, value] = map.entry(i, arena);
    if (!key.is(Kind::string) && !key.is(Kind::boolean) && !key.is(Kind::integer) &&
        !key.is(Kind::unsigned_integer))
      return Error("no formatting function for map key of type " + std::string(type_name(key)));
    const auto left = charged(inside(key, arena, depth + 1), arena);
    const auto right = charged(inside(value, arena, depth + 1), arena);
    if (!left || !right) return left ? right : left;
    size += left->size() + right->size();
    if (size > kResultMax) return Error("the text is too long");
    parts.emplace_back(*left, *right);
  }
  std::ranges::sort(parts);
  std::string text = "{";
  for (const auto& [key, value] : parts) text += (text.size() > 1 ? ", " : "") + key + ":" + value;
  return text + "}";
}

Text as_string(const Value& value, Arena& arena, int depth) {
  if (depth > kDepthMax) return Error("nested too deeply");
  switch (value.kind()) {
    case Kind::list:
      return list_text(value.as_list(), arena, depth);
    case Kind::map:
      return map_text(value.as_map(), arena, depth);
    case Kind::timestamp:
      return text_of_timestamp(value);
    case Kind::duration:
      return text_of_duration(value.as_integer());
    case Kind::bytes:
      if (!is_utf8(value.as_text()))
        return Error(
            "could not convert argument \"invalid UTF-8 in bytes, cannot convert to string\" to "
            "string");
      return std::string(value.as_text());
    default:
      return describe(value, arena);
  }
}

// Zero has no sign.
Text as_real(const Value& value, const Clause& clause) {
  double real = value.is(Kind::real) && value.as_real() != 0 ? value.as_real() : 0;
  if (value.is(Kind::string)) {
    const auto text = value.as_text();
    if (text != "NaN" && text != "Infinity" && text != "-Infinity")
      return Error(refusal(*find_verb(clause.verb), "string"));
    real = *parse_real(text);
  }
  const std::int64_t precision = clause.precision.value_or(kPrecision);
  if (precision > kPrecisionMax) return "%!(NOVERB)";
  if (clause.verb == 'f') return printed(real, precision);
  // There are always six digits: the precision is the width.
  const std::string text = scientific(real);
  const auto width = static_cast<std::size_t>(precision);
  const auto size = code_points(text);
  return std::string(width > size ? width - size : 0, ' ') + text;
}

Text put(const Clause& clause, const Value& value, Arena& arena) {
  const Verb& verb = *find_verb(clause.verb);
  if ((verb.kinds & kinds(value.kind())) == 0) return Error(refusal(verb, type_name(value)));
  switch (clause.verb) {
    case 's':
      return as_string(value, arena, 0);
    case 'd':
      return in_base(value, 10);
    case 'o':
      return in_base(value, 8);
    case 'x':
      return hex(value);
    case 'X': {
      std::string text = hex(value);
      std::ranges::transform(text, text.begin(), [](char c) {
        return c >= 'a' && c <= 'f' ? static_cast<char>(c - 32) : c;
      });
      return text;
    }
    case 'b':
      if (value.is(Kind::boolean)) return value.as_boolean() ? "1" : "0";
      return in_base(value, 2);
    default:
      return as_real(value, clause);
  }
}

Kinds kinds_of(const Type& type) {
  if (type.kind() == Type::Kind::dyn) return ~0U;
  const auto kind = value_kind(type.kind());
  return kind ? kinds(*kind) : 0;
}

// The first argument, or part of a literal in it, that cannot be formatted.
const Expr* misfit(const Verb& verb, const Expr& expr) {
  if ((kinds_of(*expr.type) & verb.kinds) == 0) return &expr;
  if (verb.name != 's' || (expr.kind != Expr::Kind::list && expr.kind != Expr::Kind::map))
    return nullptr;
  for (const Expr* part : expr.args)
    if (const Expr* const found = misfit(verb, *part)) return found;
  return nullptr;
}

}  // namespace

Value format(std::string_view text, const List& args, Arena& arena) {
  const auto result =
      interpolate(text, args.values.size(), Purpose::evaluate, [&](Clause clause, std::size_t i) {
        return charged(put(clause, args.values[i], arena), arena);
      });
  return result ? Value::string(arena.copy(*result)) : make_error(arena, result.error());
}

std::optional<FormatFault> check_format_call(std::string_view text,
                                             const std::vector<Expr*>& args) {
  std::size_t used = 0;
  const Expr* misfitting = nullptr;
  const auto put_none = [&](Clause clause, std::size_t i) -> Text {
    ++used;
    const Verb& verb = *find_verb(clause.verb);
    misfitting = misfit(verb, *args[i]);
    if (misfitting == nullptr) return "";
    return Error(refusal(verb, misfitting->type->name()));
  };
  const auto result = interpolate(text, args.size(), Purpose::check, put_none);
  if (!result) return FormatFault{result.error(), misfitting};
  if (args.size() == used) return std::nullopt;
  return FormatFault{"too many arguments supplied to string.format (expected " +
                         std::to_string(used) + ", got " + std::to_string(args.size()) + ")",
                     nullptr};
}

}  // namespace dcm::cel
