// The spec of a claim, in a ResourceClaim or a template: defaults, and enough validation to reject
// a broken template (k8s.io/kubernetes pkg/apis/resource/validation).
#pragma once

#include <string>
#include <string_view>

#include "apiserver/model/api_error.hpp"

namespace dcm::apiserver {

void default_claim_spec(JsonObject& spec);

// `path` is that of the spec: "spec", "spec.spec".
void validate_claim_spec(const JsonObject& spec, const std::string& path, Causes& causes);

// References to requests of a claim: in constraints, configuration, allocations.
void validate_request_reference(const JsonObject& spec, std::string_view name,
                                const std::string& path, Causes& causes);
void validate_request_references(const JsonObject& spec, const JsonArray& names,
                                 const std::string& path, Causes& causes);

// Whether the spec has that request: "request", or "request/alternative" for one with alternatives.
bool is_claim_request(const JsonObject& spec, std::string_view reference);

}  // namespace dcm::apiserver
