// Taints and tolerations of devices, wherever they stand, and times.
#pragma once

#include <optional>
#include <vector>

#include "client/api/json/reader.hpp"
#include "controllers/api/device.hpp"
#include "runtime/time.hpp"

namespace dcm::api::json {

// metav1.Time; nothing for null.
[[nodiscard]] bool read_time(Reader& reader, value field, std::optional<runtime::WallTime>& out);

// All but the index.
[[nodiscard]] bool read_taint(Reader& reader, value item, DeviceTaint& taint);

// Appends it, if it is one that matters to eviction.
[[nodiscard]] bool read_toleration(Reader& reader, value item,
                                   std::vector<DeviceToleration>& tolerations);

}  // namespace dcm::api::json
