#include "client/config/kubeconfig_user.hpp"

#include <utility>

#include <fmt/format.h>

#include "client/config/kubeconfig_entry.hpp"

namespace dcm::client {
namespace {

using runtime::fail;
using runtime::Result;

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

// We have no terminal to offer to a plugin, and use none ourselves: only a plugin that must ask its
// user is refused. Version v1 requires the mode.
Result<> check_interactive_mode(const KubeconfigUser& user) {
  const Text& mode = user.exec->interactive_mode;
  if (mode.value == "Never" || mode.value == "IfAvailable") return {};
  if (mode.empty() && user.exec->api_version.value == kExecV1Beta1) return {};
  if (mode.value == "Always") {
    return refuse(
        user, "user", mode.line,
        "exec.interactiveMode is Always, and this program has no terminal; expected Never "
        "or IfAvailable");
  }
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
    if (name.empty() || name.value.contains('=')) {
      return refuse(user, "user", name.line != 0 ? name.line : exec.line,
                    "exec.env has an entry without a name, or with a = in it");
    }
  }
  return check_interactive_mode(user);
}

Result<> apply_exec(ClusterConfig& config, const KubeconfigUser& user) {
  if (auto ok = check_exec(user); !ok) return ok;
  // As in client-go: what stands there is used, and the program is not asked.
  const bool has_other = !user.token.empty() || !user.token_file.empty() || !user.username.empty();
  if (has_other) {
    config.warnings.push_back(
        locate_in(user, "user", user.exec->line,
                  "exec is not used, because there is a token or username as well"));
    return {};
  }
  const KubeconfigExec& exec = *user.exec;
  ExecPlugin plugin{.api_version = exec.api_version.value,
                    .command = exec.command.value,
                    .arguments = exec.arguments,
                    .install_hint = exec.install_hint.value,
                    .wants_cluster = exec.provide_cluster_info};
  if (plugin.command.contains('/')) plugin.command = resolve_path(user, plugin.command);
  for (const auto& [name, value] : exec.environment) {
    plugin.environment.emplace_back(name.value, value.value);
  }
  config.exec = std::move(plugin);
  return {};
}

// Whether a text fits a header field: nothing in it may end the field and begin another.
bool is_header_value(std::string_view text) {
  for (const char c : text) {
    if ((c >= 0 && c < ' ') || c == '\x7f') return false;
  }
  return true;
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
    if (!is_header_value(value)) {
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
