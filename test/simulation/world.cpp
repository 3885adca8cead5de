#include "test/simulation/world.hpp"

#include <algorithm>
#include <list>
#include <utility>

#include <fmt/format.h>

#include "test/simulation/aftermath.hpp"
#include "test/simulation/conflicting_writer.hpp"
#include "test/simulation/fault_injector.hpp"
#include "test/simulation/memory.hpp"
#include "test/simulation/workload.hpp"

namespace dcm::simulation {
namespace {

using namespace std::chrono_literals;
using apiserver::LoggedRequest;
using runtime::Duration;
using runtime::sleep_for;
using runtime::Task;

constexpr Duration kLookOnEvery = 15s;

class World {
 public:
  explicit World(const WorldOptions& options);
  Verdict run();

 private:
  Task<> live();

  apiserver::ServerOptions draw_server() const;
  std::size_t draw_managers();
  std::size_t draw_workers();
  void draw_request_faults();
  void draw_tenants(runtime::Rng rng);
  void draw_protocol(runtime::Rng rng);
  void use_groups(runtime::Rng rng);
  Duration prompt() const;
  double rate_of_turns() const;
  bool has_few_places() const { return manager_options_.max_inflight_requests < 50; }
  void watch_server();
  void arrive(const http::Request& request);
  std::optional<apiserver::Response> admit(const LoggedRequest& request);
  int refusal_of(const LoggedRequest& request);
  // Takes the slot of a slow budget, if it is free.
  bool is_over_budget();
  void restart_managers();
  std::optional<Breach> look_at_memory();
  void write_before(const http::Request& request);
  void watch_managers();
  bool has_failed() const { return breach_ || !safety_.breaches().empty(); }
  void fail(std::string invariant, std::string details);
  Duration now() const { return loop_.time().now().time_since_epoch(); }
  runtime::Rng rng_for(std::uint64_t purpose) const {
    return runtime::Rng(options_.seed * 1'000'003 + purpose);
  }

  const WorldOptions& options_;
  bool has_groups_;
  mutable runtime::VirtualLoop loop_;
  runtime::Rng rng_;
  Timeline timeline_;
  std::vector<Fault> faults_;
  apiserver::Server server_;
  http::PipeNetwork network_;
  FaultyServer faulty_server_;
  Safety safety_;
  std::size_t pods_;
  Workload workload_;
  ConflictingWriter conflicting_writer_;
  dra_manager::Options manager_options_;
  std::list<Replica> replicas_;
  std::optional<FaultInjector> fault_injector_;  // always set, once created
  std::optional<Aftermath> aftermath_;           // the same
  std::optional<Breach> breach_;
  std::uint64_t fenced_writes_ = 0;
  Duration next_slot_{};  // of the budget
  Duration connection_age_max_ = Duration::max();
  runtime::TaskGroup managers_;
  runtime::TaskGroup fault_tasks_;
};

World::World(const WorldOptions& options)
    : options_(options),
      has_groups_(rng_for(9).below(3) == 0),
      loop_(rng_for(0)),
      rng_(rng_for(1)),
      timeline_(loop_.time(), options.detail),
      faults_(draw_faults(rng_for(2), options.lasts)),
      server_(loop_.time(), rng_for(3), draw_server()),
      network_(loop_.time()),
      faulty_server_(loop_, network_, server_, rng_for(4)),
      safety_(loop_.time()),
      pods_(options.pods.value_or(draw_pods(rng_for(6)))),
      workload_({loop_, server_, safety_.cluster(), timeline_, options.lasts}, rng_for(5), pods_,
                has_groups_ ? std::optional(rng_for(10)) : std::nullopt),
      conflicting_writer_({loop_, server_, safety_.cluster(), timeline_, options.lasts}, rng_for(7),
                          workload_.scheduler()),
      managers_(loop_.executor()),
      fault_tasks_(loop_.executor()) {
  const std::size_t managers = draw_managers();
  const bool freezes = std::ranges::any_of(
      faults_, [](const Fault& fault) { return fault.kind == Fault::Kind::freeze_manager; });
  for (std::size_t i = 0; i < managers; ++i) {
    replicas_.emplace_back(Replica::Setup{
        fmt::format("manager-{}", i + 1), loop_, network_, timeline_, manager_options_,
        freezes ? ProcessClock::Freezing::possible : ProcessClock::Freezing::never,
        rng_for(101 + i)});
  }
  draw_request_faults();
  if (has_groups_) use_groups(rng_for(11));
  draw_tenants(rng_for(12));
  draw_protocol(rng_for(13));
  if (const auto restore = draw_restore(rng_for(14), options.lasts)) faults_.push_back(*restore);
  fault_injector_.emplace(
      FaultInjector::World{loop_, timeline_, server_, network_, faulty_server_, safety_, replicas_,
                           manager_options_.leader_election.has_value(), options_.lasts});
  aftermath_.emplace(
      Aftermath::World{loop_, timeline_, server_, faulty_server_, safety_, workload_,
                       fenced_writes_, prompt(), rate_of_turns(), has_few_places(),
                       [this] { restart_managers(); }, [this] { return look_at_memory(); }},
      rng_.fork());
  watch_server();
}

// Some servers do not support initial events in a watch: lists are read page by page.
apiserver::ServerOptions World::draw_server() const {
  using WatchList = apiserver::WatchServing::WatchList;
  apiserver::ServerOptions server{.log_limit = 0};
  const std::uint64_t chosen = rng_for(8).below(10);
  if (chosen == 0) server.watches.watch_list = WatchList::ignored;
  if (chosen == 1) server.watches.watch_list = WatchList::refused;
  if (chosen != 2) server.ownership = apiserver::Ownership::of_applied;
  return server;
}

// The state without faults.
void World::draw_request_faults() {
  RequestFaults& request_faults = faulty_server_.request_faults();
  if (rng_.below(2) == 0) request_faults.latency_max = 300ms;
  if (rng_.below(2) == 0) request_faults.page_max = 1 + rng_.below(30);
  if (rng_.below(3) == 0) return;
  for (const char* resource : kWatched) {
    if (rng_.below(2) == 0)
      request_faults.lags[resource] = std::chrono::milliseconds(rng_.below(6'000));
  }
}

// Slow budgets, templates with large text, and a policy on annotations.
void World::draw_tenants(runtime::Rng rng) {
  if (rng.below(2) == 0) faulty_server_.request_faults().budget_every = 5s * (1 + rng.below(12));
  if (rng.below(16) == 0) workload_.make_templates_large();
  faulty_server_.request_faults().strips_annotations = rng.below(8) == 0;
}

// HTTP/2 in every second world; then or otherwise, connections that the server ends when they are
// old.
void World::draw_protocol(runtime::Rng rng) {
  manager_options_.kube_api_http2 = rng.below(2) == 0;
  if (rng.below(3) == 0) connection_age_max_ = 10s * (1 + rng.below(12));
}

void World::use_groups(runtime::Rng rng) {
  manager_options_.features.generic_workload = true;
  manager_options_.features.dra_workload_resource_claims = true;
  let_meet_groups(faults_, rng.fork());
  if (rng.below(2) == 0)
    faulty_server_.request_faults().lags[kGroups] = std::chrono::milliseconds(rng.below(6'000));
}

// Work takes longer if many pods need it at once, or if its rate is limited. A server that ignores
// the request for initial events costs each start and relist the deadline of a watch.
Duration World::prompt() const {
  const bool is_slow =
      draw_server().watches.watch_list == apiserver::WatchServing::WatchList::ignored ||
      manager_options_.eviction_rate > 0 || manager_options_.kube_api_qps < 10 ||
      manager_options_.concurrent_resource_claim_syncs < 10 ||
      manager_options_.concurrent_device_taint_eviction_syncs < 8 || pods_ > 100;
  return is_slow ? 5min : 30s;
}

// The rate of evictions, if they wait for nothing else; 0: no rate.
double World::rate_of_turns() const {
  const bool waits_for_more = manager_options_.kube_api_qps < 10 ||
                              manager_options_.concurrent_device_taint_eviction_syncs < 8;
  return waits_for_more ? 0 : manager_options_.eviction_rate;
}

// How many managers there are; their options are stored in `manager_options_`.
std::size_t World::draw_managers() {
  const bool in_json = rng_for(11).below(3) == 0;  // otherwise protobuf, the default
  if (in_json) manager_options_.kube_api_content_type = api::Format::json;
  manager_options_.leader_election.reset();
  const bool has_two = rng_.below(5) < 2;
  if (has_two || rng_.below(8) == 0) {
    auto& election = manager_options_.leader_election.emplace(dra_manager::default_election());
    // Otherwise renewals are a quarter of all requests, and mostly alike.
    if (rng_.below(8) != 0) election.timing.retry_period = 5s;
  }
  manager_options_.concurrent_resource_claim_syncs = draw_workers();
  if (rng_.below(4) == 0) {
    manager_options_.concurrent_device_taint_eviction_syncs = 1 + rng_.below(2);
  }
  if (rng_.below(5) == 0) {
    manager_options_.eviction_mode = device_taint_eviction::EvictionMode::evict;
  }
  if (rng_.below(5) == 0) manager_options_.eviction_rate = 0.2 + rng_.unit();
  // Too few for the work: requests queue up.
  if (rng_.below(8) == 0) manager_options_.kube_api_qps = 5;
  if (rng_.below(8) == 0) manager_options_.max_inflight_requests = 8 + rng_.below(4);
  return has_two ? 2 : 1;
}

// Idle workers cost time, to start and to stop: only some worlds have all.
std::size_t World::draw_workers() {
  const std::uint64_t chosen = rng_.below(12);
  if (chosen < 4) return 1 + chosen;
  return chosen == 4 ? 50 : 10 + chosen / 2;
}

void World::watch_server() {
  server_.before([this](const LoggedRequest& request) -> std::optional<apiserver::Response> {
    safety_.begin(request, faulty_server_.came_in());
    return admit(request);
  });
  server_.after([this](const LoggedRequest& request, apiserver::Response& response) {
    safety_.end(request, response);
    timeline_.note(request, response.status);
  });
  server_.on_change([this](std::string_view resource, const apiserver::Change& change) {
    faulty_server_.committed(change.revision);
    safety_.observe(resource, change);
  });
  faulty_server_.on_carry_out([this](const http::Request& request) { write_before(request); });
  faulty_server_.on_arrival([this](const http::Request& request) { arrive(request); });
}

namespace {

// Answers of a server or its admission; a busy server requests a pause.
apiserver::Response refusal(int status) {
  constexpr auto kReasons =
      std::to_array<std::pair<int, const char*>>({{403, "Forbidden"},
                                                  {404, "NotFound"},
                                                  {422, "Invalid"},
                                                  {429, "TooManyRequests"},
                                                  {500, "InternalError"},
                                                  {503, "ServiceUnavailable"}});
  const auto* const reason =
      std::ranges::find(kReasons, status, &std::pair<int, const char*>::first);
  const bool is_busy = status == 429 || status == 503;
  // A webhook that misses an object of its own.
  const bool is_webhook = status == 404;
  return apiserver::json_response(
      status,
      fmt::format(R"({{"kind":"Status","apiVersion":"v1","status":"Failure","message":"{}{}",)"
                  R"("reason":"{}","details":{{{}"retryAfterSeconds":{}}},"code":{}}})",
                  is_webhook ? R"(admission webhook \"w\" denied the request: )" : "",
                  kDeniedByAdmission, reason->second,
                  is_webhook ? R"("name":"policy","kind":"configmaps",)" : "", is_busy ? 40 : 0,
                  status));
}

}  // namespace

std::optional<apiserver::Response> World::admit(const LoggedRequest& request) {
  if (request.subresource == "eviction" && is_over_budget()) {
    return apiserver::json_response(
        429,
        R"({"kind":"Status","apiVersion":"v1","status":"Failure","reason":"TooManyRequests",)"
        R"("message":"Cannot evict pod as it would violate the pod's disruption budget.",)"
        R"("details":{"causes":[{"reason":"DisruptionBudget"}],"retryAfterSeconds":10},"code":429})");
  }
  const int status = is_manager(request.user_agent) ? refusal_of(request) : 0;
  return status == 0 ? std::nullopt : std::optional(refusal(status));
}

// The status with which a manager's request is refused; 0: it is not.
int World::refusal_of(const LoggedRequest& request) {
  const RequestFaults& request_faults = faulty_server_.request_faults();
  const bool is_troubled =
      request.is_write() && !request.ns.empty() && request.ns == request_faults.troubled_namespace;
  if (is_troubled) return request_faults.troubled_by;
  if (!request.is_write() && is_one_of(request_faults.forbidden_kind, request.resource)) return 403;
  const bool is_forbidden =
      std::ranges::any_of(request_faults.forbidden, [&](const Forbidden& what) {
        return request.verb == what.verb && request.resource == what.resource &&
               request.subresource == what.subresource;
      });
  if (!is_forbidden) return 0;
  // Admission does not see reads: a role forbids those.
  return request.is_write() ? request_faults.forbidden_by : 403;
}

bool World::is_over_budget() {
  const Duration every = faulty_server_.request_faults().budget_every;
  if (every == Duration{}) return false;
  if (now() < next_slot_) return true;
  next_slot_ = now() + every;
  return false;
}

void World::restart_managers() {
  for (Replica& replica : replicas_) replica.command(Replica::Order::kill);
}

std::optional<Breach> World::look_at_memory() {
  for (Replica& replica : replicas_) {
    if (auto breach = memory_breach(replica.metrics())) return breach;
  }
  return std::nullopt;
}

void World::arrive(const http::Request& request) {
  const std::string sender = fenced_sender(request);
  if (sender.empty()) return;
  // With little bandwidth, the events of hundreds of pods take long.
  const bool may_be_late =
      manager_options_.kube_api_qps < 10 && path_of(request).contains("/events");
  if (!may_be_late) ++fenced_writes_;
  if (manager_options_.leader_election) {
    safety_.observe_arrival(sender, request.target, lease_holder(server_));
  }
  const bool is_create =
      request.method == http::Method::post && path_of(request).ends_with("/resourceclaims");
  fault_injector_->observe_write(
      sender, is_create ? FaultInjector::Kind::create_of_claim : FaultInjector::Kind::other);
}

// A fraction of a manager's writes arrives a moment too late.
void World::write_before(const http::Request& request) {
  if (faulty_server_.request_faults().conflicting == 0 || fenced_sender(request).empty()) return;
  if (rng_.unit() < faulty_server_.request_faults().conflicting) {
    conflicting_writer_.write_before(path_of(request), request.body);
  }
}

void World::fail(std::string invariant, std::string details) {
  if (!breach_) breach_ = Breach{std::move(invariant), std::move(details)};
}

void World::watch_managers() {
  for (const Replica& replica : replicas_) {
    if (!replica.failure().empty()) fail("no part of the manager fails", replica.failure());
  }
  if (const auto& breach = workload_.breach()) fail(breach->invariant, breach->details);
}

// ---- its course ---------------------------------------------------------------------------------

Task<> World::live() {
  faulty_server_.start(connection_age_max_);
  workload_.set_up();
  workload_.start();
  for (Replica& replica : replicas_) managers_.spawn("manager", replica.run());
  for (std::size_t i = 0; i < faults_.size(); ++i) {
    const bool happens = !options_.faults || options_.faults->contains(i);
    if (happens) fault_tasks_.spawn("fault", fault_injector_->inject(faults_[i]));
  }
  while (now() < options_.lasts && !has_failed()) {
    co_await sleep_for(loop_.time(), 1s);
    watch_managers();
    if (now() % kLookOnEvery < 1s) aftermath_->look_on();
  }
  if (has_failed()) fault_tasks_.cancel();
  co_await fault_tasks_.join();
  if (!has_failed()) {
    const auto breach = co_await aftermath_->run();
    if (breach) fail(breach->invariant, breach->details);
  }
  timeline_.note("world", "ends");
  for (Replica& replica : replicas_) replica.command(Replica::Order::end);
  co_await managers_.join();
  watch_managers();
  co_await workload_.stop();
  if (fault_injector_->is_server_down()) co_return;
  co_await faulty_server_.stop();
}

Verdict World::run() {
  loop_.run(live());
  Verdict verdict{.breach = breach_,
                  .faults = faults_,
                  .timeline = timeline_.text(),
                  .settled_after = aftermath_->settled_after(),
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
