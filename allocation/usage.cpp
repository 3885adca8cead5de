#include "allocation/usage.hpp"

#include <algorithm>

namespace dcm::allocation {

void Usage::take(const DeviceResult& result) {
  if (result.has_admin_access) return;
  if (result.share_id.empty()) return take_device(result.id);
  take_share(result.id);
  take_capacity(result.id, result.consumed_capacity);
}

void Usage::give_back(const DeviceResult& result) {
  if (result.has_admin_access) return;
  if (result.share_id.empty()) {
    const auto device = devices_.find(result.id);
    if (device != devices_.end() && --device->second == 0) devices_.erase(device);
    return;
  }
  const auto shares = shares_.find(result.id);
  if (shares == shares_.end()) return;
  if (--shares->second.count == 0) {
    shares_.erase(shares);
    return;
  }
  for (const auto& [name, amount] : result.consumed_capacity) {
    Quantity& sum = shares->second.consumed[name];
    sum = sum.sub(amount).value_or(sum);
  }
}

void Usage::take_capacity(const api::DeviceId& id, const std::vector<NamedQuantity>& amounts) {
  Amounts& consumed = shares_[id].consumed;
  for (const auto& [name, amount] : amounts) {
    Quantity& sum = consumed[name];
    sum = sum.add(amount).value_or(std::max(sum, amount));
  }
}

const Amounts* Usage::consumed(const api::DeviceId& id) const {
  const auto shares = shares_.find(id);
  return shares == shares_.end() ? nullptr : &shares->second.consumed;
}

}  // namespace dcm::allocation
