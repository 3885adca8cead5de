// Publishes the schemas of defined kinds as OpenAPI v3.
#pragma once

#include "apiserver/model/resource_table.hpp"

namespace dcm::apiserver {

// Schemas by name ("com.example.v1.Widget"), and referenced ones. Empty for a group version without
// such kinds.
JsonObject published_schemas(const ResourceTable& types, std::string_view group,
                             std::string_view version);

}  // namespace dcm::apiserver
