// Which CDI devices a container gets: what kubelet tells the container runtime.
#pragma once

#include <expected>
#include <string>
#include <vector>

#include "node/claims/book.hpp"

namespace dcm::node {

// A claim that a container uses, as the claim is called in the API: from `resources.claims`, or
// from a row of the pod's extended resources for this container.
struct ContainerClaim {
  ClaimKey key;
  std::string request;  // empty: all of the claim's
};

// A device and its driver. Points into the book.
struct DriverDevice {
  std::string driver;
  const PreparedDevice* device;
};

// The devices of the claim that are for the container, by driver, then as the driver answered. None
// without an entry.
std::vector<DriverDevice> devices_of(const Book& book, const ContainerClaim& claim);

// In the order of the container's claims, then by driver, then as the driver answered; each once.
// Errors: a claim without an entry; the container cannot be made.
std::expected<std::vector<std::string>, std::string> cdi_devices_of(
    const Book& book, const std::vector<ContainerClaim>& claims);

}  // namespace dcm::node
