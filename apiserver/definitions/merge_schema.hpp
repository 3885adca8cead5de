// How server-side apply merges the lists and maps of a custom object, by its schema.
#pragma once

#include "apiserver/definitions/structural.hpp"
#include "apiserver/schemas/schema.hpp"

namespace dcm::apiserver {

// For a resource, whose metadata merges like that of all objects.
Schema merge_schema_of(const Structural& schema);

}  // namespace dcm::apiserver
