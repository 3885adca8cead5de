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

// Any offset. parse_timestamp cuts fractions of a second off, parse_micro_timestamp keeps
// microseconds. A time outside of what WallTime can hold becomes its nearest end. Nothing for text
// that is no time.
std::optional<WallTime> parse_timestamp(std::string_view text);
std::optional<WallTime> parse_micro_timestamp(std::string_view text);
// Of seconds since 1970, in the same bounds.
WallTime time_of_seconds(std::int64_t seconds);

}  // namespace dcm::runtime
