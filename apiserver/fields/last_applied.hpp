// The annotation of kubectl's client-side apply, in server-side applies of the manager "kubectl"
// (apimachinery managedfields/internal/lastappliedmanager.go and lastappliedupdater.go).
#pragma once

#include "apiserver/fields/managed_fields.hpp"
#include "apiserver/model/resource_type.hpp"

namespace dcm::apiserver {

// The fields that a client-side apply has set and nobody has changed since: the manager may take
// them without a conflict. Empty for other managers, and if the annotation is missing or invalid.
FieldSet fields_last_applied(const ResourceType& type, const JsonObject& live,
                             const Manager& manager);

// Rewrites the annotation, if there is one, so that a later client-side apply knows what was
// applied.
void renew_last_applied(const ResourceType& type, const Manager& manager, const JsonObject& applied,
                        JsonObject& object);

}  // namespace dcm::apiserver
