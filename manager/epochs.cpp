#include "manager/epochs.hpp"

#include <ranges>
#include <utility>
#include <variant>

#include <boost/asio/this_coro.hpp>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "manager/find_version.hpp"
#include "runtime/condition.hpp"
#include "runtime/run_then_cancel.hpp"
#include "runtime/task_group.hpp"

namespace dcm::manager {
namespace {

using namespace std::chrono_literals;
using runtime::Deadline;
using runtime::Task;

// How often to check whether the cluster still serves the version in use.
constexpr runtime::Duration kDiscoveryInterval = 30s;

runtime::Problem why_not(const client::Availability& availability, std::string_view group) {
  const bool names_group = std::holds_alternative<client::NotServed>(availability);
  runtime::Problem why = client::why_not(availability);
  return names_group ? why : about(group, why);
}

template <class Reasons>
std::string joined(Reasons&& reasons) {
  return fmt::format("{}", fmt::join(std::forward<Reasons>(reasons), "; "));
}

}  // namespace

Epochs::Epochs(runtime::TimeSource& time, runtime::Logger log, Stop& stop, Find find, Make make,
               std::string group)
    : time_(time),
      log_(std::move(log)),
      stop_(stop),
      find_(std::move(find)),
      make_(std::move(make)),
      group_(std::move(group)),
      discovery_guard_(time, kRepeatInterval) {}

Task<> Epochs::run() {
  while (!stop_.is_requested()) {
    const std::optional<client::Served> served = co_await find_version();
    if (served && !stop_.is_requested()) co_await run_epoch(make_(*served));
  }
}

bool Epochs::stop_current() {
  if (current_ == nullptr) return false;
  current_->stop();
  return true;
}

std::optional<runtime::Problem> Epochs::why_not_ready() const {
  if (current_ == nullptr) {
    return discovery_problem_.value_or(runtime::Problem("asking the API server what it serves"));
  }
  const std::vector<runtime::Problem> missing = current_->missing();
  if (missing.empty()) return std::nullopt;
  runtime::Problem all(joined(missing | std::views::transform(&runtime::Problem::whole)));
  all.by_name = joined(missing | std::views::transform(&runtime::Problem::by_name));
  return all;
}

std::optional<std::string> Epochs::why_stuck() const {
  if (current_ == nullptr) return std::nullopt;
  const std::vector<std::string> stuck = current_->stuck();
  return stuck.empty() ? std::nullopt : std::optional(joined(stuck));
}

// nullopt after backing off: not served, or unknown.
Task<std::optional<client::Served>> Epochs::find_version() {
  const client::Availability availability = co_await find_();
  if (const auto* served = std::get_if<client::Served>(&availability)) {
    discovery_problem_.reset();
    discovery_guard_.reset();
    co_return *served;
  }
  discovery_problem_ = why_not(availability, group_);
  if (discovery_guard_.should_log(discovery_problem_->whole)) {
    log_.warning("Cannot work yet", {{"why", discovery_problem_->whole}});
  }
  co_await stop_.wait(Deadline::after(time_, client::ask_again_after(availability)));
  co_return std::nullopt;
}

Task<> Epochs::run_epoch(std::unique_ptr<VersionedWork> epoch) {
  // Reset on every exit path, including failures, because the status pages keep asking.
  struct Current {
    VersionedWork*& place;
    ~Current() { place = nullptr; }
  } current{current_};
  current_ = epoch.get();
  const runtime::Executor executor = co_await boost::asio::this_coro::executor;
  runtime::TaskGroup group(executor);
  group.spawn("epoch", run_then_cancel(epoch->run(), group));
  group.spawn("version", end_when_not_served(*epoch));
  co_await group.join();
  if (stop_.is_requested()) last_ = std::move(epoch);
}

Task<> Epochs::end_when_not_served(VersionedWork& epoch) {
  while (true) {
    co_await runtime::sleep_for(time_, kDiscoveryInterval);
    if (!epoch.has_failing_watch()) continue;
    const client::Availability availability = co_await find_();
    const auto* served = std::get_if<client::Served>(&availability);
    const bool is_same = served != nullptr && served->version == epoch.version();
    if (is_same || std::holds_alternative<client::Unknown>(availability)) continue;
    log_.warning("The API server has stopped serving the version in use",
                 {{"version", epoch.version()}});
    epoch.stop();
  }
}

}  // namespace dcm::manager
