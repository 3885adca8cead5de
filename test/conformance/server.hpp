// The API server that the cases run against: in memory, or a real etcd and kube-apiserver.
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
  // With the permissions of manifests/base/rbac.yaml; all, where the server has no authorization.
  virtual support::Access restricted() const = 0;
  // Its log, as a file that goes with it.
  virtual std::string log() const = 0;

  // Ends the server (in_order: by SIGTERM; crash: by SIGKILL, between any two instructions), and
  // starts it again at the same address with all its data. The objects in memory cannot outlive a
  // crash: there both mean that all connections and the port are closed. Both return when that is
  // done, and throw std::runtime_error on failure.
  enum class Ending { in_order, crash };
  virtual void halt(Ending ending) = 0;
  virtual void resume() = 0;
  // All versions of objects before the newest are forgotten in the store (etcd) below it.
  virtual void compact() = 0;
};

// Throws std::runtime_error when it cannot be started.
std::unique_ptr<ApiServer> start_server(const Run& run);

// A program of the real control plane, "" where there is none.
std::string controlplane_program(const Run& run, const std::string& program);

}  // namespace dcm::conformance
