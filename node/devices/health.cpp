#include "node/devices/health.hpp"

#include <algorithm>

namespace dcm::node {

std::string_view to_string(Health health) {
  switch (health) {
    case Health::healthy:
      return "Healthy";
    case Health::unhealthy:
      return "Unhealthy";
    case Health::unknown:
      break;
  }
  return "Unknown";
}

std::string cut_message(std::string message) {
  if (message.size() <= kHealthMessageBytesMax) return message;
  std::size_t end = kHealthMessageBytesMax - 3;
  const auto continues = [&](std::size_t i) {
    return (static_cast<unsigned char>(message[i]) & 0xC0U) == 0x80U;
  };
  while (end > 0 && continues(end)) --end;
  message.resize(end);
  return message + "...";
}

// Applies `edit` to the driver's reports, and returns the devices whose health has changed.
template <class Edit>
HealthTable::Change HealthTable::edit(const std::string& driver, runtime::MonoTime now,
                                      Edit&& edit) {
  Change change;
  Devices& devices = drivers_[driver];
  std::map<Device, DeviceHealth> before;
  for (const auto& [device, words] : devices) before[device] = health_of(driver, device, now);
  edit(devices, change);
  for (const auto& [device, words] : devices) {
    if (before[device] != health_of(driver, device, now)) change.devices.insert(device);
  }
  std::erase_if(devices, [](const auto& device) { return device.second.empty(); });
  if (devices.empty()) drivers_.erase(driver);
  return change;
}

HealthTable::Change HealthTable::observe_report(const std::string& driver,
                                                const std::string& instance,
                                                const std::vector<HealthReport>& report,
                                                runtime::MonoTime now) {
  ++reports_;
  return edit(driver, now, [&](Devices& devices, Change& change) {
    for (const HealthReport& row : report) {
      const Device device{row.pool, row.device};
      if (devices.size() >= kHealthDevicesMax && !devices.contains(device)) {
        ++change.ignored;
        continue;
      }
      const runtime::Duration timeout =
          row.timeout > runtime::Duration::zero() ? row.timeout : kHealthTimeout;
      devices[device][instance] = {.state = {row.state.health, cut_message(row.state.message)},
                                   .until = timeout >= runtime::MonoTime::max() - now
                                                ? runtime::MonoTime::max()
                                                : now + timeout,
                                   .number = reports_};
    }
  });
}

HealthTable::Change HealthTable::observe_end(const std::string& driver, const std::string& instance,
                                             runtime::MonoTime now) {
  return edit(driver, now, [&](Devices& devices, Change&) {
    for (auto& [device, words] : devices) words.erase(instance);
  });
}

HealthTable::Change HealthTable::expire(const std::string& driver, runtime::MonoTime now) {
  Change change;
  const auto found = drivers_.find(driver);
  if (found == drivers_.end()) return change;
  for (auto& [device, words] : found->second) {
    const DeviceHealth before = newest_of(words, runtime::MonoTime::min());
    std::erase_if(words, [&](const auto& word) { return word.second.until <= now; });
    if (newest_of(words, now) != before) change.devices.insert(device);
  }
  std::erase_if(found->second, [](const auto& device) { return device.second.empty(); });
  if (found->second.empty()) drivers_.erase(found);
  return change;
}

std::optional<runtime::MonoTime> HealthTable::next_expiry() const {
  std::optional<runtime::MonoTime> next;
  for (const auto& [driver, devices] : drivers_) {
    for (const auto& [device, words] : devices) {
      for (const auto& [instance, word] : words)
        next = std::min(next.value_or(word.until), word.until);
    }
  }
  return next;
}

DeviceHealth HealthTable::health_of(const std::string& driver, const Device& device,
                                    runtime::MonoTime now) const {
  const auto devices = drivers_.find(driver);
  if (devices == drivers_.end()) return {};
  const auto words = devices->second.find(device);
  if (words == devices->second.end()) return {};
  return newest_of(words->second, now);
}

DeviceHealth HealthTable::newest_of(const Words& words, runtime::MonoTime now) {
  const Word* newest = nullptr;
  for (const auto& [instance, word] : words) {
    if (word.until <= now) continue;
    if (newest == nullptr || word.number > newest->number) newest = &word;
  }
  return newest == nullptr ? DeviceHealth() : newest->state;
}

}  // namespace dcm::node
