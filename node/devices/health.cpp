#include "node/devices/health.hpp"

#include <algorithm>

#include "runtime/one_line.hpp"

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
  constexpr std::string_view kCut = "...";
  message.resize(runtime::cut_utf8(message, kHealthMessageBytesMax - kCut.size()).size());
  message += kCut;
  return message;
}

// Looks only at the devices of the report: a driver may send many reports at once.
HealthTable::Change HealthTable::observe_report(const std::string& driver,
                                                const std::string& instance,
                                                const std::vector<HealthReport>& report,
                                                runtime::MonoTime now) {
  ++reports_;
  Change change;
  Devices& devices = drivers_[driver];
  std::map<Device, DeviceHealth> before;
  for (const HealthReport& row : report) {
    const Device device{row.pool, row.device};
    if (devices.size() >= kHealthDevicesMax && !devices.contains(device)) {
      ++change.ignored;
      continue;
    }
    const runtime::Duration timeout =
        row.timeout > runtime::Duration::zero() ? row.timeout : kHealthTimeout;
    Words& words = devices[device];
    before.emplace(device, newest_of(words, now));
    words[instance] = {.state = {row.state.health, cut_message(row.state.message)},
                       .until = timeout >= runtime::MonoTime::max() - now ? runtime::MonoTime::max()
                                                                          : now + timeout,
                       .number = reports_};
  }
  for (const auto& [device, health] : before) {
    if (newest_of(devices.at(device), now) != health) change.devices.insert(device);
  }
  if (devices.empty()) drivers_.erase(driver);
  return change;
}

HealthTable::Change HealthTable::observe_end(const std::string& driver, const std::string& instance,
                                             runtime::MonoTime now) {
  return drop(driver, now, [&](const Words::value_type& word) {
    return word.first == instance || word.second.until <= now;
  });
}

HealthTable::Change HealthTable::expire(const std::string& driver, runtime::MonoTime now) {
  return drop(driver, now, [&](const Words::value_type& word) { return word.second.until <= now; });
}

// Drops reports of the driver, and returns the devices whose health has changed.
template <class IsOver>
HealthTable::Change HealthTable::drop(const std::string& driver, runtime::MonoTime now,
                                      IsOver&& is_over) {
  Change change;
  const auto found = drivers_.find(driver);
  if (found == drivers_.end()) return change;
  for (auto& [device, words] : found->second) {
    const DeviceHealth before = newest_of(words, runtime::MonoTime::min());
    std::erase_if(words, is_over);
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
