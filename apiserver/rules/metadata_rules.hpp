// The rules for `metadata` that all kinds share (apimachinery's api/validation/objectmeta.go).
#pragma once

#include "apiserver/model/api_error.hpp"
#include "apiserver/rules/names.hpp"

namespace dcm::apiserver {

// `kind`: "" for a defined kind.
void validate_metadata(std::string_view kind, const JsonObject& object, NameRule rule,
                       Causes& causes);
// Also checks immutable fields, and that no finalizer is added during deletion.
void validate_metadata_update(std::string_view kind, const JsonObject& next, const JsonObject& old,
                              Causes& causes);

// For metadata at `path`: an object's own, or a template's.
void validate_labels_and_annotations(const JsonObject& metadata, const std::string& path,
                                     Causes& causes);
// Of the objects made from a template: nothing but labels and annotations.
void validate_template_metadata(const JsonObject& metadata, const std::string& path,
                                Causes& causes);

// At most 128 bytes, without control characters; "" is valid.
void validate_field_manager(std::string_view manager, const std::string& field, Causes& causes);

// Removes duplicate owner references; returns the removed UIDs, separated by commas.
std::string drop_repeated_owners(JsonObject& metadata);

// Empty labels and annotations are omitted.
void drop_empty_maps(JsonObject& metadata);

// Restores what no writer changes: creationTimestamp, deletionTimestamp, and a missing grace period
// and UID.
void keep_system_metadata(JsonObject& next, const JsonObject& old);

}  // namespace dcm::apiserver
