#include "test/simulation/aftermath.hpp"

#include <array>
#include <vector>

#include <fmt/format.h>

#include "test/simulation/faults.hpp"
#include "test/simulation/fixed_point.hpp"

namespace dcm::simulation {
namespace {

using namespace std::chrono_literals;
using runtime::Duration;
using runtime::sleep_for;
using runtime::Task;

// By then every retry has happened, and what failed because of faults has succeeded, or is gone.
constexpr Duration kLongRest = 18min;
// Each watch has had a bookmark meanwhile.
constexpr Duration kRest = 2min;
// By then, attempts that wait for a template are minutes apart.
constexpr Duration kLongWait = 10min;
// For work in progress: the last condition of a rule, events.
constexpr Duration kSlack = 1min;
// After the second failure, retries of objects that failed through the first come soon again.
constexpr Duration kOutage = 40s;
constexpr Duration kHiccup = 2s;
// Much longer than a budget's pace, so that a back-off would show.
constexpr Duration kNoBudget = 6min;
// For events and requests.
constexpr Duration kSlackOfTurns = 30s;
// If no manager is limited.
constexpr Duration kPromptOfMost = 30s;
// The API allows 30 s. Workers that have begun together are far from its end when others come.
constexpr Duration kWebhookTimeout = 29s;
// Long enough for another leader.
constexpr Duration kRestart = 1min;
constexpr Duration kLongestRetry = 40s;  // of a refused list or watch: 30 s, and its answer

}  // namespace

Task<Aftermath::Finding> Aftermath::run() {
  world_.faulty_server.request_faults().budget_every = {};
  struct Row {
    Task<Finding> (Aftermath::*step)();
    std::uint64_t one_in = 1;
  };
  std::vector<Row> rows = {{&Aftermath::settle},
                           {&Aftermath::wait_long, 4},
                           {&Aftermath::live_calmly},
                           {&Aftermath::miss_something},
                           {&Aftermath::trouble_one_tenant, 4},
                           {&Aftermath::grant_no_budget, 4},
                           {&Aftermath::hide_one_kind, 8}};
  if (world_.eviction_rate > 0) rows.push_back({&Aftermath::exhaust_eviction_rate, 2});
  rows.push_back({&Aftermath::come_to_rest});
  if (world_.prompt <= kPromptOfMost) {
    rows.insert(
        rows.end(),
        {{&Aftermath::copy_claims}, {&Aftermath::flood, 8}, {&Aftermath::bring_giants, 16}});
  }
  for (const auto& [step, one_in] : rows) {
    if (one_in > 1 && rng_.below(one_in) > 0) continue;
    const Finding found = co_await (this->*step)();
    if (found) co_return found;
  }
  co_return std::nullopt;
}

Task<Aftermath::Finding> Aftermath::settle() {
  world_.timeline.note("world", "no more faults");
  look_on();
  const runtime::MonoTime begin = now();
  do {
    co_await sleep_for(world_.loop.time(), 15s);
    const Finding late = look();
    if (late) co_return late;
  } while (!liveness_.is_served());
  settled_after_ = now() - begin;
  co_return co_await watch_answers(kSlack);
}

Task<Aftermath::Finding> Aftermath::wait_long() {
  return watch_answers(kLongWait);
}

// Shows lost wake-ups: nothing else makes the manager look again.
Task<Aftermath::Finding> Aftermath::live_calmly() {
  world_.workload.bring_what_is_late();
  world_.timeline.note("world", "goes on, one thing at a time");
  const std::size_t acts = 4 + rng_.below(8);
  for (std::size_t i = 0; i < acts; ++i) {
    world_.workload.act_once();
    const Finding late = co_await watch_answers(draw_pause());
    if (late) co_return late;
  }
  co_return std::nullopt;
}

// Only the lists after a gap show the changes during it.
Task<Aftermath::Finding> Aftermath::miss_something() {
  world_.timeline.note("world", "goes on unseen");
  const std::size_t acts = 2 + rng_.below(8);
  for (std::size_t i = 0; i < acts; ++i) world_.workload.act_once();
  world_.server.compact_history();
  world_.server.end_watches();
  const Finding late = co_await watch_answers({});
  if (late) co_return late;
  world_.workload.bring_what_is_late();
  co_return co_await watch_answers({});
}

// Usually a short pause.
Duration Aftermath::draw_pause() {
  const double share = rng_.unit();
  return std::chrono::duration_cast<Duration>(2s + 60s * share * share * share);
}

Task<Aftermath::Finding> Aftermath::come_to_rest() {
  const bool goes_on = rng_.below(8) == 0;
  const Finding restless = co_await rest(goes_on ? kLongRest : kRest);
  if (restless || !goes_on) co_return restless;
  co_return co_await refuse_writes();
}

// After long failures a retry waits equally long; after a success its back-off is reset.
Task<Aftermath::Finding> Aftermath::refuse_writes() {
  RequestFaults& request_faults = world_.faulty_server.request_faults();
  for (const Duration lasts : {kOutage, kHiccup}) {
    world_.timeline.note("world", "refuses all writes");
    request_faults.forbidden = all_writes();
    request_faults.forbidden_by = rng_.below(2) == 0 ? 403 : 422;
    world_.workload.act_everywhere();
    const Finding early = co_await watch_answers(lasts, {Obstacle::Of::everybody});
    if (early) co_return early;
    request_faults.forbidden.clear();
    const Finding late = co_await watch_answers(lasts);
    if (late) co_return late;
  }
  co_return std::nullopt;
}

// Failures of one tenant's requests must not affect others: their objects are served in time.
// Afterwards the tenant's objects are as well.
Task<Aftermath::Finding> Aftermath::trouble_one_tenant() {
  constexpr std::array<int, 6> kRefusals = {403, 404, 422, 429, 500, 503};
  RequestFaults& request_faults = world_.faulty_server.request_faults();
  const Obstacle obstacle{Obstacle::Of::one_namespace,
                          kUsedNamespaces[rng_.below(kUsedNamespaces.size())]};
  const int refusal = kRefusals[rng_.below(kRefusals.size())];
  world_.timeline.note("world", fmt::format("refuses all writes in {}: {}", obstacle.ns, refusal));
  request_faults.troubled_namespace = obstacle.ns;
  request_faults.troubled_by = refusal;
  for (int i = 0; i < 3; ++i) {
    world_.workload.act_everywhere();
    const Finding late = co_await watch_answers(world_.prompt / 2, obstacle);
    if (late) co_return late;
  }
  request_faults.troubled_namespace.clear();
  co_return co_await watch_answers({});
}

// However long a budget holds pods back: once it releases them, they are evicted soon.
Task<Aftermath::Finding> Aftermath::grant_no_budget() {
  world_.timeline.note("world", "grants no budget");
  Duration& every = world_.faulty_server.request_faults().budget_every;
  every = 24h;
  for (int i = 0; i < 3; ++i) {
    world_.workload.act_everywhere();
    const Obstacle budget{.of = Obstacle::Of::evictions, .grows_backoff = false};
    const Finding late = co_await watch_answers(kNoBudget / 3, budget);
    if (late) co_return late;
  }
  every = {};
  co_return co_await watch_answers({});
}

// A manager that may not read devices and taints evicts nobody, and does everything else.
Task<Aftermath::Finding> Aftermath::hide_one_kind() {
  std::string& hidden = world_.faulty_server.request_faults().forbidden_kind;
  hidden = rng_.below(2) == 0 ? "devicetaintrules" : "resourceslices";
  world_.timeline.note("world", fmt::format("hides all {} from a new process", hidden));
  world_.restart_managers();
  const Finding unready = co_await watch_answers(kRestart, {Obstacle::Of::everybody});
  if (unready) co_return unready;
  for (int i = 0; i < 3; ++i) {
    world_.workload.act_everywhere();
    const Finding late = co_await watch_answers(world_.prompt * 2 / 3, {Obstacle::Of::evictions});
    if (late) co_return late;
  }
  hidden.clear();
  co_await sleep_for(world_.loop.time(), kLongestRetry);
  co_return co_await watch_answers({});
}

// Refused evictions take no turns from accepted ones, however few turns there are.
Task<Aftermath::Finding> Aftermath::exhaust_eviction_rate() {
  MassEviction& mass_eviction = world_.workload.mass_eviction();
  RequestFaults& request_faults = world_.faulty_server.request_faults();
  world_.timeline.note("world", "brings many pods");
  mass_eviction.start_pods();
  const Finding unready = co_await watch_answers({});
  if (unready) co_return unready;
  world_.timeline.note("world", "refuses the evictions of most");
  request_faults.troubled_namespace = MassEviction::kLargeTenant;
  request_faults.troubled_by = 403;
  mass_eviction.taint();
  const auto turns =
      std::chrono::duration<double>(MassEviction::kSmallTenantPods / world_.eviction_rate);
  const Finding waiting =
      co_await wait_until([&] { return mass_eviction.small_tenant_left() == 0; },
                          kSlackOfTurns + std::chrono::duration_cast<Duration>(turns),
                          {"a refused eviction takes no turn", "pods wait behind the refused ones"},
                          {Obstacle::Of::one_namespace, MassEviction::kLargeTenant});
  if (waiting) co_return waiting;
  request_faults.troubled_namespace.clear();
  mass_eviction.remove_pods();
  co_return co_await watch_answers({});
}

// Claims that anybody can create prove no other manager, to which the managers here would give way:
// they delay nobody.
Task<Aftermath::Finding> Aftermath::copy_claims() {
  Copies& copies = world_.workload.copies();
  world_.timeline.note("world", "copies claims");
  copies.bring();
  const Finding before = co_await watch_answers(world_.prompt / 3);
  if (before) co_return before;
  copies.make_pod();
  const Finding waiting = co_await wait_until(
      [&] { return copies.has_pod_its_claim(); }, world_.prompt / 2,
      {"claims that anybody can make delay nobody", "a pod waits for its claim"});
  if (waiting) co_return waiting;
  copies.remove_pod();
  co_return co_await watch_answers({});
}

// A tenant's pods fail, and its requests take long: another tenant's pods get their claims and
// events as soon as if they were alone.
Task<Aftermath::Finding> Aftermath::flood() {
  if (world_.has_few_places) co_return std::nullopt;
  Flood& flood = world_.workload.flood();
  RequestFaults& request_faults = world_.faulty_server.request_faults();
  const Obstacle obstacle{Obstacle::Of::one_namespace, Flood::kLoudTenant};
  world_.timeline.note("world", "floods a namespace with failing pods");
  request_faults.troubled_namespace = Flood::kLoudTenant;
  request_faults.troubled_by = 500;
  request_faults.troubled_after = kWebhookTimeout;
  flood.start();
  const Finding early = co_await watch_answers(world_.prompt / 3, obstacle);
  if (early) co_return early;
  flood.make_calm_pods();
  const Finding waiting = co_await wait_until(
      [&] { return flood.are_calm_pods_served(world_.safety.reports()); }, world_.prompt / 2,
      {"failing pods delay no other tenant", "a claim or an event is missing"}, obstacle);
  if (waiting) co_return waiting;
  request_faults.troubled_namespace.clear();
  request_faults.troubled_after = {};
  flood.stop();
  co_return co_await watch_answers({});
}

// What is large takes little memory, and holds up nothing else.
Task<Aftermath::Finding> Aftermath::bring_giants() {
  Giants& giants = world_.workload.giants();
  world_.timeline.note("world", "brings giants");
  giants.make_large_objects();
  const Finding unread = co_await watch_answers(world_.prompt / 3);
  if (unread) co_return unread;
  if (const auto breach = world_.memory_breach()) co_return breach;
  giants.make_pod();
  const Finding waiting = co_await wait_until(
      [&] { return giants.has_pod_its_claims(); }, world_.prompt / 2,
      {"claims without template hold up no others of their pod", "its status lacks names"});
  if (waiting) co_return waiting;
  const Finding unreserved = co_await fill_claim();
  if (unreserved) co_return unreserved;
  giants.remove();
  co_return co_await watch_answers({});
}

// Of two pods, a claim has room for one.
Task<Aftermath::Finding> Aftermath::fill_claim() {
  Giants& giants = world_.workload.giants();
  giants.fill_claim();
  const Finding waiting = co_await wait_until(
      [&] { return giants.are_both_answered(world_.safety.reports()); }, world_.prompt / 2,
      {"a pod for which a claim has no room learns why", "there is no event"});
  if (waiting) co_return waiting;
  giants.delete_consumer();
  co_return co_await watch_answers(kSlack);
}

Task<Aftermath::Finding> Aftermath::wait_until(std::function<bool()> holds, Duration within,
                                               Breach otherwise, Obstacle obstacle) {
  const runtime::MonoTime end = now() + within;
  while (!holds()) {
    co_await sleep_for(world_.loop.time(), 1s);
    const Finding late = look(obstacle);
    if (late) co_return late;
    if (now() > end) co_return otherwise;
  }
  co_return std::nullopt;
}

// Watches until nothing is missing except what is blocked, and at least this long.
Task<Aftermath::Finding> Aftermath::watch_answers(Duration at_least, Obstacle obstacle) {
  const runtime::MonoTime begin = now();
  do {
    co_await sleep_for(world_.loop.time(), 2s);
    const Finding late = look(obstacle);
    if (late) co_return late;
  } while (!liveness_.is_served() || now() - begin < at_least);
  co_return std::nullopt;
}

Aftermath::Finding Aftermath::look(const Obstacle& obstacle) {
  if (!world_.safety.breaches().empty()) return world_.safety.breaches().front();
  if (const auto& breach = world_.workload.breach()) return breach;
  Finding late = liveness_.look(
      now(), missing_at_fixed_point(world_.safety, world_.loop.time().wall_now()), obstacle);
  if (late) late->details = "not in time: " + late->details;
  return late;
}

// At the fixed point nobody has anything to write; work that is due later happens in time.
Task<Aftermath::Finding> Aftermath::rest(Duration lasts) {
  do {
    const Finding restless = co_await watch_answers(kSlack);
    if (restless) co_return restless;
  } while (world_.faulty_server.writes_on_their_way() > 0);  // each requires a reaction
  world_.timeline.note("world", "is at rest");
  const std::uint64_t before = world_.manager_writes;
  const apiserver::Revision begin = world_.server.store().revision();
  const Finding late = co_await watch_answers(lasts);
  if (late) co_return late;
  const std::uint64_t writes = world_.manager_writes - before;
  if (writes > 0 && !world_.safety.has_evicted_lately(lasts + kSlack)) {
    co_return Breach{"a world at rest has no writes", fmt::format("{} writes", writes)};
  }
  if (const auto breach = world_.memory_breach()) co_return breach;
  co_return co_await lose_watches(begin);
}

// The server compacts history from before the quiet phase, as etcd does every few minutes;
// bookmarks handle that.
Task<Aftermath::Finding> Aftermath::lose_watches(apiserver::Revision forgotten) {
  const std::size_t before = world_.safety.relists();
  world_.server.compact_history(forgotten);
  world_.server.end_watches();
  const Finding late = co_await watch_answers(kSlack);
  if (late) co_return late;
  const std::size_t relists = world_.safety.relists() - before;
  if (relists == 0) co_return std::nullopt;
  co_return Breach{"a watch with bookmarks goes on", fmt::format("{} relists", relists)};
}

}  // namespace dcm::simulation
