// Reads the cluster once and explains an object from that, with a manager's controllers that carry
// nothing out.
#pragma once

#include "client/request/rest_client.hpp"
#include "controllers/common/feature_gates.hpp"
#include "explain/outcome.hpp"
#include "explain/render.hpp"
#include "explain/subject.hpp"
#include "runtime/deadline.hpp"

namespace dcm::explain {

struct ClusterQuestion {
  Subject subject;
  Format format = Format::text;
  common::FeatureGates features = {};
  // Whether `features` are known to be the manager's. If not, it is unknown what its gates forbid.
  enum class Gates : std::uint8_t { assumed, told } gates = Gates::assumed;
  api::NamespacedName lease = {"kube-system", "dra-controller-manager"};  // the manager's
  runtime::Deadline deadline = {};
};

// Lists, without watching: the pods, claims and templates of the object's namespace (for a rule,
// the pods and claims of all namespaces), slices and rules; reads what others say of the object
// (read_evidence.hpp), and the manager's lease. Kinds that may not be read, apart from the object's
// own, are named first. Both references must outlive the task.
runtime::Task<ExplainOutcome> read_cluster(client::RestClient& rest, runtime::TimeSource& time,
                                           ClusterQuestion question);

}  // namespace dcm::explain
