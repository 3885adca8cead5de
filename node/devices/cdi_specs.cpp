#include "node/devices/cdi_specs.hpp"

#include <fmt/format.h>
#include <yaml-cpp/yaml.h>

namespace dcm::node {
namespace {

// Far above any real spec. A parsed spec takes a hundred times its size.
constexpr std::size_t kSpecBytesMax = 1024 * 1024;

// JSON is YAML.
void add_devices(const std::string& text, std::set<std::string>& names) {
  try {
    const YAML::Node spec = YAML::Load(text);
    if (!spec.IsMap()) return;
    const auto kind = spec["kind"].as<std::string>();
    for (const YAML::Node& device : spec["devices"]) {
      names.insert(fmt::format("{}={}", kind, device["name"].as<std::string>()));
    }
  } catch (const YAML::Exception&) {
    return;  // a runtime ignores such a file as well
  }
}

bool is_spec(const std::string& name) {
  return name.ends_with(".json") || name.ends_with(".yaml");
}

}  // namespace

std::set<std::string> cdi_devices_in(Files& files, const std::vector<std::string>& folders) {
  std::set<std::string> names;
  for (const std::string& folder : folders) {
    const auto listed = files.list(folder);
    if (!listed) continue;
    for (const std::string& name : *listed) {
      if (!is_spec(name)) continue;
      const auto text = files.read(folder + '/' + name);
      if (text && *text && (*text)->size() <= kSpecBytesMax) add_devices(**text, names);
    }
  }
  return names;
}

}  // namespace dcm::node
