// OpenAPI v2 of all kinds that are served, as kube-apiserver makes it of the schemas of version 3.
#pragma once

#include <string>

#include "apiserver/model/resource_table.hpp"

namespace dcm::apiserver {

// The whole document as JSON.
std::string openapi_v2(const ResourceTable& types, const std::string& server_version);

}  // namespace dcm::apiserver
