// YAML bodies as JSON, and JSON as YAML. Of a body, the first document, with the scalars of
// YAML 1.1 as a real server's library resolves them (`yes`, `on` and `n` are booleans, `010` is
// eight), and keys that are always strings.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "apiserver/text/json.hpp"

namespace dcm::apiserver {

inline constexpr std::string_view kYaml = "application/yaml";

struct YamlDocument {
  Json value;
  std::vector<std::string> duplicates;  // `line 6: key "labels" already set in map`
};

// nullopt and the error: no YAML, too deep, more than kValuesMax values (including those of
// aliases), or aliases that would make it huge. JSON is YAML.
std::optional<YamlDocument> parse_yaml(std::string_view text, std::string& problem);

// In block style, with members in the order of their names.
std::string write_yaml(const Json& value);

}  // namespace dcm::apiserver
