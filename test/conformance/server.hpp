// The API server that the cases run against: in memory, or a real etcd and kube-apiserver.
#pragma once

#include <memory>
#include <string>

namespace dcm::conformance {

enum class ServerKind { memory, real };

// Started once for all cases, stopped at the end.
class ApiServer {
 public:
  virtual ~ApiServer() = default;
  // A kubeconfig with the contexts `admin` (all rights) and `manager` (those of the product's
  // ServiceAccount; where the server has no authorization, all rights too).
  virtual std::string kubeconfig() const = 0;
};

// Throws std::runtime_error when it cannot be started.
std::unique_ptr<ApiServer> start_server(ServerKind kind);

}  // namespace dcm::conformance
