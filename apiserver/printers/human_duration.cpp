#include "apiserver/printers/human_duration.hpp"

#include <cstdint>

#include <fmt/format.h>

#include "runtime/timestamp.hpp"

namespace dcm::apiserver {

namespace {

// "4m" or "4m30s": the smaller unit only if it is not zero.
std::string two_units(std::int64_t large, char unit, std::int64_t small, char small_unit) {
  if (small == 0) return fmt::format("{}{}", large, unit);
  return fmt::format("{}{}{}{}", large, unit, small, small_unit);
}

}  // namespace

std::string human_duration(runtime::Duration elapsed) {
  using std::chrono::duration_cast;
  const std::int64_t seconds = duration_cast<std::chrono::seconds>(elapsed).count();
  if (seconds < -1) return "<invalid>";
  if (seconds < 0) return "0s";
  if (seconds < 120) return fmt::format("{}s", seconds);
  const std::int64_t minutes = seconds / 60;
  if (minutes < 10) return two_units(minutes, 'm', seconds % 60, 's');
  if (minutes < 180) return fmt::format("{}m", minutes);
  const std::int64_t hours = minutes / 60;
  if (hours < 8) return two_units(hours, 'h', minutes % 60, 'm');
  if (hours < 48) return fmt::format("{}h", hours);
  const std::int64_t days = hours / 24;
  if (days < 8) return two_units(days, 'd', hours % 24, 'h');
  if (days < 730) return fmt::format("{}d", days);
  if (days < 2920) return two_units(days / 365, 'y', days % 365, 'd');
  return fmt::format("{}y", days / 365);
}

std::string age_of(std::string_view since, runtime::WallTime now) {
  const auto then = runtime::parse_timestamp(since);
  return then ? human_duration(now - *then) : "<unknown>";
}

}  // namespace dcm::apiserver
