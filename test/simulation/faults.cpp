#include "test/simulation/faults.hpp"

#include <algorithm>
#include <array>
#include <span>
#include <utility>

#include <fmt/format.h>

#include "test/simulation/weighted_draw.hpp"

namespace dcm::simulation {
namespace {

using namespace std::chrono_literals;

constexpr std::array<std::string_view, kFaultKinds> kNames = {
    "cut connections", "cut one manager",    "lose requests",   "lose answers",
    "cut answers",     "delay requests",     "double requests", "disown requests",
    "refuse",          "slow network",       "stall watches",   "cut watches",
    "compact",         "lose bookmarks",     "restart server",  "kill manager",
    "stop manager",    "kill at some await", "kill in create",  "freeze manager",
    "jump clock",      "lag watches",        "forbid requests", "forbid kind",
    "slow lists",      "conflicting writes", "change lease",    "restore etcd"};

constexpr std::array<int, 4> kRefusals = {429, 500, 503, 504};

constexpr std::array<Forbidden, 15> kForbidden = {{
    {"create", "resourceclaims", ""},
    {"patch", "pods", "status"},
    {"delete", "pods", ""},
    {"create", "pods", "eviction"},
    {"delete", "resourceclaims", ""},
    {"patch", "resourceclaims", "status"},
    {"patch", "resourceclaims", ""},
    {"patch", "devicetaintrules", "status"},
    {"create", "events", ""},
    {"update", "leases", ""},
    {"get", "pods", ""},
    {"get", "resourceclaims", ""},
    {"list", "resourceclaims", ""},
    {"watch", "pods", ""},
    {"watch", "resourceclaims", ""},
}};

constexpr std::array<Forbidden, 4> kForbiddenOfGroups = {{
    {"patch", "podgroups", "status"},
    {"get", "podgroups", ""},
    {"list", "podgroups", ""},
    {"watch", "podgroups", ""},
}};

runtime::Duration draw(runtime::Rng& rng, runtime::Duration least, runtime::Duration most) {
  const auto room = static_cast<std::uint64_t>((most - least).count());
  return least + runtime::Duration(static_cast<std::int64_t>(rng.below(room)));
}

Fault draw_fault(runtime::Rng& rng, Fault::Kind kind, runtime::Duration until) {
  Fault fault{.kind = kind, .lasts = draw(rng, 1s, 60s)};
  fault.at = draw(rng, 5s, until - fault.lasts);
  fault.share = 0.05 + rng.unit() * (rng.below(4) == 0 ? 0.9 : 0.3);
  fault.choice = rng.next() & 0xffff'ffff;
  return fault;
}

}  // namespace

// The snapshot must be older than the last renewal of the lease. Recovery takes a minute.
std::optional<Fault> draw_restore(runtime::Rng rng, runtime::Duration until) {
  if (rng.below(8) != 0) return std::nullopt;
  Fault fault{.kind = Fault::Kind::restore_etcd, .lasts = draw(rng, 30s, 300s)};
  fault.at = draw(rng, 5s, until - fault.lasts - 60s);
  fault.choice = rng.next() & 0xffff'ffff;
  return fault;
}

void let_meet_groups(std::vector<Fault>& faults, runtime::Rng rng) {
  for (Fault& fault : faults) fault.meets_groups = rng.below(4) == 0;
}

std::string resource_of(const Fault& fault) {
  if (fault.meets_groups) return kGroups;
  const std::size_t number = fault.choice % (kWatched.size() + 1);
  return number == kWatched.size() ? "*" : kWatched[number];
}

int refusal_of(const Fault& fault) {
  return kRefusals[fault.choice % kRefusals.size()];
}

std::vector<Forbidden> all_writes() {
  std::vector<Forbidden> writes;
  for (const Forbidden& each : kForbidden) {
    const bool is_read = each.verb == "get" || each.verb == "list" || each.verb == "watch";
    if (!is_read && each.resource != "leases") writes.push_back(each);
  }
  writes.push_back(kForbiddenOfGroups.front());
  return writes;
}

std::vector<Forbidden> forbidden_of(const Fault& fault) {
  std::vector<Forbidden> forbidden;
  const auto choose_from = [&](std::span<const Forbidden> all) {
    for (std::size_t i = 0; i < all.size(); ++i) {
      const bool is_first = i == fault.choice % all.size();
      // Different bits of the choice for each.
      if (is_first || (fault.choice >> (i + i)) % 4 == 0) forbidden.push_back(all[i]);
    }
  };
  choose_from(kForbidden);
  if (fault.meets_groups) choose_from(kForbiddenOfGroups);
  return forbidden;
}

int forbidden_status_of(const Fault& fault) {
  constexpr std::array<int, 4> kStatuses = {403, 404, 422, 500};
  return kStatuses[fault.choice / kForbidden.size() % kStatuses.size()];
}

runtime::Duration clock_error_of(const Fault& fault) {
  // From a second to some hours, each order of magnitude equally often.
  const auto size = std::chrono::seconds(1) * (1 + fault.choice % 7) * (1U << (fault.choice % 13));
  return fault.share < 0.2 ? -size : size;
}

runtime::Duration lag_of(const Fault& fault) {
  return std::chrono::duration_cast<runtime::Duration>(kLagMax * fault.share);
}

runtime::Duration downtime_of(const Fault& fault) {
  return 1s + 1s * (fault.choice / 2 % 20);
}

bool bumps_revision(const Fault& fault) {
  return fault.choice % 2 == 0;
}

std::uint64_t tasks_of(const Fault& fault) {
  return fault.choice % (1U << (3 + fault.choice % 9));
}

bool stops_successor(const Fault& fault) {
  return (fault.choice >> 16) % 2 == 0;
}

std::string Fault::str() const {
  const auto seconds = [](runtime::Duration duration) {
    return std::chrono::duration<double>(duration).count();
  };
  return fmt::format("{} at {:.1f} s for {:.1f} s, share {:.2f}, choice {}",
                     kNames[static_cast<std::size_t>(kind)], seconds(at), seconds(lasts), share,
                     choice);
}

std::vector<Fault> draw_faults(runtime::Rng rng, runtime::Duration until) {
  // A few kinds are likely in a world, so that the mixture varies. The last kind is not drawn here.
  std::array<double, kFaultKinds - 1> weights{};
  for (double& weight : weights) weight = 0.05 + (rng.below(3) == 0 ? rng.unit() : 0);
  // Which kinds are frequent in a world.
  weights[static_cast<std::size_t>(Fault::Kind::forbid_requests)] += 0.3;
  std::vector<Fault> faults(5 + rng.below(12));
  for (Fault& fault : faults) {
    fault = draw_fault(rng, static_cast<Fault::Kind>(draw_by_weight(rng, weights)), until);
    // Faults often come together.
    const bool is_with_last = &fault != &faults.front() && rng.below(3) == 0;
    if (is_with_last)
      fault.at = std::min((&fault - 1)->at + draw(rng, 0s, 5s), until - fault.lasts);
  }
  std::ranges::sort(faults, {},
                    [](const Fault& fault) { return std::pair(fault.at, fault.choice); });
  return faults;
}

}  // namespace dcm::simulation
