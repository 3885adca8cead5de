// `devices` of a ResourceClaimSpec, as far as the controllers read it.
#pragma once

#include <cstdint>
#include <string_view>

#include "client/api/json/reader.hpp"

namespace dcm::api::json {

// v1beta1 has `adminAccess` in the request itself, later versions below `exactly`.
enum class AdminAccessPlace : std::uint8_t { in_exactly, in_request };
AdminAccessPlace admin_access_place(std::string_view version);

struct DeviceRequests {
  bool has_admin_access = false;      // any request; those of firstAvailable never count
  bool has_prioritized_list = false;  // any request has a firstAvailable (KEP-4816)
};

[[nodiscard]] bool read_devices(Reader& reader, value devices, AdminAccessPlace place,
                                DeviceRequests& requests);

}  // namespace dcm::api::json
