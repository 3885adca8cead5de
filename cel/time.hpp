// Durations and timestamps as text: "1h30m", "2026-01-01T00:00:00Z".
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "cel/value.hpp"

namespace dcm::cel {

inline constexpr std::int64_t kNanosecondsPerSecond = 1'000'000'000;

std::optional<Value> parse_duration(std::string_view text);
std::string text_of_duration(std::int64_t nanoseconds);
// RFC 3339, years 1 to 9999.
std::optional<Value> parse_timestamp(std::string_view text);
std::string text_of_timestamp(const Value& timestamp);
bool is_timestamp(std::int64_t seconds);

}  // namespace dcm::cel
