// The API server of the cases: in-memory, or a real etcd and kube-apiserver.
#pragma once

#include <memory>
#include <string>

#include "test/conformance/run.hpp"
#include "test/support/access.hpp"

namespace dcm::conformance {

// Started once for all cases, stopped at the end.
class ApiServer {
 public:
  virtual ~ApiServer() = default;
  virtual support::Access admin() const = 0;
  // With the permissions of manifests/base/rbac.yaml, or all if the server has no authorization.
  virtual support::Access restricted() const = 0;
  // Its log, as a file that is deleted with it.
  virtual std::string log() const = 0;

  // Ends the server (in_order: by SIGTERM; crash: by SIGKILL, between any two instructions), and
  // restarts it at the same address with all its data. In-memory objects cannot survive a crash:
  // there both mean that all connections and the port are closed. Both return when that is done,
  // and throw std::runtime_error on failure.
  enum class Ending { in_order, crash };
  virtual void halt(Ending ending) = 0;
  virtual void resume() = 0;
  // Compacts the store (etcd): all versions of objects before the newest are dropped.
  virtual void compact() = 0;
};

// Throws std::runtime_error if it cannot be started.
std::unique_ptr<ApiServer> start_server(const Run& run);

// A program of the real control plane, "" if missing.
std::string controlplane_program(const Run& run, const std::string& program);

}  // namespace dcm::conformance
