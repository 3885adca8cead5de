#include "controllers/api/json/device_requests.hpp"

namespace dcm::api::json {
namespace {

bool read_admin_access(Reader& reader, value flag, DeviceRequests& requests) {
  bool is_set = false;
  if (!reader.flag(flag, is_set)) return false;
  requests.has_admin_access |= is_set;
  return true;
}

bool read_exactly(Reader& reader, value exactly, DeviceRequests& requests) {
  return reader.each_field(exactly, [&](std::string_view key, value field) {
    return key != "adminAccess" || read_admin_access(reader, field, requests);
  });
}

bool read_first_available(Reader& reader, value list, DeviceRequests& requests) {
  return reader.each_item(list, [&](value) { return requests.has_prioritized_list = true; });
}

bool read_request(Reader& reader, value request, AdminAccessPlace place, DeviceRequests& requests) {
  const bool is_in_exactly = place == AdminAccessPlace::in_exactly;
  return reader.each_field(request, [&](std::string_view key, value field) {
    if (is_in_exactly && key == "exactly") return read_exactly(reader, field, requests);
    if (!is_in_exactly && key == "adminAccess") return read_admin_access(reader, field, requests);
    if (key == "firstAvailable") return read_first_available(reader, field, requests);
    return true;
  });
}

}  // namespace

AdminAccessPlace admin_access_place(std::string_view version) {
  return version == "v1beta1" ? AdminAccessPlace::in_request : AdminAccessPlace::in_exactly;
}

bool read_devices(Reader& reader, value devices, AdminAccessPlace place, DeviceRequests& requests) {
  return reader.each_field(devices, [&](std::string_view key, value field) {
    if (key != "requests") return true;
    return reader.each_item(
        field, [&](value request) { return read_request(reader, request, place, requests); });
  });
}

}  // namespace dcm::api::json
