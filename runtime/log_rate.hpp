// Limits how often a line is logged if outside events may cause it repeatedly.
//
// A line is logged at once, and then only after 10 s, 20 s, and so on up to 10 minutes, as long as
// it keeps recurring; after such a pause without it, a line starts again. All lines of one message
// together are limited to 200 at once and then one per second, however many objects they are about.
// Info lines are not compared: 2,000 per message at once, and then 100 per second. Suppressed lines
// are counted, and the count is logged with the message's next line.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <unordered_map>
#include <utility>

#include "runtime/time.hpp"
#include "runtime/token_bucket.hpp"

namespace dcm::runtime {

// Recently used values by hash of their subject: at least `kKept` of them, at most twice as many.
template <class Value>
class RecentlyUsed {
 public:
  static constexpr std::size_t kKept = 2048;

  // `make` returns the value of an unknown or forgotten key. Valid until the next call.
  template <class Make>
  Value& use(std::uint64_t key, Make make) {
    if (const auto found = young_.find(key); found != young_.end()) return found->second;
    if (young_.size() >= kKept) old_ = std::exchange(young_, {});
    auto known = old_.extract(key);
    if (known) return young_.insert(std::move(known)).position->second;
    return young_.emplace(key, make()).first->second;
  }

 private:
  std::unordered_map<std::uint64_t, Value> young_;
  std::unordered_map<std::uint64_t, Value> old_;
};

// Bounded memory, whatever the lines are.
class LogRate {
 public:
  static constexpr Duration kPauseMin = std::chrono::seconds(10);
  static constexpr Duration kPauseMax = std::chrono::minutes(10);
  static constexpr double kBurst = 200;
  static constexpr double kPerSecond = 1;
  static constexpr double kInfoBurst = 2'000;
  static constexpr double kInfoPerSecond = 100;

  // How many lines were suppressed before one that is logged.
  struct LeftOut {
    std::uint64_t repeated = 0;    // the same line
    std::uint64_t suppressed = 0;  // other lines of this message
  };

  // `message` and `line` are hashes of what their names say. nullopt: do not log the line.
  std::optional<LeftOut> admit(std::uint64_t message, std::uint64_t line, MonoTime now);
  // For an info line.
  std::optional<LeftOut> admit_info(std::uint64_t message, MonoTime now);

 private:
  struct Line {
    MonoTime next{};
    Duration pause{};
    std::uint64_t repeated = 0;
  };
  struct Message {
    TokenBucket lines;
    std::uint64_t suppressed = 0;

    // Consumes the quota for a line, or counts that it is suppressed.
    bool take_place(MonoTime now);
  };

  RecentlyUsed<Message> messages_;
  RecentlyUsed<Message> infos_;
  RecentlyUsed<Line> lines_;
};

}  // namespace dcm::runtime
