// The credentials of this client, queried for each request.
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
  // The server answered 401 to the Authorization `rejected` (empty: none was sent). Reads
  // credentials again where possible; returns `yes` if they now differ from `rejected`, so that a
  // retry makes sense. If many requests were refused together, each gets `yes`.
  virtual runtime::Task<Refreshed> refresh(std::string rejected, runtime::Deadline deadline) = 0;

  // Renews expiring credentials before a request has to wait for them. Ends by cancellation, or at
  // once if there is nothing to renew; without it, requests renew credentials.
  virtual runtime::Task<> keep_fresh() { co_return; }
};

// A client certificate and its key, both in PEM. Secret.
struct ClientIdentity {
  std::string certificate_pem;
  std::string key_pem;

  friend bool operator==(const ClientIdentity&, const ClientIdentity&) = default;
};
// Presents this certificate to servers from now on; an empty one stands for the configuration's
// own, if it has one. Errors: configuration.
using UseCertificate = std::function<runtime::Result<>(const ClientIdentity&)>;

struct ClusterConfig;

// The dependencies of credentials, apart from the configuration.
struct CredentialTools {
  runtime::TimeSource& time;  // must outlive them
  runtime::Logger log = {};
  std::unique_ptr<PluginRunner> plugins = nullptr;  // null: no plugin can be run
  UseCertificate use_certificate = nullptr;         // null: a plugin's certificate cannot be used
};

// The credentials in `config`, and its impersonated user. A token file is read again every minute
// and after a 401; while that fails, the last token stays in use, and the log says so. For plugins
// see exec_credentials.hpp.
std::unique_ptr<Credentials> make_credentials(const ClusterConfig& config, CredentialTools tools);

}  // namespace dcm::client
