#include "client/config/in_cluster.hpp"

#include <utility>

#include <fmt/format.h>

#include "client/config/file.hpp"
#include "client/config/pem.hpp"
#include "runtime/http/url.hpp"

namespace dcm::client {
namespace {

using runtime::fail;
using runtime::Reason;
using runtime::Result;

Result<http::Endpoint> service_endpoint(const std::string& host, const std::string& port) {
  const bool is_ipv6 = host.contains(':');
  const std::string url = is_ipv6 ? fmt::format("https://[{}]:{}", host, port)
                                  : fmt::format("https://{}:{}", host, port);
  auto parsed = http::parse_url(url);
  if (parsed && parsed->path_prefix.empty()) return std::move(parsed->endpoint);
  return fail(Reason::configuration,
              fmt::format("KUBERNETES_SERVICE_HOST \"{}\" and KUBERNETES_SERVICE_PORT \"{}\" are "
                          "not an address",
                          host, port));
}

// The pod's namespace; its file exists whenever the token does.
std::string read_namespace(const std::string& file) {
  auto text = read_regular_file(file);
  if (!text) return "default";
  const auto end = text->find_last_not_of(" \t\r\n");
  return end == std::string::npos ? "default" : text->substr(0, end + 1);
}

// Like client-go, continues without an unreadable CA: the server's may be a public one.
void trust_ca(ClusterConfig& config, const std::string& file) {
  if (const auto pem = read_pem_file(file, PemKind::certificate); !pem) {
    config.warnings.push_back(pem.error().message + "; the system's CAs are trusted instead");
    return;
  }
  config.ca.file = file;
}

}  // namespace

Result<std::optional<ClusterConfig>> load_in_cluster_config(const Environment& environment) {
  const std::string host = environment.variable("KUBERNETES_SERVICE_HOST").value_or("");
  const std::string port = environment.variable("KUBERNETES_SERVICE_PORT").value_or("");
  const std::string token_file = environment.service_account_dir + "/token";
  if (host.empty() || port.empty() || !file_exists(token_file)) return std::nullopt;

  auto server = service_endpoint(host, port);
  if (!server) return fail(std::move(server.error()));
  ClusterConfig config;
  config.server = std::move(*server);
  trust_ca(config, environment.service_account_dir + "/ca.crt");
  config.token_file = token_file;
  config.token_file_origin = "the service account of the pod";
  config.namespace_ = read_namespace(environment.service_account_dir + "/namespace");
  config.origin = "service account of the pod";
  return config;
}

}  // namespace dcm::client
