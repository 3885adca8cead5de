// OpenAPI as clients look for it: what kubectl needs to believe that the server checks fields
// (`fieldValidation`), to merge lists in `apply`, and to `explain` a kind. Paths come from the
// table of resources, with no more of an operation than clients read; schemas are published ones.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "apiserver/model/resource_table.hpp"
#include "apiserver/requests/request.hpp"

namespace dcm::apiserver {

// The answer to a GET below /openapi, nullopt when there is none. `accept`: the header.
std::optional<Response> openapi(const ResourceTable& types,
                                const std::vector<std::string>& segments,
                                const std::string& server_version, std::string_view accept);

}  // namespace dcm::apiserver
