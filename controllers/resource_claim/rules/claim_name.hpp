// The name of a claim created for a pod claim.
//
// The name is computed, not left to the API server. So two creates, by any client and at any time,
// result in one claim: the second request gets a 409.
#pragma once

#include <array>
#include <string>
#include <string_view>

#include "client/api/meta.hpp"

namespace dcm::resource_claim {

// How many names a claim may have: if another object has one, the next is tried.
inline constexpr unsigned kClaimNamesMax = 8;

// The metadata.generateName: "<pod>-<pod claim>-", or, if that is longer than 57 characters, both
// names cut proportionally and without the trailing hyphen. A name must begin with a DNS subdomain,
// so the cut pod name never ends with a dot and is never empty. `pod` is a DNS subdomain, of a pod
// or a pod group, and `pod_claim` a DNS label.
std::string generate_name(std::string_view pod, std::string_view pod_claim);

// The metadata.name: the same, a hyphen, and five characters that follow from the UID of the pod or
// pod group, the pod claim and `number` (from 0 on). All versions of the manager compute the same.
std::string claim_name(std::string_view pod, const api::Uid& uid, std::string_view pod_claim,
                       unsigned number);

// What all these names begin with.
std::string claim_name_base(std::string_view pod, std::string_view pod_claim);
// All that a claim may have: cheaper together, as a pod may have thousands of pod claims.
std::array<std::string, kClaimNamesMax> claim_names(std::string_view pod, const api::Uid& uid,
                                                    std::string_view pod_claim);

// Whether that is one of the names that a claim may have.
bool is_claim_name(std::string_view name, std::string_view pod, const api::Uid& uid,
                   std::string_view pod_claim);

}  // namespace dcm::resource_claim
