// A definition whose versions are converted by a webhook. It is stored and served, but the webhook
// is never called: whatever has to be converted fails, as on a real server that cannot reach it.
#pragma once

#include <optional>
#include <string>

#include "apiserver/model/api_error.hpp"
#include "apiserver/model/resource_type.hpp"
#include "apiserver/text/json.hpp"

namespace dcm::apiserver {

// Sets the default port of a webhook's service.
void set_conversion_defaults(JsonObject& spec);
// Validates `spec.conversion`, with either strategy, but not the content of a `caBundle`: that
// keeps the definition from being established.
void validate_conversion(const JsonObject& spec, Causes& causes);
bool has_valid_ca_bundle(const JsonObject& spec);
// A definition that is established keeps a valid `caBundle`.
void validate_ca_bundle(const JsonObject& next, const JsonObject& old, Causes& causes);
// A warning that versions other than the stored one are useless; "": they are not.
std::string conversion_warning(const JsonObject& spec);
// Why objects are not available in that version; nullopt if they are stored in it, or if only
// their `apiVersion` differs.
std::optional<Unconverted> unconverted_of(const JsonObject& spec, const JsonObject& version);

}  // namespace dcm::apiserver
