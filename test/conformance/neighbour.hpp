// A controller of kube-controller-manager beside the manager under test, with all permissions, on
// the real server: what a bare API server lacks.
#pragma once

#include <memory>
#include <string>

#include "test/support/process.hpp"

namespace dcm::conformance {

// Why it is not available here; "" if it is.
std::string why_no_neighbours();
// "namespace-controller", "garbage-collector-controller", … Runs until destroyed; `prefix` is for
// its log and kubeconfig.
std::unique_ptr<support::Process> start_neighbour(const std::string& controller,
                                                  const std::string& prefix);
// kube-scheduler, in the same way. Null if not available here.
std::unique_ptr<support::Process> start_scheduler(const std::string& prefix);

}  // namespace dcm::conformance
