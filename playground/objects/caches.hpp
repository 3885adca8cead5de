// The playground's view of the cluster: one informer for each kind, shared by its parts.
#pragma once

#include <vector>

#include "controllers/api/device_taint_rule.hpp"
#include "manager/epoch.hpp"
#include "playground/objects/api.hpp"
#include "playground/objects/decode.hpp"
#include "playground/part.hpp"

namespace dcm::playground {

// The object returned by one of our writes, which the cache shows from now on.
template <class T>
Result<api::ObjectPtr<T>> record(Cache<T>& cache, const Result<http::Response>& answer) {
  Result<api::ObjectPtr<T>> object = decode(answer, cache.decoder());
  if (object && *object) cache.informer().own_writes().record(*object);
  return object;
}

// Parts declare their indexes and observers before run(), and outlive it.
class Caches {
 public:
  // `rest`, and what `process` refers to, must outlive it.
  Caches(client::RestClient& rest, const Process& process);

  Cache<Pod> pods;
  Cache<Claim> claims;
  Cache<DeviceClass> device_classes;
  Cache<Slice> slices;
  Cache<Node> nodes;
  Cache<Namespace> namespaces;
  Cache<api::DeviceTaintRule> rules;

  // Adds the informers that fill the caches.
  void add_to(manager::Epoch& epoch);
  // The caches that parts wait for: all but taint rules, which older servers do not have.
  std::vector<informers::SyncState*> awaited();
  // Waits for taint rules, but not for long.
  Task<> wait_for_rules(const runtime::TimeSource& time);
};

}  // namespace dcm::playground
