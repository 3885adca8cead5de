#include <algorithm>

#include "cel/format.hpp"
#include "cel/library.hpp"
#include "cel/text.hpp"

namespace dcm::cel {
namespace {

using Args = std::span<const Value>;

// Larger results end the evaluation before they are created.
constexpr std::size_t kResultMax = Arena::kLimit / 4;

Value string_of(std::string_view text, Frame& frame) {
  return Value::string(frame.arena.copy(text));
}

Value out_of_range(std::int64_t index, Frame& frame) {
  return make_error(frame.arena, "index out of range: ", std::to_string(index));
}

Value char_at(Args args, Frame& frame) {
  std::string_view text = args[0].as_text();
  const auto start = offset_of(text, args[1].as_integer());
  if (start == text.npos) return out_of_range(args[1].as_integer(), frame);
  std::string_view rest = text.substr(start);
  if (rest.empty()) return Value::string("");
  take_code_point(rest);
  return Value::string(text.substr(start, text.size() - start - rest.size()));
}

Value index_from(std::string_view text, std::string_view part, std::int64_t from, Frame& frame) {
  if (from < 0) return out_of_range(from, frame);
  const auto size = static_cast<std::int64_t>(code_points(text));
  if (part.empty()) return Value::integer(std::min(from, size));
  const auto start = offset_of(text, from);
  const auto found = start == text.npos ? text.npos : text.find(part, start);
  if (found == text.npos) return Value::integer(-1);
  return Value::integer(static_cast<std::int64_t>(code_points(text.substr(0, found))));
}

Value index_of(Args args, Frame& frame) {
  return index_from(args[0].as_text(), args[1].as_text(), 0, frame);
}
Value index_of_from(Args args, Frame& frame) {
  return index_from(args[0].as_text(), args[1].as_text(), args[2].as_integer(), frame);
}

Value last_index_of(Args args, Frame&) {
  const auto text = args[0].as_text(), part = args[1].as_text();
  const auto found = text.rfind(part);
  if (found == text.npos) return Value::integer(-1);
  return Value::integer(static_cast<std::int64_t>(code_points(text.substr(0, found))));
}

Value last_index_of_from(Args args, Frame& frame) {
  const auto text = args[0].as_text(), part = args[1].as_text();
  const auto from = args[2].as_integer();
  if (from < 0) return out_of_range(from, frame);
  const auto size = static_cast<std::int64_t>(code_points(text));
  if (part.empty()) return Value::integer(std::min(from, size));
  if (from >= size) return Value::integer(-1);
  const auto found = text.rfind(part, offset_of(text, from));
  if (found == text.npos) return Value::integer(-1);
  return Value::integer(static_cast<std::int64_t>(code_points(text.substr(0, found))));
}

template <char kFirst, char kLast>
Value change_case(Args args, Frame& frame) {
  std::string text(args[0].as_text());
  for (char& c : text)
    if (c >= kFirst && c <= kLast) c = static_cast<char>(c ^ 0x20);
  return string_of(text, frame);
}

// "" is found before each code point, and at the end.
Value replace_some(std::string_view text, std::string_view old, std::string_view with,
                   std::int64_t limit, Frame& frame) {
  std::string result;
  for (; limit != 0; --limit) {
    if (old.empty()) {
      result += with;
      if (text.empty()) break;
      const auto before = text;
      take_code_point(text);
      result += before.substr(0, before.size() - text.size());
    } else {
      const auto found = text.find(old);
      if (found == text.npos) break;
      result.append(text.substr(0, found)).append(with);
      text.remove_prefix(found + old.size());
    }
    if (result.size() > kResultMax)
      return Value::error("operation cancelled: memory limit exceeded");
  }
  return string_of(result += text, frame);
}

Value replace(Args args, Frame& frame) {
  return replace_some(args[0].as_text(), args[1].as_text(), args[2].as_text(), -1, frame);
}
Value replace_limited(Args args, Frame& frame) {
  return replace_some(args[0].as_text(), args[1].as_text(), args[2].as_text(), args[3].as_integer(),
                      frame);
}

Value split_some(std::string_view text, std::string_view separator, std::int64_t limit,
                 Frame& frame) {
  std::vector<Value> parts;
  if (limit == 0) return make_list(parts, frame.arena);
  while (limit < 0 || static_cast<std::int64_t>(parts.size()) + 1 < limit) {
    std::size_t size = text.find(separator);
    if (separator.empty()) {
      if (text.empty()) return make_list(parts, frame.arena);
      std::string_view rest = text;
      take_code_point(rest);
      size = text.size() - rest.size();
      if (rest.empty()) break;
    }
    if (size == text.npos) break;
    parts.push_back(Value::string(text.substr(0, size)));
    text.remove_prefix(size + separator.size());
  }
  if (!separator.empty() || !text.empty()) parts.push_back(Value::string(text));
  return make_list(parts, frame.arena);
}

Value split(Args args, Frame& frame) {
  return split_some(args[0].as_text(), args[1].as_text(), -1, frame);
}
Value split_limited(Args args, Frame& frame) {
  return split_some(args[0].as_text(), args[1].as_text(), args[2].as_integer(), frame);
}

Value substring(Args args, Frame& frame) {
  const auto text = args[0].as_text();
  const auto start = offset_of(text, args[1].as_integer());
  return start == text.npos ? out_of_range(args[1].as_integer(), frame)
                            : Value::string(text.substr(start));
}

Value substring_range(Args args, Frame& frame) {
  const auto text = args[0].as_text();
  const auto from = args[1].as_integer(), to = args[2].as_integer();
  if (from > to)
    return make_error(frame.arena, "invalid substring range. start: ", std::to_string(from),
                      ", end: ", std::to_string(to));
  const auto start = offset_of(text, from), end = offset_of(text, to);
  if (start == text.npos) return out_of_range(from, frame);
  if (end == text.npos) return out_of_range(to, frame);
  return Value::string(text.substr(start, end - start));
}

bool is_blank(char32_t c) {
  return (c >= 0x09 && c <= 0x0d) || c == 0x20 || c == 0x85 || c == 0xa0 || c == 0x1680 ||
         (c >= 0x2000 && c <= 0x200a) || c == 0x2028 || c == 0x2029 || c == 0x202f || c == 0x205f ||
         c == 0x3000;
}

Value trim(Args args, Frame&) {
  const std::string_view text = args[0].as_text();
  std::string_view rest = text;
  std::size_t start = text.size(), end = 0;
  while (!rest.empty()) {
    const auto at = text.size() - rest.size();
    if (is_blank(take_code_point(rest))) continue;
    start = std::min(start, at);
    end = text.size() - rest.size();
  }
  return Value::string(start < end ? text.substr(start, end - start) : std::string_view(""));
}

Value join_with(const List& list, std::string_view separator, Frame& frame) {
  std::string result;
  for (const Value& item : list.values) {
    if (!item.is(Kind::string))
      return make_error(frame.arena, "join: invalid input: ", describe(item, frame.arena));
    if (&item != list.values.data()) result += separator;
    result += item.as_text();
    if (result.size() > kResultMax)
      return Value::error("operation cancelled: memory limit exceeded");
  }
  return string_of(result, frame);
}

Value join(Args args, Frame& frame) {
  return join_with(args[0].as_list(), "", frame);
}
Value join_separated(Args args, Frame& frame) {
  return join_with(args[0].as_list(), args[1].as_text(), frame);
}

Value quote(Args args, Frame& frame) {
  constexpr std::string_view kNamed = "\a\b\f\n\r\t\v\\\"", kLetters = "abfnrtv\\\"";
  std::string result = "\"";
  for (std::string_view text = args[0].as_text(); !text.empty();) {
    const char32_t c = take_code_point(text);
    const auto at = c < 0x80 ? kNamed.find(static_cast<char>(c)) : kNamed.npos;
    if (at != kNamed.npos)
      result += {'\\', kLetters[at]};
    else
      append_code_point(result, c);
  }
  return string_of(result += '"', frame);
}

Value format_call(Args args, Frame& frame) {
  return format(args[0].as_text(), args[1].as_list(), frame.arena);
}

constexpr FunctionRow kRows[] = {
    {"charAt(string; int) string", char_at},
    {"indexOf(string; string) int", index_of, CostRule::aggregate},
    {"indexOf(string; string, int) int", index_of_from, CostRule::aggregate},
    {"lastIndexOf(string; string) int", last_index_of, CostRule::aggregate},
    {"lastIndexOf(string; string, int) int", last_index_of_from, CostRule::aggregate},
    {"lowerAscii(string;) string", change_case<'A', 'Z'>, CostRule::scan_keep},
    {"upperAscii(string;) string", change_case<'a', 'z'>, CostRule::scan_keep},
    {"replace(string; string, string) string", replace, CostRule::replace},
    {"replace(string; string, string, int) string", replace_limited, CostRule::replace},
    {"split(string; string) list(string)", split, CostRule::split},
    {"split(string; string, int) list(string)", split_limited, CostRule::split},
    {"substring(string; int) string", substring, CostRule::scan_keep},
    {"substring(string; int, int) string", substring_range, CostRule::scan_keep},
    {"trim(string;) string", trim, CostRule::scan_keep},
    {"format(string; list(dyn)) string", format_call, CostRule::format},
    {"strings.quote(string) string", quote, CostRule::quote},
    {"join(list(string);) string", join, CostRule::join},
    {"join(list(string); string) string", join_separated, CostRule::join},
};

}  // namespace

std::span<const FunctionRow> string_functions() {
  return kRows;
}

}  // namespace dcm::cel
