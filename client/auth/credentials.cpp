#include "client/auth/credentials.hpp"

#include <chrono>
#include <optional>
#include <utility>

#include "client/auth/exec_credentials.hpp"
#include "client/auth/impersonation.hpp"
#include "client/auth/plugin_runner.hpp"
#include "client/auth/token_file.hpp"
#include "client/config/config.hpp"
#include "client/config/tls_files.hpp"
#include "runtime/base64.hpp"

namespace dcm::client {
namespace {

using namespace std::chrono_literals;
using runtime::Deadline;
using runtime::fail;
using runtime::Result;
using runtime::Task;

// kubelet renews a token after 80 % of its life (at least 10 minutes); client-go also checks every
// minute.
constexpr runtime::Duration kTokenFilePeriod = 1min;
constexpr runtime::Duration kRepeatWarning = 10min;

// Constant credentials: a token, a password, or none.
class FixedCredentials final : public Credentials {
 public:
  explicit FixedCredentials(std::string authorization) : authorization_(std::move(authorization)) {}

  Task<Result<>> authorize(http::Headers& headers, Deadline) override {
    if (!authorization_.empty()) headers.set("Authorization", authorization_);
    co_return Result<>{};
  }
  Task<Refreshed> refresh(std::string /*rejected*/, Deadline) override { co_return Refreshed::no; }

 private:
  std::string authorization_;
};

std::string bearer(const std::string& token) {
  return "Bearer " + token;
}

// A token that another program renews (kubelet, for a service account). Invariant: the token is the
// last one that could be read; before the first read, it is `first_token`, which may be empty.
class TokenFileCredentials final : public Credentials {
 public:
  TokenFileCredentials(std::string file, const std::string& first_token,
                       const runtime::TimeSource& time, runtime::Logger log)
      : file_(std::move(file)),
        time_(time),
        log_(std::move(log)),
        warned_(time, kRepeatWarning),
        authorization_(first_token.empty() ? "" : bearer(first_token)) {}

  Task<Result<>> authorize(http::Headers& headers, Deadline) override {
    if (!next_read_ || authorization_.empty() || time_.now() >= *next_read_) {
      auto read = read_again();
      if (!read && authorization_.empty()) co_return fail(std::move(read.error()));
    }
    headers.set("Authorization", authorization_);
    co_return Result<>{};
  }

  Task<Refreshed> refresh(std::string rejected, Deadline) override {
    const auto read = read_again();
    const bool is_new = !authorization_.empty() && authorization_ != rejected;
    co_return is_new ? Refreshed::yes : Refreshed::no;
  }

 private:
  Result<> read_again() {
    next_read_ = time_.now() + kTokenFilePeriod;
    auto token = read_token_file(file_);
    if (!token) {
      warn(token.error().message);
      return fail(std::move(token.error()));
    }
    warned_.reset();
    authorization_ = bearer(*token);
    return {};
  }

  // Without a token the request fails and reports that itself.
  void warn(const std::string& problem) {
    if (!authorization_.empty() && warned_.should_log(problem))
      log_.warning("Cannot read the token file; keeping its last token", {{"error", problem}});
  }

  std::string file_;
  const runtime::TimeSource& time_;
  runtime::Logger log_;
  runtime::RepeatGuard warned_;
  std::string authorization_;                   // empty: nothing read yet
  std::optional<runtime::MonoTime> next_read_;  // nullopt: not tried yet
};

// For a plugin that requests it. Unreadable CAs have been reported as an error before this.
ExecCluster cluster_of(const ClusterConfig& config) {
  const auto tls = read_tls_options(config);
  return {.server = config.server.url() + config.path_prefix,
          .tls_server_name = config.tls_server_name,
          .insecure_skip_tls_verify = config.verification == http::Verification::none,
          .ca_pem = tls ? tls->ca_pem : "",
          .proxy_url = config.proxy_url,
          .disable_compression = config.disable_compression,
          .config_json = config.exec_config_json};
}

std::unique_ptr<Credentials> make_plugin_credentials(const ClusterConfig& config,
                                                     CredentialTools& tools) {
  const ExecCluster cluster = cluster_of(config);
  ExecCredentialsOptions options{
      .plugin = *config.exec,
      .exec_info = encode_exec_info(*config.exec, config.exec->wants_cluster ? &cluster : nullptr)};
  return make_exec_credentials(std::move(options), std::move(tools.plugins),
                               std::move(tools.use_certificate), tools.time, tools.log);
}

std::unique_ptr<Credentials> make_own_credentials(const ClusterConfig& config,
                                                  CredentialTools& tools) {
  if (config.exec && tools.plugins != nullptr) return make_plugin_credentials(config, tools);
  if (!config.token_file.empty())
    return std::make_unique<TokenFileCredentials>(config.token_file, config.token, tools.time,
                                                  tools.log);
  if (!config.token.empty()) return std::make_unique<FixedCredentials>(bearer(config.token));
  if (!config.username.empty())
    return std::make_unique<FixedCredentials>(
        "Basic " + runtime::encode_base64(config.username + ":" + config.password));
  return std::make_unique<FixedCredentials>("");
}

}  // namespace

std::unique_ptr<Credentials> make_credentials(const ClusterConfig& config, CredentialTools tools) {
  std::unique_ptr<Credentials> own = make_own_credentials(config, tools);
  if (config.impersonation.user.empty()) return own;
  return make_impersonating(std::move(own), config.impersonation);
}

}  // namespace dcm::client
