// `dra-playground taint`: taints a device as its driver would, in the ResourceSlice that publishes
// it, in the manner of `kubectl taint` for nodes.
//
// For devices of drivers that do not touch published slices, like the playground's. A driver that
// publishes again removes the taint.
#pragma once

#include <string>

#include "playground/objects/api.hpp"
#include "playground/taint/taint_changes.hpp"

namespace dcm::playground {

struct TaintOptions {
  std::string kubeconfig;  // empty: as for kubectl
  std::string context;     // empty: the current one
  api::DeviceId device;
  TaintChanges changes;
};

// Returns the exit status: 0 on success; otherwise 1, with the reason.
int run_taint(const TaintOptions& options);

// Returns "tainted", "untainted" or "modified". Retries after a conflict with another client's
// change of the slice. `api` must outlive it. Errors: as of SliceSearch and edit_taints(), and
// the API server's refusals.
Task<Result<std::string>> taint_device(Api& api, api::DeviceId device, TaintChanges changes);

}  // namespace dcm::playground
