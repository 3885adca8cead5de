// The API pod-resources of kubelet (v1.PodResourcesLister of k8s.io/kubelet): which devices each
// container has, for monitoring agents.
//
// Each device has its own CDI IDs, and only devices of the container's requests are shown; kubelet
// shows devices of all requests, and gives a driver's second device the first one's IDs, too.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "node/devices/container_devices.hpp"
#include "runtime/grpc/server.hpp"

namespace dcm::node {

struct ContainerUse {
  std::string name;
  std::vector<ContainerClaim> claims = {};
};

struct PodUse {
  std::string namespace_;
  std::string name;
  std::vector<ContainerUse> containers = {};
};

// Adds List, Get and GetAllocatableResources (which is unrelated to claims: always empty). Both are
// called for each request. `book` returns a reference that outlives the call.
void add_pod_resources(grpc::Methods& methods, std::function<std::vector<PodUse>()> pods,
                       std::function<const Book&()> book);

}  // namespace dcm::node
