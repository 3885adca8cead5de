#include "controllers/resource_claim/sync/wakeups.hpp"

#include <algorithm>

#include "controllers/common/pod_claims.hpp"
#include "controllers/resource_claim/stores.hpp"
#include "runtime/task.hpp"

namespace dcm::resource_claim {
namespace {

using namespace std::chrono_literals;

// Objects per slice of a walk: about 1 ms.
constexpr std::size_t kSlice = 256;
// A pod or group with more claims than this, in its spec or made by others, is not judged on each
// event: it is queued, and so rarely that all its rounds together take a few percent of a core.
constexpr std::size_t kManyClaims = 8;
// More pods and groups than this are woken by a worker, as rarely. Below both limits, an event
// takes at most 512 decisions about a claim: half a millisecond.
constexpr std::size_t kManyUsers = 64;

// Claims of consumers that are not pods are reported once each; beyond this number, again.
constexpr std::size_t kReportedClaimsMax = 1'024;

// A round takes about 1 µs for each.
runtime::Duration pause_for(std::size_t claims_or_users) {
  return static_cast<runtime::Duration::rep>(claims_or_users) * 25us;
}

Priority priority_of(Origin origin) {
  return origin == Origin::live ? Priority::live : Priority::backlog;
}

bool is_nothing_to_do(const ClaimStep& step) {
  return std::holds_alternative<EndClaimRound>(step);
}

// Whether pods and groups that use the claim may have something to do now. They look at nothing
// else of it, and thousands may use a claim that somebody labels again and again.
bool concerns_users(const api::ResourceClaim& before, const api::ResourceClaim& after) {
  return before.meta.uid != after.meta.uid || before.is_allocated != after.is_allocated ||
         before.meta.is_being_deleted != after.meta.is_being_deleted ||
         before.reserved_for != after.reserved_for;
}

// The same for the pods of a group.
bool concerns_pods(const api::PodGroup& before, const api::PodGroup& after) {
  return before.meta.uid != after.meta.uid ||
         before.meta.is_being_deleted != after.meta.is_being_deleted ||
         before.claims != after.claims || before.claim_statuses != after.claim_statuses;
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
  co_await informers::walk(stores_.pods, kSlice,
                           [this](const PodPtr& pod) { wake_pod(pod, Priority::backlog); });
  if (stores_.groups) {
    co_await informers::walk(stores_.groups->groups, kSlice, [this](const GroupPtr& group) {
      wake_group(group, Priority::backlog);
    });
  }
  co_await informers::walk(stores_.claims, kSlice,
                           [this](const ClaimPtr& claim) { wake_claim(claim, Priority::backlog); });
}

void Wakeups::observe_added(const PodPtr& pod, Origin origin) {
  wake_pod(pod, priority_of(origin));
  if (!common::is_done(*pod)) return;
  wake_claims_of(pod, priority_of(origin));
}

void Wakeups::observe_updated(const PodPtr& before, const PodPtr& after, Origin origin) {
  // The claims of a pod that was done before have been woken.
  if (before->meta.uid != after->meta.uid || !common::is_done(*before)) {
    return observe_added(after, origin);
  }
  wake_pod(after, priority_of(origin));
}

void Wakeups::observe_deleted(const PodPtr& last_known, Origin origin) {
  deleted_consumers_.add(last_known->meta.uid);
  end_backoff({Item::Kind::pod, last_known->meta.key});
  wake_claims_of(last_known, priority_of(origin));
}

// The pod still exists, without claims of its own. Reservations for it stay. The cache will not
// show its end, so the API server is asked from now on.
void Wakeups::observe_left(const PodPtr& last_known, Origin origin) {
  wake_claims_of(last_known, priority_of(origin));
}

// After a restore of etcd, claims may be listed before the consumers that it has brought back.
void Wakeups::distrust_memory(Origin origin) {
  if (origin == Origin::initial) deleted_consumers_.clear();
}

void Wakeups::observe_added(const ClaimPtr& claim, Origin origin) {
  distrust_memory(origin);
  wake_claim(claim, priority_of(origin));
  wake_users_of(*claim, priority_of(origin));
}

void Wakeups::observe_updated(const ClaimPtr& before, const ClaimPtr& after, Origin origin) {
  distrust_memory(origin);
  const Priority priority = priority_of(origin);
  wake_claim(after, priority);
  wake_owner_that_names_another(*after, priority);
  if (before->controller != after->controller) return wake_users_of(*after, priority);
  if (concerns_users(*before, *after)) {
    wake_users({Item::Kind::claim_users, after->meta.key}, priority);
  }
}

void Wakeups::observe_deleted(const ClaimPtr& last_known, Origin origin) {
  end_backoff({Item::Kind::claim, last_known->meta.key});
  wake_users_of(*last_known, priority_of(origin));
}

void Wakeups::observe_left(const ClaimPtr& last_known, Origin origin) {
  wake_users_of(*last_known, priority_of(origin));
}

void Wakeups::observe_added(const TemplatePtr& claim_template, Origin origin) {
  wake_users({Item::Kind::template_users, claim_template->meta.key}, priority_of(origin));
}

// The content of a template is immutable, so another content means another template.
void Wakeups::observe_updated(const TemplatePtr& before, const TemplatePtr& after, Origin origin) {
  if (before->meta.uid != after->meta.uid) observe_added(after, origin);
}

// Claims that were created from it stay unchanged.
void Wakeups::observe_deleted(const TemplatePtr& /*last_known*/, Origin /*origin*/) {}
void Wakeups::observe_left(const TemplatePtr& /*last_known*/, Origin /*origin*/) {}

void Wakeups::observe_added(const GroupPtr& group, Origin origin) {
  wake_group(group, priority_of(origin));
  wake_users({Item::Kind::group_members, group->meta.key}, priority_of(origin));
}

void Wakeups::observe_updated(const GroupPtr& before, const GroupPtr& after, Origin origin) {
  if (concerns_pods(*before, *after)) return observe_added(after, origin);
  wake_group(after, priority_of(origin));
}

void Wakeups::observe_deleted(const GroupPtr& last_known, Origin origin) {
  deleted_consumers_.add(last_known->meta.uid);
  end_backoff({Item::Kind::group, last_known->meta.key});
  wake_claims_of(last_known, priority_of(origin));
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
  if (enqueue_delayed_if_costly(item, *pod, priority)) return;
  const PodSnapshot snapshot = make_pod_snapshot(stores_, pod);
  if (is_nothing_to_do(decide_pod(snapshot, gates_))) return;
  queue_.add(item, priority);
}

void Wakeups::wake_group(const GroupPtr& group, Priority priority) {
  if (mode_ == Mode::standby) return;
  const Item item{Item::Kind::group, group->meta.key};
  if (enqueue_delayed_if_costly(item, *group, priority)) return;
  const GroupSnapshot snapshot = make_group_snapshot(stores_, group);
  if (is_nothing_to_do(decide_group(snapshot, gates_))) return;
  queue_.add(item, priority);
}

bool Wakeups::enqueue_delayed_if_costly(const Item& item, const api::ClaimUser& user,
                                        Priority priority) {
  // A user may make any number of claims with a pod as their controller.
  const std::size_t claims =
      std::max(user.claims.size(), stores_.claims_by_user.count(user.meta.uid));
  if (claims <= kManyClaims) return false;
  queue_.add(item, {.after = pause_for(claims), .priority = priority});
  return true;
}

void Wakeups::wake_claim(const ClaimPtr& claim, Priority priority) {
  if (mode_ == Mode::standby) return;
  report_foreign_consumers(*claim);
  const ClaimSnapshot snapshot = make_claim_snapshot(stores_, deleted_consumers_, gates_, claim);
  if (is_nothing_to_do(decide_claim(snapshot))) return;
  queue_.add({Item::Kind::claim, claim->meta.key}, priority);
}

template <class User>
void Wakeups::wake_claims_of(const informers::ObjectPtr<User>& user, Priority priority) {
  if (mode_ == Mode::standby) return;
  const api::ObjectMeta& meta = user->meta;
  const std::size_t claims = user->claims.size() + stores_.claims_by_user.count(meta.uid);
  if (claims > kManyUsers) {
    ended_[meta.key].insert_or_assign(meta.uid, user);
    queue_.add({Item::Kind::claims_of_ended, meta.key},
               {.after = pause_for(claims), .priority = priority});
    return;
  }
  const OwnClaims found = claims_of(user);
  for (std::size_t i = 0; i < found.size(); ++i) wake_own_claim(found, i, priority);
}

runtime::Task<Outcome> Wakeups::wake_claims_of_ended(api::NamespacedName key, Priority priority) {
  const auto ended = ended_.extract(key);
  if (!ended) co_return Outcome::done();
  for (const auto& [uid, user] : ended.mapped()) {
    const OwnClaims found = claims_of(user);
    for (std::size_t i = 0; i < found.size(); ++i) {
      wake_own_claim(found, i, priority);
      if ((i + 1) % kSlice == 0) co_await runtime::yield();
    }
  }
  co_return Outcome::done();
}

Wakeups::OwnClaims Wakeups::claims_of(const Ended& ended) const {
  return std::visit(
      [this](const auto& user) -> OwnClaims {
        return {user->meta.key.namespace_, common::names_of_claims(*user),
                stores_.claims_by_user.places(user->meta.uid)};
      },
      ended);
}

// A place may hold another claim by now. Waking that one does no harm.
void Wakeups::wake_own_claim(const OwnClaims& found, std::size_t i, Priority priority) {
  const std::size_t names = found.names.size();
  const ClaimPtr claim = i < names
                             ? stores_.claims.get({found.namespace_, std::string(found.names[i])})
                             : stores_.claims.at(found.places[i - names]);
  if (claim != nullptr) wake_claim(claim, priority);
}

void Wakeups::wake_users_of(const api::ResourceClaim& claim, Priority priority) {
  wake_users({Item::Kind::claim_users, claim.meta.key}, priority);
  if (!stores_.groups || !common::has_group_as_controller(claim)) return;
  // The group may have to name the claim, or its pods wait for one that it names already.
  const api::NamespacedName key{claim.meta.key.namespace_, claim.controller->name};
  if (const GroupPtr group = stores_.groups->groups.get(key)) wake_group(group, priority);
  wake_users({Item::Kind::group_members, key}, priority);
}

void Wakeups::wake_users(const Item& users, Priority priority) {
  if (mode_ == Mode::standby) return;
  const Users found = find(users);
  if (found.size() <= kManyUsers) return wake(found, 0, found.size(), users, priority);
  queue_.add(users, {.after = pause_for(found.size()), .priority = priority});
}

runtime::Task<Outcome> Wakeups::wake_many(Item users, Priority priority) {
  const Users found = find(users);
  for (std::size_t from = 0; from < found.size(); from += kSlice) {
    wake(found, from, std::min(from + kSlice, found.size()), users, priority);
    co_await runtime::yield();
  }
  co_return Outcome::done();
}

Wakeups::Users Wakeups::find(const Item& users) const {
  const GroupStores* const groups = stores_.groups ? &*stores_.groups : nullptr;
  Users found;
  if (users.kind == Item::Kind::claim_users) {
    found.pods = stores_.pods_by_claim.places(users.key);
    if (groups != nullptr) found.groups = groups->groups_by_claim.places(users.key);
  } else if (users.kind == Item::Kind::template_users) {
    found.pods = stores_.pods_by_template.places(users.key);
    if (groups != nullptr) found.groups = groups->groups_by_template.places(users.key);
  } else if (groups != nullptr) {
    found.pods = groups->pods_by_group.places(users.key);
  }
  return found;
}

// A place may hold another object by now. Waking that one does no harm.
void Wakeups::wake(const Users& found, std::size_t from, std::size_t until, const Item& users,
                   Priority priority) {
  // A new template or group ends the cause of failures. A claim changes as its users come and go.
  const bool start_over = users.kind != Item::Kind::claim_users;
  const auto may_wake = [&](const Item& item) {
    const bool may = queue_.may_go_early(item);
    if (may && start_over) end_backoff(item);
    return may;
  };
  for (std::size_t i = from; i < until; ++i) {
    if (i < found.pods.size()) {
      const PodPtr pod = stores_.pods.at(found.pods[i]);
      if (pod != nullptr && may_wake({Item::Kind::pod, pod->meta.key})) wake_pod(pod, priority);
    } else {
      const GroupPtr group = stores_.groups->groups.at(found.groups[i - found.pods.size()]);
      if (group != nullptr && may_wake({Item::Kind::group, group->meta.key}))
        wake_group(group, priority);
    }
  }
}

// Two managers have each created a claim: the pod should name the one in use.
void Wakeups::wake_owner_that_names_another(const api::ResourceClaim& claim, Priority priority) {
  if (claim.reserved_for.empty()) return;
  const PodPtr pod = stores_.owner_pod_of(claim);
  if (pod == nullptr) return;
  if (pod->claims.size() > kManyClaims) return wake_pod(pod, priority);
  const auto names_another = [&claim](const api::PodClaimStatus& status) {
    return status.claim_name != claim.meta.key.name && is_for_pod_claim(claim, status.name.str());
  };
  if (std::ranges::any_of(pod->claim_statuses, names_another)) wake_pod(pod, priority);
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
