#include "test/simulation/fault_injector.hpp"

#include <iterator>
#include <utility>

#include <fmt/format.h>

#include "test/simulation/actor.hpp"

namespace dcm::simulation {
namespace {

using namespace std::chrono_literals;
using runtime::Duration;
using runtime::sleep_for;
using runtime::Task;

// Longer than a lease takes to expire, and to be taken over.
constexpr Duration kLagInCreate = 25s;
// More writes than any world has.
constexpr apiserver::Revision kBump = 1'000'000'000;

}  // namespace

FaultInjector::FaultInjector(World world)
    : world_(world), usual_(world.faulty_server.request_faults()) {}

Task<> FaultInjector::inject(Fault fault) {
  co_await sleep_for(world_.loop.time(), fault.at);
  world_.timeline.note("FAULT", fault.str());
  co_await apply(fault);
  world_.timeline.note("FAULT", "ends: " + fault.str());
}

// Of two faults that set the same thing, the one that ends first ends both.
template <class T>
Task<> FaultInjector::set_for(Duration lasts, T& setting, T value, T usual) {
  setting = std::move(value);
  co_await sleep_for(world_.loop.time(), lasts);
  setting = std::move(usual);
  world_.faulty_server.request_faults_changed();
}

Task<> FaultInjector::apply(Fault fault) {
  using enum Fault::Kind;
  RequestFaults& request_faults = world_.faulty_server.request_faults();
  const Duration lasts = fault.lasts;
  const std::string resource = resource_of(fault);
  switch (fault.kind) {
    case cut_connections:
      world_.network.cut_all();
      break;
    case lose_requests:
      co_await set_for(lasts, request_faults.lost_before, fault.share);
      break;
    case lose_answers:
      co_await set_for(lasts, request_faults.lost_after, fault.share);
      break;
    case cut_answers:
      co_await set_for(lasts, request_faults.cut, fault.share);
      break;
    case delay_requests:
      co_await set_for(lasts, request_faults.delayed, fault.share);
      break;
    case double_requests:
      co_await set_for(lasts, request_faults.doubled, fault.share);
      break;
    case disown_requests:
      co_await set_for(lasts, request_faults.disowned, fault.share);
      break;
    case refuse:
      request_faults.refusal = refusal_of(fault);
      co_await set_for(lasts, request_faults.refused, fault.share);
      break;
    case slow_network:
      co_await set_for<Duration>(lasts, request_faults.latency_max, 2s, usual_.latency_max);
      break;
    case stall_watches:
      co_await set_for(lasts, request_faults.stalled_watches, resource);
      break;
    case cut_watches:
      end_watches(resource);
      break;
    case compact:
      world_.server.compact_history();
      end_watches(resource);
      break;
    case lose_bookmarks:
      co_await set_for(lasts, request_faults.loses_bookmarks, true);
      break;
    case restart_server:
      co_await take_server_down(fault);
      break;
    case lag_watches:
      co_await lag(resource, lag_of(fault), lasts);
      break;
    case forbid_requests:
      request_faults.forbidden_by = forbidden_status_of(fault);
      co_await set_for(lasts, request_faults.forbidden, forbidden_of(fault));
      break;
    case forbid_kind:
      co_await set_for(lasts, request_faults.forbidden_kind, resource);
      break;
    case slow_lists:
      co_await set_for(lasts, request_faults.slow_lists, resource);
      break;
    case conflict:
      co_await set_for(lasts, request_faults.conflicting, fault.share);
      break;
    case change_lease:
      change_lease_by_hand(fault);
      break;
    case restore_etcd:
      co_await this->restore_etcd(fault);
      break;
    default:
      co_await apply_to_manager(fault);
  }
}

Task<> FaultInjector::apply_to_manager(Fault fault) {
  using enum Fault::Kind;
  auto chosen = world_.replicas.begin();
  std::advance(chosen, fault.choice % world_.replicas.size());
  Replica& replica = *chosen;
  switch (fault.kind) {
    case cut_one_manager:
      replica.cut_connections();
      break;
    case kill_manager:
      if (stops_successor(fault)) {
        replica.stop_next_after(tasks_of(fault), runtime::MonoTime(world_.until));
      }
      replica.command(Replica::Order::kill);
      break;
    case stop_manager:
      replica.command(Replica::Order::stop);
      break;
    case kill_at_some_await:
      die_at_some_await(fault, replica);
      break;
    case kill_in_create:
      co_await die_in_create(fault);
      break;
    case freeze_manager:
      co_await freeze(fault, replica);
      break;
    case jump_clock:
      co_await put_clock_wrong(fault, replica);
      break;
    default:
      break;
  }
}

void FaultInjector::observe_write(const std::string& process, Kind kind) {
  const bool kills = kind == Kind::create_of_claim && std::exchange(kills_in_create_, false);
  const bool freezes = std::exchange(freezes_in_write_, false);
  for (Replica& replica : world_.replicas) {
    if (replica.process_name() != process) continue;
    if (freezes) replica.freeze();
    if (kills) replica.die();
  }
}

Task<> FaultInjector::lag(std::string resource, Duration by, Duration lasts) {
  auto lags = usual_.lags;
  for (const char* each : kWatched) {
    if (resource == "*" || resource == each) lags[each] = by;
  }
  if (resource == "*" || resource == kGroups) lags[kGroups] = by;
  co_await set_for(lasts, world_.faulty_server.request_faults().lags, std::move(lags), usual_.lags);
}

// Taken by somebody who does not lead, or cleared. Does nothing if there is no lease.
void FaultInjector::change_lease_by_hand(const Fault& fault) {
  world_.safety.allow_two_leaders();
  // Always different: nobody can distinguish a lease from an equal earlier one.
  const std::string other = fmt::format("somebody {}", fault.choice);
  put_into_lease(world_.server, fault.choice % 3 == 0 ? "" : other);
}

Task<> FaultInjector::take_server_down(Fault fault) {
  if (is_server_down_) co_return;
  is_server_down_ = true;
  co_await world_.faulty_server.stop();
  if (fault.choice % 2 == 0) world_.server.compact_history();
  co_await sleep_for(world_.loop.time(), fault.lasts);
  world_.faulty_server.start();
  is_server_down_ = false;
}

// If revisions go back, managers notice by their lease; without one, an admin restarts them.
Task<> FaultInjector::restore_etcd(Fault fault) {
  const apiserver::Store::Snapshot snapshot = world_.server.store().snapshot();
  co_await sleep_for(world_.loop.time(), fault.lasts - downtime_of(fault));
  if (is_server_down_) co_return;
  is_server_down_ = true;
  co_await world_.faulty_server.stop();
  co_await sleep_for(world_.loop.time(), downtime_of(fault));
  const bool is_bumped = bumps_revision(fault);
  world_.server.restore(snapshot,
                        is_bumped ? world_.server.store().revision() + kBump : snapshot.revision);
  world_.safety.start_over(snapshot);
  if (!is_bumped && !world_.elects) {
    for (Replica& replica : world_.replicas) replica.command(Replica::Order::kill);
  }
  world_.faulty_server.start();
  is_server_down_ = false;
}

void FaultInjector::die_at_some_await(const Fault& fault, Replica& replica) {
  world_.loop.after_tasks(tasks_of(fault), [this, &replica] {
    if (world_.loop.time().now().time_since_epoch() < world_.until) replica.die();
  });
}

// The next leader has not seen that claim yet.
Task<> FaultInjector::die_in_create(Fault fault) {
  kills_in_create_ = true;
  co_await lag("resourceclaims", kLagInCreate, fault.lasts);
  kills_in_create_ = false;
}

// Freezes a chosen replica at once, or usually the replica that writes next, at its write.
Task<> FaultInjector::freeze(Fault fault, Replica& replica) {
  const bool is_chosen = fault.choice % 4 == 0;
  if (is_chosen) replica.freeze();
  freezes_in_write_ = freezes_in_write_ || !is_chosen;
  co_await sleep_for(world_.loop.time(), fault.lasts);
  freezes_in_write_ = false;
  for (Replica& each : world_.replicas) co_await each.thaw();
}

Task<> FaultInjector::put_clock_wrong(Fault fault, Replica& replica) {
  const Duration by = clock_error_of(fault);
  world_.safety.allow_wrong_clocks(by);
  replica.clock().set_wrong_by(by);
  co_await sleep_for(world_.loop.time(), fault.lasts);
  replica.clock().set_wrong_by({});
}

void FaultInjector::end_watches(const std::string& resource) {
  if (resource == "*") {
    world_.server.end_watches();
  } else {
    world_.server.end_watches(resource);
  }
}

}  // namespace dcm::simulation
