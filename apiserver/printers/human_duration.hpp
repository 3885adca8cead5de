// Ages as `kubectl get` shows them: two or three figures that matter ("17s", "5m3s", "26h",
// "3d4h"), the rules of k8s.io/apimachinery's util/duration.
#pragma once

#include <string>
#include <string_view>

#include "runtime/time.hpp"

namespace dcm::apiserver {

// "<invalid>" for what lies more than a second ahead.
std::string human_duration(runtime::Duration elapsed);
// How long ago an RFC 3339 time was; "<unknown>" without one.
std::string age_of(std::string_view since, runtime::WallTime now);

}  // namespace dcm::apiserver
