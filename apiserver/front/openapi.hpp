// OpenAPI for clients: what kubectl needs to detect `fieldValidation`, to merge lists in `apply`,
// and to `explain` a kind. Paths come from the table of resources, with only the parts of an
// operation that clients read; schemas are published ones.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "apiserver/model/resource_table.hpp"
#include "apiserver/requests/request.hpp"

namespace dcm::apiserver {

// The answer to a GET below /openapi, nullopt if there is none. `accept`: the header.
std::optional<Response> openapi(const ResourceTable& types,
                                const std::vector<std::string>& segments,
                                const std::string& server_version, std::string_view accept);

}  // namespace dcm::apiserver
