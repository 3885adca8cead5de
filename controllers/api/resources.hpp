// The kinds of dynamic resource allocation, and the versions of them that we understand.
#pragma once

#include "client/api/resource.hpp"

namespace dcm::api {

extern const ResourceKind kResourceClaims;
extern const ResourceKind kResourceClaimTemplates;
extern const ResourceKind kResourceSlices;
extern const ResourceKind kDeviceTaintRules;
extern const ResourceKind kPodGroups;
extern const ResourceKind kResourcePoolStatusRequests;

}  // namespace dcm::api
