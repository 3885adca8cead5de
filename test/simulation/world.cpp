#include "test/simulation/world.hpp"

#include <list>
#include <memory>
#include <utility>

#include <fmt/format.h>

#include "test/simulation/fixed_point.hpp"
#include "test/simulation/front.hpp"
#include "test/simulation/manager_process.hpp"
#include "test/simulation/workload.hpp"

namespace dcm::simulation {
namespace {

using namespace std::chrono_literals;
using apiserver::LoggedRequest;
using runtime::Duration;
using runtime::MonoTime;
using runtime::sleep_for;
using runtime::Task;

// Within so long after the last fault everything must be done: a work item that failed through the
// faults waits as long again, at most 1,000 s.
constexpr Duration kLiveness = 30min;
// How long a world that is at rest is watched, after some time for what is still on its way (the
// last condition of a rule, events).
constexpr Duration kQuiet = 3min;
constexpr Duration kSlack = 1min;

// One of the managers of a cluster: a process, and the next one when it has ended.
struct Replica {
  explicit Replica(runtime::TimeSource& time) : told(time) {}

  std::string name;
  std::size_t processes = 0;
  enum class Order { none, kill, stop, end } order = Order::none;
  runtime::Condition told;
  std::unique_ptr<ManagerProcess> process;
};

class World {
 public:
  explicit World(const WorldOptions& options);
  Verdict run();

 private:
  Task<> live();
  Task<> keep_alive(Replica& replica);
  Task<> await_orders(Replica& replica, runtime::TaskGroup& group);
  Task<> bring_fault(Fault fault);
  Task<> apply(Fault fault);
  Task<> settle();
  Task<> watch_rest();

  void watch_server();
  void arrive(const http::Request& request);
  std::string lease_holder() const;
  void end_watches(const std::string& resource);
  void command(Replica& replica, Replica::Order order);
  runtime::Logger logger(const std::string& name);
  bool has_failed() const { return breach_ || !safety_.breaches().empty(); }
  void fail(std::string invariant, std::string details);
  Duration now() const { return loop_.time().now().time_since_epoch(); }
  runtime::Rng rng_for(std::uint64_t purpose) const {
    return runtime::Rng(options_.seed * 1'000'003 + purpose);
  }

  const WorldOptions& options_;
  mutable runtime::VirtualLoop loop_;
  runtime::Rng rng_;
  Timeline timeline_;
  std::vector<Fault> faults_;
  apiserver::Server server_;
  http::PipeNetwork network_;
  Front front_;
  Weather usual_weather_;
  bool is_server_down_ = false;
  Safety safety_;
  Workload workload_;
  manager::Options manager_options_;
  std::list<Replica> replicas_;
  std::optional<Breach> breach_;
  Duration settled_after_{};
  std::uint64_t fenced_writes_ = 0;
  runtime::TaskGroup managers_;
  runtime::TaskGroup weather_;
};

World::World(const WorldOptions& options)
    : options_(options),
      loop_(rng_for(0)),
      rng_(rng_for(1)),
      timeline_(loop_.time(), options.detail),
      faults_(draw_faults(rng_for(2), options.lasts)),
      server_(loop_.time(), rng_for(3), {.log_limit = 0}),
      network_(loop_.time()),
      front_(loop_, network_, server_, rng_for(4)),
      safety_(loop_.time()),
      workload_({loop_, server_, safety_.cluster(), timeline_}, rng_for(5), options.lasts),
      managers_(loop_.executor()),
      weather_(loop_.executor()) {
  manager_options_.leader_election.reset();
  const bool has_two = rng_.below(3) == 0;
  if (has_two || rng_.below(4) == 0) manager_options_.leader_election.emplace();
  if (rng_.below(3) == 0) manager_options_.concurrent_resource_claim_syncs = 1 + rng_.below(4);
  for (std::size_t i = 0; i < (has_two ? 2U : 1U); ++i) {
    replicas_.emplace_back(loop_.time()).name = fmt::format("manager-{}", i + 1);
  }
  if (rng_.below(2) == 0) usual_weather_.latency_max = 300ms;
  front_.weather() = usual_weather_;
  watch_server();
}

void World::watch_server() {
  server_.before([this](const LoggedRequest& request) -> std::optional<apiserver::Response> {
    safety_.begin(request, front_.came_in());
    return std::nullopt;
  });
  server_.after([this](const LoggedRequest& request, apiserver::Response& response) {
    safety_.end();
    if (!timeline_.is_kept()) return;
    timeline_.note(
        request.user_agent,
        fmt::format("{} {}{}{} {}/{} → {} {}", request.verb, request.resource,
                    request.subresource.empty() ? "" : "/", request.subresource, request.ns,
                    request.name, response.status, request.is_write() ? request.body : ""));
  });
  server_.on_change([this](std::string_view resource, const apiserver::Change& change) {
    safety_.observe(resource, change);
  });
  front_.on_arrival([this](const http::Request& request) { arrive(request); });
}

// What only the leader may send: every write but those of leases.
void World::arrive(const http::Request& request) {
  const auto agent = request.headers.find("User-Agent");
  const bool is_fenced = request.method != http::Method::get && agent && is_manager(*agent) &&
                         request.target.find("/leases") == std::string::npos;
  if (!is_fenced) return;
  ++fenced_writes_;
  if (manager_options_.leader_election) {
    safety_.observe_arrival(*agent, request.target, lease_holder());
  }
}

std::string World::lease_holder() const {
  const auto& lease = manager_options_.leader_election->lease;
  const auto stored = server_.store().get("leases", lease.str());
  if (stored == nullptr) return {};
  return std::string(apiserver::text_at(*stored, {"spec", "holderIdentity"}));
}

runtime::Logger World::logger(const std::string& name) {
  if (!timeline_.is_kept()) return {};
  const auto backend = std::make_shared<runtime::LogBackend>(
      loop_.time(), runtime::LogFormat::text,
      [this, name](runtime::Severity, std::string_view line) { timeline_.note(name, line); });
  backend->set_verbosity(4);
  return runtime::Logger(backend);
}

void World::fail(std::string invariant, std::string details) {
  if (!breach_) breach_ = Breach{std::move(invariant), std::move(details)};
}

// ---- managers -----------------------------------------------------------------------------------

void World::command(Replica& replica, Replica::Order order) {
  replica.order = order;
  replica.told.notify_all();
}

Task<> World::await_orders(Replica& replica, runtime::TaskGroup& group) {
  while (replica.order == Replica::Order::none) co_await replica.told.wait();
  group.cancel();
}

Task<> World::keep_alive(Replica& replica) {
  auto rng = rng_for(100 + static_cast<std::uint64_t>(replica.name.back()));
  const auto until_lost = [](ManagerProcess& process, runtime::TaskGroup& group) -> Task<> {
    co_await process.wait_until_lost();
    group.cancel();
  };
  for (;;) {
    const std::string name = fmt::format("{}.{}", replica.name, replica.processes++);
    replica.process = std::make_unique<ManagerProcess>(
        ManagerProcess::Setup{name, loop_, network_, rng.fork(), logger(name), manager_options_});
    timeline_.note(name, "starts");
    replica.process->start();
    {
      runtime::TaskGroup either(loop_.executor());
      either.spawn("orders", await_orders(replica, either));
      either.spawn("lost", until_lost(*replica.process, either));
      co_await either.join();
    }
    const auto order = std::exchange(replica.order, Replica::Order::none);
    timeline_.note(name, order == Replica::Order::stop ? "stops" : "ends");
    if (order == Replica::Order::stop) {
      co_await replica.process->stop();
    } else {
      co_await replica.process->kill();
    }
    if (!replica.process->failure().empty()) {
      fail("no part of the manager fails", replica.process->failure());
    }
    replica.process.reset();
    if (order == Replica::Order::end || replica.order == Replica::Order::end) co_return;
    co_await sleep_for(loop_.time(), std::chrono::milliseconds(rng.below(20'000)));
  }
}

// ---- faults -------------------------------------------------------------------------------------

Task<> World::bring_fault(Fault fault) {
  co_await sleep_for(loop_.time(), fault.at);
  timeline_.note("FAULT", fault.str());
  co_await apply(fault);
  timeline_.note("FAULT", "ends: " + fault.str());
}

// Of two faults of a kind, the one that ends first ends both.
Task<> World::apply(Fault fault) {
  using enum Fault::Kind;
  Weather& weather = front_.weather();
  const Weather usual = usual_weather_;
  auto replica = replicas_.begin();
  std::advance(replica, fault.choice % replicas_.size());
  const std::string resource = resource_of(fault);
  const auto wait = [this, &fault] { return sleep_for(loop_.time(), fault.lasts); };
  switch (fault.kind) {
    case cut_connections:
      network_.cut_all();
      break;
    case cut_one_manager:
      if (replica->process != nullptr) replica->process->cut_connections();
      break;
    case lose_requests:
      weather.lost_before = fault.share;
      co_await wait();
      weather.lost_before = 0;
      break;
    case lose_answers:
      weather.lost_after = fault.share;
      co_await wait();
      weather.lost_after = 0;
      break;
    case cut_answers:
      weather.cut = fault.share;
      co_await wait();
      weather.cut = 0;
      break;
    case delay_requests:
      weather.delayed = fault.share;
      co_await wait();
      weather.delayed = 0;
      break;
    case refuse:
      weather.refusal = refusal_of(fault);
      weather.refused = fault.share;
      co_await wait();
      weather.refused = 0;
      break;
    case slow_network:
      weather.latency_max = 2s;
      co_await wait();
      weather.latency_max = usual.latency_max;
      break;
    case stall_watches:
      weather.stalled_watches = resource;
      co_await wait();
      weather.stalled_watches.clear();
      front_.weather_changed();
      break;
    case cut_watches:
      end_watches(resource);
      break;
    case compact:
      server_.compact_history();
      end_watches(resource);
      break;
    case lose_bookmarks:
      weather.loses_bookmarks = true;
      co_await wait();
      weather.loses_bookmarks = false;
      break;
    case restart_server:
      if (is_server_down_) break;
      is_server_down_ = true;
      co_await front_.stop();
      if (fault.choice % 2 == 0) server_.compact_history();
      co_await wait();
      front_.start();
      is_server_down_ = false;
      break;
    case kill_manager:
      command(*replica, Replica::Order::kill);
      break;
    case stop_manager:
      command(*replica, Replica::Order::stop);
      break;
  }
}

void World::end_watches(const std::string& resource) {
  if (resource == "*") {
    server_.end_watches();
  } else {
    server_.end_watches(resource);
  }
}

// ---- its course ---------------------------------------------------------------------------------

Task<> World::live() {
  front_.start();
  workload_.set_up();
  workload_.start();
  for (Replica& replica : replicas_) managers_.spawn(replica.name, keep_alive(replica));
  for (std::size_t i = 0; i < faults_.size(); ++i) {
    const bool happens = !options_.faults || options_.faults->contains(i);
    if (happens) weather_.spawn("fault", bring_fault(faults_[i]));
  }
  while (now() < options_.lasts && !has_failed()) co_await sleep_for(loop_.time(), 1s);
  if (has_failed()) weather_.cancel();
  co_await weather_.join();
  if (!has_failed()) co_await settle();
  if (!has_failed()) co_await watch_rest();
  timeline_.note("world", "ends");
  for (Replica& replica : replicas_) command(replica, Replica::Order::end);
  co_await managers_.join();
  co_await workload_.stop();
  if (is_server_down_) co_return;
  co_await front_.stop();
}

// Waits for the fixed point.
Task<> World::settle() {
  timeline_.note("world", "no more faults");
  const Duration begin = now();
  std::vector<Breach> missing;
  do {
    co_await sleep_for(loop_.time(), 15s);
    missing = missing_at_fixed_point(safety_, loop_.time().wall_now());
    if (missing.empty()) {
      settled_after_ = now() - begin;
      co_return;
    }
  } while (now() - begin < kLiveness && !has_failed());
  fail(missing.front().invariant, "in the end: " + missing.front().details);
}

// At the fixed point nobody has anything to write; what is due later comes in its time.
Task<> World::watch_rest() {
  co_await sleep_for(loop_.time(), kSlack);
  timeline_.note("world", "is at rest");
  const std::uint64_t before = fenced_writes_;
  co_await sleep_for(loop_.time(), kQuiet);
  const bool is_quiet = fenced_writes_ == before;
  const auto missing = missing_at_fixed_point(safety_, loop_.time().wall_now());
  if (!missing.empty()) fail(missing.front().invariant, "at rest: " + missing.front().details);
  if (!is_quiet && !safety_.has_evicted_lately(kQuiet + kSlack)) {
    fail("a world at rest has no writes", fmt::format("{} writes", fenced_writes_ - before));
  }
}

Verdict World::run() {
  loop_.run(live());
  Verdict verdict{.breach = breach_,
                  .faults = faults_,
                  .timeline = timeline_.text(),
                  .settled_after = settled_after_,
                  .manager_writes = fenced_writes_};
  if (!safety_.breaches().empty()) verdict.breach = safety_.breaches().front();
  return verdict;
}

}  // namespace

Verdict run_world(const WorldOptions& options) {
  World world(options);
  return world.run();
}

std::set<std::size_t> shrink_faults(WorldOptions options, const Verdict& failed) {
  std::set<std::size_t> needed;
  if (options.faults) {
    needed = *options.faults;
  } else {
    for (std::size_t i = 0; i < failed.faults.size(); ++i) needed.insert(i);
  }
  options.detail = Detail::none;
  bool is_smaller = true;
  while (is_smaller) {
    is_smaller = false;
    for (const std::size_t number : std::set(needed)) {
      std::set<std::size_t> fewer = needed;
      fewer.erase(number);
      options.faults = fewer;
      const Verdict verdict = run_world(options);
      if (!verdict.breach || verdict.breach->invariant != failed.breach->invariant) continue;
      needed = std::move(fewer);
      is_smaller = true;
    }
  }
  return needed;
}

}  // namespace dcm::simulation
