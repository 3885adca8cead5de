// The variable `device`: maps over a DeviceView, without copies.
#pragma once

#include "cel/kubernetes/device.hpp"
#include "cel/value.hpp"

namespace dcm::cel {

// Lives in the arena; the view must outlive it.
Value device_value(const DeviceView& device, Arena& arena);

}  // namespace dcm::cel
