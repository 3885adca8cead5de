#include "test/support/access.hpp"

#include <fstream>
#include <stdexcept>

#include <fmt/format.h>
#include <yaml-cpp/yaml.h>

namespace dcm::support {
namespace {

YAML::Node named(const YAML::Node& list, const std::string& name, const char* member) {
  for (const auto& entry : list) {
    if (entry["name"].as<std::string>() == name) return entry[member];
  }
  throw std::runtime_error("kubeconfig: no entry " + name);
}

std::string text_or_nothing(const YAML::Node& node) {
  return node ? node.as<std::string>() : std::string();
}

}  // namespace

Access read_access(const std::string& kubeconfig, std::string context_name) {
  const YAML::Node config = YAML::LoadFile(kubeconfig);
  if (context_name.empty()) context_name = config["current-context"].as<std::string>();
  const YAML::Node context = named(config["contexts"], context_name, "context");
  const YAML::Node cluster =
      named(config["clusters"], context["cluster"].as<std::string>(), "cluster");
  const YAML::Node user = named(config["users"], context["user"].as<std::string>(), "user");
  return {.server = cluster["server"].as<std::string>(),
          .ca_file = text_or_nothing(cluster["certificate-authority"]),
          .token = text_or_nothing(user["token"])};
}

void write_kubeconfig(const std::string& file, const Access& access) {
  const std::string ca =
      access.ca_file.empty() ? "" : fmt::format(", certificate-authority: \"{}\"", access.ca_file);
  std::ofstream(file) << fmt::format(R"(apiVersion: v1
kind: Config
current-context: test
clusters: [{{name: test, cluster: {{server: "{}"{}}}}}]
users: [{{name: test, user: {{token: "{}"}}}}]
contexts: [{{name: test, context: {{cluster: test, user: test}}}}]
)",
                                     access.server, ca, access.token);
}

}  // namespace dcm::support
