// The strategy of the kind CustomResourceDefinition.
#pragma once

#include "apiserver/rules/strategy.hpp"

namespace dcm::apiserver {

const Strategy& definition_strategy();

}  // namespace dcm::apiserver
