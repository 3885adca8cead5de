// The credentials of this client, asked for with each request.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "client/auth/plugin_runner.hpp"
#include "runtime/deadline.hpp"
#include "runtime/error.hpp"
#include "runtime/http/message.hpp"
#include "runtime/log.hpp"
#include "runtime/task.hpp"
#include "runtime/time.hpp"

namespace dcm::client {

class Credentials {
 public:
  virtual ~Credentials() = default;

  // Adds the header fields that identify us: `Authorization`, or none for a client certificate.
  // Errors: configuration (a token file that cannot be read, a plugin that fails),
  // deadline_exceeded.
  virtual runtime::Task<runtime::Result<>> authorize(http::Headers& headers,
                                                     runtime::Deadline deadline) = 0;

  enum class Refreshed { no, yes };
  // The server answered 401 to the Authorization `rejected` (empty: none was sent). Reads anew what
  // can be read anew; `yes` when we have something else than `rejected` now, so that trying again
  // makes sense. Of many requests that were refused together, each is told `yes`.
  virtual runtime::Task<Refreshed> refresh(std::string rejected, runtime::Deadline deadline) = 0;

  // Renews what expires before a request has to wait for it. Ends by cancellation, or at once where
  // there is nothing to renew; without it, requests do the renewing.
  virtual runtime::Task<> keep_fresh() { co_return; }
};

// A client certificate and its key, both in PEM. Secret.
struct ClientIdentity {
  std::string certificate_pem;
  std::string key_pem;
};
// Shows them to servers from now on. Errors: configuration.
using UseCertificate = std::function<runtime::Result<>(const ClientIdentity&)>;

struct ClusterConfig;

// The dependencies of credentials, apart from the configuration.
struct CredentialTools {
  runtime::TimeSource& time;  // must outlive them
  runtime::Logger log = {};
  std::unique_ptr<PluginRunner> plugins = nullptr;  // null: no plugin can be run
  UseCertificate use_certificate = nullptr;         // null: a plugin's certificate cannot be used
};

// The Authorization of `config`, and who is impersonated. A token file is read again every minute
// and after a 401; while it cannot be, its last token is used on, and the log says so. A plugin is
// exec_credentials.hpp.
std::unique_ptr<Credentials> make_credentials(const ClusterConfig& config, CredentialTools tools);

}  // namespace dcm::client
