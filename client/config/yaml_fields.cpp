#include "client/config/yaml_fields.hpp"

#include <algorithm>
#include <sstream>

#include <fmt/format.h>
#include <yaml-cpp/eventhandler.h>

namespace dcm::client {
namespace {

int line_of(const YAML::Mark& mark) {
  return mark.is_null() ? 0 : mark.line + 1;
}

// yaml-cpp's words without what it quotes from the file after a colon (the name of an alias, say:
// an unquoted password that starts with an asterisk).
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

// Notes where a document starts and whether there is anything in it.
class DocumentProbe final : public YAML::EventHandler {
 public:
  void OnDocumentStart(const YAML::Mark& mark) override {
    start = mark;
    has_content = false;
  }
  void OnDocumentEnd() override {}
  void OnNull(const YAML::Mark&, YAML::anchor_t) override {}
  void OnAlias(const YAML::Mark&, YAML::anchor_t) override { has_content = true; }
  void OnScalar(const YAML::Mark&, const std::string&, YAML::anchor_t,
                const std::string&) override {
    has_content = true;
  }
  void OnSequenceStart(const YAML::Mark&, const std::string&, YAML::anchor_t,
                       YAML::EmitterStyle::value) override {
    has_content = true;
  }
  void OnSequenceEnd() override {}
  void OnMapStart(const YAML::Mark&, const std::string&, YAML::anchor_t,
                  YAML::EmitterStyle::value) override {
    has_content = true;
  }
  void OnMapEnd() override {}

  YAML::Mark start = YAML::Mark::null_mark();
  bool has_content = false;
};

// The line of what stands after the first document; nothing if that is all. YAML::Load would drop
// it silently. YAML::LoadAll must not be used: at a stray bracket it makes empty documents without
// moving on, until memory is full.
std::optional<int> line_of_rest(const std::string& text) {
  std::istringstream stream(text);
  YAML::Parser parser(stream);
  DocumentProbe probe;
  if (!parser.HandleNextDocument(probe)) return std::nullopt;
  for (int last = probe.start.pos; parser.HandleNextDocument(probe); last = probe.start.pos) {
    if (probe.has_content || probe.start.pos == last) return line_of(probe.start);
  }
  return std::nullopt;
}

// Where a tab indents the line that could not be read, or the one before it: "4:1".
std::optional<std::string> find_tab(std::string_view text, const YAML::Mark& mark) {
  if (mark.is_null()) return std::nullopt;
  for (int line = 0; line <= mark.line && !text.empty(); ++line) {
    const std::size_t tab = text.substr(0, text.find_first_not_of(" \t")).find('\t');
    if (tab != text.npos && line + 1 >= mark.line) return fmt::format("{}:{}", line + 1, tab + 1);
    text.remove_prefix(std::min(text.find('\n'), text.size() - 1) + 1);
  }
  return std::nullopt;
}

}  // namespace

int line_of(const YAML::Node& node) {
  return line_of(node.Mark());
}

std::string locate(std::string_view file, int line, std::string_view what) {
  if (line == 0) return fmt::format("{}: {}", file, what);
  return fmt::format("{}:{}: {}", file, line, what);
}

YAML::Node YamlReader::parse(const std::string& text) {
  try {
    if (const auto line = line_of_rest(text)) {
      fail(*line, "there is more after the YAML document; expected one document");
      return {};
    }
    return YAML::Load(text);
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
  for (const auto& pair : node) {
    const YAML::Node& key = pair.first;
    if (!key.IsScalar()) {
      reader_.fail(line_of(key), fmt::format("{}: a key is {}", what_, kind_of(key)));
      return;
    }
    const Text name{key.Scalar(), line_of(key)};
    if (std::ranges::any_of(fields_, [&](const Field& f) { return f.key.value == name.value; })) {
      fail(name.line, name.value, "is given twice");
      return;
    }
    fields_.push_back({name, pair.second});
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
  if (plain && node.Scalar() == "true") return true;
  if (plain && node.Scalar() == "false") return false;
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
