// What there is to say about a claim: whose it is, who uses it, what keeps it, what is done next.
//
// Pure, from the same snapshot and decisions as the workers' (decide_claim.hpp).
#pragma once

#include <string>
#include <vector>

#include "controllers/common/explanation.hpp"
#include "controllers/resource_claim/rules/decide_claim.hpp"

namespace dcm::resource_claim {

// What it means that a look-up has no object of that name.
enum class Miss : std::uint8_t {
  unknown,  // a cache may be behind, and has no pods without claims: the API server would be asked
  gone,     // all there is was just read from the API server
};

// "trainer-0", "a, b and 4 more (of 256 at most)", "nobody".
std::string describe_consumers(const api::ResourceClaim& claim);
// "ResourceClaim \"x\""
std::string quoted(const api::ResourceClaim& claim);
// "gpu.example.com/node-a/gpu-0, …"; "no device" for an allocation without any.
std::string describe_devices(const api::ResourceClaim& claim);

// Who has the claim reserved, each with what becomes of the reservation.
void explain_consumers(ClaimSnapshot snapshot, Miss miss, common::Topic& topic);
// Why a claim that is being deleted is still there.
void explain_deletion(const ClaimSnapshot& snapshot, common::Topic& topic);

// The claim, those who use it, and the next step. Requires a claim.
std::vector<common::Topic> explain_claim(ClaimSnapshot snapshot, Miss miss);

}  // namespace dcm::resource_claim
