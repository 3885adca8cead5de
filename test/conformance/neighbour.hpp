// A controller of kube-controller-manager that runs beside the manager under test, with all rights,
// on the real server: what a cluster has and a bare API server lacks.
#pragma once

#include <memory>
#include <string>

#include "test/support/process.hpp"

namespace dcm::conformance {

// Why there can be none here; "" where there can.
std::string why_no_neighbours();
// "namespace-controller", "garbage-collector-controller", … Runs until it is destroyed; `prefix` is
// that of its log and kubeconfig.
std::unique_ptr<support::Process> start_neighbour(const std::string& controller,
                                                  const std::string& prefix);
// kube-scheduler, in the same way. Null: there is none here.
std::unique_ptr<support::Process> start_scheduler(const std::string& prefix);

}  // namespace dcm::conformance
