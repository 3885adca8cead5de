#include "node/agent/agent.hpp"

#include <algorithm>
#include <exception>
#include <map>
#include <utility>

#include <fmt/format.h>

#include "runtime/outlast_cancellation.hpp"
#include "runtime/task_group.hpp"

namespace dcm::node {

using runtime::Deadline;
using runtime::Task;

namespace {

constexpr runtime::Duration kOrphansInterval = std::chrono::seconds(60);
// One look at all devices for a burst of reports.
constexpr runtime::Duration kGatherHealth = std::chrono::milliseconds(100);
// A status write of a pod follows.
constexpr runtime::Duration kHealthNewsInterval = std::chrono::seconds(1);

}  // namespace

Agent::Agent(runtime::LoopRef loop, http::Transport& drivers, Files& files, NodeApi& api,
             runtime::Rng& rng, runtime::MetricsRegistry& metrics, runtime::Logger log,
             AgentOptions options, AgentNews news)
    : loop_(loop),
      metrics_(metrics),
      log_(log),
      news_(std::move(news)),
      on_corrupt_(options.on_corrupt),
      plugins_(loop, drivers, rng.fork(), options.service_choice, log),
      registration_loop_(loop, plugins_, options.registry, log),
      store_(files, options.state, rng.fork()),
      claims_(loop, api, plugins_, store_, log, counting_skips(options.claims)),
      wiper_(
          loop, api, options.node, options.first_wipe, [this] { return connected_drivers(); },
          metrics, log),
      orphans_(loop.time()),
      health_changed_(loop.time()),
      pods_to_tell_changed_(loop.time()),
      count_claims_(metrics.before_exposition([this] { count_claims(); })) {
  plugins_.set_observer(*this);
}

runtime::Result<> Agent::open() {
  runtime::Result<> opened = claims_.open();
  const bool is_corrupt = !opened && opened.error().reason == runtime::Reason::malformed;
  if (is_corrupt && on_corrupt_ == OnCorruptState::rebuild) {
    const auto kept = store_.set_aside(loop_.time().wall_now());
    if (!kept) return runtime::fail(kept.error());
    log_.error("Cannot use the checkpoint; rebuilding it from running pods",
               {{"error", opened.error().message}, {"kept", *kept}});
    opened = claims_.open();
  }
  if (!opened) return opened;
  const auto rebuilding = store_.is_rebuilding();
  if (!rebuilding) return runtime::fail(rebuilding.error());
  has_lost_entries_ = *rebuilding;
  return {};
}

void Agent::end_rebuilding() {
  has_lost_entries_ = false;
  const auto ended = store_.end_rebuilding();
  // Otherwise the next start creates the entries again, which is harmless.
  if (!ended) log_.warning("Cannot clear the rebuild marker", {{"error", ended.error().message}});
}

Task<> Agent::run() {
  runtime::TaskGroup group(loop_.executor());
  group.spawn("plugins", registration_loop_.run());
  group.spawn("wipes", wiper_.run());
  group.spawn("orphans", unprepare_orphans());
  group.spawn("health", expire_health());
  group.spawn("news of health", tell_health());
  std::exception_ptr failure;
  try {
    co_await group.join();
  } catch (...) {
    failure = std::current_exception();
  }
  co_await runtime::outlast_cancellation();
  co_await plugins_.stop();
  if (failure) std::rethrow_exception(failure);
}

ClaimManagerOptions Agent::counting_skips(ClaimManagerOptions options) {
  options.on_skip = [this](std::string_view operation, const std::string& driver) {
    metrics_.count_skip(operation, driver);
  };
  return options;
}

Task<ClaimResult> Agent::prepare(api::ObjectPtr<api::Pod> pod) {
  return measured("PrepareResources", claims_.prepare(std::move(pod)));
}

Task<ClaimResult> Agent::unprepare(api::ObjectPtr<api::Pod> pod) {
  return measured("UnprepareResources", claims_.unprepare(std::move(pod)));
}

Task<ClaimResult> Agent::measured(std::string operation, Task<ClaimResult> task) {
  const runtime::MonoTime began = loop_.time().now();
  ClaimResult outcome = co_await std::move(task);
  using enum AgentMetrics::Failed;
  metrics_.observe_operation(operation, outcome ? no : yes, loop_.time().now() - began);
  co_return outcome;
}

void Agent::observe_pods(std::set<std::string> active) {
  claims_.observe_pods(std::move(active));
  look_for_orphans();
}

// A round requested during another one runs after it.
void Agent::look_for_orphans() {
  may_have_orphans_ = true;
  orphans_.notify_all();
}

Task<> Agent::unprepare_orphans() {
  while (true) {
    may_have_orphans_ = false;
    const auto failures = co_await claims_.unprepare_orphans();
    for (const std::string& failure : failures) {
      log_.warning("Cannot unprepare a claim of a deleted pod; retrying",
                   {{"error", cut_message(failure)}});
    }
    const Deadline next = Deadline::after(loop_.time(), kOrphansInterval);
    while (!may_have_orphans_ && !next.has_passed(loop_.time())) co_await orphans_.wait(next);
  }
}

void Agent::observe_driver(const std::string& driver) {
  drivers_.insert(driver);
  const bool is_connected = plugins_.is_connected(driver);
  metrics_.set_connected(driver, is_connected);
  wiper_.observe(driver, is_connected);
  if (!news_of_drivers_.observe(driver, is_connected, loop_.time().now())) return;
  look_for_orphans();
  news_.drivers_changed();
}

void Agent::observe_health(const std::string& driver, const std::string& instance,
                           const std::vector<HealthReport>& report) {
  const HealthTable::Change change =
      health_.observe_report(driver, instance, report, loop_.time().now());
  if (change.ignored > 0) {
    log_.error("A driver reports the health of too many devices; ignoring the rest",
               {{"driver", driver}, {"ignored", std::to_string(change.ignored)}});
  }
  tell(driver, change);
}

void Agent::observe_health_end(const std::string& driver, const std::string& instance) {
  tell(driver, health_.observe_end(driver, instance, loop_.time().now()));
}

// A driver whose last report has expired contributes nothing.
Task<> Agent::expire_health() {
  while (true) {
    const auto next = health_.next_expiry();
    co_await health_changed_.wait(next ? Deadline(*next) : Deadline());
    co_await runtime::sleep_for(loop_.time(), kGatherHealth);
    for (const std::string& driver : drivers_) {
      const HealthTable::Change change = health_.expire(driver, loop_.time().now());
      if (!change.devices.empty()) tell(driver, change);
    }
  }
}

void Agent::tell(const std::string& driver, const HealthTable::Change& change) {
  health_changed_.notify_all();
  if (change.devices.empty()) return;
  for (const auto& [key, held] : book()) {
    const auto state = held.entry.drivers.find(driver);
    if (state == held.entry.drivers.end()) continue;
    const bool has_one = std::ranges::any_of(state->second.devices, [&](const auto& device) {
      return change.devices.contains({device.pool, device.device});
    });
    if (has_one) pods_to_tell_.insert(held.entry.pod_uids.begin(), held.entry.pod_uids.end());
  }
  pods_to_tell_changed_.notify_all();
}

// A driver may report a device that flaps a thousand times a second.
Task<> Agent::tell_health() {
  while (true) {
    while (pods_to_tell_.empty()) co_await pods_to_tell_changed_.wait();
    news_.health_changed(std::exchange(pods_to_tell_, {}));
    co_await runtime::sleep_for(loop_.time(), kHealthNewsInterval);
  }
}

std::vector<ResourceHealth> Agent::health_of(const ContainerClaim& claim) const {
  std::vector<ResourceHealth> rows;
  for (const auto& [driver, device] : devices_of(book(), claim)) {
    std::string id = device->cdi_ids.empty()
                         ? fmt::format("{}/{}/{}", driver, device->pool, device->device)
                         : device->cdi_ids.front();
    if (std::ranges::find(rows, id, &ResourceHealth::id) != rows.end()) continue;
    rows.push_back({std::move(id),
                    health_.health_of(driver, {device->pool, device->device}, loop_.time().now())});
  }
  return rows;
}

void Agent::observe_call(const std::string& driver, std::string_view method, grpc::Code code,
                         runtime::Duration duration) {
  metrics_.observe_call(driver, method, code, duration);
}

std::vector<std::string> Agent::connected_drivers() const {
  std::vector<std::string> connected;
  for (const std::string& driver : drivers_) {
    if (plugins_.is_connected(driver)) connected.push_back(driver);
  }
  return connected;
}

void Agent::count_claims() {
  std::map<std::string, std::size_t> claims;
  for (const std::string& driver : drivers_) claims[driver] = 0;
  for (const auto& [key, held] : book()) {
    for (const auto& [driver, state] : held.entry.drivers) ++claims[driver];
  }
  claims[kAnyDriver] = book().size();
  for (const auto& [driver, count] : claims) metrics_.set_claims(driver, count);
}

}  // namespace dcm::node
