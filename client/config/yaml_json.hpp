// YAML as JSON, read as Kubernetes does: for values that are passed on unread.
#pragma once

#include <optional>
#include <string>

#include <yaml-cpp/yaml.h>

namespace dcm::client {

// nullopt if nested too deeply, larger than `bytes_max` (aliases repeat their contents), or with a
// key that is not a plain value.
std::optional<std::string> to_json(const YAML::Node& node, std::size_t bytes_max = 1024 * 1024);

}  // namespace dcm::client
