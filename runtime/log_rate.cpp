#include "runtime/log_rate.hpp"

#include <algorithm>

namespace dcm::runtime {

std::optional<LogRate::LeftOut> LogRate::admit(std::uint64_t message, std::uint64_t line,
                                               MonoTime now) {
  Line& known = lines_.use(line, [now] { return Line{.next = now}; });
  if (now < known.next) {
    ++known.repeated;
    return std::nullopt;
  }
  Message& all = messages_.use(
      message, [now] { return Message{.lines = TokenBucket(kPerSecond, kBurst, now)}; });
  if (!all.lines.has_token(now)) {
    ++all.suppressed;
    return std::nullopt;
  }
  all.lines.take();
  const bool is_news = now >= known.next + known.pause;
  known.pause = is_news ? kPauseMin : std::min(2 * known.pause, kPauseMax);
  known.next = now + known.pause;
  return LeftOut{std::exchange(known.repeated, 0), std::exchange(all.suppressed, 0)};
}

}  // namespace dcm::runtime
