// Credentials that a plugin gives, for as long as they are good.
//
// The plugin runs when there is nothing to use, before what there is expires, and after a 401;
// never twice at the same time, and after a failure not before a pause. While what it gave before
// is still good, a failure is a warning.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "client/auth/credentials.hpp"
#include "client/auth/plugin_runner.hpp"
#include "runtime/backoff.hpp"

namespace dcm::client {

struct ExecCredentialsOptions {
  ExecPlugin plugin;
  std::string exec_info;                                 // encode_exec_info()
  runtime::Duration timeout = std::chrono::seconds(30);  // of one run
  // A run that was asked for by a 401 is not repeated sooner.
  runtime::Duration pause_after_run = std::chrono::seconds(10);
  runtime::Backoff pause_after_failure{std::chrono::seconds(1), std::chrono::minutes(1)};
};

// `time` must outlive what is returned. `use_certificate` takes up a certificate and key that the
// plugin gave, before the request that waits for it is sent; its error is the plugin's.
std::unique_ptr<Credentials> make_exec_credentials(ExecCredentialsOptions options,
                                                   std::unique_ptr<PluginRunner> runner,
                                                   UseCertificate use_certificate,
                                                   runtime::TimeSource& time, runtime::Logger log);

}  // namespace dcm::client
