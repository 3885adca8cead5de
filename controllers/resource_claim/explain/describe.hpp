// Steps in words: for the log of decisions (-v=4) and for tests.
#pragma once

#include <string>

#include "controllers/resource_claim/rules/decide_claim.hpp"
#include "controllers/resource_claim/rules/decide_pod.hpp"

namespace dcm::resource_claim {

std::string describe(const PodStep& step);
std::string describe(const GroupStep& step);
std::string describe(const ClaimStep& step);

}  // namespace dcm::resource_claim
