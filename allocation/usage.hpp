// What is already allocated: whole devices, and shares of devices.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <unordered_map>

#include "allocation/claim.hpp"
#include "controllers/api/device.hpp"

namespace dcm::allocation {

// How much of each capacity of a device is consumed.
using Amounts = std::map<std::string, Quantity, std::less<>>;

// Reference-counted, so that an allocation known twice (in flight, then from the cache) may be
// taken twice and given back twice. Amounts must be given back exactly as they were taken.
class Usage {
 public:
  // `result` is a result of an allocation. Admin access is not counted.
  void take(const DeviceResult& result);
  void give_back(const DeviceResult& result);

  void take_device(const api::DeviceId& id) { ++devices_[id]; }
  void take_share(const api::DeviceId& id) { ++shares_[id].count; }
  void take_capacity(const api::DeviceId& id, const std::vector<NamedQuantity>& amounts);

  // Whether the device is allocated as a whole.
  bool has_device(const api::DeviceId& id) const { return devices_.contains(id); }
  bool is_shared(const api::DeviceId& id) const { return shares_.contains(id); }
  // Null if nothing is consumed.
  const Amounts* consumed(const api::DeviceId& id) const;
  bool is_empty() const { return devices_.empty() && shares_.empty(); }
  std::size_t devices() const { return devices_.size() + shares_.size(); }

 private:
  struct Shares {
    std::uint32_t count = 0;
    Amounts consumed = {};
  };

  std::unordered_map<api::DeviceId, std::uint32_t> devices_;
  std::unordered_map<api::DeviceId, Shares> shares_;
};

}  // namespace dcm::allocation
