// Validates what a pod's status says about claims: their names, the requests for extended
// resources, and the health of devices.
#pragma once

#include <string>
#include <string_view>

#include "apiserver/rules/checks.hpp"

namespace dcm::apiserver {

void validate_claim_statuses(const JsonObject& pod, Causes& causes);
// The name of a claim's status; `claims` are the names in spec.resourceClaims.
void require_known_claim(std::string_view name, const Texts& claims, const std::string& path,
                         Causes& causes);

}  // namespace dcm::apiserver
