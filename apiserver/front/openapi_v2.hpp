// OpenAPI v2 of all served kinds, converted from the schemas of version 3 as in kube-apiserver.
#pragma once

#include <string>

#include "apiserver/model/resource_table.hpp"

namespace dcm::apiserver {

// The whole document as JSON.
std::string openapi_v2(const ResourceTable& types, const std::string& server_version);

}  // namespace dcm::apiserver
