// Credential plugins: the contract client.authentication.k8s.io/v1 and v1beta1 between a client and
// a program that provides credentials (KEP-541). Values and their JSON; plugin_runner.hpp runs
// plugins, exec_credentials.hpp keeps their credentials.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "runtime/error.hpp"
#include "runtime/time.hpp"

namespace dcm::client {

inline constexpr std::string_view kExecV1 = "client.authentication.k8s.io/v1";
inline constexpr std::string_view kExecV1Beta1 = "client.authentication.k8s.io/v1beta1";

// A plugin as the kubeconfig describes it.
struct ExecPlugin {
  std::string api_version = {};
  std::string command = {};  // with a slash: a path, resolved; without: looked for in PATH
  std::vector<std::string> arguments = {};
  std::vector<std::pair<std::string, std::string>> environment = {};  // overrides our own
  std::string install_hint = {};
  bool wants_cluster = false;  // provideClusterInfo

  // For messages: never its arguments or environment, which may hold secrets.
  std::string describe() const;
};

// The cluster, for a plugin that asks for it.
struct ExecCluster {
  std::string server = {};
  std::string tls_server_name = {};
  bool insecure_skip_tls_verify = false;
  std::string ca_pem = {};
  std::string proxy_url = {};
  bool disable_compression = false;
  std::string config_json = {};  // the cluster's extension for exec plugins; empty: none
};

// The value of KUBERNETES_EXEC_INFO. `cluster` is null if the plugin does not ask for it. We never
// offer our standard input.
std::string encode_exec_info(const ExecPlugin& plugin, const ExecCluster* cluster);

// A plugin's credential: a token, a client certificate with its key, or both. Secret.
struct ExecCredential {
  std::string token = {};
  std::string certificate_pem = {};
  std::string key_pem = {};
  std::optional<runtime::WallTime> expires = {};  // nullopt: never
};

// Parses a plugin's output. Errors: configuration; names what is missing or wrong, and never the
// output itself.
runtime::Result<ExecCredential> decode_exec_credential(std::string_view output,
                                                       std::string_view api_version);

}  // namespace dcm::client
