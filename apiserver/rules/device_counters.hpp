// Validates counters that devices share, and what each device takes of them (KEP-4815;
// k8s.io/kubernetes pkg/apis/resource/validation).
#pragma once

#include <string>

#include "apiserver/model/api_error.hpp"

namespace dcm::apiserver {

// `sets` is a slice's `sharedCounters`.
void validate_shared_counters(const JsonArray& sets, const std::string& path, Causes& causes);
// `consumed` is a device's `consumesCounters`.
void validate_consumed_counters(const JsonArray& consumed, const std::string& path, Causes& causes);

}  // namespace dcm::apiserver
