#include "workqueue/item_report.hpp"

#include <fmt/format.h>

#include "runtime/time_words.hpp"

namespace dcm::workqueue {
namespace {

runtime::WallTime wall_of(runtime::MonoTime when, const Now& now) {
  return now.wall + (when - now.mono);
}

std::string failures_of(const ItemReport& report) {
  if (report.failures == 0) return {};
  return fmt::format("{} in a row failed. ", report.failures == 1
                                                 ? "1 attempt"
                                                 : fmt::format("{} attempts", report.failures));
}

std::string place_of(const ItemReport& report, const Now& now) {
  const std::string since =
      report.since ? " since " + runtime::in_words(wall_of(*report.since, now), now.wall)
                   : std::string();
  switch (report.state) {
    case ItemState::idle:
      break;
    case ItemState::delayed:
      return report.due ? fmt::format("The next attempt is at {}.",
                                      runtime::in_words(wall_of(*report.due, now), now.wall))
                        : "It is delayed.";
    case ItemState::waiting:
      return fmt::format("It has been waiting for a worker{}.", since);
    case ItemState::processing:
      return fmt::format("A worker has been processing it{}.", since);
    case ItemState::processing_dirty:
      return fmt::format(
          "A worker has been processing it{}. It changed meanwhile and will be processed again.",
          since);
  }
  return {};
}

}  // namespace

std::optional<std::string> describe(const ItemReport& report, const Now& now) {
  if (report.state == ItemState::idle) return std::nullopt;
  return failures_of(report) + place_of(report, now);
}

std::optional<std::string> describe(const Problem* problem, const Now& now) {
  if (problem == nullptr) return std::nullopt;
  std::string text = fmt::format("The last attempt, at {}, failed: {}.",
                                 runtime::in_words(problem->latest, now.wall), problem->text);
  if (problem->first != problem->latest) {
    text +=
        fmt::format(" It has been failing since {}.", runtime::in_words(problem->first, now.wall));
  }
  return text;
}

}  // namespace dcm::workqueue
