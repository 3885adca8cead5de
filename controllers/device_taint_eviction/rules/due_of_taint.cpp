#include "controllers/device_taint_eviction/rules/due_of_taint.hpp"

#include <algorithm>
#include <chrono>

namespace dcm::device_taint_eviction {
namespace {

using std::chrono::seconds;

bool tolerates(const api::DeviceToleration& toleration, const api::DeviceTaint& taint) {
  if (!toleration.key.empty() && toleration.key != taint.key) return false;
  return toleration.operator_ == api::TolerationOperator::exists || toleration.value == taint.value;
}

// Adds without overflow, for any duration.
WallTime later(WallTime time, seconds by) {
  if (by <= seconds::zero()) return time;
  const auto room = std::chrono::floor<seconds>(WallTime::max()) - std::chrono::ceil<seconds>(time);
  if (by >= room) return WallTime::max();
  // Seconds have a larger range than the nanoseconds of a WallTime. Truncated towards zero: the
  // earliest time, rounded down, would be out of range.
  const auto whole = std::chrono::time_point_cast<seconds>(time);
  return WallTime(whole + by) + (time - whole);
}

}  // namespace

bool evicts(const api::DeviceTaint& taint) {
  return taint.effect == api::TaintEffect::no_execute && taint.time_added.has_value();
}

std::optional<WallTime> due_of_taint(const api::DeviceTaint& taint,
                                     const std::vector<api::DeviceToleration>* tolerations) {
  if (!evicts(taint)) return std::nullopt;
  std::optional<seconds> shortest;
  if (tolerations != nullptr) {
    for (const api::DeviceToleration& toleration : *tolerations) {
      if (!tolerates(toleration, taint)) continue;
      if (!toleration.duration) return std::nullopt;
      shortest = std::min(shortest.value_or(*toleration.duration), *toleration.duration);
    }
  }
  return later(*taint.time_added, shortest.value_or(seconds::zero()));
}

}  // namespace dcm::device_taint_eviction
