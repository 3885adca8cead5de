// The API server's resources, from its discovery documents only: a case names what it needs, never
// the server's version.
#pragma once

#include <string>
#include <vector>

#include "test/support/kube.hpp"

namespace dcm::conformance {

// The versions of a group, in the server's order of preference; empty: the group is not served.
std::vector<std::string> served_versions(support::Kube& kube, const std::string& group);
// Whether a version of a group has this resource: "pods", "devicetaintrules/status".
bool is_served(support::Kube& kube, const std::string& group, const std::string& version,
               const std::string& resource);
// The first of the group's versions that has it; "" if none.
std::string version_of(support::Kube& kube, const std::string& group, const std::string& resource);

}  // namespace dcm::conformance
