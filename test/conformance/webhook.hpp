// A webhook that answers 404, because it cannot find an object of its own: kube-apiserver passes
// that answer on. In front of the API server in memory, which calls no webhooks, the fault proxy
// imitates it.
#pragma once

#include <memory>
#include <string>

#include "test/support/faults.hpp"
#include "test/support/kube.hpp"
#include "test/support/process.hpp"

namespace dcm::conformance {

class Webhook {
 public:
  // The deletions that it refuses.
  struct Scope {
    std::string ns;
    std::string group;      // empty: core
    std::string resource;   // "pods"
    std::string some_path;  // of an object that may be there, to see when the webhook is in force
  };
  // In force on return. Its files begin with `prefix`. The references must outlive it.
  Webhook(support::Kube& kube, support::Faults& faults, const Scope& scope,
          const std::string& prefix);
  // From then on nothing is refused.
  ~Webhook();
  Webhook(const Webhook&) = delete;
  Webhook& operator=(const Webhook&) = delete;

 private:
  void imitate(const Scope& scope);
  void serve(const Scope& scope, const std::string& prefix);

  support::Kube& kube_;
  support::Faults& faults_;
  std::unique_ptr<support::Process> server_;  // null: imitated
  std::string configuration_;                 // the path of its object
};

}  // namespace dcm::conformance
