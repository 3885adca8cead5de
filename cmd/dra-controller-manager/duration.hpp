// Durations as Kubernetes' flags have them (Go's time.ParseDuration): "15s", "1m30s", "0.5s".
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "runtime/time.hpp"

namespace dcm::manager {

// Numbers with units (h, m, s, ms, us, ns) one after the other; a bare 0 too. Nothing for any other
// text, a sign, or more than a Duration can hold.
std::optional<runtime::Duration> parse_duration(std::string_view text);

// "15s", "1m30s", "0.5s".
std::string format_duration(runtime::Duration duration);

}  // namespace dcm::manager
