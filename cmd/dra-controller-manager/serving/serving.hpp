// Both ports of the process with what is behind them: the secured one for a cluster, the plain one
// for a developer's machine or a sidecar.
#pragma once

#include <memory>

#include "client/manager/connection.hpp"
#include "client/manager/pages.hpp"
#include "cmd/dra-controller-manager/options.hpp"
#include "cmd/dra-controller-manager/serving/secure_serving.hpp"

namespace dcm::manager {

class Serving {
 public:
  // Listens where `options` says, so that a port that is taken is known at once; answers nothing
  // yet. Both references must outlive it.
  // Errors: configuration: address, certificate or key.
  static runtime::Result<std::unique_ptr<Serving>> open(const Process& process,
                                                        const Options& options,
                                                        std::shared_ptr<runtime::LogBackend> log);

  // To add checks to, before run().
  Health& health() { return health_; }
  // For pages on the secured port alone, before run().
  Pages& secured_pages() { return secured_pages_; }

  // Answers until it is cancelled. Callers of the secured port are looked up through `rest`.
  runtime::Task<> run(client::RestClient& rest);

 private:
  Serving(const Process& process, const Options& options, std::shared_ptr<runtime::LogBackend> log);
  runtime::Result<> listen(const Options& options);

  const Process& process_;
  std::vector<std::string> metrics_accept_hosts_;
  Health health_;
  Pages plain_pages_;
  Pages secured_pages_;
  // Null: not asked for.
  std::unique_ptr<http::TcpListener> plain_;
  std::unique_ptr<SecureServing> secured_;
};

}  // namespace dcm::manager
