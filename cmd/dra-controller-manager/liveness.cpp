#include "cmd/dra-controller-manager/liveness.hpp"

#include <chrono>

#include <fmt/format.h>

namespace dcm::manager {
namespace {

std::int64_t whole_minutes(runtime::Duration duration) {
  return std::chrono::floor<std::chrono::minutes>(duration).count();
}

}  // namespace

std::optional<std::string> why_stuck(const informers::SyncState& cache) {
  const std::optional<runtime::Duration> silence = cache.last_event_age();
  if (!silence || *silence < kSilenceMax || !cache.last_error().empty()) return std::nullopt;
  return fmt::format("{}: nothing heard from the API server for {} minutes, and no error",
                     cache.resource(), whole_minutes(*silence));
}

std::optional<std::string> why_stuck(std::string_view queue, const workqueue::Load& load) {
  if (load.longest < kWorkMax) return std::nullopt;
  return fmt::format("{}: an item has been worked on for {} minutes", queue,
                     whole_minutes(load.longest));
}

}  // namespace dcm::manager
