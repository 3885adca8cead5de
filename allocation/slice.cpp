#include "allocation/slice.hpp"

#include <algorithm>

namespace dcm::allocation {

const DeviceExtras& Device::extras() const {
  static const DeviceExtras kNone;
  return rare ? *rare : kNone;
}

const cel::Attribute* find_attribute(const Slice& slice, const Device& device,
                                     std::string_view qualified_name) {
  const auto find = [&](std::string_view name) -> const cel::Attribute* {
    const auto found = std::ranges::find(device.attributes, name, &cel::Attribute::qualified_name);
    return found == device.attributes.end() ? nullptr : &*found;
  };
  if (const auto* const found = find(qualified_name)) return found;
  const auto slash = qualified_name.find('/');
  if (slash == std::string_view::npos || qualified_name.substr(0, slash) != slice.driver.str()) {
    return nullptr;
  }
  return find(qualified_name.substr(slash + 1));
}

std::size_t footprint(const Slice& slice) {
  std::size_t bytes =
      sizeof(Slice) + slice.devices.capacity() * sizeof(Device) + slice.texts.bytes();
  for (const Device& device : slice.devices) {
    bytes += device.attributes.capacity() * sizeof(cel::Attribute) +
             device.capacity.capacity() * sizeof(cel::Capacity) +
             (device.rare ? sizeof(DeviceExtras) : 0);
  }
  return bytes;
}

}  // namespace dcm::allocation
