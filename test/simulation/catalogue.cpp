// The small worlds whose orders are all tried.
#include <fmt/format.h>

#include "test/simulation/small_world.hpp"

namespace dcm::simulation {
namespace {

using Act = SmallWorld::Act;
using Script = SmallWorld::Script;

Act does(void (SmallWorkload::*what)()) {
  return [what](SmallWorkload& workload, const Trouble&) { (workload.*what)(); };
}
Act does(void (SmallWorkload::*what)(const std::string&), const std::string& pod = "pod") {
  return [what, pod](SmallWorkload& workload, const Trouble&) { (workload.*what)(pod); };
}
Act trouble(std::function<void()> Trouble::* what) {
  return [what](SmallWorkload&, const Trouble& trouble) { (trouble.*what)(); };
}
// Each pause gives earlier work 3 s more.
std::vector<Act> pauses(std::size_t count) {
  return std::vector<Act>(count, [](SmallWorkload&, const Trouble&) {});
}
std::vector<Act> in_turn(std::initializer_list<std::vector<Act>> parts) {
  std::vector<Act> all;
  for (const std::vector<Act>& part : parts) all.insert(all.end(), part.begin(), part.end());
  return all;
}
Act refuse_look_ups(int status) {
  return [status](SmallWorkload&, const Trouble& trouble) { trouble.refuse_look_ups(status); };
}
Act refuse(int status) {
  return [status](SmallWorkload&, const Trouble& trouble) { trouble.refuse(status); };
}
Act taint(bool is_tainted) {
  return [is_tainted](SmallWorkload& workload, const Trouble&) {
    workload.publish_device(is_tainted);
  };
}
Act share(const std::string& pod, bool is_bound) {
  return [pod, is_bound](SmallWorkload& workload, const Trouble&) {
    workload.make_sharing_pod(pod, is_bound);
  };
}

const Act kTemplate = does(&SmallWorkload::make_template);
const Act kPod = does(&SmallWorkload::make_pod);
const Act kReserve = does(&SmallWorkload::reserve);
const Act kBind = does(&SmallWorkload::bind);
const Act kFinish = does(&SmallWorkload::finish);
const Act kDelete = does(&SmallWorkload::delete_pod);
const Act kDeleteClaim = does(&SmallWorkload::delete_claim_of);
const Act kRule = does(&SmallWorkload::make_rule, "NoExecute");
const Act kNoRule = does(&SmallWorkload::delete_rule);
const Act kKill = trouble(&Trouble::kill_leader);
const Act kFreeze = trouble(&Trouble::freeze_leader);
const Act kStop = trouble(&Trouble::stop_leader);
const Act kCut = trouble(&Trouble::cut_connections);
const Act kGap = trouble(&Trouble::gap);
const Act kRelist = trouble(&Trouble::relist);

const std::vector<Act> kRunning = {kTemplate, kPod, kReserve, kBind};

void add_creations(std::vector<SmallWorld>& all) {
  const Script user{"user", {kPod}};
  all.push_back({.name = "create", .before = {kTemplate}, .scripts = {user}});
  all.push_back({.name = "create-late-template", .scripts = {user, {"admin", {kTemplate}}}});
  all.push_back({.name = "create-and-crash",
                 .before = {kTemplate},
                 .scripts = {user, {"crash", {kKill}}},
                 .pauses = 1});
  all.push_back({.name = "create-lost-answer",
                 .before = {kTemplate},
                 .scripts = {user},
                 .losses = 1,
                 .lost_answers = 1});
  all.push_back({.name = "create-doubled", .before = {kTemplate}, .scripts = {user}, .doubles = 1});
  all.push_back({.name = "create-late-write-of-the-dead",
                 .before = {kTemplate},
                 .scripts = {user, {"crash", {kKill}}},
                 .managers = 2,
                 .pauses = 1});
  all.push_back({.name = "create-lease-lost",
                 .before = {kTemplate},
                 .scripts = {user, {"freeze", {kFreeze}}},
                 .managers = 2,
                 .pauses = 1});
  all.push_back(
      {.name = "create-and-cut", .before = {kTemplate}, .scripts = {user, {"network", {kCut}}}});
  all.push_back(
      {.name = "create-and-relist", .before = {kTemplate}, .scripts = {user, {"etcd", {kRelist}}}});
  all.push_back({.name = "create-and-policy",
                 .before = {kTemplate},
                 .scripts = {user, {"admin", {refuse(422), refuse(0)}}}});
  all.push_back(
      {.name = "create-and-delete", .before = {kTemplate}, .scripts = {{"user", {kPod, kDelete}}}});
  all.push_back({.name = "create-and-replace",
                 .before = {kTemplate},
                 .scripts = {{"user", {kPod, kDelete, kPod}}}});
  all.push_back({.name = "claim-deleted",
                 .before = {kTemplate, kPod},
                 .scripts = {{"user", {kDeleteClaim}}},
                 .lost_answers = 1});
  all.push_back({.name = "create-stripped",
                 .before = {kTemplate},
                 .scripts = {user, {"crash", {kKill}}},
                 .strips_annotations = true,
                 .losses = 1,
                 .lost_answers = 1});
  all.push_back({.name = "two-pods",
                 .before = {kTemplate},
                 .scripts = {user, {"another", {does(&SmallWorkload::make_pod, "other")}}}});
}

void add_releases(std::vector<SmallWorld>& all) {
  all.push_back({.name = "release-finished",
                 .before = kRunning,
                 .scripts = {{"kubelet", {kFinish}}},
                 .losses = 1,
                 .lost_answers = 1});
  all.push_back({.name = "release-replaced",
                 .before = kRunning,
                 .scripts = {{"user", {kDelete, kPod}}, {"scheduler", {kReserve}}}});
  all.push_back({.name = "release-and-crash",
                 .before = kRunning,
                 .scripts = {{"kubelet", {kFinish}}, {"crash", {kKill}}},
                 .pauses = 1});
  all.push_back({.name = "release-and-policy",
                 .before = kRunning,
                 .scripts = {{"kubelet", {kFinish}}, {"admin", {refuse(422), refuse(0)}}}});
  all.push_back({.name = "release-and-relist",
                 .before = kRunning,
                 .scripts = {{"kubelet", {kFinish}}, {"etcd", {kRelist}}}});
  all.push_back({.name = "release-against-reserve",
                 .before = {does(&SmallWorkload::make_shared_claim), share("pod", false), kReserve,
                            kBind, share("other", false)},
                 .scripts = {{"kubelet", {kFinish}},
                             {"scheduler",
                              {does(&SmallWorkload::reserve, "other"),
                               does(&SmallWorkload::bind, "other")}}}});
  all.push_back({.name = "deallocate-against-allocate",
                 .before = {kTemplate, kPod, kReserve},
                 .scripts = {{"scheduler", {does(&SmallWorkload::unreserve), kReserve, kBind}},
                             {"user", {kDelete}}}});
  all.push_back(
      {.name = "reserve-for-bound",
       .before = {does(&SmallWorkload::make_shared_claim), share("pod", false), kReserve, kBind},
       .scripts = {{"user", {share("bound", true)}}, {"kubelet", {kFinish}}},
       .doubles = 1});
}

void add_evictions(std::vector<SmallWorld>& all) {
  all.push_back({.name = "evict", .before = kRunning, .scripts = {{"admin", {kRule}}}});
  all.push_back({.name = "evict-against-untaint",
                 .before = kRunning,
                 .scripts = {{"driver", {taint(true), taint(false)}}}});
  all.push_back({.name = "evict-against-rule-deleted",
                 .before = kRunning,
                 .scripts = {{"admin", {kRule, kNoRule}}}});
  all.push_back({.name = "evict-lost",
                 .before = kRunning,
                 .scripts = {{"admin", {kRule}}},
                 .losses = 1,
                 .lost_answers = 1});
  all.push_back({.name = "evict-doubled",
                 .before = kRunning,
                 .scripts = {{"driver", {taint(true)}}},
                 .doubles = 1});
  all.push_back({.name = "evict-replaced",
                 .before = kRunning,
                 .scripts = {{"admin", {kRule}}, {"user", {kDelete, kPod}}}});
  all.push_back({.name = "evict-and-crash",
                 .before = kRunning,
                 .scripts = {{"admin", {kRule}}, {"crash", {kKill}}},
                 .pauses = 1});
  all.push_back({.name = "evict-lease-lost",
                 .before = kRunning,
                 .scripts = {{"driver", {taint(true)}}, {"freeze", {kFreeze}}},
                 .managers = 2,
                 .pauses = 1});
  all.push_back({.name = "evict-and-policy",
                 .before = kRunning,
                 .scripts = {{"driver", {taint(true)}}, {"admin", {refuse(422), refuse(0)}}}});
  all.push_back({.name = "evict-by-eviction",
                 .before = kRunning,
                 .scripts = {{"driver", {taint(true)}}},
                 .evicts = true,
                 .losses = 1});
}

void add_groups(std::vector<SmallWorld>& all) {
  const Act group = does(&SmallWorkload::make_group);
  const Act member = does(&SmallWorkload::make_pod_of_group);
  const std::vector<Act> running = {kTemplate, group, member, kReserve, kBind};
  all.push_back({.name = "group-and-template",
                 .before = {member},
                 .scripts = {{"user", {group}}, {"admin", {kTemplate}}},
                 .has_groups = true});
  all.push_back({.name = "group-that-waits-for-its-template",
                 .before = in_turn({{group, member}, pauses(30)}),
                 .scripts = {{"admin", {kTemplate}}},
                 .has_groups = true});
  all.push_back({.name = "group-and-pod",
                 .before = {kTemplate},
                 .scripts = {{"user", {group}}, {"another", {member}}},
                 .has_groups = true,
                 .lost_answers = 1});
  all.push_back({.name = "evict-group",
                 .before = running,
                 .scripts = {{"admin", {kRule}}, {"driver", {taint(true)}}},
                 .has_groups = true});
}

// Events are messages as well: they may be lost, late, doubled, or gone from the server.
void add_events(std::vector<SmallWorld>& all) {
  const Script user{"user", {kPod}};
  const Script admin{"admin", {kTemplate}};
  all.push_back({.name = "event-of-eviction",
                 .before = kRunning,
                 .scripts = {{"admin", {kRule}}},
                 .orders_events = true,
                 .losses = 1,
                 .lost_answers = 1});
  all.push_back({.name = "event-of-cancelled-eviction",
                 .before = kRunning,
                 .scripts = {{"admin", {kRule, kNoRule}}},
                 .orders_events = true});
  all.push_back({.name = "event-of-failure",
                 .scripts = {user, admin},
                 .orders_events = true,
                 .losses = 1,
                 .doubles = 1,
                 .lost_answers = 1});
  all.push_back({.name = "event-expires",
                 .scripts = {user, {"etcd", {does(&SmallWorkload::delete_events)}}, admin},
                 .orders_events = true,
                 .lost_answers = 1});
}

// A manager stops while it starts, works or takes the lease.
void add_stops(std::vector<SmallWorld>& all) {
  const Script stop{"admin", {kStop}};
  for (const char* list : {"pods", "resourceclaims"}) {
    all.push_back({.name = fmt::format("stop-before-{}-are-listed", list),
                   .before = {kTemplate, kPod},
                   .scripts = {stop},
                   .includes_start = true,
                   .ordered_list = list,
                   .losses = 1,
                   .lost_answers = 1,
                   .pauses = 1});
  }
  all.push_back({.name = "stop-while-lease-is-taken",
                 .before = {kTemplate, kPod},
                 .scripts = {stop},
                 .managers = 2,
                 .includes_start = true,
                 .orders_leases = true,
                 .losses = 1,
                 .lost_answers = 1});
  all.push_back({.name = "stop-while-lease-is-renewed",
                 .before = {kTemplate},
                 .scripts = {{"user", {kPod}}, stop},
                 .managers = 2,
                 .orders_leases = true});
  all.push_back({.name = "stop-in-create",
                 .before = {kTemplate},
                 .scripts = {{"user", {kPod}}, stop},
                 .managers = 2,
                 .losses = 1,
                 .lost_answers = 1,
                 .pauses = 1});
  all.push_back({.name = "stop-in-eviction",
                 .before = kRunning,
                 .scripts = {{"admin", {kRule}}, stop},
                 .managers = 2});
}

// Adds worlds with effects that appear only after something else, or in long-existing objects.
void add_aftermaths(std::vector<SmallWorld>& all) {
  const Act change_rule = does(&SmallWorkload::change_rule, "NoExecute");
  all.push_back({.name = "rule-changed",
                 .before = in_turn({kRunning, {does(&SmallWorkload::make_rule, "None")}}),
                 .scripts = {{"admin", {change_rule}}}});
  all.push_back({.name = "replaced-in-a-gap",
                 .before = kRunning,
                 .scripts = {{"user", {kDelete, kPod}}, {"etcd", {kGap}}}});
  all.push_back({.name = "claim-deleted-and-relist",
                 .before = {kTemplate, kPod},
                 .scripts = {{"user", {kDeleteClaim}}, {"etcd", {kRelist}}}});
  all.push_back(
      {.name = "refused-for-long-and-again",
       .before = in_turn({{kTemplate, refuse(403), kPod}, pauses(30), {refuse(0)}, pauses(60)}),
       .scripts = {{"user", {kDeleteClaim}}, {"admin", {refuse(403), refuse(0)}}}});
  all.push_back({.name = "replaced-after-long-refusal",
                 .before = in_turn({{kTemplate, refuse(403), kPod}, pauses(30)}),
                 .scripts = {{"user", {kDelete, kPod}}, {"admin", {refuse(0)}}}});
  all.push_back({.name = "look-ups-refused",
                 .before = {does(&SmallWorkload::make_shared_claim), share("pod", false), kReserve,
                            kBind, refuse_look_ups(500)},
                 .scripts = {{"user", {share("other", false)}},
                             {"scheduler", {does(&SmallWorkload::reserve, "other")}},
                             {"admin", {refuse_look_ups(0)}}}});
  all.push_back({.name = "lease-taken-by-hand",
                 .before = {kTemplate},
                 .scripts = {{"user", {kPod}}, {"admin", {trouble(&Trouble::take_lease)}}},
                 .managers = 2,
                 .pauses = 1});
}

}  // namespace

std::vector<SmallWorld> catalogue() {
  std::vector<SmallWorld> all;
  add_creations(all);
  add_releases(all);
  add_evictions(all);
  add_groups(all);
  add_events(all);
  add_stops(all);
  add_aftermaths(all);
  return all;
}

}  // namespace dcm::simulation
