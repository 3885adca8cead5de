// metav1.Time: RFC 3339 as the API server reads and writes it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "runtime/time.hpp"

namespace dcm::runtime {

// In UTC, whole seconds: "2027-03-01T10:15:00Z".
std::string timestamp(WallTime time);
// metav1.MicroTime: "2027-03-01T10:15:00.000000Z".
std::string micro_timestamp(WallTime time);

// Accepts any offset. parse_timestamp truncates fractions of a second, parse_micro_timestamp keeps
// microseconds. A time outside the range of WallTime is clamped to it. nullopt for text that is not
// a time.
std::optional<WallTime> parse_timestamp(std::string_view text);
std::optional<WallTime> parse_micro_timestamp(std::string_view text);
// From seconds since 1970; clamped in the same way.
WallTime time_of_seconds(std::int64_t seconds);
// A number of seconds from outside, clamped to a century either way: any time of today can be moved
// by it.
std::chrono::seconds bounded_seconds(std::int64_t seconds);

}  // namespace dcm::runtime
