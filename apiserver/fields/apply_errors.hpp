// The errors of a server-side apply, in the words of apimachinery's managedfields.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "apiserver/fields/managed_fields.hpp"
#include "apiserver/model/api_error.hpp"
#include "apiserver/model/resource_type.hpp"

namespace dcm::apiserver {

// An element of a field set as fieldpath shows it: `.name`, `[key="value"]`, `[="value"]`.
std::string path_element(std::string_view element);

// 409: `others` own some of `fields`, with other values.
ApiError apply_conflict(const std::vector<const ManagedEntry*>& others, const FieldSet& fields);

// 500: `which` ("patch", "live") object has no typed form, because of `problem`.
ApiError not_typed(std::string_view which, const JsonObject& object, const ResourceType& type,
                   std::string_view api_version, std::string_view problem);

// 500 if a list that is a map or a set has a duplicate item.
Result<> check_unique_items(const ResourceType& type, const JsonObject& wanted,
                            std::string_view api_version);

// Whether a list of identifiable items has a duplicate.
bool has_repeated_items(const ResourceType& type, const JsonObject& object);

}  // namespace dcm::apiserver
