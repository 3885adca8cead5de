// Duplicate members of a JSON text. The parser keeps the last one, as Go's does.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace dcm::apiserver {

// As many are reported as by the real server: a path may be as long as the body.
inline constexpr std::size_t kDuplicatesMax = 100;

// The paths of duplicate members ("spec.containers[0].image"), in order. Requires valid JSON.
std::vector<std::string> duplicate_members(std::string_view json);

}  // namespace dcm::apiserver
