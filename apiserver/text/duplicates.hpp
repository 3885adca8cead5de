// Duplicate members of a JSON text. The parser keeps the last one, as Go's does.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace dcm::apiserver {

// The paths of duplicate members ("spec.containers[0].image"), in order. Requires valid JSON.
std::vector<std::string> duplicate_members(std::string_view json);

}  // namespace dcm::apiserver
