// The strategies of ValidatingAdmissionPolicy and its binding.
#pragma once

#include "apiserver/rules/strategy.hpp"

namespace dcm::apiserver {

const Strategy& policy_strategy();
const Strategy& policy_binding_strategy();

}  // namespace dcm::apiserver
