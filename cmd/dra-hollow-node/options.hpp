// The command line of dra-hollow-node.
#pragma once

#include <expected>
#include <optional>
#include <string>
#include <vector>

#include "client/config/config.hpp"
#include "playground/cluster/hollow_nodes.hpp"
#include "playground/cluster/real_devices.hpp"
#include "playground/options.hpp"

namespace dcm::hollow_node {

enum class RegisterNode : std::uint8_t { no, yes };

struct Options {
  client::ConfigOverrides cluster;
  std::string root;  // a folder structured like kubelet's
  RegisterNode register_node = RegisterNode::yes;
  playground::Booted booted = playground::Booted::no;
  playground::RealDevicesOptions devices;
  std::string metrics_address;            // empty: no port
  std::vector<std::string> accept_hosts;  // accepted host names of the port, besides addresses
  int verbosity = 0;
  // `forget NAMESPACE/NAME`: drops the entry of a claim instead.
  std::optional<api::NamespacedName> forget;
};

// Parses `arguments` (without the program's name). An error is one line that names the flag.
std::expected<Options, options::Exit> parse_options(const std::vector<std::string>& arguments);

}  // namespace dcm::hollow_node
