// How kube-controller-manager is started: as the reference under test, and beside the manager under
// test.
#pragma once

#include <string>

#include "test/support/process.hpp"

namespace dcm::conformance {

// Runs with all permissions of `kubeconfig`, without its own limits, and with the feature gates of
// this version's API server. The caller adds the controllers to run.
support::Process::Command kube_controller_manager(const std::string& program,
                                                  const std::string& kubeconfig);

}  // namespace dcm::conformance
