// Ages as shown by `kubectl get`: two or three significant figures ("17s", "5m3s", "26h", "3d4h"),
// by the rules of k8s.io/apimachinery's util/duration.
#pragma once

#include <string>
#include <string_view>

#include "runtime/time.hpp"

namespace dcm::apiserver {

// "<invalid>" if more than a second in the future.
std::string human_duration(runtime::Duration elapsed);
// Time since an RFC 3339 time; "<unknown>" without one.
std::string age_of(std::string_view since, runtime::WallTime now);

}  // namespace dcm::apiserver
