// The controller's requests to the API server: each defined once, as narrow as its use.
#pragma once

#include <variant>

#include "client/api/decoder.hpp"
#include "controllers/api/encode_device_taint.hpp"
#include "controllers/api/pod.hpp"
#include "controllers/device_taint_eviction/state/pending_pods.hpp"
#include "controllers/device_taint_eviction/state/taint_rules.hpp"
#include "runtime/error.hpp"
#include "runtime/task.hpp"
#include "workqueue/priority.hpp"

namespace dcm::device_taint_eviction {

using runtime::Result;
using runtime::Task;
using workqueue::Priority;

// Sets the condition DisruptionTarget of the pod.
struct Mark {
  runtime::WallTime now;
  api::TransitionTime transition{};
};
// DELETE, with the pod's own grace period. Accepted even during deletion.
struct Remove {};
// An Eviction (policy/v1). The error "too many requests": a PodDisruptionBudget forbids it now.
struct Evict {};
using PodWrite = std::variant<Remove, Evict>;

// Every write carries the UID of its object, so each may be repeated. It is sent once: after a
// failure, a new decision follows. runtime::is_object_gone(error): the pod (or rule) no longer
// exists.
class EvictionApi {
 public:
  virtual ~EvictionApi() = default;

  // Returns the pod as it is now.
  virtual Task<Result<api::Decoded<api::Pod>>> mark(PodRef pod, Mark mark, Priority priority) = 0;
  virtual Task<Result<>> write(PodRef pod, PodWrite what, Priority priority) = 0;
  // Writes the rule's condition EvictionInProgress; returns the updated rule, never null.
  virtual Task<Result<RulePtr>> write_condition(RulePtr rule, api::Condition condition,
                                                Priority priority) = 0;
};

}  // namespace dcm::device_taint_eviction
