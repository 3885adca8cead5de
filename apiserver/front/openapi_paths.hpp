// The paths of a kind in OpenAPI documents: only the parts of operations that clients read.
#pragma once

#include <string>
#include <string_view>

#include "apiserver/model/resource_table.hpp"

namespace dcm::apiserver {

enum class OpenApi { v2, v3 };

// "api/v1", "apis/apps/v1".
std::string openapi_root(std::string_view group, std::string_view version);

void add_openapi_paths(JsonObject& paths, const ResourceType& type, std::string_view version,
                       OpenApi edition);

}  // namespace dcm::apiserver
