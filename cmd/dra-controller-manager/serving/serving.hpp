// The ports of the manager, with its debug pages on the secured one.
#pragma once

#include <memory>

#include "cmd/dra-controller-manager/options.hpp"
#include "manager/serving/ports.hpp"

namespace dcm::manager {

class Serving {
 public:
  // Listens as configured in `options`, so that a taken port is detected at once; answers nothing
  // yet. Both references must outlive it. Errors: configuration: address, certificate or key.
  static runtime::Result<std::unique_ptr<Serving>> open(const Process& process,
                                                        const Options& options,
                                                        std::shared_ptr<runtime::LogBackend> log);

  // For adding checks, before run().
  Health& health() { return health_; }
  // For pages on the secured port only, before run().
  Pages& secured_pages() { return ports_->secured_pages(); }

  // Answers until cancelled. Callers of the secured port are reviewed through `rest`.
  runtime::Task<> run(client::RestClient& rest) { return ports_->run(rest); }

 private:
  Serving() = default;

  Health health_;
  std::unique_ptr<Ports> ports_;
};

}  // namespace dcm::manager
