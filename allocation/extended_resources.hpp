// Devices that containers ask for as extended resources (KEP-5004): the claim that kube-scheduler
// makes for them, and the class behind a resource.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "allocation/claim.hpp"

namespace dcm::allocation {

// The resource by which containers ask for devices of the class of that name.
inline constexpr std::string_view kImplicitResourcePrefix = "deviceclass.resource.kubernetes.io/";
// The name of the claim until it is made; kube-scheduler's, for errors.
inline constexpr const char* kExtendedClaimName = "<extended-resources>";

// Whether device plugins or DRA may provide it, as kube-scheduler tells it by the name.
bool is_extended_resource(std::string_view name);

// An entry of a container's resources.requests.
struct ResourceRequest {
  std::string name;
  std::int64_t amount = 0;  // 0 for what is no whole number
};

// A container as far as the claim depends on it.
struct ContainerResources {
  std::string name;
  // All of them by name, CPU and memory too, if one is an extended resource; else none.
  std::vector<ResourceRequest> requests = {};
  bool is_sidecar = false;  // an init container that goes on (restartPolicy: Always)
};

// A container with its index, for which init containers come first.
struct NumberedContainer {
  const ContainerResources* container;
  std::size_t index;
  bool is_short_lived;  // ends before the next one starts, and leaves its devices to it
};
using NumberedContainers = std::vector<NumberedContainer>;

template <class Container>
NumberedContainers numbered(const std::vector<Container>& init_containers,
                            const std::vector<Container>& containers) {
  NumberedContainers all;
  for (const Container& each : init_containers) {
    all.push_back({&each, all.size(), !each.is_sidecar});
  }
  for (const Container& each : containers) all.push_back({&each, all.size(), false});
  return all;
}

// Which request of the claim has the devices of a container's resource.
struct RequestMapping {
  std::string container;
  std::string resource;
  std::string request;
  friend bool operator==(const RequestMapping&, const RequestMapping&) = default;
};

struct ExtendedClaim {
  ClaimSpec spec = {};
  std::vector<RequestMapping> mappings = {};
};

// The extended resources that the containers ask for, with other amounts than 0.
std::set<std::string> extended_resources_of(const NumberedContainers& containers);

// What kube-scheduler asks for on a node where DRA has to provide these resources. `classes`: the
// class of each.
ExtendedClaim make_extended_claim(const NumberedContainers& containers,
                                  const std::map<std::string, std::string>& classes);

// Of classes with one extendedResourceName: whether the first is the one that serves it. It is the
// newest, of equally old ones the one with the smaller name.
bool serves_before(const DeviceClass& a, const DeviceClass& b);

}  // namespace dcm::allocation
