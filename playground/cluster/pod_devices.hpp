// The node's work for the claims of a pod, before its containers start and after they have
// stopped.
#pragma once

#include <functional>
#include <optional>

#include "playground/cluster/decide_life.hpp"
#include "playground/cluster/pod_status.hpp"
#include "playground/objects/api.hpp"
#include "playground/part.hpp"

namespace dcm::playground {

// Requests another look at a pod.
using WakePod = std::function<void(const api::NamespacedName&)>;

class PodDevices {
 public:
  virtual ~PodDevices() = default;

  virtual ClaimsReady look(const Pod& pod) const = 0;
  // nullopt: the pod may continue. Otherwise the outcome of this attempt, which is retried.
  virtual Task<std::optional<Outcome>> prepare(api::ObjectPtr<Pod> pod) = 0;
  virtual Task<std::optional<Outcome>> unprepare(api::ObjectPtr<Pod> pod) = 0;
  // The health of a running pod's devices, for its status.
  virtual DevicesHealth health_of(const Pod& pod) const = 0;
};

}  // namespace dcm::playground
