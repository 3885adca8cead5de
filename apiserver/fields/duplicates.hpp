// Members that a JSON text has twice. The parser takes the last of them, as Go's does.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace dcm::apiserver {

// The paths of such members ("spec.containers[0].image"), in order. Requires that it is JSON.
std::vector<std::string> duplicate_members(std::string_view json);

}  // namespace dcm::apiserver
