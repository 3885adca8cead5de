// Reads the cluster once and explains from that, with the controllers of a manager that carries
// nothing out.
#pragma once

#include "client/request/rest_client.hpp"
#include "cmd/dra-controller-manager/explain/outcome.hpp"
#include "cmd/dra-controller-manager/explain/render.hpp"
#include "cmd/dra-controller-manager/explain/subject.hpp"
#include "controllers/common/feature_gates.hpp"
#include "runtime/deadline.hpp"

namespace dcm::manager {

struct ClusterQuestion {
  Subject subject;
  Format format = Format::text;
  common::FeatureGates features = {};
  runtime::Deadline deadline = {};
};

// Lists, without watching: the pods, claims and templates of the object's namespace (for a rule,
// the pods and claims of all namespaces), slices and rules. Without permission for these last two
// it explains the rest, and says so. Both references must outlive the task.
runtime::Task<ExplainOutcome> read_cluster(client::RestClient& rest, runtime::TimeSource& time,
                                           ClusterQuestion question);

}  // namespace dcm::manager
