#include "client/config/config.hpp"

#include <algorithm>
#include <cstdlib>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "client/auth/token_file.hpp"
#include "client/config/file.hpp"
#include "client/config/in_cluster.hpp"
#include "client/config/kubeconfig.hpp"
#include "client/config/kubeconfig_context.hpp"
#include "client/config/proxy.hpp"
#include "runtime/one_line.hpp"

namespace dcm::client {
namespace {

using runtime::fail;
using runtime::Reason;
using runtime::Result;

enum class Missing { is_error, is_skipped };

// Split like client-go: by colons, without empty parts and duplicates.
std::vector<std::string> split_file_list(const std::string& list) {
  std::vector<std::string> files;
  for (std::size_t begin = 0; begin <= list.size();) {
    const std::size_t end = std::min(list.find(':', begin), list.size());
    std::string file = list.substr(begin, end - begin);
    if (!file.empty() && std::ranges::find(files, file) == files.end())
      files.push_back(std::move(file));
    begin = end + 1;
  }
  return files;
}

Result<Kubeconfig> load_files(const std::vector<std::string>& files, Missing missing) {
  Kubeconfig merged;
  for (const std::string& file : files) {
    if (missing == Missing::is_skipped && !file_exists(file)) continue;
    const auto text = read_file(file);
    if (!text) return fail(text.error());
    auto parsed = parse_kubeconfig(*text, file);
    if (!parsed) return fail(std::move(parsed.error()));
    merge_kubeconfig(merged, std::move(*parsed));
  }
  return merged;
}

Result<ClusterConfig> load_kubeconfig(const std::vector<std::string>& files, Missing missing,
                                      const ConfigOverrides& overrides) {
  const auto kubeconfig = load_files(files, missing);
  if (!kubeconfig) return fail(kubeconfig.error());
  const std::string names = fmt::format("{}", fmt::join(files, ", "));
  if (kubeconfig->files.empty())
    return fail(Reason::configuration,
                fmt::format("$KUBECONFIG: none of its files exists: {}", names));
  if (kubeconfig->empty())
    return fail(
        Reason::configuration,
        fmt::format("{}: empty; expected a kubeconfig with clusters, users and contexts", names));
  return resolve_context(*kubeconfig, overrides);
}

// The address alone suffices for a server without authentication (`kubectl proxy`).
ClusterConfig server_alone() {
  ClusterConfig config;
  config.origin = "--server";
  return config;
}

std::string why_no_service_account(const ConfigOverrides& overrides,
                                   const Environment& environment) {
  if (!overrides.context.empty()) return "which has no contexts";
  if (!environment.variable("KUBERNETES_SERVICE_HOST")) return "KUBERNETES_SERVICE_HOST is not set";
  if (!environment.variable("KUBERNETES_SERVICE_PORT")) return "KUBERNETES_SERVICE_PORT is not set";
  return environment.service_account_dir + "/token is not there";
}

Result<ClusterConfig> nothing_found(const ConfigOverrides& overrides,
                                    const Environment& environment,
                                    const std::optional<std::string>& home_file) {
  return fail(Reason::configuration,
              fmt::format("no configuration found: --kubeconfig is not given, $KUBECONFIG is not "
                          "set, no service account of a pod ({}), {}",
                          why_no_service_account(overrides, environment),
                          home_file ? *home_file + " is not there"
                                    : "no ~/.kube/config ($HOME is not set)"));
}

// The first source that applies.
Result<ClusterConfig> search(const ConfigOverrides& overrides, const Environment& environment) {
  if (!overrides.kubeconfig.empty())
    return load_kubeconfig({overrides.kubeconfig}, Missing::is_error, overrides);
  const auto listed = split_file_list(environment.variable("KUBECONFIG").value_or(""));
  if (!listed.empty()) return load_kubeconfig(listed, Missing::is_skipped, overrides);
  // A service account has no contexts: a caller that requests one means a file.
  if (overrides.context.empty()) {
    auto in_cluster = load_in_cluster_config(environment);
    if (!in_cluster) return fail(std::move(in_cluster.error()));
    if (*in_cluster) return std::move(**in_cluster);
  }
  std::optional<std::string> home_file = environment.variable("HOME");
  if (home_file) *home_file += "/.kube/config";
  if (home_file && file_exists(*home_file))
    return load_kubeconfig({*home_file}, Missing::is_error, overrides);
  if (!overrides.server.empty() && overrides.context.empty()) return server_alone();
  return nothing_found(overrides, environment, home_file);
}

// Without a token, the file must be readable at the start, as in client-go: a wrong name would
// never work. Later, a broken file is tried again.
Result<> check_token_file(const ClusterConfig& config) {
  if (config.token_file.empty() || !config.token.empty()) return {};
  const auto token = read_token_file(config.token_file);
  if (token) return {};
  return fail(Reason::configuration,
              fmt::format("{}: {}", config.token_file_origin, token.error().message));
}

// Names and URLs are untrusted.
void make_one_line(std::string& message) {
  message = runtime::one_line(std::move(message));
}

Result<ClusterConfig> search_and_override(const ConfigOverrides& overrides,
                                          const Environment& environment) {
  auto config = search(overrides, environment);
  if (config && !overrides.server.empty()) {
    const auto ok = apply_server(*config, overrides.server, "--server");
    if (!ok) return fail(ok.error());
  }
  if (!config || config->proxy) return config;
  auto proxy = proxy_of_environment(config->server, environment);
  if (!proxy) return fail(std::move(proxy.error()));
  config->proxy = std::move(*proxy);
  return config;
}

}  // namespace

Environment Environment::of_process() {
  Environment environment;
  environment.variable = [](const std::string& name) -> std::optional<std::string> {
    const char* value = std::getenv(name.c_str());
    return value == nullptr ? std::nullopt : std::optional<std::string>(value);
  };
  return environment;
}

Result<ClusterConfig> load_cluster_config(const ConfigOverrides& overrides,
                                          const Environment& environment) {
  auto config = search_and_override(overrides, environment);
  if (config) {
    drop_credentials_without_tls(*config);
    prefer_user_of_url(*config);
    if (auto ok = check_token_file(*config); !ok) config = fail(std::move(ok.error()));
  }
  if (!config) {
    make_one_line(config.error().message);
    return config;
  }
  make_one_line(config->origin);
  std::ranges::for_each(config->warnings, make_one_line);
  return config;
}

}  // namespace dcm::client
