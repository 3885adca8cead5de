#include "apiserver/text/yaml.hpp"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <map>
#include <sstream>
#include <stdexcept>

#include <fmt/format.h>
#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/yaml.h>

#include "apiserver/text/duplicates.hpp"
#include "apiserver/text/item_budget.hpp"
#include "runtime/one_line.hpp"

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

// `tag` of a plain scalar is "?"; others are quoted, or tagged as strings.
Json scalar(const std::string& text, const std::string& tag) {
  if (tag != "?") return Json(text);
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

// Creates values from the parser's events. Each copy of an aliased value counts as if it were
// written out, and is counted before it is created; so does the copy that an anchor keeps.
class Builder final : public YAML::EventHandler {
 public:
  explicit Builder(std::size_t bytes_max) : bytes_left_(bytes_max) {}

  Json root;
  std::vector<std::string> duplicates;

  void OnDocumentStart(const YAML::Mark&) override {}
  void OnDocumentEnd() override {}
  void OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    take(mark, anchor, Json(), {1, 0});
  }
  void OnScalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                const std::string& value) override {
    take(mark, anchor, scalar(value, tag), {1, value.size() + 1});
  }
  void OnAlias(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    const auto found = anchors_.find(anchor);
    if (found == anchors_.end()) {
      throw YAML::ParserException(mark, "an anchor's value contains itself");
    }
    const auto& [value, cost] = found->second;
    spend(cost);
    put(mark, value);
  }
  void OnSequenceStart(const YAML::Mark& mark, const std::string&, YAML::anchor_t anchor,
                       YAML::EmitterStyle::value) override {
    open(mark, anchor, JsonArray());
  }
  void OnMapStart(const YAML::Mark& mark, const std::string&, YAML::anchor_t anchor,
                  YAML::EmitterStyle::value) override {
    open(mark, anchor, JsonObject());
  }
  void OnSequenceEnd() override { close(); }
  void OnMapEnd() override { close(); }

 private:
  struct Cost {
    std::size_t values = 0;
    std::size_t bytes = 0;
  };
  // A list or map that is still open.
  struct Open {
    Json value;
    std::optional<std::string> key;  // whose value comes next
    YAML::anchor_t anchor;
    YAML::Mark mark;
    Cost before;
  };

  Cost spent() const { return {budget_.spent(), bytes_spent_}; }

  void spend(const Cost& cost) {
    budget_.spend(cost.values);
    if (cost.bytes > bytes_left_) {
      throw std::length_error("document contains excessive aliasing");
    }
    bytes_left_ -= cost.bytes;
    bytes_spent_ += cost.bytes;
  }

  void open(const YAML::Mark& mark, YAML::anchor_t anchor, Json value) {
    if (stack_.size() >= kLevelsMax) throw YAML::ParserException(mark, "exceeded max depth");
    const Cost before = spent();
    spend({1, 0});
    stack_.push_back({std::move(value), std::nullopt, anchor, mark, before});
  }

  void close() {
    Open done = std::move(stack_.back());
    stack_.pop_back();
    const Cost now = spent();
    const Cost cost{now.values - done.before.values, now.bytes - done.before.bytes};
    keep(done.anchor, done.value, cost);
    put(done.mark, std::move(done.value));
  }

  void take(const YAML::Mark& mark, YAML::anchor_t anchor, Json value, const Cost& cost) {
    spend(cost);
    keep(anchor, value, cost);
    put(mark, std::move(value));
  }

  void keep(YAML::anchor_t anchor, const Json& value, const Cost& cost) {
    if (anchor == YAML::NullAnchor) return;
    spend(cost);
    anchors_.insert_or_assign(anchor, std::pair(value, cost));
  }

  void put(const YAML::Mark& mark, Json value) {
    if (stack_.empty()) {
      root = std::move(value);
      return;
    }
    Open& around = stack_.back();
    if (around.value.is_array()) {
      around.value.get_array().push_back(std::move(value));
    } else if (!around.key) {
      take_key(mark, value);
    } else {
      around.value.get_object()[*around.key] = std::move(value);
      around.key.reset();
    }
  }

  void take_key(const YAML::Mark& mark, const Json& name) {
    Open& map = stack_.back();
    map.key = name.is_string() ? std::string(view(name.get_string())) : serialize(name);
    if (!map.value.get_object().contains(*map.key) || duplicates.size() >= kDuplicatesMax) return;
    duplicates.push_back(
        fmt::format("line {}: key \"{}\" already set in map", mark.line + 1, *map.key));
  }

  ItemBudget budget_;
  std::size_t bytes_left_;
  std::size_t bytes_spent_ = 0;
  std::vector<Open> stack_;
  std::map<YAML::anchor_t, std::pair<Json, Cost>> anchors_;
};

// What parsers of either version of YAML read as this string.
bool is_plain(const std::string& text) {
  const bool is_word =
      !text.empty() && (std::isalpha(static_cast<unsigned char>(text[0])) != 0 || text[0] == '/');
  return is_word && scalar(text, "?").is_string();
}

void write(YAML::Emitter& out, const Json& value) {
  if (value.is_object()) {
    out << (value.get_object().empty() ? YAML::Flow : YAML::Block) << YAML::BeginMap;
    for (const auto& [name, member] : value.get_object()) {
      out << YAML::Key;
      write(out, Json(name));
      out << YAML::Value;
      write(out, member);
    }
    out << YAML::EndMap;
  } else if (value.is_array()) {
    out << (value.get_array().empty() ? YAML::Flow : YAML::Block) << YAML::BeginSeq;
    for (const Json& item : value.get_array()) write(out, item);
    out << YAML::EndSeq;
  } else if (value.is_string()) {
    const std::string text(view(value.get_string()));
    if (!is_plain(text)) out << YAML::DoubleQuoted;
    out << text;
  } else {
    out << serialize_as_go(value);
  }
}

bool is_control(char c) {
  const auto byte = static_cast<unsigned char>(c);
  return (byte < 0x20 && c != '\t' && c != '\n' && c != '\r') || byte == 0x7f;
}

}  // namespace

std::string write_yaml(const Json& value) {
  YAML::Emitter out;
  write(out, in_order(value));
  return std::string(out.c_str(), out.size()) + "\n";
}

std::optional<YamlDocument> parse_yaml(std::string_view text, std::string& problem) {
  // Programs send JSON, whose parser is much faster, but does not say on which line a member is
  // repeated.
  if (text.starts_with('{')) {
    auto json = parse_body(text, problem);
    if (json && duplicate_members(text).empty()) return YamlDocument{std::move(*json), {}};
  }
  if (runtime::valid_utf8(text) != text) {
    problem = "yaml: invalid UTF-8";
    return std::nullopt;
  }
  // A zero byte would make yaml-cpp guess UTF-16.
  if (std::ranges::any_of(text, is_control)) {
    problem = "yaml: control characters are not allowed";
    return std::nullopt;
  }
  try {
    std::istringstream stream{std::string(text)};
    YAML::Parser parser(stream);
    Builder builder(4 * text.size() + 100'000);
    parser.HandleNextDocument(builder);
    if (const std::string excess = excess_of(builder.root); !excess.empty()) {
      throw std::length_error(excess);
    }
    return YamlDocument{std::move(builder.root), std::move(builder.duplicates)};
  } catch (const YAML::Exception& error) {
    problem = fmt::format("yaml: line {}: {}", error.mark.line + 1, runtime::valid_utf8(error.msg));
  } catch (const std::length_error& error) {
    problem = fmt::format("yaml: {}", error.what());
  }
  return std::nullopt;
}

}  // namespace dcm::apiserver
