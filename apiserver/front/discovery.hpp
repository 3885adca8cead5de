// A client's first questions: /api, /apis, their groups and versions, /version and health. Only in
// the unaggregated form, which clients accept that ask for the aggregated form.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "apiserver/front/request.hpp"
#include "apiserver/store/resources.hpp"

namespace dcm::apiserver {

// The answer to a GET of such a path; nullopt for any other path.
std::optional<Response> discover(const ResourceTable& types,
                                 const std::vector<std::string>& segments,
                                 const std::string& server_version);

// As a real server answers a path that it has no handler for.
Response page_not_found();

}  // namespace dcm::apiserver
