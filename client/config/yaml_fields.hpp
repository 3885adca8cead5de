// Reads YAML maps and keeps the line of each value, for messages that a person can act on.
//
// yaml-cpp accepts duplicate keys, converts scalars freely and throws on the wrong type; here a
// duplicate key and a wrong type are errors with file, line and what was expected. Values are never
// quoted in a message: any of them may be a secret, for example after wrong indentation.
//
// A kubeconfig that kubectl reads must be readable here, so it is read by client-go's rules: the
// last of two equal keys counts, "<<" merges maps, "yes" is true, and only the first document is
// read. Equal keys and further documents cause warnings.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <yaml-cpp/yaml.h>

#include "runtime/error.hpp"

namespace dcm::client {

// A string and its line (from 1; 0 if it has none).
struct Text {
  std::string value;
  int line = 0;
  bool empty() const { return value.empty(); }
};

// "file:12: entry: what", or "file: …" for line 0.
std::string locate(std::string_view file, int line, std::string_view what);

enum class YamlRules { strict, as_client_go };

// Parses and remembers the first error; after it, everything reads as absent. So callers read
// without checks and ask once at the end.
class YamlReader {
 public:
  explicit YamlReader(std::string file, YamlRules rules = YamlRules::strict)
      : file_(std::move(file)), rules_(rules) {}

  // The one document in `text`; a null node if it is empty.
  YAML::Node parse(const std::string& text);

  void fail(int line, std::string_view what);
  // Only the first few warnings are kept.
  void warn(int line, std::string_view what);
  const std::optional<runtime::Error>& error() const { return error_; }
  const std::vector<std::string>& warnings() const { return warnings_; }
  const std::string& file() const { return file_; }
  YamlRules rules() const { return rules_; }
  // Whether one more map may be merged into another. Limited, as a few lines can request any number
  // of merges.
  bool may_merge();

 private:
  YAML::Node parse_first(const std::string& text);
  YAML::Node parse_one(const std::string& text);

  std::string file_;
  YamlRules rules_;
  std::vector<std::string> warnings_;
  int merged_ = 0;
  std::optional<runtime::Error> error_;
};

// The fields of one map. Null counts as absent everywhere, as in the Kubernetes API.
class YamlFields {
 public:
  // `what` names the map in messages: `user "ada"`. `reader` must outlive this.
  YamlFields(YamlReader& reader, const YAML::Node& node, std::string what);

  Text text(std::string_view key);
  std::optional<bool> flag(std::string_view key);
  // The elements of a list.
  std::vector<YAML::Node> list(std::string_view key);
  // The texts of a list of strings.
  std::vector<std::string> texts(std::string_view key);
  // The keys of a map, in order, each with its list of strings.
  std::vector<std::pair<std::string, std::vector<std::string>>> text_lists(std::string_view key);
  // Any value, not interpreted; a null node if there is none.
  YAML::Node any(std::string_view key);

  // Keys that were never read, in order.
  std::vector<Text> unread() const;
  int line() const { return line_; }

 private:
  struct Field {
    Text key;
    YAML::Node value;
    bool read = false;
  };

  void fail(int line, std::string_view key, std::string_view what);
  void read_map(const YAML::Node& node);
  void read_merged(const YAML::Node& node);
  void merge(const YAML::Node& node);

  YamlReader& reader_;
  std::string what_;
  int line_ = 0;
  std::vector<Field> fields_;
};

// The line of a node, from 1; 0 if it has none.
int line_of(const YAML::Node& node);

}  // namespace dcm::client
