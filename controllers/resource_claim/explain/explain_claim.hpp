// Explains a claim: its owner, its consumers, what keeps it, and the next step.
//
// Pure, from the same snapshot and decisions as the workers' (decide_claim.hpp).
#pragma once

#include <string>
#include <vector>

#include "controllers/common/explanation.hpp"
#include "controllers/resource_claim/rules/decide_claim.hpp"

namespace dcm::resource_claim {

// The meaning of a look-up without a result.
enum class Miss : std::uint8_t {
  unknown,  // a cache may be behind, and has no pods without claims: the API server would be asked
  gone,     // all there is was just read from the API server
};

// "trainer-0", "a, b and 4 more (of 256 at most)", "no consumer".
std::string describe_consumers(const api::ResourceClaim& claim);
// "ResourceClaim \"x\""
std::string quoted(const api::ResourceClaim& claim);
// "gpu.example.com/node-a/gpu-0, …"; "no device" for an allocation without any.
std::string describe_devices(const api::ResourceClaim& claim);

// Explains each consumer of the claim, and what happens to its reservation.
void explain_consumers(ClaimSnapshot snapshot, Miss miss, common::Topic& topic);
// Why a claim that is being deleted is still there.
void explain_deletion(const ClaimSnapshot& snapshot, common::Topic& topic);

// The claim, its consumers, and the next step. Requires a claim.
std::vector<common::Topic> explain_claim(ClaimSnapshot snapshot, Miss miss);

}  // namespace dcm::resource_claim
