#include "manager/progress.hpp"

#include <fmt/format.h>

namespace dcm::manager {
namespace {

std::int64_t whole_seconds(runtime::Duration duration) {
  return std::chrono::floor<std::chrono::seconds>(duration).count();
}

std::int64_t whole_minutes(runtime::Duration duration) {
  return std::chrono::floor<std::chrono::minutes>(duration).count();
}

}  // namespace

std::optional<std::string> why_stuck(const informers::SyncState& cache) {
  const std::optional<runtime::Duration> silence = cache.last_event_age();
  if (!silence || *silence < kSilenceMax || cache.failing()) return std::nullopt;
  return fmt::format("{}: nothing heard from the API server for {} minutes, though it answers",
                     cache.resource(), whole_minutes(*silence));
}

std::optional<std::string> why_stuck(std::string_view queue, const workqueue::Load& load) {
  if (load.longest < kWorkMax) return std::nullopt;
  return fmt::format("{}: an item has been worked on for {} minutes", queue,
                     whole_minutes(load.longest));
}

std::optional<runtime::Problem> why_incomplete(const informers::SyncState& cache) {
  const runtime::Duration failing = cache.failing().value_or(runtime::Duration::zero());
  if (cache.is_synced() && failing < kFailingMax) return std::nullopt;
  const std::string state =
      cache.is_synced() ? fmt::format("no news for {} s", whole_seconds(failing)) : "not synced";
  const std::string what = fmt::format("{}: {}", cache.resource(), state);
  const auto& error = cache.last_error();
  return error ? about(what, *error) : runtime::Problem(what);
}

}  // namespace dcm::manager
