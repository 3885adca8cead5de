// Which services of a plugin are used, and why a plugin is rejected: in kubelet's words.
#pragma once

#include <cstdint>
#include <expected>
#include <string>
#include <string_view>
#include <vector>

#include "node/plugins/protocol.hpp"

namespace dcm::node {

// A plugin's description of itself (pluginregistration.PluginInfo).
struct PluginInfo {
  std::string type;
  std::string name;
  std::string endpoint;               // empty: the registration socket itself
  std::vector<std::string> services;  // supported_versions

  friend bool operator==(const PluginInfo&, const PluginInfo&) = default;
};

enum class DraVersion : std::uint8_t { v1, v1beta1 };
enum class HealthVersion : std::uint8_t { none, v1, v1alpha1 };
// kubelet takes the first of the plugin's list, although its error mentions the newest.
enum class ServiceChoice : std::uint8_t { first_named, newest };

struct Services {
  DraVersion dra = DraVersion::v1;
  HealthVersion health = HealthVersion::none;

  friend bool operator==(const Services&, const Services&) = default;
};

// Errors: why the plugin cannot be used.
std::expected<Services, std::string> choose_services(const PluginInfo& info, ServiceChoice choice);

// "/k8s.io.kubelet.pkg.apis.dra.v1.DRAPlugin/NodePrepareResources"
std::string method_path(DraVersion version, std::string_view method);
// The path for the stream of health reports. Requires that there is such a service.
std::string health_path(HealthVersion service);

}  // namespace dcm::node
