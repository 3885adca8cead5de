#include "client/config/kubeconfig_user.hpp"

#include <utility>

#include <fmt/format.h>

#include "client/auth/field_value.hpp"
#include "client/config/kubeconfig_entry.hpp"

namespace dcm::client {
namespace {

using runtime::fail;
using runtime::Result;

// client-go also rejects a user with several kinds of credentials; certificates combine with any.
Result<> check_methods(const KubeconfigUser& user) {
  const bool has_certificate =
      !user.client_certificate.empty() || !user.client_certificate_data.empty();
  const bool has_key = !user.client_key.empty() || !user.client_key_data.empty();
  if (has_certificate && !has_key)
    return refuse(user, "user", 0, "has a client-certificate, but no client-key");
  const bool has_basic = !user.username.empty() || !user.password.empty();
  if ((!user.token.empty() && has_basic) || (!user.token_file.empty() && !user.username.empty()))
    return refuse(user, "user", 0, "has both a token and a username or password; expected one");
  return {};
}

// client-go ignores these silently.
void warn_of_halves(ClusterConfig& config, const KubeconfigUser& user) {
  const auto warn = [&](int line, std::string_view what) {
    config.warnings.push_back(locate_in(user, "user", line, what));
  };
  const bool has_certificate =
      !user.client_certificate.empty() || !user.client_certificate_data.empty();
  const bool has_key = !user.client_key.empty() || !user.client_key_data.empty();
  if (has_key && !has_certificate)
    warn(0, "client-key is not used, because there is no client-certificate");
  if (user.username.empty() && !user.password.empty())
    warn(user.password.line, "password is not used, because there is no username");
}

// The token, and the file that wins over it while it can be read.
Result<> apply_token(ClusterConfig& config, const KubeconfigUser& user) {
  auto token = trimmed_field_value(user.token.value);
  if (!token)
    return refuse(user, "user", user.token.line, "token holds line breaks or control characters");
  config.token = std::move(*token);
  config.token_file = resolve_path(user, user.token_file.value);
  config.token_file_origin = locate_in(user, "user", user.token_file.line, "tokenFile");
  return {};
}

Result<> apply_client_certificate(ClusterConfig& config, const KubeconfigUser& user) {
  auto certificate =
      read_pem_source(user, "user", "client-certificate", user.client_certificate_data,
                      user.client_certificate, PemKind::certificate);
  if (!certificate) return fail(std::move(certificate.error()));
  if (certificate->empty()) return {};
  auto key = read_pem_source(user, "user", "client-key", user.client_key_data, user.client_key,
                             PemKind::private_key);
  if (!key) return fail(std::move(key.error()));
  config.client_certificate = std::move(*certificate);
  config.client_key = std::move(*key);
  return {};
}

// Version v1 requires the mode.
Result<> check_interactive_mode(const KubeconfigUser& user) {
  const Text& mode = user.exec->interactive_mode;
  if (mode.value == "Never" || mode.value == "IfAvailable" || mode.value == "Always") return {};
  if (mode.empty() && user.exec->api_version.value == kExecV1Beta1) return {};
  return refuse(user, "user", mode.empty() ? user.exec->line : mode.line,
                "exec.interactiveMode: expected Never or IfAvailable");
}

Result<> check_exec(const KubeconfigUser& user) {
  const KubeconfigExec& exec = *user.exec;
  if (exec.command.empty()) return refuse(user, "user", exec.line, "exec.command is missing");
  const std::string& version = exec.api_version.value;
  if (version != kExecV1 && version != kExecV1Beta1) {
    return refuse(user, "user", exec.api_version.empty() ? exec.line : exec.api_version.line,
                  fmt::format("exec.apiVersion: expected {} or {}", kExecV1, kExecV1Beta1));
  }
  for (const auto& [name, value] : exec.environment) {
    if (name.empty())
      return refuse(user, "user", exec.line, "exec.env has an entry without a name");
  }
  return check_interactive_mode(user);
}

Result<> apply_exec(ClusterConfig& config, const KubeconfigUser& user) {
  if (auto ok = check_exec(user); !ok) return ok;
  // As in client-go: the given token is used, and the plugin does not run.
  const bool has_other = !user.token.empty() || !user.token_file.empty() ||
                         !user.username.empty() || !config.client_certificate.empty();
  if (has_other) {
    config.warnings.push_back(locate_in(user, "user", user.exec->line,
                                        "exec is not used, because there is a token, a username "
                                        "or a client certificate as well"));
    return {};
  }
  // We have no terminal for a plugin, and use none ourselves.
  if (const Text& mode = user.exec->interactive_mode; mode.value == "Always") {
    return refuse(
        user, "user", mode.line,
        "exec.interactiveMode is Always, and this program has no terminal; expected Never "
        "or IfAvailable");
  }
  const KubeconfigExec& exec = *user.exec;
  ExecPlugin plugin{.api_version = exec.api_version.value,
                    .command = exec.command.value,
                    .arguments = exec.arguments,
                    .install_hint = exec.install_hint.value,
                    .wants_cluster = exec.provide_cluster_info};
  if (plugin.command.contains('/')) {
    plugin.command = resolve_path(user, plugin.command);
    // Beside a file that was named without a folder; a bare name would be looked for in PATH.
    if (!plugin.command.contains('/')) plugin.command.insert(0, "./");
  }
  for (const auto& [name, value] : exec.environment) {
    plugin.environment.emplace_back(name.value, value.value);
  }
  config.exec = std::move(plugin);
  return {};
}

Result<> apply_impersonation(ClusterConfig& config, const KubeconfigUser& user) {
  Impersonation as{.user = user.impersonate.value,
                   .uid = user.impersonate_uid.value,
                   .groups = user.impersonate_groups,
                   .extra = user.impersonate_extra};
  if (as.user.empty() && !(as.uid.empty() && as.groups.empty() && as.extra.empty())) {
    return refuse(user, "user", user.impersonate_uid.line,
                  "has as-uid, as-groups or as-user-extra, but no as: whom to impersonate");
  }
  std::vector<std::string> values = as.groups;
  values.insert(values.end(), {as.user, as.uid});
  for (const auto& [key, list] : as.extra) values.insert(values.end(), list.begin(), list.end());
  for (const std::string& value : values) {
    if (!is_field_value(value)) {
      return refuse(user, "user", user.impersonate.line, "a value of as… holds a line break");
    }
  }
  config.impersonation = std::move(as);
  return {};
}

}  // namespace

Result<> apply_user(ClusterConfig& config, const KubeconfigUser& user) {
  if (auto ok = check_supported(user, "user"); !ok) return ok;
  if (auto ok = check_methods(user); !ok) return ok;
  warn_of_halves(config, user);
  if (auto ok = apply_client_certificate(config, user); !ok) return ok;
  if (auto ok = apply_token(config, user); !ok) return ok;
  if (user.exec) {
    if (auto ok = apply_exec(config, user); !ok) return ok;
  }
  if (auto ok = apply_impersonation(config, user); !ok) return ok;
  config.username = user.username.value;
  config.password = user.password.value;
  warn_of_unknown_keys(config, user, "user");
  return {};
}

}  // namespace dcm::client
