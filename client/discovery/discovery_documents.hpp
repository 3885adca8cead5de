// The API server's discovery documents (meta/v1 APIGroup and APIResourceList), as far as we need
// them.
#pragma once

#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/error.hpp"

namespace dcm::client {

// The versions in the answer to `/apis/<group>`, in its order. Errors: malformed.
runtime::Result<std::vector<std::string>> decode_group_versions(std::string_view body);

// The plural names in the answer to `/apis/<group>/<version>` or `/api/v1`, subresources
// ("pods/status") left out. Errors: malformed.
runtime::Result<std::set<std::string>> decode_resource_names(std::string_view body);

}  // namespace dcm::client
