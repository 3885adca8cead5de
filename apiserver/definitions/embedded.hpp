// Embedded objects (`x-kubernetes-embedded-resource`): their apiVersion, kind and metadata must be
// valid.
#pragma once

#include "apiserver/definitions/structural.hpp"
#include "apiserver/model/api_error.hpp"

namespace dcm::apiserver {

void validate_embedded(const Json& value, const Structural& schema, const std::string& path,
                       Causes& causes);

}  // namespace dcm::apiserver
