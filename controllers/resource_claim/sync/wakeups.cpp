#include "controllers/resource_claim/sync/wakeups.hpp"

#include <algorithm>

#include "controllers/common/pod_claims.hpp"
#include "controllers/resource_claim/stores.hpp"
#include "runtime/task.hpp"

namespace dcm::resource_claim {
namespace {

using namespace std::chrono_literals;

// Objects per slice of wake_all: about 1 ms.
constexpr std::size_t kSlice = 256;
// A pod or group with more claims than this is not judged on each event: it is queued, and so
// rarely that all its rounds together take a few percent of a core.
constexpr std::size_t kManyClaims = 64;
constexpr runtime::Duration kPauseForEach = 25us;  // per claim: a round takes about 1 µs for each

// Claims of consumers that are not pods are reported once each; beyond this number, again.
constexpr std::size_t kReportedClaimsMax = 1'024;

Priority priority_of(Origin origin) {
  return origin == Origin::live ? Priority::live : Priority::backlog;
}

bool is_nothing_to_do(const ClaimStep& step) {
  return std::holds_alternative<EndClaimRound>(step);
}

bool is_same_controller(const api::ResourceClaim& a, const api::ResourceClaim& b) {
  if (a.controller == nullptr || b.controller == nullptr) return a.controller == b.controller;
  return *a.controller == *b.controller;
}

}  // namespace

Wakeups::Wakeups(Stores stores, ItemQueue& queue, common::FeatureGates gates,
                 std::size_t uids_remembered, runtime::Logger log)
    : stores_(std::move(stores)),
      queue_(queue),
      gates_(gates),
      log_(std::move(log)),
      deleted_consumers_(uids_remembered),
      reported_claims_(kReportedClaimsMax) {}

runtime::Task<> Wakeups::wake_all() {
  std::optional<informers::Cursor> at = informers::Cursor();
  while (at) {
    at = stores_.pods.visit_slice(*at, kSlice,
                                  [this](const PodPtr& pod) { wake_pod(pod, Priority::backlog); });
    co_await runtime::yield();
  }
  at = stores_.groups ? std::optional(informers::Cursor()) : std::nullopt;
  while (at) {
    at = stores_.groups->groups.visit_slice(
        *at, kSlice, [this](const GroupPtr& group) { wake_group(group, Priority::backlog); });
    co_await runtime::yield();
  }
  at = informers::Cursor();
  while (at) {
    at = stores_.claims.visit_slice(
        *at, kSlice, [this](const ClaimPtr& claim) { wake_claim(claim, Priority::backlog); });
    co_await runtime::yield();
  }
}

void Wakeups::observe_added(const PodPtr& pod, Origin origin) {
  wake_pod(pod, priority_of(origin));
  if (!common::is_done(*pod)) return;
  wake_claims_of(*pod, common::names_of_claims(*pod), priority_of(origin));
}

void Wakeups::observe_updated(const PodPtr& /*before*/, const PodPtr& after, Origin origin) {
  observe_added(after, origin);
}

void Wakeups::observe_deleted(const PodPtr& last_known, Origin origin) {
  deleted_consumers_.add(last_known->meta.uid);
  end_backoff({Item::Kind::pod, last_known->meta.key});
  wake_claims_of(*last_known, common::names_of_claims(*last_known), priority_of(origin));
}

// The pod still exists, without claims of its own. Reservations for it stay. The cache will not
// show its end, so the API server is asked from now on.
void Wakeups::observe_left(const PodPtr& last_known, Origin origin) {
  stores_.claims_by_consumer.for_each(
      last_known->meta.uid, [&](const ClaimPtr& claim) { wake_claim(claim, priority_of(origin)); });
}

void Wakeups::observe_added(const ClaimPtr& claim, Origin origin) {
  wake_claim(claim, priority_of(origin));
  wake_users_of(claim, priority_of(origin));
}

void Wakeups::observe_updated(const ClaimPtr& before, const ClaimPtr& after, Origin origin) {
  const Priority priority = priority_of(origin);
  wake_claim(after, priority);
  wake_groups_of(*after, priority);
  wake_owner_that_names_another(*after, priority);
  if (!is_same_controller(*before, *after)) return wake_users_of(after, priority);
  // Without a node, a pod only needs the claim to exist. Thousands of pods may wait for one claim
  // that changes all the time.
  stores_.pods_by_claim.for_each(after->meta.key, [&](const PodPtr& pod) {
    if (!pod->node_name.empty()) wake_pod(pod, priority);
  });
}

void Wakeups::observe_deleted(const ClaimPtr& last_known, Origin origin) {
  end_backoff({Item::Kind::claim, last_known->meta.key});
  wake_users_of(last_known, priority_of(origin));
}

void Wakeups::observe_left(const ClaimPtr& last_known, Origin origin) {
  wake_users_of(last_known, priority_of(origin));
}

// The cause of earlier failures has ended, so back-offs start over.
void Wakeups::observe_added(const TemplatePtr& claim_template, Origin origin) {
  const api::NamespacedName& key = claim_template->meta.key;
  stores_.pods_by_template.for_each(
      key, [this](const PodPtr& pod) { end_backoff({Item::Kind::pod, pod->meta.key}); });
  if (stores_.groups) {
    stores_.groups->groups_by_template.for_each(
        key, [this](const GroupPtr& group) { end_backoff({Item::Kind::group, group->meta.key}); });
  }
  observe_updated(nullptr, claim_template, origin);
}

void Wakeups::observe_updated(const TemplatePtr& /*before*/, const TemplatePtr& after,
                              Origin origin) {
  stores_.pods_by_template.for_each(after->meta.key,
                                    [&](const PodPtr& pod) { wake_pod(pod, priority_of(origin)); });
  if (!stores_.groups) return;
  stores_.groups->groups_by_template.for_each(
      after->meta.key, [&](const GroupPtr& group) { wake_group(group, priority_of(origin)); });
}

// Claims that were created from it stay unchanged.
void Wakeups::observe_deleted(const TemplatePtr& /*last_known*/, Origin /*origin*/) {}
void Wakeups::observe_left(const TemplatePtr& /*last_known*/, Origin /*origin*/) {}

void Wakeups::observe_added(const GroupPtr& group, Origin origin) {
  stores_.groups->pods_by_group.for_each(group->meta.key, [this](const PodPtr& pod) {
    end_backoff({Item::Kind::pod, pod->meta.key});
  });
  observe_updated(nullptr, group, origin);
}

void Wakeups::observe_updated(const GroupPtr& /*before*/, const GroupPtr& after, Origin origin) {
  wake_group(after, priority_of(origin));
  wake_pods_of_group(after->meta.key, priority_of(origin));
}

void Wakeups::observe_deleted(const GroupPtr& last_known, Origin origin) {
  deleted_consumers_.add(last_known->meta.uid);
  end_backoff({Item::Kind::group, last_known->meta.key});
  wake_claims_of(*last_known, common::names_of_claims(*last_known), priority_of(origin));
}

void Wakeups::observe_left(const GroupPtr& /*last_known*/, Origin /*origin*/) {}  // all are kept

// Items are identified by name: the next object of a name must not wait because of failures of a
// deleted object.
void Wakeups::end_backoff(const Item& item) {
  if (mode_ == Mode::active) queue_.retry_now(item);
}

void Wakeups::wake_pod(const PodPtr& pod, Priority priority) {
  if (mode_ == Mode::standby) return;
  const Item item{Item::Kind::pod, pod->meta.key};
  if (wake_seldom(item, *pod, priority)) return;
  const PodSnapshot snapshot = make_pod_snapshot(stores_, pod);
  if (is_nothing_to_do(decide_pod(snapshot, gates_))) return;
  queue_.add(item, priority);
}

void Wakeups::wake_group(const GroupPtr& group, Priority priority) {
  if (mode_ == Mode::standby) return;
  const Item item{Item::Kind::group, group->meta.key};
  if (wake_seldom(item, *group, priority)) return;
  const GroupSnapshot snapshot = make_group_snapshot(stores_, group);
  if (is_nothing_to_do(decide_group(snapshot, gates_))) return;
  queue_.add(item, priority);
}

bool Wakeups::wake_seldom(const Item& item, const api::ClaimUser& user, Priority priority) {
  const auto claims = static_cast<runtime::Duration::rep>(user.claims.size());
  if (user.claims.size() <= kManyClaims) return false;
  queue_.add(item, {.after = claims * kPauseForEach, .priority = priority});
  return true;
}

void Wakeups::wake_claim(const ClaimPtr& claim, Priority priority) {
  if (mode_ == Mode::standby) return;
  report_foreign_consumers(*claim);
  const ClaimSnapshot snapshot = make_claim_snapshot(stores_, deleted_consumers_, gates_, claim);
  if (is_nothing_to_do(decide_claim(snapshot))) return;
  queue_.add({Item::Kind::claim, claim->meta.key}, priority);
}

// The claims that the pod or group refers to (`names`), owns, or is reserved in.
void Wakeups::wake_claims_of(const api::ClaimUser& user, const std::vector<std::string_view>& names,
                             Priority priority) {
  if (mode_ == Mode::standby) return;
  const auto wake = [&](const ClaimPtr& claim) { wake_claim(claim, priority); };
  for (const std::string_view name : names) {
    const ClaimPtr claim = stores_.claims.get({user.meta.key.namespace_, std::string(name)});
    if (claim != nullptr) wake(claim);
  }
  stores_.claims_by_owner.for_each(user.meta.uid, wake);
  stores_.claims_by_consumer.for_each(user.meta.uid, wake);
}

// Pods may be waiting for a new claim of their group: none of them names it yet.
void Wakeups::wake_users_of(const ClaimPtr& claim, Priority priority) {
  stores_.pods_by_claim.for_each(claim->meta.key,
                                 [&](const PodPtr& pod) { wake_pod(pod, priority); });
  wake_groups_of(*claim, priority);
  if (!stores_.groups || !common::has_group_as_controller(*claim)) return;
  wake_pods_of_group({claim->meta.key.namespace_, claim->controller->name}, priority);
}

// Two managers have each created a claim: the pod should name the one in use.
void Wakeups::wake_owner_that_names_another(const api::ResourceClaim& claim, Priority priority) {
  if (claim.reserved_for.empty() || !common::has_pod_as_controller(claim)) return;
  const PodPtr pod = stores_.pods.get({claim.meta.key.namespace_, claim.controller->name});
  if (pod == nullptr || pod->meta.uid != claim.controller->uid) return;
  if (pod->claims.size() > kManyClaims) return wake_pod(pod, priority);
  const auto names_another = [&claim](const api::PodClaimStatus& status) {
    return status.claim_name != claim.meta.key.name && is_for_pod_claim(claim, status.name.str());
  };
  if (std::ranges::any_of(pod->claim_statuses, names_another)) wake_pod(pod, priority);
}

void Wakeups::wake_pods_of_group(const api::NamespacedName& group, Priority priority) {
  stores_.groups->pods_by_group.for_each(group,
                                         [&](const PodPtr& pod) { wake_pod(pod, priority); });
}

void Wakeups::wake_groups_of(const api::ResourceClaim& claim, Priority priority) {
  if (!stores_.groups) return;
  stores_.groups->groups_by_claim.for_each(
      claim.meta.key, [&](const GroupPtr& group) { wake_group(group, priority); });
}

void Wakeups::report_foreign_consumers(const api::ResourceClaim& claim) {
  if (claim.reserved_for.empty() || reported_claims_.contains(claim.meta.uid)) return;
  const bool do_groups_count = common::group_claims(gates_) == common::GroupClaims::shared;
  const auto is_foreign = [&](const api::ConsumerReference& consumer) {
    return !consumer.is_pod() && !(consumer.is_pod_group() && do_groups_count);
  };
  const auto first = std::ranges::find_if(claim.reserved_for, is_foreign);
  if (first == claim.reserved_for.end()) return;
  reported_claims_.add(claim.meta.uid);
  log_.warning("A claim is reserved for a consumer that is not a pod; the reservation is kept",
               {{"claim", claim.meta.key.str()},
                {"apiGroup", first->group.str()},
                {"resource", first->resource.str()},
                {"name", first->name},
                {"consumers", std::ranges::count_if(claim.reserved_for, is_foreign)}});
}

}  // namespace dcm::resource_claim
