// How the scheduler carries out a decision: PreBind and Bind of kube-scheduler.
#include <algorithm>

#include <fmt/format.h>

#include "controllers/common/pod_claims.hpp"
#include "playground/scheduler/binding_conditions.hpp"
#include "playground/scheduler/bodies.hpp"
#include "playground/scheduler/scheduler.hpp"

namespace dcm::playground {
namespace {

using namespace std::chrono_literals;

// The pause before others try for what one pod could not get: all of them may be refused.
constexpr Duration kFailurePause = 1s;

}  // namespace

// Releases what was not written, also after an exception.
struct Scheduler::Release {
  Scheduler& scheduler;
  Placement& placement;

  ~Release() {
    for (ClaimStep& step : placement.steps) scheduler.release(step);
    if (placement.extended) scheduler.release(*placement.extended);
  }
};

Task<Outcome> Scheduler::carry_out(api::ObjectPtr<Pod> pod, Placement placement) {
  const Result<> written = co_await pre_bind(*pod, placement);
  if (!written) {
    try_others_later(placement);
    co_await unreserve(*pod);
    co_return settle(*pod, written);
  }
  const Wait wait{placement.node, process_.loop.time().wall_now()};
  if (must_wait(*pod, wait)) co_return Outcome::done();
  co_return co_await bind(std::move(pod), placement.node);
}

// Writes each claim in the order of kube-scheduler. The references point into the frame of
// carry_out().
Task<Result<>> Scheduler::pre_bind(const Pod& pod, Placement& placement) {
  const Release rest{*this, placement};
  for (ClaimStep& step : placement.steps) {
    Result<> written;
    if (step.allocation) {
      written = co_await writer_.allocate(pod, step);
    } else {
      written = co_await writer_.reserve(pod, step);
    }
    if (!written) co_return written;
    release(step);
  }
  Result<> provided;
  if (placement.extended) provided = co_await provide_extended(pod, *placement.extended);
  co_return provided;
}

Task<Result<>> Scheduler::provide_extended(const Pod& pod, ExtendedStep& step) {
  const Result<ClaimPtr> made = co_await writer_.make_extended(pod, step.claim);
  Result<> written = made ? Result<>() : runtime::fail(made.error());
  if (made) {
    const ClaimStep to_allocate{*made, step.allocation};
    written = co_await writer_.allocate(pod, to_allocate);
  }
  release(step);
  if (written) written = co_await writer_.note_extended(pod, **made, step.claim.mappings);
  co_return written;
}

Task<Outcome> Scheduler::bind(api::ObjectPtr<Pod> pod, InternedString node) {
  const Result<http::Response> bound =
      co_await api_.create(pods(), pod->meta.key, "binding", encode_binding(*pod, node.str()));
  const api::ObjectPtr<Pod> shown = caches_.pods.get(pod->meta.key);
  if (bound && shown && shown->node_name.empty()) bound_.insert(pod->meta.key);
  if (bound) {
    events_.report(reference_to(*pod), api::EventType::normal, kSchedulerName, "Scheduled",
                   fmt::format("Successfully assigned {} to {}", pod->meta.key.str(), node.str()));
  }
  co_return settle(*pod, bound ? Result<>() : runtime::fail(bound.error()));
}

Outcome Scheduler::settle(const Pod& pod, const Result<>& written) {
  if (written || runtime::is_object_gone(written.error())) return Outcome::done();
  if (!runtime::is_conflict(written.error())) {
    process_.log.warning("Cannot schedule pod", {{"pod", pod.meta.key.str()},
                                                 {"error", runtime::to_string(written.error())}});
  }
  return Outcome::retry();
}

PodClaims Scheduler::claims_in_use(const Pod& pod) {
  PodClaims found = gather_claims(pod, view().claim);
  if (ClaimPtr extended = extended_claim(pod)) found.claims.push_back(std::move(extended));
  return found;
}

// Not every claim with this annotation is one that the scheduler made: users can write it.
ClaimPtr Scheduler::extended_claim(const Pod& pod) const {
  const auto containers = allocation::numbered(pod.init_containers, pod.containers);
  if (allocation::extended_resources_of(containers).empty()) return nullptr;
  for (const ClaimPtr& claim : extended_by_pod_.get(pod.meta.uid)) {
    const bool is_named = std::ranges::any_of(pod.claims, [&](const api::PodClaim& entry) {
      const common::PodClaimTarget target = common::target_of(pod, entry);
      return common::claim_name(target) == claim->meta.key.name.view();
    });
    if (!is_named && claim->meta.key.namespace_ == pod.meta.key.namespace_) return claim;
  }
  return nullptr;
}

Task<> Scheduler::unreserve(const Pod& pod) {
  const std::vector<ClaimPtr> used = gather_claims(pod, view().claim).claims;
  co_await writer_.unreserve(pod, used);
  // If its remains cannot be deleted now, the next attempt finds them.
  if (const ClaimPtr extended = extended_claim(pod)) {
    [[maybe_unused]] const Result<> removed = co_await writer_.remove_extended(*extended);
  }
}

bool Scheduler::must_wait(const Pod& pod, const Wait& wait) {
  const runtime::WallTime now = process_.loop.time().wall_now();
  for (const ClaimPtr& claim : claims_in_use(pod).claims) {
    if (!claim->is_allocated) continue;
    const BindingState state = binding_state_of(*claim, now, wait.since);
    if (state.kind == BindingState::Kind::ready) continue;
    if (awaiting_.try_emplace(pod.meta.key, wait).second) {
      events_.report(reference_to(pod), api::EventType::normal, kSchedulerName,
                     "BindingConditionsPending",
                     "waiting for binding conditions for device on node " + wait.node.str());
    }
    // A failed condition is handled when the pod is processed next.
    const bool has_failed = state.kind == BindingState::Kind::failed;
    work_.add_after(pod.meta.key, has_failed ? Duration::zero() : state.deadline - now);
    return true;
  }
  return false;
}

Task<Outcome> Scheduler::look_at_conditions(api::ObjectPtr<Pod> pod) {
  const Wait wait = awaiting_.at(pod->meta.key);
  const PodClaims used = claims_in_use(*pod);
  const runtime::WallTime now = process_.loop.time().wall_now();
  // The claim or its devices were taken away.
  const bool is_lost =
      !used.missing.empty() || std::ranges::any_of(used.claims, [&](const ClaimPtr& claim) {
        return !claim->is_allocated || !common::is_reserved_for(*claim, *pod);
      });
  std::string failure;
  for (const ClaimPtr& claim : used.claims) {
    if (is_lost) break;
    BindingState state = binding_state_of(*claim, now, wait.since);
    failure = std::move(state.why);
    // Like kube-scheduler, this stops at the first claim that is not ready.
    if (state.kind != BindingState::Kind::ready) break;
  }
  if (!is_lost && failure.empty() && must_wait(*pod, wait)) co_return Outcome::done();
  awaiting_.erase(pod->meta.key);
  if (!is_lost && failure.empty()) {
    co_return co_await bind(std::move(pod), wait.node);
  }
  co_await unreserve(*pod);
  if (!failure.empty()) {
    const Outcome reported =
        co_await report(pod, {.kind = Unschedulable::Kind::error,
                              .why = "running PreBind plugin \"DynamicResources\": " + failure,
                              .line = {}});
    static_cast<void>(reported);
  }
  co_return Outcome::retry();
}

// Takes the decided devices, so that the next decision sees them taken; and the next pod begins its
// search at the next node.
void Scheduler::hold(const Placement& placement) {
  for (const ClaimStep& step : placement.steps) {
    if (!step.allocation) continue;
    in_flight_.insert(step.claim->meta.key);
    devices_.take(*step.allocation);
  }
  if (placement.extended) devices_.take(placement.extended->allocation);
  const auto used =
      std::ranges::find(nodes_, placement.node, [](const NodePtr& node) { return node->name; });
  if (used != nodes_.end()) std::rotate(nodes_.begin(), used + 1, nodes_.end());
}

// Called immediately after the write: the cache then shows the allocation, and counting it twice
// would exceed the shares. Devices that were not written are free again.
void Scheduler::release(ClaimStep& step) {
  if (!step.allocation) return;
  devices_.give_back(*step.allocation);
  step.allocation.reset();
  in_flight_.erase(step.claim->meta.key);
}

void Scheduler::release(ExtendedStep& step) {
  devices_.give_back(step.allocation);
  step.allocation.devices.clear();
}

// Retries pods that wait for the devices, and pods that wait for the claims.
void Scheduler::try_others_later(const Placement& placement) {
  for (const api::NamespacedName& pod : waiting_.heads()) work_.add_after(pod, kFailurePause);
  for (const ClaimStep& step : placement.steps) {
    unbound_by_claim_.for_each(step.claim->meta.key, [this](const api::ObjectPtr<Pod>& pod) {
      work_.add_after(pod->meta.key, kFailurePause);
    });
  }
}

}  // namespace dcm::playground
