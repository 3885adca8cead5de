// The drivers' reports about their devices' health, and which of them still count.
//
// Reports are kept by instance, so that the end of an old instance's stream removes nothing that
// the new one has reported. Pure: takes reports, ends of streams, and the time.
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/time.hpp"

namespace dcm::node {

enum class Health : std::uint8_t { unknown, healthy, unhealthy };
// The word in a pod's status: "Unknown".
std::string_view to_string(Health health);

inline constexpr runtime::Duration kHealthTimeout = std::chrono::seconds(30);
inline constexpr std::size_t kHealthMessageBytesMax = 1024;
inline constexpr std::size_t kHealthDevicesMax = 16384;  // limit for one driver

struct DeviceHealth {
  Health health = Health::unknown;
  std::string message = {};

  friend bool operator==(const DeviceHealth&, const DeviceHealth&) = default;
};

// A row of a report.
struct HealthReport {
  std::string pool;
  std::string device;
  DeviceHealth state;
  runtime::Duration timeout{};  // 0 or less: kHealthTimeout
};

// Cuts `message` between characters to at most kHealthMessageBytesMax bytes.
std::string cut_message(std::string message);

class HealthTable {
 public:
  struct Device {
    std::string pool;
    std::string device;

    friend auto operator<=>(const Device&, const Device&) = default;
  };
  struct Change {
    std::set<Device> devices;  // whose health has changed
    std::size_t ignored = 0;   // rows for which there was no room
  };

  // `instance` is unique; its reports replace each other device by device.
  Change observe_report(const std::string& driver, const std::string& instance,
                        const std::vector<HealthReport>& report, runtime::MonoTime now);
  // The instance's stream has ended.
  Change observe_end(const std::string& driver, const std::string& instance, runtime::MonoTime now);
  // Drops reports that were not repeated in time.
  Change expire(const std::string& driver, runtime::MonoTime now);
  // When the next report of any driver expires.
  std::optional<runtime::MonoTime> next_expiry() const;

  // The health in the newest valid report; unknown if there is none.
  DeviceHealth health_of(const std::string& driver, const Device& device,
                         runtime::MonoTime now) const;

 private:
  struct Word {
    DeviceHealth state;
    runtime::MonoTime until;
    std::uint64_t number = 0;  // number of the report: later ones win
  };
  using Words = std::map<std::string, Word>;  // by instance
  using Devices = std::map<Device, Words>;

  // The valid report at `now`.
  static DeviceHealth newest_of(const Words& words, runtime::MonoTime now);
  template <class IsOver>
  Change drop(const std::string& driver, runtime::MonoTime now, IsOver&& is_over);

  std::map<std::string, Devices> drivers_;
  std::uint64_t reports_ = 0;
};

}  // namespace dcm::node
