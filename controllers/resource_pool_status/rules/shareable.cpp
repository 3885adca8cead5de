#include "controllers/resource_pool_status/rules/shareable.hpp"

#include <map>
#include <string_view>

#include <fmt/format.h>

#include "allocation/counters.hpp"
#include "controllers/resource_pool_status/rules/partitions.hpp"

namespace dcm::resource_pool_status {
namespace {

using allocation::Quantity;

struct Sum {
  std::string name;  // as written on the first device
  Quantity total = {};
  Quantity consumed = {};
};
// By the identifier alone if the domain is the driver's: "gpu.example.com/memory" and "memory" are
// the same capacity.
using Sums = std::map<std::string, Sum, std::less<>>;

std::string_view without_domain(std::string_view name, const std::string& driver) {
  const bool is_drivers =
      name.size() > driver.size() && name.starts_with(driver) && name[driver.size()] == '/';
  return is_drivers ? name.substr(driver.size() + 1) : name;
}

void add(const Quantity& amount, Quantity& sum) {
  sum = sum.add(amount).value_or(sum);
}

void add_device(const PoolDevice& each, const allocation::Usage& usage, Sums& sums) {
  const std::string& driver = each.slice->driver.str();
  for (const cel::Capacity& capacity : each.device->capacity) {
    const std::string_view name = capacity.qualified_name();
    Sum& sum = sums[std::string(without_domain(name, driver))];
    if (sum.name.empty()) sum.name = name;
    add(capacity.value(), sum.total);
  }
  const allocation::Amounts* const amounts = usage.consumed(each.id());
  if (amounts == nullptr) return;
  for (const auto& [name, amount] : *amounts) {
    const auto sum = sums.find(without_domain(name, driver));
    if (sum != sums.end()) add(amount, sum->second.consumed);
  }
}

std::string available(const Sum& sum) {
  const auto left = sum.total.sub(sum.consumed);
  return left && left->sign() > 0 ? left->text() : Quantity().text();
}

}  // namespace

Shareable sum_shareable(const PoolDevices& pool, const allocation::Usage& usage) {
  Sums sums;
  std::optional<api::ShareableStatus> status;
  for (const PoolDevice& each : pool.devices) {
    if (!each.device->allow_multiple) continue;
    if (!status) status.emplace();
    ++(allocation::is_allocated(each.id(), usage) ? status->partially_available
                                                  : status->fully_available);
    add_device(each, usage, sums);
  }
  if (sums.size() > kRowsMax) {
    return std::unexpected(
        fmt::format("ShareableSummaryOverCap: pool {} has {} shareable capacity keys, exceeding "
                    "the maximum of {}",
                    pool.id.str(), sums.size(), kRowsMax));
  }
  for (const auto& [name, sum] : sums) {
    status->capacity.push_back({sum.name, sum.total.text(), sum.consumed.text(), available(sum)});
  }
  return status;
}

}  // namespace dcm::resource_pool_status
