#include "cmd/dra-controller-manager/options/config_file.hpp"

#include <algorithm>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "client/config/yaml_fields.hpp"

namespace dcm::dra_manager {
namespace {

constexpr std::size_t kShownMax = 60;

// Describes a node in error messages: "a map", "\"fast\"".
std::string shown(const YAML::Node& node) {
  if (node.IsMap()) return "a map";
  if (node.IsSequence()) return "a list";
  if (node.IsNull()) return "nothing";
  const std::string& text = node.Scalar();
  return text.size() > kShownMax ? "a longer text" : fmt::format("\"{}\"", text);
}

// Unquoted, without a tag: YAML's own types.
bool is_plain(const YAML::Node& node) {
  return node.IsScalar() && node.Tag() == "?";
}

// Whether a reader of YAML or JSON sees a string rather than a number, true, false or null.
bool is_string(const YAML::Node& node) {
  if (!node.IsScalar()) return false;
  if (!is_plain(node)) return node.Tag() == "!" || node.Tag().ends_with(":str");
  const std::string& text = node.Scalar();
  return !parse_value(Value(false), text) && !parse_value(Value(0.0), text);
}

// Reads a node as the type of a value.
struct ReadNode {
  const YAML::Node& node;
  using Read = std::optional<Value>;

  Read operator()(bool like) const { return plain(like); }
  Read operator()(std::int64_t like) const { return plain(like); }
  Read operator()(double like) const { return plain(like); }
  Read operator()(const std::string&) const {
    return is_string(node) ? Read(node.Scalar()) : std::nullopt;
  }
  Read operator()(const Strings&) const {
    if (!node.IsSequence()) return std::nullopt;
    Strings list;
    for (const YAML::Node& element : node) {
      if (!is_string(element)) return std::nullopt;
      list.push_back(element.Scalar());
    }
    return list;
  }
  Read operator()(const Switches&) const { return std::nullopt; }  // Reader::read_switches

 private:
  template <class T>
  Read plain(T like) const {
    return is_plain(node) ? parse_value(Value(like), node.Scalar()) : std::nullopt;
  }
};

class Reader {
 public:
  Reader(std::span<const Setting> table, const std::string& file) : table_(table), file_(file) {}

  std::expected<std::vector<Given>, std::string> read(const std::string& text) {
    client::YamlReader yaml(file_);
    const YAML::Node root = yaml.parse(text);
    if (yaml.error()) return std::unexpected(yaml.error()->message);
    read_type(root);
    if (problem_.empty()) read_map(root, "");
    if (!problem_.empty()) return std::unexpected(std::move(problem_));
    return std::move(given_);
  }

 private:
  std::string locate(const YAML::Node& node, std::string_view key) const {
    const YAML::Mark mark = node.Mark();
    if (mark.is_null()) return fmt::format("{}: {}", file_, key);
    return fmt::format("{}:{}:{}: {}", file_, mark.line + 1, mark.column + 1, key);
  }

  void refuse(const YAML::Node& node, std::string_view key, std::string_view why) {
    if (problem_.empty()) problem_ = fmt::format("{}: {}", locate(node, key), why);
  }

  // Checked first: a file of another kind was named by mistake, and its values are never shown.
  void read_type(const YAML::Node& root) {
    if (!root.IsMap()) {
      problem_ = fmt::format("{}: expected a map with apiVersion: {} and kind: {}", file_,
                             kConfigVersion, kConfigKind);
      return;
    }
    for (const auto& [key, wanted] :
         {std::pair("apiVersion", kConfigVersion), std::pair("kind", kConfigKind)}) {
      const YAML::Node value = root[key];
      if (value.IsDefined() && value.IsScalar() && value.Scalar() == wanted) continue;
      refuse(
          value.IsDefined() ? value : root, key,
          fmt::format("expected {}, got {}", wanted, value.IsDefined() ? shown(value) : "nothing"));
    }
  }

  void read_map(const YAML::Node& map, const std::string& prefix) {
    Strings seen;
    for (const auto& pair : map) {
      const YAML::Node& name = pair.first;
      if (!name.IsScalar()) return refuse(name, prefix, "a key must be a string");
      const std::string key = prefix + name.Scalar();
      if (std::ranges::find(seen, key) != seen.end()) return refuse(name, key, "is given twice");
      seen.push_back(key);
      read_entry(name, pair.second, key);
      if (!problem_.empty()) return;
    }
  }

  void read_entry(const YAML::Node& name, const YAML::Node& value, const std::string& key) {
    if (key == "apiVersion" || key == "kind") return;
    const auto row = std::ranges::find(table_, key, [](const Setting& s) { return s.text.key; });
    if (row != table_.end()) return read_value(*row, value);
    if (!is_section(key)) return refuse_unknown(name, key);
    if (value.IsNull()) return;
    if (!value.IsMap()) return refuse(value, key, "expected a map, got " + shown(value));
    read_map(value, key + ".");
  }

  // Null counts as not given, as everywhere in the Kubernetes API.
  void read_value(const Setting& row, const YAML::Node& node) {
    if (node.IsNull()) return;
    if (std::holds_alternative<Switches>(row.by_default) && node.IsMap()) {
      return read_switches(row, node);
    }
    auto value = std::visit(ReadNode{node}, row.by_default);
    if (value) {
      given_.push_back({&row, std::move(*value), locate(node, row.text.key)});
      return;
    }
    const bool is_scalar = row.by_default.index() < Value(Strings()).index();
    const bool wants_quotes = std::holds_alternative<std::string>(row.by_default) && is_plain(node);
    refuse(node, row.text.key,
           fmt::format("expected {}, got {}{}",
                       is_scalar ? std::string_view(row.expected) : type_of(row.by_default),
                       shown(node), wants_quotes ? " without quotes" : ""));
  }

  void read_switches(const Setting& row, const YAML::Node& node) {
    Switches switches;
    for (const auto& pair : node) {
      const YAML::Node& name = pair.first;
      const YAML::Node& value = pair.second;
      const std::string key = row.text.key + "." + (name.IsScalar() ? name.Scalar() : "");
      if (!name.IsScalar()) return refuse(name, key, "a key must be a string");
      const auto is_on = ReadNode{value}(false);
      if (!is_on) return refuse(value, key, "expected true or false, got " + shown(value));
      const bool is_new = switches.emplace(name.Scalar(), std::get<bool>(*is_on)).second;
      if (!is_new) return refuse(name, key, "is given twice");
    }
    given_.push_back({&row, std::move(switches), locate(node, row.text.key)});
  }

  bool is_section(const std::string& key) const {
    return std::ranges::any_of(
        table_, [&](const Setting& row) { return row.text.key.starts_with(key + "."); });
  }

  void refuse_unknown(const YAML::Node& name, const std::string& key) {
    Strings known;
    for (const Setting& row : table_) {
      if (row.text.key.empty()) continue;
      known.push_back(row.text.key);
      known.push_back(row.text.key.substr(0, row.text.key.find('.')));
    }
    const std::string meant = closest(key, known);
    refuse(name, key, meant.empty() ? "unknown key" : "unknown key; did you mean " + meant + "?");
  }

  std::span<const Setting> table_;
  const std::string& file_;
  std::vector<Given> given_;
  std::string problem_;
};

}  // namespace

std::expected<std::vector<Given>, std::string> parse_config_file(std::span<const Setting> table,
                                                                 const std::string& text,
                                                                 const std::string& file) {
  return Reader(table, file).read(text);
}

}  // namespace dcm::dra_manager
