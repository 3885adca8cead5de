// The identity of list items: in a set by value, in a map by keys.
#pragma once

#include <string>

#include "apiserver/definitions/structural.hpp"
#include "apiserver/model/api_error.hpp"

namespace dcm::apiserver {

// The old list item that corresponds to a new one, if the list is a map. Null if there is none.
const Json* correlated_item(const Json& item, const Json* old_list, const Structural& list);

// Reports duplicate items in lists that are sets or maps.
void validate_unique_items(const Json& value, const Structural& schema, const std::string& path,
                           Causes& causes);

}  // namespace dcm::apiserver
