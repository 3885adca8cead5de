#include "client/config/yaml_fields.hpp"

#include <algorithm>
#include <array>
#include <span>
#include <unordered_map>

#include <fmt/format.h>

#include "client/config/yaml_document.hpp"

namespace dcm::client {
namespace {

int line_of(const YAML::Mark& mark) {
  return mark.is_null() ? 0 : mark.line + 1;
}

// yaml-cpp's message without what it quotes from the file after a colon (such as the name of an
// alias: an unquoted password that starts with an asterisk).
std::string_view without_quote(std::string_view message) {
  return message.substr(0, message.find(": "));
}

std::string_view kind_of(const YAML::Node& node) {
  if (node.IsMap()) return "a map";
  if (node.IsSequence()) return "a list";
  return node.IsNull() ? "nothing" : "a plain value";
}

// "?" is a plain scalar, "!" a quoted one; anything else was written as a tag.
bool has_foreign_tag(const YAML::Node& node) {
  const std::string& tag = node.Tag();
  return !tag.empty() && tag != "?" && tag != "!" && tag != "tag:yaml.org,2002:str";
}

// Where a tab indents the unreadable line, or the one before it: "4:1".
std::optional<std::string> find_tab(std::string_view text, const YAML::Mark& mark) {
  if (mark.is_null()) return std::nullopt;
  for (int line = 0; line <= mark.line && !text.empty(); ++line) {
    const std::size_t tab = text.substr(0, text.find_first_not_of(" \t")).find('\t');
    if (tab != text.npos && line + 1 >= mark.line) return fmt::format("{}:{}", line + 1, tab + 1);
    text.remove_prefix(std::min(text.find('\n'), text.size() - 1) + 1);
  }
  return std::nullopt;
}

bool is_merge(const YamlReader& reader, const YAML::Node& key) {
  return reader.rules() == YamlRules::as_client_go && key.Tag() == "?" && key.Scalar() == "<<";
}

// YAML 1.1, which Go's parser reads, has more words for true and false.
bool is_one_of(std::span<const std::string_view> words, const std::string& word) {
  return std::ranges::find(words, word) != words.end();
}
constexpr std::array<std::string_view, 11> kTrue = {"true", "True", "TRUE", "y",  "Y", "yes",
                                                    "Yes",  "YES",  "on",   "On", "ON"};
constexpr std::array<std::string_view, 11> kFalse = {"false", "False", "FALSE", "n",   "N",  "no",
                                                     "No",    "NO",    "off",   "Off", "OFF"};

}  // namespace

int line_of(const YAML::Node& node) {
  return line_of(node.Mark());
}

std::string locate(std::string_view file, int line, std::string_view what) {
  if (line == 0) return fmt::format("{}: {}", file, what);
  return fmt::format("{}:{}: {}", file, line, what);
}

// Go's parser stops at the end of the first document.
YAML::Node YamlReader::parse_first(const std::string& text) {
  const std::size_t end = end_of_first_document(text);
  const auto is_marker_or_blank = [](char c) { return std::string_view("-. \t\r\n").contains(c); };
  if (!std::ranges::all_of(std::string_view(text).substr(end), is_marker_or_blank)) {
    const auto line = 1 + static_cast<int>(std::ranges::count(text.substr(0, end), '\n'));
    warn(line, "what follows the first YAML document is ignored");
  }
  return parse_one(text.substr(0, end));
}

YAML::Node YamlReader::parse(const std::string& text) {
  return rules_ == YamlRules::as_client_go ? parse_first(text) : parse_one(text);
}

YAML::Node YamlReader::parse_one(const std::string& text) {
  try {
    if (const auto line = line_of_rest(text)) {
      fail(*line, "there is more after the YAML document; expected one document");
      return {};
    }
    return parse_first_document(text);
  } catch (const YAML::Exception& broken) {
    if (const auto tab = find_tab(text, broken.mark)) {
      error_ = runtime::Error{
          runtime::Reason::configuration,
          fmt::format("{}:{}: is indented with a tab; YAML allows only spaces", file_, *tab)};
      return {};
    }
    fail(line_of(broken.mark), fmt::format("is not valid YAML: {}", without_quote(broken.msg)));
    return {};
  }
}

bool YamlReader::may_merge() {
  constexpr int kMergedMax = 1'000;
  return ++merged_ <= kMergedMax;
}

void YamlReader::warn(int line, std::string_view what) {
  constexpr std::size_t kWarningsMax = 20;
  if (warnings_.size() < kWarningsMax) warnings_.push_back(locate(file_, line, what));
}

void YamlReader::fail(int line, std::string_view what) {
  if (error_) return;
  error_ = runtime::Error{runtime::Reason::configuration, locate(file_, line, what)};
}

YamlFields::YamlFields(YamlReader& reader, const YAML::Node& node, std::string what)
    : reader_(reader), what_(std::move(what)), line_(line_of(node)) {
  if (node.IsNull()) return;
  if (!node.IsMap()) {
    reader_.fail(line_, fmt::format("{}: expected a map, found {}", what_, kind_of(node)));
    return;
  }
  read_map(node);
  if (reader_.rules() == YamlRules::as_client_go) read_merged(node);
}

void YamlFields::read_map(const YAML::Node& node) {
  std::unordered_map<std::string, std::size_t> places;
  for (const auto& pair : node) {
    const YAML::Node& key = pair.first;
    if (!key.IsScalar()) {
      reader_.fail(line_of(key), fmt::format("{}: a key is {}", what_, kind_of(key)));
      return;
    }
    const Text name{key.Scalar(), line_of(key)};
    if (is_merge(reader_, key)) continue;
    const auto [place, is_new] = places.emplace(name.value, fields_.size());
    if (is_new) {
      fields_.push_back({name, pair.second});
    } else if (reader_.rules() == YamlRules::as_client_go) {
      reader_.warn(name.line,
                   fmt::format("{}: {} is given twice; the last one counts", what_, name.value));
      fields_[place->second] = {name, pair.second};
    } else {
      fail(name.line, name.value, "is given twice");
      return;
    }
  }
}

// "<<": entries of its maps that this map lacks; of several maps, the first wins.
void YamlFields::read_merged(const YAML::Node& node) {
  for (const auto& pair : node) {
    if (!pair.first.IsScalar() || !is_merge(reader_, pair.first)) continue;
    const YAML::Node& merged = pair.second;
    if (merged.IsSequence()) {
      for (const YAML::Node& each : merged) merge(each);
    } else {
      merge(merged);
    }
  }
}

void YamlFields::merge(const YAML::Node& node) {
  if (reader_.error()) return;
  if (!reader_.may_merge()) {
    fail(line_of(node), "<<", "merges too many maps");
    return;
  }
  const YamlFields other(reader_, node, what_);
  for (const Field& field : other.fields_) {
    const bool is_there = std::ranges::any_of(
        fields_, [&](const Field& own) { return own.key.value == field.key.value; });
    if (!is_there) fields_.push_back(field);
  }
}

void YamlFields::fail(int line, std::string_view key, std::string_view what) {
  reader_.fail(line, fmt::format("{}: {} {}", what_, key, what));
}

YAML::Node YamlFields::any(std::string_view key) {
  for (Field& field : fields_) {
    if (field.key.value != key) continue;
    field.read = true;
    return field.value;
  }
  return {};
}

Text YamlFields::text(std::string_view key) {
  const YAML::Node node = any(key);
  if (node.IsNull()) return {};
  if (!node.IsScalar()) {
    fail(line_of(node), key, fmt::format("must be a string, found {}", kind_of(node)));
    return {};
  }
  if (has_foreign_tag(node)) {
    fail(line_of(node), key, "must be a string, found a YAML tag; quote a value with \"!\"");
    return {};
  }
  return {node.Scalar(), line_of(node)};
}

std::optional<bool> YamlFields::flag(std::string_view key) {
  const YAML::Node node = any(key);
  if (node.IsNull()) return std::nullopt;
  const bool plain = node.IsScalar() && (node.Tag() == "?" || node.Tag().ends_with(":bool"));
  const std::size_t words = reader_.rules() == YamlRules::as_client_go ? kTrue.size() : 1;
  if (plain && is_one_of(std::span(kTrue).first(words), node.Scalar())) return true;
  if (plain && is_one_of(std::span(kFalse).first(words), node.Scalar())) return false;
  fail(line_of(node), key, "must be true or false");
  return std::nullopt;
}

std::vector<YAML::Node> YamlFields::list(std::string_view key) {
  const YAML::Node node = any(key);
  if (node.IsNull()) return {};
  if (!node.IsSequence()) {
    fail(line_of(node), key, fmt::format("must be a list, found {}", kind_of(node)));
    return {};
  }
  return {node.begin(), node.end()};
}

std::vector<std::string> YamlFields::texts(std::string_view key) {
  std::vector<std::string> texts;
  for (const YAML::Node& node : list(key)) {
    if (!node.IsScalar() || has_foreign_tag(node)) {
      fail(line_of(node), key, fmt::format("must hold strings, found {}", kind_of(node)));
      return {};
    }
    texts.push_back(node.Scalar());
  }
  return texts;
}

std::vector<std::pair<std::string, std::vector<std::string>>> YamlFields::text_lists(
    std::string_view key) {
  std::vector<std::pair<std::string, std::vector<std::string>>> lists;
  YamlFields map(reader_, any(key), fmt::format("{}: {}", what_, key));
  for (const Text& name : map.unread()) lists.emplace_back(name.value, map.texts(name.value));
  return lists;
}

std::vector<Text> YamlFields::unread() const {
  std::vector<Text> keys;
  for (const Field& field : fields_) {
    if (!field.read) keys.push_back(field.key);
  }
  return keys;
}

}  // namespace dcm::client
