#include "client/kubeconfig_context.hpp"

#include <filesystem>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "client/base64.hpp"
#include "client/pem.hpp"
#include "runtime/http/url.hpp"

namespace dcm::client {
namespace {

using runtime::fail;
using runtime::Reason;
using runtime::Result;

// "file:12: user "ada": what". Line 0: the line of the entry.
std::string locate_in(const KubeconfigEntry& entry, std::string_view kind, int line,
                      std::string_view what) {
  return locate(entry.file, line != 0 ? line : entry.line,
                fmt::format("{} \"{}\": {}", kind, entry.name, what));
}

std::unexpected<runtime::Error> refuse(const KubeconfigEntry& entry, std::string_view kind,
                                       int line, std::string_view what) {
  return fail(Reason::configuration, locate_in(entry, kind, line, what));
}

Result<> check_supported(const KubeconfigEntry& entry, std::string_view kind) {
  if (entry.unsupported.empty()) return {};
  const Text& key = entry.unsupported.front();
  return refuse(entry, kind, key.line, fmt::format("{} is not supported", key.value));
}

void warn_of_unknown_keys(ClusterConfig& config, const KubeconfigEntry& entry,
                          std::string_view kind) {
  for (const Text& key : entry.unknown_keys)
    config.warnings.push_back(
        locate_in(entry, kind, key.line, fmt::format("unknown key \"{}\" is ignored", key.value)));
}

// Relative paths start from the folder of the file that names them.
std::string resolve_path(const KubeconfigEntry& entry, const std::string& path) {
  if (path.empty()) return path;
  return (std::filesystem::path(entry.file).parent_path() / path).lexically_normal().string();
}

// A field that comes as `<key>-data` in base64 or as `<key>` naming a file.
Result<PemSource> read_pem_source(const KubeconfigEntry& entry, std::string_view kind,
                                  std::string_view key, const Text& data, const Text& file,
                                  PemKind expected) {
  if (data.empty()) return PemSource{"", resolve_path(entry, file.value)};
  if (!file.empty())
    return refuse(entry, kind, file.line,
                  fmt::format("has both {0} and {0}-data; expected one of them", key));
  const auto decoded = decode_base64(data.value);
  if (!decoded) return refuse(entry, kind, data.line, fmt::format("{}-data is not base64", key));
  if (!has_pem_block(*decoded, expected))
    return refuse(entry, kind, data.line,
                  fmt::format("{}-data does not hold {}", key, to_string(expected)));
  return PemSource{*decoded, ""};
}

// What the server's certificate is checked against. client-go refuses a CA that would not be used,
// too.
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

Result<> apply_cluster(ClusterConfig& config, const KubeconfigCluster& cluster,
                       const std::string& server_override) {
  if (auto ok = check_supported(cluster, "cluster"); !ok) return ok;
  if (auto ok = apply_verification(config, cluster); !ok) return ok;
  warn_of_unknown_keys(config, cluster, "cluster");
  // The certificate's name belongs to the server that is overridden (client-go does the same).
  if (!server_override.empty()) return {};
  config.tls_server_name = cluster.tls_server_name.value;
  if (cluster.server.empty()) return refuse(cluster, "cluster", 0, "server is missing");
  return apply_server(config, cluster.server.value,
                      locate_in(cluster, "cluster", cluster.server.line, "server"));
}

// client-go refuses a user with several proofs as well; certificates go with any.
Result<> check_methods(const KubeconfigUser& user) {
  const bool has_certificate =
      !user.client_certificate.empty() || !user.client_certificate_data.empty();
  const bool has_key = !user.client_key.empty() || !user.client_key_data.empty();
  if (has_certificate && !has_key)
    return refuse(user, "user", 0, "has a client-certificate, but no client-key");
  if (has_key && !has_certificate)
    return refuse(user, "user", 0, "has a client-key, but no client-certificate");
  const bool has_token = !user.token.empty() || !user.token_file.empty();
  if (has_token && (!user.username.empty() || !user.password.empty()))
    return refuse(user, "user", 0, "has both a token and a username or password; expected one");
  if (user.username.empty() && !user.password.empty())
    return refuse(user, "user", user.password.line, "has a password, but no username");
  return {};
}

// Visible ASCII: what a header field takes (RFC 9110, 5.5), without blanks.
bool is_visible_ascii(std::string_view text) {
  for (const char c : text) {
    if (c <= ' ' || c > '~') return false;
  }
  return true;
}

Result<> check_values(const KubeconfigUser& user) {
  if (!is_visible_ascii(user.token.value))
    return refuse(user, "user", user.token.line,
                  "token holds blanks, line breaks or characters outside of ASCII");
  if (user.username.value.find(':') != std::string::npos)
    return refuse(user, "user", user.username.line,
                  "username holds a colon, which basic authentication cannot send");
  return {};
}

Result<> apply_user(ClusterConfig& config, const KubeconfigUser& user) {
  if (auto ok = check_supported(user, "user"); !ok) return ok;
  if (auto ok = check_methods(user); !ok) return ok;
  if (auto ok = check_values(user); !ok) return ok;
  auto certificate =
      read_pem_source(user, "user", "client-certificate", user.client_certificate_data,
                      user.client_certificate, PemKind::certificate);
  if (!certificate) return fail(std::move(certificate.error()));
  auto key = read_pem_source(user, "user", "client-key", user.client_key_data, user.client_key,
                             PemKind::private_key);
  if (!key) return fail(std::move(key.error()));
  config.client_certificate = std::move(*certificate);
  config.client_key = std::move(*key);
  config.token_file = resolve_path(user, user.token_file.value);
  config.token = config.token_file.empty() ? user.token.value : "";
  config.username = user.username.value;
  config.password = user.password.value;
  warn_of_unknown_keys(config, user, "user");
  return {};
}

// "; known: a, b", and not more than a line.
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

// The entry that `reference` of the context names; null if it names none.
template <class Entry>
Result<const Entry*> follow(const KubeconfigContext& context, std::string_view kind,
                            const Text& reference, const std::vector<Entry>& entries) {
  if (reference.empty()) return nullptr;
  if (const Entry* entry = find_entry(entries, reference.value)) return entry;
  return refuse(context, "context", reference.line,
                fmt::format("names {} \"{}\", which is not there{}", kind, reference.value,
                            list_known(entries)));
}

}  // namespace

Result<> apply_server(ClusterConfig& config, const std::string& url, const std::string& where) {
  auto parsed = http::parse_url(url);
  if (!parsed)
    return fail(Reason::configuration, fmt::format("{}: {}", where, parsed.error().message));
  config.server = std::move(parsed->endpoint);
  config.path_prefix = std::move(parsed->path_prefix);
  return {};
}

void drop_credentials_without_tls(ClusterConfig& config) {
  if (config.server.security == http::Security::tls) return;
  const bool had_any = !config.token.empty() || !config.token_file.empty() ||
                       !config.username.empty() || !config.client_certificate.empty();
  config.token.clear();
  config.token_file.clear();
  config.username.clear();
  config.password.clear();
  config.client_certificate = {};
  config.client_key = {};
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
