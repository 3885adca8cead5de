// Explains objects of a cluster that were read once.
#pragma once

#include <optional>
#include <vector>

#include "client/api/decoder.hpp"
#include "controllers/api/device_taint_rule.hpp"
#include "controllers/api/pod.hpp"
#include "controllers/api/resource_claim.hpp"
#include "controllers/api/resource_claim_template.hpp"
#include "controllers/api/resource_slice.hpp"
#include "controllers/common/explanation.hpp"
#include "controllers/common/feature_gates.hpp"
#include "explain/subject.hpp"
#include "runtime/time.hpp"

namespace dcm::explain {

template <class T>
using Listed = std::vector<api::Decoded<T>>;

struct ListedObjects {
  Listed<api::Pod> pods;
  Listed<api::ResourceClaim> claims;
  Listed<api::ResourceClaimTemplate> templates;
  Listed<api::ResourceSlice> slices;
  Listed<api::DeviceTaintRule> rules;
  Listed<api::PodGroup> groups;
};

// Asks controllers like a standby's, which update their indexes and send nothing.
// nullopt: the object is not among `objects`.
std::optional<common::Draft> explain_listed(runtime::TimeSource& time, common::FeatureGates gates,
                                            ListedObjects objects, const Subject& subject);

}  // namespace dcm::explain
