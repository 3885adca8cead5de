// The rules for `metadata` that all kinds share (apimachinery's api/validation/objectmeta.go).
#pragma once

#include "apiserver/model/api_error.hpp"
#include "apiserver/rules/names.hpp"

namespace dcm::apiserver {

// `kind`: "" for one that is defined.
void validate_metadata(std::string_view kind, const JsonObject& object, NameRule rule,
                       Causes& causes);
// Besides: what may not change, and that no finalizer comes while the object is being deleted.
void validate_metadata_update(std::string_view kind, const JsonObject& next, const JsonObject& old,
                              Causes& causes);

// Of metadata that stands at `path`: an object's own, or a template's.
void validate_labels_and_annotations(const JsonObject& metadata, const std::string& path,
                                     Causes& causes);

// Leaves one of owner references that are the same; the UIDs of those that went, with commas.
std::string drop_repeated_owners(JsonObject& metadata);

// Labels and annotations that hold nothing are left out.
void drop_empty_maps(JsonObject& metadata);

// Puts back what no writer changes: creationTimestamp, deletionTimestamp, and the grace period and
// UID where none is given.
void keep_system_metadata(JsonObject& next, const JsonObject& old);

}  // namespace dcm::apiserver
