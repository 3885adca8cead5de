// Credentials from a plugin, used as long as they are valid.
//
// The plugin runs when there are no credentials, before they expire, and after a 401; never twice
// at the same time, and after a failure only after a pause. While previous credentials are still
// valid, a failure is only a warning. While keep_fresh() runs, a run may take longer than the
// request that needs it may wait; the next request finds its result.
#pragma once

#include <memory>
#include <string>

#include "client/auth/credentials.hpp"
#include "client/auth/plugin_runner.hpp"
#include "runtime/backoff.hpp"

namespace dcm::client {

struct ExecCredentialsOptions {
  ExecPlugin plugin;
  std::string exec_info;                                 // encode_exec_info()
  runtime::Duration timeout = std::chrono::seconds(30);  // limit for one run
  // Minimum interval between runs caused by a 401.
  runtime::Duration pause_after_run = std::chrono::seconds(10);
  runtime::Backoff pause_after_failure{std::chrono::seconds(1), std::chrono::minutes(1)};
};

// `time` must outlive the result. `use_certificate` installs a certificate and key from the plugin
// before the waiting request is sent; its error is reported as the plugin's.
std::unique_ptr<Credentials> make_exec_credentials(ExecCredentialsOptions options,
                                                   std::unique_ptr<PluginRunner> runner,
                                                   UseCertificate use_certificate,
                                                   runtime::TimeSource& time, runtime::Logger log);

}  // namespace dcm::client
