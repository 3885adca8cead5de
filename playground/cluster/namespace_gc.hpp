// Empties namespaces that are being deleted, and lets them go, as the namespace controller of
// kube-controller-manager does: every kind of the API server's discovery that has namespaces and
// can be deleted as a collection, then `/finalize` without the finalizer "kubernetes".
//
// Objects with finalizers, and pods that stop slowly, delay the deletion; the collector looks
// again. Unlike the real controller, it writes no conditions about them.
#pragma once

#include "playground/objects/caches.hpp"
#include "playground/part.hpp"

namespace dcm::playground {

// Made before the caches run.
class NamespaceGc {
 public:
  // `api` and `caches` must outlive it.
  NamespaceGc(Process process, Api& api, Caches& caches);

  // After the first sync. Ends by cancellation only.
  Task<> run();

 private:
  enum class Content { none, some };

  Task<Outcome> handle(api::NamespacedName name);
  // Deletes what is in the namespace, and says what is still there.
  Task<Result<Content>> empty(std::string name);
  Task<Result<Content>> empty_of(std::string collection);
  Task<Result<>> finalize(std::string name);

  Api& api_;
  Caches& caches_;
  Worklist work_;
  OnChange<Namespace> on_namespace_;
};

}  // namespace dcm::playground
