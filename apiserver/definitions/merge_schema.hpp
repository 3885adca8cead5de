// How server-side apply merges the lists and maps of a custom object, by its schema.
#pragma once

#include "apiserver/definitions/structural.hpp"
#include "apiserver/schemas/schema.hpp"

namespace dcm::apiserver {

// For a resource, whose metadata merges like that of all objects.
Schema merge_schema_of(const Structural& schema);

// What tells the items of a list apart; List::atomic if nothing does.
Schema list_rules(const Structural& list);

}  // namespace dcm::apiserver
