// Empties and finalizes namespaces in deletion, like the namespace controller of
// kube-controller-manager: deletes the collections of every namespaced kind in the API server's
// discovery, then calls `/finalize` without the finalizer "kubernetes".
//
// Objects with finalizers, and pods that stop slowly, delay the deletion; the collector checks
// again. Unlike the real controller, it writes no conditions about them.
#pragma once

#include "playground/objects/caches.hpp"
#include "playground/part.hpp"

namespace dcm::playground {

// Created before the caches run.
class NamespaceGc {
 public:
  // `api` and `caches` must outlive it.
  NamespaceGc(Process process, Api& api, Caches& caches);

  // Call after the first sync. Ends only by cancellation.
  Task<> run();

 private:
  enum class Content { none, some };

  Task<Outcome> handle(api::NamespacedName name);
  // Deletes the content of the namespace, and returns what is left.
  Task<Result<Content>> empty(std::string name);
  Task<Result<Content>> empty_of(std::string collection);
  Task<Result<>> finalize(std::string name);

  Api& api_;
  Caches& caches_;
  Worklist work_;
  OnChange<Namespace> on_namespace_;
};

}  // namespace dcm::playground
