// The schemas of defined kinds as OpenAPI v3 publishes them.
#pragma once

#include "apiserver/model/resource_table.hpp"

namespace dcm::apiserver {

// By their names ("com.example.v1.Widget"), with those that they refer to. Empty for a group
// version without such kinds.
JsonObject published_schemas(const ResourceTable& types, std::string_view group,
                             std::string_view version);

}  // namespace dcm::apiserver
