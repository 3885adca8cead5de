#include "controllers/resource_claim/wakeups.hpp"

#include "controllers/common/pod_claims.hpp"
#include "controllers/resource_claim/snapshots.hpp"
#include "runtime/task.hpp"

namespace dcm::resource_claim {
namespace {

// Objects per slice of wake_all: about 1 ms.
constexpr std::size_t kSlice = 256;
// Consumers that are no pods are reported once; who has more of them is told again.
constexpr std::size_t kReportedConsumersMax = 1'024;

Priority priority_of(Origin origin) {
  return origin == Origin::live ? Priority::live : Priority::backlog;
}

bool is_nothing_to_do(const PodStep& step) {
  const auto* finished = std::get_if<PodFinished>(&step);
  return finished != nullptr && finished->problems.empty();
}

bool is_nothing_to_do(const ClaimStep& step) {
  return std::holds_alternative<ClaimFinished>(step);
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
      deleted_pods_(uids_remembered),
      reported_consumers_(kReportedConsumersMax) {}

runtime::Task<> Wakeups::wake_all() {
  std::optional<informers::Cursor> at = informers::Cursor();
  while (at) {
    at = stores_.pods.visit_slice(*at, kSlice,
                                  [this](const PodPtr& pod) { wake_pod(pod, Priority::backlog); });
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
  if (common::is_done(*pod)) wake_claims_of(*pod, priority_of(origin));
}

void Wakeups::observe_updated(const PodPtr& /*before*/, const PodPtr& after, Origin origin) {
  observe_added(after, origin);
}

void Wakeups::observe_deleted(const PodPtr& last_known, Origin origin) {
  deleted_pods_.add(last_known->meta.uid);
  wake_claims_of(*last_known, priority_of(origin));
}

// It lives on without claims of its own. What is reserved for it nevertheless stays, and as the
// cache will not tell when it ends, the API server is asked from now on.
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
  if (!is_same_controller(*before, *after)) return wake_users_of(after, priority);
  // Without a node, a pod needs no more than that the claim is there. Thousands of pods may wait
  // for one claim that changes all the time.
  stores_.pods_by_claim.for_each(after->meta.key, [&](const PodPtr& pod) {
    if (!pod->node_name.empty()) wake_pod(pod, priority);
  });
}

void Wakeups::observe_deleted(const ClaimPtr& last_known, Origin origin) {
  wake_users_of(last_known, priority_of(origin));
}

void Wakeups::observe_left(const ClaimPtr& last_known, Origin origin) {
  wake_users_of(last_known, priority_of(origin));
}

void Wakeups::observe_added(const TemplatePtr& claim_template, Origin origin) {
  stores_.pods_by_template.for_each(claim_template->meta.key,
                                    [&](const PodPtr& pod) { wake_pod(pod, priority_of(origin)); });
}

void Wakeups::observe_updated(const TemplatePtr& /*before*/, const TemplatePtr& after,
                              Origin origin) {
  observe_added(after, origin);
}

// Claims that were made from it stay as they are.
void Wakeups::observe_deleted(const TemplatePtr& /*last_known*/, Origin /*origin*/) {}
void Wakeups::observe_left(const TemplatePtr& /*last_known*/, Origin /*origin*/) {}

void Wakeups::wake_pod(const PodPtr& pod, Priority priority) {
  if (mode_ == Mode::standby) return;
  const PodSnapshot snapshot =
      make_pod_snapshot(stores_, pod, PodSnapshot::EarlierCreates::outcome_known);
  if (is_nothing_to_do(decide_pod(snapshot, gates_))) return;
  queue_.add({Item::Kind::pod, pod->meta.key}, priority);
}

void Wakeups::wake_claim(const ClaimPtr& claim, Priority priority) {
  if (mode_ == Mode::standby) return;
  report_foreign_consumers(*claim);
  if (is_nothing_to_do(decide_claim(make_claim_snapshot(stores_, deleted_pods_, claim)))) return;
  queue_.add({Item::Kind::claim, claim->meta.key}, priority);
}

// The claims that the pod refers to, those that it owns, and those that are reserved for it.
void Wakeups::wake_claims_of(const api::Pod& pod, Priority priority) {
  if (mode_ == Mode::standby) return;
  const auto wake = [&](const ClaimPtr& claim) { wake_claim(claim, priority); };
  for (const std::string_view name : common::names_of_claims(pod)) {
    const ClaimPtr claim = stores_.claims.get({pod.meta.key.namespace_, std::string(name)});
    if (claim != nullptr) wake(claim);
  }
  stores_.claims_by_owner.for_each(pod.meta.uid, wake);
  stores_.claims_by_consumer.for_each(pod.meta.uid, wake);
}

void Wakeups::wake_users_of(const ClaimPtr& claim, Priority priority) {
  stores_.pods_by_claim.for_each(claim->meta.key,
                                 [&](const PodPtr& pod) { wake_pod(pod, priority); });
}

void Wakeups::report_foreign_consumers(const api::ResourceClaim& claim) {
  for (const api::ConsumerReference& consumer : claim.reserved_for) {
    if (consumer.is_pod() || reported_consumers_.contains(consumer.uid)) continue;
    reported_consumers_.add(consumer.uid);
    log_.warning("A claim is reserved for something that is no pod; that reservation is kept",
                 {{"claim", claim.meta.key.str()},
                  {"apiGroup", consumer.group.str()},
                  {"resource", consumer.resource.str()},
                  {"name", consumer.name}});
  }
}

}  // namespace dcm::resource_claim
