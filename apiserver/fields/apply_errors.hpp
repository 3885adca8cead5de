// The errors of a server-side apply, in the words of apimachinery's managedfields.
#pragma once

#include <vector>

#include "apiserver/fields/managed_fields.hpp"
#include "apiserver/model/api_error.hpp"
#include "apiserver/model/resource_table.hpp"

namespace dcm::apiserver {

// 409: `others` own some of `fields`, with other values.
ApiError apply_conflict(const std::vector<const ManagedEntry*>& others, const FieldSet& fields);

// 500 when a list that is a map or a set has an item twice.
Outcome<> check_unique_items(const ResourceType& type, const JsonObject& wanted,
                             std::string_view api_version);

// Whether a list of items that can be told apart holds one twice.
bool has_repeated_items(const ResourceType& type, const JsonObject& object);

}  // namespace dcm::apiserver
