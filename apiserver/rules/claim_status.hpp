// What drivers, schedulers and controllers may write to a claim's status (k8s.io/kubernetes
// pkg/apis/resource/validation).
#pragma once

#include "apiserver/model/api_error.hpp"

namespace dcm::apiserver {

// Entries of devices that are no longer allocated are removed automatically.
void drop_deallocated_devices(JsonObject& next, const JsonObject& old);

void validate_claim_status(const JsonObject& next, const JsonObject& old, Causes& causes);

}  // namespace dcm::apiserver
