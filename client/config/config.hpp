// The API server to talk to, and the identity to use: from a kubeconfig, or from inside a pod.
//
// The first of these that applies: `--kubeconfig`, `$KUBECONFIG` (a list of files, merged as
// kubectl does), the service account of the pod we run in, `~/.kube/config`.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "client/auth/exec_plugin.hpp"
#include "client/auth/impersonation.hpp"
#include "runtime/error.hpp"
#include "runtime/http/proxy.hpp"
#include "runtime/http/stream.hpp"
#include "runtime/http/tcp.hpp"
#include "runtime/http/url.hpp"

namespace dcm::client {

// A PEM text given inline, or a file to read it from (again, when it changes). Never both: a
// kubeconfig with both is rejected, as in client-go.
struct PemSource {
  std::string data;
  std::string file;
  bool empty() const { return data.empty() && file.empty(); }
};

// All connection settings. Contains secrets: never logged, has no printing function.
struct ClusterConfig {
  http::Endpoint server;
  std::string path_prefix;  // in the server's URL, without the trailing slash: "/k8s/clusters/c-1"
  PemSource ca;
  std::string tls_server_name;
  http::Verification verification = http::Verification::full;
  PemSource client_certificate;
  PemSource client_key;
  std::string token;
  std::string token_file;         // wins over `token` while it is readable
  std::string token_file_origin;  // where it is named, for messages
  std::string username;           // basic authentication
  std::string password;
  std::optional<http::UrlUser> user_of_url;  // "https://ada:secret@host"
  std::optional<ExecPlugin> exec;            // instead of all of these
  Impersonation impersonation;
  std::optional<http::Proxy> proxy;
  std::string namespace_ = "default";
  // Its origin, for logs: "/home/ada/.kube/config, context dev".
  std::string origin;
  std::vector<std::string> warnings;  // to be logged: insecure-skip-tls-verify, …
  // For plugins only.
  std::string proxy_url;
  bool disable_compression = false;
  std::string exec_config_json;
};

// The environment that is searched, which tests can replace.
struct Environment {
  std::function<std::optional<std::string>(const std::string& name)> variable;
  std::string service_account_dir = "/var/run/secrets/kubernetes.io/serviceaccount";

  // The variables of this process.
  static Environment of_process();
};

struct ConfigOverrides {
  std::string kubeconfig = {};  // --kubeconfig: only this file
  std::string context = {};     // --context
  std::string server = {};      // --server
};

// Errors: configuration; one line with the file, the line if known, and the problem.
runtime::Result<ClusterConfig> load_cluster_config(const ConfigOverrides& overrides,
                                                   const Environment& environment);

}  // namespace dcm::client
