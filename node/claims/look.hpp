// The first step of preparing a pod: which claims it needs, and whether it may have them. Changes
// nothing. Errors are sentences in kubelet's words.
#pragma once

#include <expected>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "controllers/api/pod.hpp"
#include "controllers/common/pod_claims.hpp"
#include "node/claims/allocation.hpp"

namespace dcm::node {

struct ClaimToLookUp {
  std::string name;
  bool must_be_made_for_pod = false;

  friend bool operator==(const ClaimToLookUp&, const ClaimToLookUp&) = default;
};

// Returns claims in the order of spec.resourceClaims, then the one for extended resources.
std::expected<std::vector<ClaimToLookUp>, std::string> claims_to_look_up(const api::Pod& pod);

enum class SkipGate : std::uint8_t { off, on };  // feature gate DRAOptionalNodeOperations

struct LookRules {
  common::GroupClaims groups = common::GroupClaims::refused;
  SkipGate skip_gate = SkipGate::off;
};

// Why the pod cannot use the claim; nullopt if it can.
std::optional<std::string> refuse_claim(const api::Pod& pod, const ClaimToLookUp& looked_up,
                                        const ClaimView& view, const LookRules& rules);

// Why the registered drivers cannot prepare the claim; nullopt if they can.
std::optional<std::string> refuse_drivers(
    const ClaimView& view, const std::function<bool(const std::string&)>& is_registered);

}  // namespace dcm::node
