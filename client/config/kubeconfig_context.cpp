#include "client/config/kubeconfig_context.hpp"

#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "client/config/kubeconfig_entry.hpp"
#include "client/config/kubeconfig_user.hpp"
#include "client/config/proxy.hpp"
#include "runtime/http/url.hpp"

namespace dcm::client {
namespace {

using runtime::fail;
using runtime::Reason;
using runtime::Result;

// Sets how the server's certificate is verified. Like client-go, rejects a CA that would not be
// used.
Result<> apply_verification(ClusterConfig& config, const KubeconfigCluster& cluster) {
  auto ca = read_pem_source(cluster, "cluster", "certificate-authority",
                            cluster.certificate_authority_data, cluster.certificate_authority,
                            PemKind::certificate);
  if (!ca) return fail(std::move(ca.error()));
  config.ca = std::move(*ca);
  if (!cluster.insecure_skip_tls_verify) return {};
  if (!config.ca.empty())
    return refuse(cluster, "cluster", 0,
                  "has both a certificate-authority and insecure-skip-tls-verify; expected one");
  config.verification = http::Verification::none;
  config.warnings.push_back(locate_in(cluster, "cluster", 0,
                                      "insecure-skip-tls-verify is set: anybody on the way can "
                                      "pose as the server and take the credentials"));
  return {};
}

Result<> apply_proxy(ClusterConfig& config, const KubeconfigCluster& cluster) {
  config.disable_compression = cluster.disable_compression;
  config.exec_config_json = cluster.exec_config_json;
  if (cluster.proxy_url.empty()) return {};
  config.proxy_url = cluster.proxy_url.value;
  auto proxy = make_proxy(config.proxy_url,
                          locate_in(cluster, "cluster", cluster.proxy_url.line, "proxy-url"));
  if (!proxy) return fail(std::move(proxy.error()));
  config.proxy = std::move(*proxy);
  return {};
}

Result<> apply_cluster(ClusterConfig& config, const KubeconfigCluster& cluster,
                       const std::string& server_override) {
  if (auto ok = check_supported(cluster, "cluster"); !ok) return ok;
  if (auto ok = apply_verification(config, cluster); !ok) return ok;
  warn_of_unknown_keys(config, cluster, "cluster");
  if (auto ok = apply_proxy(config, cluster); !ok) return ok;
  // The certificate's name belongs to the overridden server (as in client-go).
  if (!server_override.empty()) return {};
  config.tls_server_name = cluster.tls_server_name.value;
  if (cluster.server.empty()) return refuse(cluster, "cluster", 0, "server is missing");
  return apply_server(config, cluster.server.value,
                      locate_in(cluster, "cluster", cluster.server.line, "server"));
}

// "; known: a, b", at most a line.
template <class Entry>
std::string list_known(const std::vector<Entry>& entries) {
  constexpr std::size_t kShown = 20;
  if (entries.empty()) return "; there are none";
  std::vector<std::string> names;
  for (std::size_t i = 0; i < entries.size() && i < kShown; ++i) names.push_back(entries[i].name);
  if (entries.size() > kShown) names.push_back(fmt::format("{} more", entries.size() - kShown));
  return fmt::format("; known: {}", fmt::join(names, ", "));
}

Result<const KubeconfigContext*> find_context(const Kubeconfig& kubeconfig,
                                              const std::string& wanted) {
  const std::string files = fmt::format("{}", fmt::join(kubeconfig.files, ", "));
  const std::string& name = wanted.empty() ? kubeconfig.current_context.value : wanted;
  if (name.empty())
    return fail(Reason::configuration,
                fmt::format("{}: current-context is missing; choose one with --context{}", files,
                            list_known(kubeconfig.contexts)));
  if (const auto* context = find_entry(kubeconfig.contexts, name)) return context;
  const std::string what = fmt::format("{} names context \"{}\", which is not there{}",
                                       wanted.empty() ? "current-context" : "--context", name,
                                       list_known(kubeconfig.contexts));
  if (!wanted.empty()) return fail(Reason::configuration, fmt::format("{}: {}", files, what));
  return fail(Reason::configuration,
              locate(kubeconfig.current_context_file, kubeconfig.current_context.line, what));
}

// The entry that `reference` of the context names; null if it names none. A context that names none
// uses the entry without a name, as in client-go.
template <class Entry>
Result<const Entry*> follow(const KubeconfigContext& context, std::string_view kind,
                            const Text& reference, const std::vector<Entry>& entries) {
  if (const Entry* entry = find_entry(entries, reference.value)) return entry;
  if (reference.empty()) return nullptr;
  return refuse(context, "context", reference.line,
                fmt::format("names {} \"{}\", which is not there{}", kind, reference.value,
                            list_known(entries)));
}

}  // namespace

Result<http::ServerUrl> parse_server(const std::string& text) {
  auto as_it_is = http::parse_url(text);
  if (as_it_is || text.contains("://")) return as_it_is;
  auto with_scheme = http::parse_url("http://" + text);
  const bool is_host_and_port = with_scheme && with_scheme->path_prefix.empty();
  return is_host_and_port ? std::move(with_scheme) : std::move(as_it_is);
}

Result<> apply_server(ClusterConfig& config, const std::string& url, const std::string& where) {
  auto parsed = parse_server(url);
  if (!parsed)
    return fail(Reason::configuration, fmt::format("{}: {}", where, parsed.error().message));
  config.server = std::move(parsed->endpoint);
  config.path_prefix = std::move(parsed->path_prefix);
  config.user_of_url = std::move(parsed->user);
  return {};
}

// As in Go's net/http: the user in a URL wins over everything else, and needs no TLS.
void prefer_user_of_url(ClusterConfig& config) {
  if (!config.user_of_url) return;
  config.exec.reset();
  config.token.clear();
  config.token_file.clear();
  config.username = config.user_of_url->name;
  config.password = config.user_of_url->password;
}

void drop_credentials_without_tls(ClusterConfig& config) {
  if (config.server.security == http::Security::tls) return;
  const bool had_any = !config.token.empty() || !config.token_file.empty() ||
                       !config.username.empty() || !config.client_certificate.empty() ||
                       config.exec;
  config.token.clear();
  config.token_file.clear();
  config.username.clear();
  config.password.clear();
  config.client_certificate = {};
  config.client_key = {};
  config.exec.reset();
  if (had_any)
    config.warnings.push_back(
        fmt::format("{}: the credentials are not sent, because {} is not encrypted", config.origin,
                    config.server.url()));
}

Result<ClusterConfig> resolve_context(const Kubeconfig& kubeconfig,
                                      const ConfigOverrides& overrides) {
  const auto context = find_context(kubeconfig, overrides.context);
  if (!context) return fail(context.error());
  const KubeconfigContext& chosen = **context;
  if (chosen.cluster.empty()) return refuse(chosen, "context", 0, "cluster is missing");
  const auto cluster = follow(chosen, "cluster", chosen.cluster, kubeconfig.clusters);
  if (!cluster) return fail(cluster.error());
  const auto user = follow(chosen, "user", chosen.user, kubeconfig.users);
  if (!user) return fail(user.error());

  ClusterConfig config;
  config.origin = fmt::format("{}, context {}", chosen.file, chosen.name);
  config.warnings = kubeconfig.warnings;
  if (!chosen.namespace_.empty()) config.namespace_ = chosen.namespace_.value;
  warn_of_unknown_keys(config, chosen, "context");
  if (auto ok = apply_cluster(config, **cluster, overrides.server); !ok)
    return fail(std::move(ok.error()));
  if (*user == nullptr) return config;
  if (auto ok = apply_user(config, **user); !ok) return fail(std::move(ok.error()));
  return config;
}

}  // namespace dcm::client
