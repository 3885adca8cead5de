// Formats times and durations for people.
#pragma once

#include <string>

#include "runtime/time.hpp"

namespace dcm::runtime {

// "12 s", "3 min 5 s", "2 h 0 min", "4 days", "less than a second"; a negative one is "no time".
std::string in_words(Duration duration);
// "2026-11-21T20:15:04Z (in 12 s)", "2026-11-21T20:15:04Z (5 s ago)".
std::string in_words(WallTime when, WallTime now);

}  // namespace dcm::runtime
