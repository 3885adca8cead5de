// Groups of the Kubernetes community (k8s.io, kubernetes.io) are protected: their definitions have
// an annotation that says who approved them, or that nobody did.
#pragma once

#include <optional>

#include "apiserver/definitions/conditions.hpp"
#include "apiserver/model/api_error.hpp"
#include "apiserver/text/json.hpp"

namespace dcm::apiserver {

// nullopt if the group is not protected.
std::optional<Condition> approval_of(const JsonObject& definition);
// `old`: the definition before an update; null if new. An unchanged annotation may be invalid.
void validate_approval(const JsonObject& definition, const JsonObject* old, Causes& causes);

}  // namespace dcm::apiserver
