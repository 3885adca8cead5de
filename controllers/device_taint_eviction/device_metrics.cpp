#include "controllers/device_taint_eviction/device_metrics.hpp"

#include <utility>

namespace dcm::device_taint_eviction {
namespace {

struct Family {
  const char* name;
  const char* help;
  std::size_t DeviceCounts::* count;
};

constexpr Family gauge(const char* name, const char* help, std::size_t DeviceCounts::* count) {
  return {name, help, count};
}

constexpr std::array kFamilies = {
    gauge("dra_controller_manager_devices_published", "Devices in current ResourceSlices.",
          &DeviceCounts::published),
    gauge("dra_controller_manager_devices_allocated",
          "Devices that are allocated to claims, without admin access.", &DeviceCounts::allocated),
    gauge("dra_controller_manager_devices_tainted_no_schedule",
          "Published devices with a taint with effect NoSchedule, by a driver or a rule.",
          &DeviceCounts::no_schedule),
    gauge("dra_controller_manager_devices_tainted_no_execute",
          "Published devices with a taint with effect NoExecute, by a driver or a rule.",
          &DeviceCounts::no_execute),
    gauge("dra_controller_manager_devices_in_incomplete_pools",
          "Published devices of pools of which ResourceSlices are missing: not allocated.",
          &DeviceCounts::in_incomplete_pools),
    gauge("dra_controller_manager_device_pools_incomplete",
          "Pools of devices of which ResourceSlices are missing.", &DeviceCounts::incomplete_pools),
};

}  // namespace

DeviceMetrics::DeviceMetrics(runtime::MetricsRegistry& registry,
                             std::function<const CountsByDriver*()> count)
    : registry_(registry),
      refresh_(registry.before_exposition_in_parts([this, count = std::move(count)] {
        const CountsByDriver* const counts = count();
        if (counts != nullptr) refresh(*counts);
        return counts == nullptr;
      })) {}

void DeviceMetrics::refresh(const CountsByDriver& counts) {
  CountsByDriver shown;
  for (const auto& [driver, series] : series_)
    shown[driver] = {};  // the series of deleted drivers are gone
  for (const auto& [driver, of_driver] : counts) shown[labels_.of(driver)] += of_driver;
  for (const auto& [driver, of_driver] : shown) {
    const Series& series = series_of(driver);
    for (std::size_t i = 0; i < kSeries; ++i) {
      series[i]->Set(static_cast<double>(of_driver.*kFamilies[i].count));
    }
  }
}

const DeviceMetrics::Series& DeviceMetrics::series_of(const std::string& driver) {
  static_assert(kFamilies.size() == kSeries);
  const auto [found, is_new] = series_.try_emplace(driver);
  if (is_new) {
    for (std::size_t i = 0; i < kSeries; ++i) {
      found->second[i] =
          &registry_.gauge(kFamilies[i].name, kFamilies[i].help, {{"driver", driver}});
    }
  }
  return found->second;
}

}  // namespace dcm::device_taint_eviction
