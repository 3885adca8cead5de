// What becomes of a custom object before it is looked at: defaults, and only the fields that its
// schema has (k8s.io/apiextensions-apiserver pkg/apiserver/schema/{defaulting,pruning}).
#pragma once

#include <string>
#include <vector>

#include "apiserver/definitions/structural.hpp"

namespace dcm::apiserver {

// Sets what is missing, or null where null is not allowed. Null without a default goes.
void set_defaults(Json& value, const Structural* schema);
void set_defaults(JsonObject& object, const Structural& schema);

// A resource has apiVersion, kind and metadata, whatever its schema says of them.
enum class Root { resource, value };

// Removes the fields that the schema does not have. Their paths, in order.
std::vector<std::string> prune(JsonObject& object, const Structural& schema, Root root);

}  // namespace dcm::apiserver
