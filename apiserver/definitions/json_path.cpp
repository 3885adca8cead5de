#include "apiserver/definitions/json_path.hpp"

#include <algorithm>
#include <charconv>
#include <compare>
#include <iterator>

#include "apiserver/text/words.hpp"

namespace dcm::apiserver {

namespace {

bool is_quoted(std::string_view text) {
  return text.size() >= 2 && (text.front() == '\'' || text.front() == '"') &&
         text.front() == text.back();
}

std::string_view unquoted(std::string_view text) {
  return text.substr(1, text.size() - 2);
}

// A name up to the next unescaped '.' or '['.
std::string take_name(std::string_view& text) {
  std::string name;
  while (!text.empty() && text.front() != '.' && text.front() != '[') {
    if (text.front() == '\\' && text.size() > 1) text.remove_prefix(1);
    name += text.front();
    text.remove_prefix(1);
  }
  return name;
}

// Where the bracket ends that opens before `text`, ignoring brackets within quotes.
std::size_t end_of_bracket(std::string_view text) {
  char quote = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (quote != 0) {
      if (text[i] == quote) quote = 0;
    } else if (text[i] == '\'' || text[i] == '"') {
      quote = text[i];
    } else if (text[i] == ']') {
      return i;
    }
  }
  return std::string_view::npos;
}

Json literal(std::string_view text) {
  if (is_quoted(text)) return Json(unquoted(text));
  std::string problem;
  auto value = parse(text, problem);
  return value ? std::move(*value) : Json(text);
}

}  // namespace

std::optional<JsonPath::Step> JsonPath::parse_filter(std::string_view condition) {
  const auto at = std::min(condition.find_first_of("!<>="), condition.size());
  const auto end = std::min(condition.find_first_not_of("!<>=", at), condition.size());
  const std::string_view left = without_blanks(condition.substr(0, at));
  if (!left.starts_with('@')) return std::nullopt;
  auto path = parse(left.substr(1));
  if (!path) return std::nullopt;
  return Step{.kind = Kind::filter,
              .compared = std::move(path->steps_),
              .operation = std::string(condition.substr(at, end - at)),
              .value = literal(without_blanks(condition.substr(end)))};
}

bool JsonPath::add_bracket(std::string_view inside) {
  inside = without_blanks(inside);
  if (inside.starts_with("?(") && inside.ends_with(")")) {
    auto filter = parse_filter(inside.substr(2, inside.size() - 3));
    if (filter) steps_.push_back(std::move(*filter));
    return filter.has_value();
  }
  // A quoted name is read as a path: dots are escaped in it, too.
  if (is_quoted(inside)) {
    auto path = parse(std::string(".") + std::string(unquoted(inside)));
    if (path) std::ranges::move(path->steps_, std::back_inserter(steps_));
    return path.has_value();
  }
  Step step{inside == "*" ? Kind::all : Kind::index};
  const char* const last = inside.data() + inside.size();
  const auto [end, failed] = std::from_chars(inside.data(), last, step.index);
  const bool is_index = failed == std::errc() && end == last;
  if (step.kind == Kind::index && !is_index) return false;
  steps_.push_back(std::move(step));
  return true;
}

std::optional<JsonPath> JsonPath::parse(std::string_view text) {
  JsonPath path;
  while (!text.empty()) {
    if (text.front() == '.') {
      text.remove_prefix(1);
      if (text.empty() || text.front() == '[') continue;
      std::string name = take_name(text);
      if (name.empty()) return std::nullopt;  // `..` searches all levels
      path.steps_.push_back(name == "*" ? Step{Kind::all} : Step{Kind::member, std::move(name)});
      continue;
    }
    const auto end = text.front() == '[' ? end_of_bracket(text) : std::string_view::npos;
    if (end == std::string_view::npos) return std::nullopt;
    if (!path.add_bracket(text.substr(1, end - 1))) return std::nullopt;
    text.remove_prefix(end + 1);
  }
  return path;
}

void JsonPath::take(const Json& value, const Step& step, std::vector<const Json*>& found) {
  if (step.kind == Kind::member) {
    const Json* const member =
        value.is_object() ? value.get_object().if_contains(step.name) : nullptr;
    if (member != nullptr) found.push_back(member);
    return;
  }
  if (step.kind == Kind::all && value.is_object()) {
    for (const auto& [name, member] : value.get_object()) found.push_back(&member);
  }
  if (!value.is_array()) return;
  const JsonArray& items = value.get_array();
  if (step.kind == Kind::index) {
    const auto size = static_cast<std::int64_t>(items.size());
    const std::int64_t at = step.index < 0 ? size + step.index : step.index;
    if (at >= 0 && at < size) found.push_back(&items[static_cast<std::size_t>(at)]);
    return;
  }
  for (const Json& item : items) {
    if (step.kind == Kind::all || (step.kind == Kind::filter && step.accepts(item))) {
      found.push_back(&item);
    }
  }
}

bool JsonPath::Step::accepts(const Json& item) const {
  const std::vector<const Json*> there = follow(item, compared);
  if (there.empty()) return false;
  const Json& left = *there.front();
  if (operation.empty()) return true;
  if (operation == "==") return left == value;
  if (operation == "!=") return left != value;
  std::partial_ordering order = std::partial_ordering::unordered;
  if (left.is_number() && value.is_number()) {
    order = left.to_number<double>() <=> value.to_number<double>();
  } else if (left.is_string() && value.is_string()) {
    order = view(left.get_string()) <=> view(value.get_string());
  }
  return (operation.starts_with('<') && order < 0) || (operation.starts_with('>') && order > 0) ||
         (operation.ends_with('=') && order == 0);
}

std::vector<const Json*> JsonPath::follow(const Json& value, std::span<const Step> steps) {
  std::vector<const Json*> found{&value};
  for (const Step& step : steps) {
    std::vector<const Json*> next;
    for (const Json* one : found) take(*one, step, next);
    found = std::move(next);
  }
  return found;
}

std::vector<const Json*> JsonPath::find(const JsonObject& object) const {
  if (steps_.empty() || steps_.front().kind != Kind::member) return {};
  const Json* const first = object.if_contains(steps_.front().name);
  if (first == nullptr) return {};
  return follow(*first, std::span(steps_).subspan(1));
}

}  // namespace dcm::apiserver
