// The claims of a pod, once they all exist (the PreEnqueue of kube-scheduler).
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "client/api/decoder.hpp"
#include "playground/objects/objects.hpp"

namespace dcm::playground {

using ClaimPtr = api::ObjectPtr<Claim>;
// Null if there is no such claim.
using FindClaim = std::function<ClaimPtr(const api::NamespacedName&)>;

struct PodClaims {
  std::vector<ClaimPtr> claims;  // in the order of spec.resourceClaims, each once
  std::string missing;           // why some are missing; empty: none is
};

PodClaims gather_claims(const Pod& pod, const FindClaim& find_claim);

}  // namespace dcm::playground
