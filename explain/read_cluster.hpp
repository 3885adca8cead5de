// Reads the cluster once and explains from that, with the controllers of a manager that carries
// nothing out.
#pragma once

#include "client/request/rest_client.hpp"
#include "controllers/common/feature_gates.hpp"
#include "explain/outcome.hpp"
#include "explain/render.hpp"
#include "explain/subject.hpp"
#include "runtime/deadline.hpp"

namespace dcm::manager {

struct ClusterQuestion {
  Subject subject;
  Format format = Format::text;
  common::FeatureGates features = {};
  // Whether `features` are said to be the manager's. If not, what a gate forbids is not known.
  enum class Gates : std::uint8_t { assumed, told } gates = Gates::assumed;
  api::NamespacedName lease = {"kube-system", "dra-controller-manager"};  // the manager's
  runtime::Deadline deadline = {};
};

// Lists, without watching: the pods, claims and templates of the object's namespace (for a rule,
// the pods and claims of all namespaces), slices and rules; reads what others say of the object
// (read_evidence.hpp), and the manager's lease. What it may not read, apart from the kind of the
// object itself, it says first. Both references must outlive the task.
runtime::Task<ExplainOutcome> read_cluster(client::RestClient& rest, runtime::TimeSource& time,
                                           ClusterQuestion question);

}  // namespace dcm::manager
