// metav1.Time as it is written: RFC 3339 in UTC, whole seconds.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "runtime/time.hpp"

namespace dcm::apiserver {

std::string timestamp(runtime::WallTime when);
// Any RFC 3339 time, as clients may send one: with a fraction (which is dropped) or an offset.
std::optional<runtime::WallTime> parse_timestamp(std::string_view text);

}  // namespace dcm::apiserver
