// Discovery: /api, /apis, their groups and versions, /version and health, one answer for each
// (aggregated_discovery.* has all groups in one).
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "apiserver/model/resource_table.hpp"
#include "apiserver/requests/request.hpp"

namespace dcm::apiserver {

// The answer to a GET of such a path; nullopt for any other path. `accept`: the header.
std::optional<Response> discover(const ResourceTable& types,
                                 const std::vector<std::string>& segments,
                                 const std::string& server_version, std::string_view accept);

// A real server's answer for a path without a handler.
Response page_not_found();

// The served groups, with "" for core, and the served versions of one, preferred first.
std::vector<std::string> served_groups(const ResourceTable& types);
std::vector<std::string> served_versions(const ResourceTable& types, const std::string& group);
// The entries of an APIResourceList; each resource is followed by its subresources.
JsonArray resources_of(const ResourceTable& types, const std::string& group,
                       const std::string& version);

}  // namespace dcm::apiserver
