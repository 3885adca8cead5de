// YAML as JSON, the way Kubernetes reads it: for what is passed on and not looked into.
#pragma once

#include <optional>
#include <string>

#include <yaml-cpp/yaml.h>

namespace dcm::client {

// Nothing where it is nested too deeply or larger than `bytes_max` (aliases repeat what they name),
// or has a key that is no plain value.
std::optional<std::string> to_json(const YAML::Node& node, std::size_t bytes_max = 1024 * 1024);

}  // namespace dcm::client
