#include "runtime/log_rate.hpp"

#include "runtime/backoff.hpp"

namespace dcm::runtime {

bool LogRate::Message::take_place(MonoTime now) {
  const bool has_place = lines.has_token(now);
  if (has_place) {
    lines.take();
  } else {
    ++suppressed;
  }
  return has_place;
}

std::optional<LogRate::LeftOut> LogRate::admit_info(std::uint64_t message, MonoTime now) {
  Message& all = infos_.use(
      message, [now] { return Message{.lines = TokenBucket(kInfoPerSecond, kInfoBurst, now)}; });
  if (!all.take_place(now)) return std::nullopt;
  return LeftOut{.suppressed = std::exchange(all.suppressed, 0)};
}

std::optional<LogRate::LeftOut> LogRate::admit(std::uint64_t message, std::uint64_t line,
                                               MonoTime now) {
  Line& known = lines_.use(line, [now] { return Line{.next = now}; });
  if (now < known.next) {
    ++known.repeated;
    return std::nullopt;
  }
  Message& all = messages_.use(
      message, [now] { return Message{.lines = TokenBucket(kPerSecond, kBurst, now)}; });
  if (!all.take_place(now)) return std::nullopt;
  const bool is_news = now >= known.next + known.pause;
  known.pause = Backoff{kPauseMin, kPauseMax}.after(is_news ? Duration::zero() : known.pause);
  known.next = now + known.pause;
  return LeftOut{std::exchange(known.repeated, 0), std::exchange(all.suppressed, 0)};
}

}  // namespace dcm::runtime
