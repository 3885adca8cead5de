// Aggregated discovery (KEP-3352): all groups, versions and resources in one answer, as
// apidiscovery.k8s.io/v2 APIGroupDiscoveryList.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "apiserver/model/resource_table.hpp"
#include "apiserver/requests/request.hpp"

namespace dcm::apiserver {

// nullopt if the path is neither /api nor /apis, or the client does not prefer this form.
std::optional<Response> discover_at_once(const ResourceTable& types,
                                         const std::vector<std::string>& segments,
                                         std::string_view accept);

}  // namespace dcm::apiserver
