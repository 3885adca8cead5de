// The DRA kinds, and the versions that we support.
#pragma once

#include "client/api/resource.hpp"

namespace dcm::api {

extern const ResourceKind kResourceClaims;
extern const ResourceKind kResourceClaimTemplates;
extern const ResourceKind kResourceSlices;
extern const ResourceKind kDeviceClasses;
extern const ResourceKind kDeviceTaintRules;
extern const ResourceKind kPodGroups;
extern const ResourceKind kResourcePoolStatusRequests;

}  // namespace dcm::api
