#include "apiserver/text/yaml.hpp"

#include <algorithm>
#include <charconv>
#include <stdexcept>

#include <fmt/format.h>
#include <yaml-cpp/yaml.h>

#include "apiserver/text/utf8.hpp"

namespace dcm::apiserver {

namespace {

bool is_one_of(std::string_view text, std::initializer_list<std::string_view> list) {
  return std::ranges::find(list, text) != list.end();
}

std::optional<std::int64_t> integer(std::string_view text) {
  bool negative = false;
  if (!text.empty() && (text.front() == '-' || text.front() == '+')) {
    negative = text.front() == '-';
    text.remove_prefix(1);
  }
  int base = 10;
  if (text.size() > 1 && text.front() == '0') {
    const char mark = text[1];
    base = mark == 'x' ? 16 : mark == 'b' ? 2 : 8;
    text.remove_prefix(mark == 'x' || mark == 'b' || mark == 'o' ? 2 : 1);
  }
  std::int64_t number = 0;
  const auto [end, failed] = std::from_chars(text.data(), text.data() + text.size(), number, base);
  if (failed != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return negative ? -number : number;
}

std::optional<double> decimal(std::string_view text) {
  if (text.find_first_not_of("+-.0123456789eE") != std::string_view::npos) return std::nullopt;
  if (text.starts_with('+')) text.remove_prefix(1);
  double number = 0;
  const auto [end, failed] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (failed != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return number;
}

Json scalar(const YAML::Node& node) {
  const std::string& text = node.Scalar();
  if (node.Tag() != "?") return Json(text);  // quoted, or told to be text
  if (is_one_of(text, {"", "~", "null", "Null", "NULL"})) return Json();
  if (is_one_of(text, {"y", "Y", "yes", "Yes", "YES", "true", "True", "TRUE", "on", "On", "ON"})) {
    return Json(true);
  }
  if (is_one_of(text,
                {"n", "N", "no", "No", "NO", "false", "False", "FALSE", "off", "Off", "OFF"})) {
    return Json(false);
  }
  if (const auto number = integer(text)) return Json(*number);
  if (const auto number = decimal(text)) return Json(*number);
  return Json(text);
}

// Turns a tree of nodes, in which aliases share, into one of values, in which nothing does.
class Converter {
 public:
  explicit Converter(std::size_t budget) : budget_(budget) {}

  Json value(const YAML::Node& node) {
    switch (node.Type()) {
      case YAML::NodeType::Scalar:
        spend(node.Scalar().size() + 1);
        return scalar(node);
      case YAML::NodeType::Sequence:
        return list(node);
      case YAML::NodeType::Map:
        return map(node);
      default:
        spend(1);
        return {};
    }
  }

  std::vector<std::string> duplicates;

 private:
  Json list(const YAML::Node& node) {
    spend(1);
    JsonArray items;
    for (const YAML::Node& item : node) items.push_back(value(item));
    return items;
  }

  Json map(const YAML::Node& node) {
    spend(1);
    JsonObject members;
    for (const auto& member : node) {
      const Json name = value(member.first);
      const std::string key =
          name.is_string() ? std::string(view(name.get_string())) : serialize(name);
      if (members.contains(key)) {
        duplicates.push_back(fmt::format("line {}: key \"{}\" already set in map",
                                         member.first.Mark().line + 1, key));
      }
      members[key] = value(member.second);
    }
    return members;
  }

  void spend(std::size_t bytes) {
    if (bytes > budget_) throw std::length_error("document contains excessive aliasing");
    budget_ -= bytes;
  }

  std::size_t budget_;
};

bool is_control(char c) {
  const auto byte = static_cast<unsigned char>(c);
  return (byte < 0x20 && c != '\t' && c != '\n' && c != '\r') || byte == 0x7f;
}

}  // namespace

std::optional<YamlDocument> parse_yaml(std::string_view text, std::string& problem) {
  // Programs send JSON; and its parser is much the faster one.
  if (text.starts_with('{')) {
    if (auto json = parse(text, problem)) return YamlDocument{std::move(*json), {}};
  }
  if (valid_utf8(text) != text) {
    problem = "yaml: invalid UTF-8";
    return std::nullopt;
  }
  // A zero byte would make yaml-cpp guess UTF-16.
  if (std::ranges::any_of(text, is_control)) {
    problem = "yaml: control characters are not allowed";
    return std::nullopt;
  }
  try {
    const YAML::Node root = YAML::Load(std::string(text));
    Converter converter(4 * text.size() + 100'000);
    Json value = converter.value(root);
    return YamlDocument{std::move(value), std::move(converter.duplicates)};
  } catch (const YAML::Exception& error) {
    problem = fmt::format("yaml: line {}: {}", error.mark.line + 1, valid_utf8(error.msg));
  } catch (const std::length_error& error) {
    problem = fmt::format("yaml: {}", error.what());
  }
  return std::nullopt;
}

}  // namespace dcm::apiserver
