#include "node/devices/container_devices.hpp"

#include <algorithm>
#include <set>
#include <string_view>

#include <fmt/format.h>

namespace dcm::node {
namespace {

// "gpu/large" is a subrequest of "gpu"; drivers name the request.
std::string_view base_of(std::string_view request) {
  return request.substr(0, request.find('/'));
}

bool is_for(const PreparedDevice& device, std::string_view request) {
  if (request.empty() || device.requests.empty()) return true;
  return std::ranges::find(device.requests, base_of(request)) != device.requests.end();
}

}  // namespace

std::vector<DriverDevice> devices_of(const Book& book, const ContainerClaim& claim) {
  std::vector<DriverDevice> devices;
  const auto found = book.find(claim.key);
  if (found == book.end()) return devices;
  for (const auto& [driver, state] : found->second.entry.drivers) {
    for (const PreparedDevice& device : state.devices) {
      if (is_for(device, claim.request)) devices.push_back({driver, &device});
    }
  }
  return devices;
}

std::expected<std::vector<std::string>, std::string> cdi_devices_of(
    const Book& book, const std::vector<ContainerClaim>& claims) {
  std::vector<std::string> ids;
  std::set<std::string_view> seen;
  for (const ContainerClaim& claim : claims) {
    if (!book.contains(claim.key)) {
      return std::unexpected(fmt::format("unable to get claim info for claim {} in namespace {}",
                                         claim.key.name, claim.key.namespace_));
    }
    for (const auto& [driver, device] : devices_of(book, claim)) {
      for (const std::string& id : device->cdi_ids) {
        if (seen.insert(id).second) ids.push_back(id);
      }
    }
  }
  return ids;
}

}  // namespace dcm::node
