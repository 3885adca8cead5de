// The claim for devices that containers ask for as extended resources (KEP-5004).
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "cmd/dra-playground/objects/objects.hpp"

namespace dcm::playground {

// The name of the claim until it is made; kube-scheduler's, for errors.
inline constexpr const char* kExtendedClaimName = "<extended-resources>";

// Which request of the claim has the devices of a container's resource.
struct RequestMapping {
  std::string container;
  std::string resource;
  std::string request;
  friend bool operator==(const RequestMapping&, const RequestMapping&) = default;
};

struct ExtendedClaim {
  allocation::ClaimSpec spec = {};
  std::vector<RequestMapping> mappings = {};
};

// The extended resources that the pod asks for, with other amounts than 0.
std::set<std::string> extended_resources_of(const Pod& pod);

// What kube-scheduler asks for on a node where DRA has to provide these resources. `classes`: the
// class of each.
ExtendedClaim make_extended_claim(const Pod& pod,
                                  const std::map<std::string, std::string>& classes);

}  // namespace dcm::playground
