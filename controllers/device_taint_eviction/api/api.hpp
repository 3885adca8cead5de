// The controller's requests to the API server: each exists once, as narrow as its use.
#pragma once

#include <variant>

#include "controllers/api/encode_device_taint.hpp"
#include "controllers/device_taint_eviction/state/pending_pods.hpp"
#include "controllers/device_taint_eviction/state/taint_rules.hpp"
#include "runtime/error.hpp"
#include "runtime/task.hpp"
#include "workqueue/priority.hpp"

namespace dcm::device_taint_eviction {

using runtime::Result;
using runtime::Task;
using workqueue::Priority;

// The condition DisruptionTarget of the pod.
struct Mark {
  runtime::WallTime now;
  api::TransitionTime transition{};
};
// DELETE, with the pod's own grace period. Accepted also for one that is being deleted already.
struct Remove {};
// An Eviction (policy/v1). Too many requests: a PodDisruptionBudget forbids it now.
struct Evict {};
using PodWrite = std::variant<Mark, Remove, Evict>;

// Every write carries the UID of what it is for, so each may be repeated. It is sent once: what to
// do after a failure is decided anew. Errors are those of runtime::Error; is_object_gone, and for
// Remove and Evict also is_conflict: that pod (or rule) is not there any more.
class EvictionApi {
 public:
  virtual ~EvictionApi() = default;

  virtual Task<Result<>> write(PodRef pod, PodWrite what, Priority priority) = 0;
  // The condition EvictionInProgress of the rule; gives the rule as it is then, never null.
  // Not served: the API server has no status for rules.
  virtual Task<Result<RulePtr>> write_condition(RulePtr rule, api::EvictionCondition condition,
                                                Priority priority) = 0;
};

}  // namespace dcm::device_taint_eviction
