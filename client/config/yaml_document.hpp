// The one YAML document of a text, parsed within bounds.
#pragma once

#include <optional>
#include <string>

#include <yaml-cpp/yaml.h>

namespace dcm::client {

// Limits for values, and for anchors and aliases. yaml-cpp takes about 0.5 KB for each value, and
// more time per anchor as their number grows: 16 MB of them would block the program for minutes. A
// kubeconfig of 5,000 clusters has 150,000 values.
inline constexpr std::size_t kYamlNodesMax = 250'000;
inline constexpr std::size_t kYamlAnchorsMax = 1'000;

// Only the first document counts; null if it is empty. Throws YAML::Exception: no YAML, or over the
// limits.
YAML::Node parse_first_document(const std::string& text);

// The line (from 1) of the first content after the first document. Throws YAML::Exception.
std::optional<int> line_of_rest(const std::string& text);

// Where a line "---" or "..." ends the first document; the size of `text` if none does. Go's parser
// reads no further.
std::size_t end_of_first_document(std::string_view text);

}  // namespace dcm::client
