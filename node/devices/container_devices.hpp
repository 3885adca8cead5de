// The CDI devices of a container: what kubelet tells the container runtime.
#pragma once

#include <expected>
#include <string>
#include <vector>

#include "node/claims/book.hpp"

namespace dcm::node {

// A claim used by a container, by its name in the API: from `resources.claims`, or from the pod's
// extended resources for this container.
struct ContainerClaim {
  api::NamespacedName key;
  std::string request;  // empty: all requests of the claim
};

// A device and its driver. Points into the book.
struct DriverDevice {
  std::string driver;
  const PreparedDevice* device;
};

// The claim's devices for the container, by driver, then in the driver's order. None without an
// entry.
std::vector<DriverDevice> devices_of(const Book& book, const ContainerClaim& claim);

// IDs in the order of the container's claims, then by driver, then in its order; each once. Errors:
// a claim without an entry; the container cannot be created.
std::expected<std::vector<std::string>, std::string> cdi_devices_of(
    const Book& book, const std::vector<ContainerClaim>& claims);

}  // namespace dcm::node
