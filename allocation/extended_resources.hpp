// Devices requested by containers as extended resources (KEP-5004): the claim that kube-scheduler
// creates for them, and the class behind a resource.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "allocation/claim.hpp"

namespace dcm::allocation {

// The resource name by which containers request devices of that class.
inline constexpr std::string_view kImplicitResourcePrefix = "deviceclass.resource.kubernetes.io/";
// The claim's name until it is created, as in kube-scheduler's errors.
inline constexpr const char* kExtendedClaimName = "<extended-resources>";

// The class that such a name is for; nullopt: it is another name.
std::optional<std::string_view> implicit_class(std::string_view resource);

// Whether device plugins or DRA may provide the resource, judged by its name like kube-scheduler.
bool is_extended_resource(std::string_view name);

// An entry of a container's resources.requests.
struct ResourceRequest {
  std::string name;
  std::int64_t amount = 0;  // see whole_amount
};

// The number of devices; 0 if it is not a whole number. A larger amount than 2^63-1 counts as
// 2^63-1: kube-scheduler drops such a request, and the pod runs without devices.
std::int64_t whole_amount(const Quantity& amount);

// The fields of a container that determine the claim.
struct ContainerResources {
  std::string name;
  // All requests by name, including CPU and memory, if one of them is an extended resource;
  // otherwise none.
  std::vector<ResourceRequest> requests = {};
  bool is_sidecar = false;  // a sidecar: an init container with restartPolicy: Always
};

// A container with its index; init containers come first.
struct NumberedContainer {
  const ContainerResources* container;
  std::size_t index;
  bool is_short_lived;  // ends before the next container starts, which may reuse its devices
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

// The request of the claim that provides a container's resource.
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

// The extended resources that the containers request in non-zero amounts.
std::set<std::string> extended_resources_of(const NumberedContainers& containers);

// The requests of kube-scheduler for a node where DRA has to provide these resources. `classes`:
// the class of each.
ExtendedClaim make_extended_claim(const NumberedContainers& containers,
                                  const std::map<std::string, std::string>& classes);

// Whether the first of two classes with the same extendedResourceName serves it. The newest class
// does; of equally old ones, the one with the smaller name.
bool serves_before(const DeviceClass& a, const DeviceClass& b);

}  // namespace dcm::allocation
