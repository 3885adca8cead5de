// Time zones by name, from the system's database.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace dcm::cel {

// Seconds east of UTC at that time; nullopt if the zone is unknown here. "Local" is UTC, as in
// Kubernetes' images. Caches the zones that it has read (not thread safe).
std::optional<std::int64_t> offset_of_zone(std::string_view name, std::int64_t seconds);

}  // namespace dcm::cel
