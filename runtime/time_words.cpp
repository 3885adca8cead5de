#include "runtime/time_words.hpp"

#include <chrono>

#include <fmt/format.h>

#include "runtime/timestamp.hpp"

namespace dcm::runtime {

using std::chrono::duration_cast;
using std::chrono::seconds;

std::string in_words(Duration duration) {
  if (duration < Duration::zero()) return "no time";
  const auto whole = duration_cast<seconds>(duration).count();
  if (whole == 0) return "less than a second";
  if (whole < 60) return fmt::format("{} s", whole);
  if (whole < 3600) return fmt::format("{} min {} s", whole / 60, whole % 60);
  if (whole < 48 * 3600) return fmt::format("{} h {} min", whole / 3600, whole / 60 % 60);
  return fmt::format("{} days", whole / (24 * 3600));
}

std::string in_words(WallTime when, WallTime now) {
  // Times centuries apart are not subtracted.
  if (when == WallTime::max()) return "a time in the far future";
  const bool is_far = when < WallTime{} && now > WallTime{};
  if (is_far) return timestamp(when);
  return when > now ? fmt::format("{} (in {})", timestamp(when), in_words(when - now))
                    : fmt::format("{} ({} ago)", timestamp(when), in_words(now - when));
}

}  // namespace dcm::runtime
