#include "apiserver/definitions/json_path.hpp"

#include <charconv>

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

std::optional<JsonPath::Step> JsonPath::parse_bracket(std::string_view inside) {
  inside = without_blanks(inside);
  if (inside == "*") return Step{Kind::all};
  if (is_quoted(inside)) return Step{Kind::member, std::string(unquoted(inside))};
  if (inside.starts_with("?(") && inside.ends_with(")")) {
    inside = inside.substr(2, inside.size() - 3);
    for (const std::string_view op : {"==", "!="}) {
      const auto at = inside.find(op);
      if (at == std::string_view::npos) continue;
      const std::string_view left = without_blanks(inside.substr(0, at));
      if (!left.starts_with("@.")) return std::nullopt;
      return Step{Kind::filter, std::string(left.substr(2)), 0,
                  literal(without_blanks(inside.substr(at + 2))), op == "=="};
    }
    return std::nullopt;
  }
  Step step{Kind::index};
  const auto [end, failed] =
      std::from_chars(inside.data(), inside.data() + inside.size(), step.index);
  if (failed != std::errc() || end != inside.data() + inside.size()) return std::nullopt;
  return step;
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
    auto step = parse_bracket(text.substr(1, end - 1));
    if (!step) return std::nullopt;
    path.steps_.push_back(std::move(*step));
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
    const Json* const member =
        step.kind == Kind::filter ? as_object(item).if_contains(step.name) : nullptr;
    const bool fits =
        step.kind == Kind::all || (member != nullptr && (*member == step.value) == step.is_equal);
    if (fits) found.push_back(&item);
  }
}

std::vector<const Json*> JsonPath::find(const JsonObject& object) const {
  std::vector<const Json*> found;
  if (steps_.empty()) return found;
  const Json* first =
      steps_.front().kind == Kind::member ? object.if_contains(steps_.front().name) : nullptr;
  if (first == nullptr) return found;
  found.push_back(first);
  for (std::size_t i = 1; i < steps_.size(); ++i) {
    std::vector<const Json*> next;
    for (const Json* value : found) take(*value, steps_[i], next);
    found = std::move(next);
  }
  return found;
}

}  // namespace dcm::apiserver
