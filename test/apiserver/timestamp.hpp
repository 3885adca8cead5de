// metav1.Time as it is written: RFC 3339 in UTC, whole seconds.
#pragma once

#include <string>

#include "runtime/time.hpp"

namespace dcm::apiserver {

std::string timestamp(runtime::WallTime when);

}  // namespace dcm::apiserver
