// Preprocessing of a custom object: defaults, and pruning of unknown fields
// (k8s.io/apiextensions-apiserver pkg/apiserver/schema/{defaulting,pruning}).
#pragma once

#include <string>
#include <vector>

#include "apiserver/definitions/structural.hpp"

namespace dcm::apiserver {

// Removes nulls that are not allowed and have no default.
void drop_nulls(JsonObject& object, const Structural& schema);

// Sets defaults for missing fields, and for nulls that are not allowed.
void set_defaults(JsonObject& object, const Structural& schema);

// A resource has apiVersion, kind and metadata, whatever its schema says about them.
enum class Root { resource, value };

// Removes fields that the schema lacks. Returns their paths, in order.
std::vector<std::string> prune(JsonObject& object, const Structural& schema, Root root);
std::vector<std::string> prune(Json& value, const Structural& schema, Root root);

// Prunes the defaults of the schema: those within maps are accepted with unknown fields.
void prune_defaults(Structural& schema);

}  // namespace dcm::apiserver
