#include "cmd/dra-playground/scheduler/scheduler.hpp"

#include <algorithm>

#include "controllers/common/pod_claims.hpp"

namespace dcm::playground {
namespace {

using namespace std::chrono_literals;

constexpr std::size_t kWorkers = 32;
// Between looks at a claim whose last write may have been carried out or not.
constexpr Duration kLookAgainInterval = 1s;
// Before others try what one pod could not get: it may be refused to all of them.
constexpr Duration kFailurePause = 1s;

void emit_claims_of_unbound_pod(const Pod& pod, const informers::Emit<api::NamespacedName>& emit) {
  if (!pod.node_name.empty()) return;
  for (const std::string_view name : common::names_of_claims(pod)) {
    emit({pod.meta.key.namespace_, std::string(name)});
  }
}

bool is_full(const Claim& claim) {
  return claim.reserved_for.size() >= api::kReservedForMax;
}

bool has_same_allocation(const Claim& a, const Claim& b) {
  return a.meta.uid == b.meta.uid && a.is_allocated == b.is_allocated &&
         std::ranges::equal(a.devices, b.devices, {}, &api::AllocatedDevice::id,
                            &api::AllocatedDevice::id);
}

}  // namespace

Scheduler::Scheduler(PartContext context, Api& api, Caches& caches)
    : context_(std::move(context)),
      api_(api),
      caches_(caches),
      unbound_by_claim_(caches.pods.informer.add_index<api::NamespacedName>(
          "unbound_by_claim", emit_claims_of_unbound_pod)),
      work_("scheduler", kWorkers, context_.process()),
      on_pod_([this](const auto& before, const auto& after) { observe_pod(before, after); }),
      on_claim_([this](const auto& before, const auto& after) { observe_claim(before, after); }),
      on_slice_([this](const auto& before, const auto& after) { observe_slice(before, after); }),
      on_node_([this](const auto& before, const auto& after) { observe_node(before, after); }),
      on_device_class_([this](const auto&, const auto&) { try_heads(); }),
      on_rule_([this](const auto& before, const auto& after) {
        if (after) {
          inventory_.set_rule(*after);
        } else {
          inventory_.remove_rule(*before);
        }
        try_heads();
      }) {
  caches_.pods.informer.add_observer(on_pod_);
  caches_.claims.informer.add_observer(on_claim_);
  caches_.slices.informer.add_observer(on_slice_);
  caches_.nodes.informer.add_observer(on_node_);
  caches_.device_classes.informer.add_observer(on_device_class_);
  caches_.rules.informer.add_observer(on_rule_);
}

Task<> Scheduler::run() {
  return work_.run([this](api::NamespacedName name) { return handle(std::move(name)); });
}

ClusterView Scheduler::view() const {
  return {
      .claim = [this](const api::NamespacedName& name) { return caches_.claims.reader.get(name); },
      .device_class =
          [this](const std::string& name) { return caches_.device_classes.reader.get({{}, name}); },
      .is_in_flight = [this](const api::NamespacedName& name) { return in_flight_.contains(name); },
      .inventory = inventory_,
      .nodes = nodes_,
      .closed_nodes = closed_nodes_};
}

Task<Outcome> Scheduler::handle(api::NamespacedName name) {
  const api::ObjectPtr<Pod> pod = caches_.pods.reader.get(name);
  Verdict verdict = pod ? decide_placement(*pod, view()) : NotOurs{};
  if (auto* const unschedulable = std::get_if<Unschedulable>(&verdict)) {
    waiting_.wait(name, unschedulable->line);
    const Outcome reported = co_await report(pod, std::move(*unschedulable));
    co_return reported;
  }
  leave_line(name);
  auto* const placement = std::get_if<Placement>(&verdict);
  if (placement == nullptr) co_return Outcome::done();
  hold(*placement);
  const Outcome outcome = co_await carry_out(pod, std::move(*placement));
  co_return outcome;
}

// Steps in the order in which kube-scheduler does them: each claim, then the pod.
Task<Outcome> Scheduler::carry_out(api::ObjectPtr<Pod> pod, Placement placement) {
  Result<> written;
  for (const ClaimStep& step : placement.steps) {
    if (step.claim->is_allocated) {
      written = co_await reserve(*pod, step);
    } else {
      written = co_await allocate(*pod, step, placement.node);
    }
    if (!written) break;
  }
  release(placement);
  if (!written) try_others_later(placement);
  if (written) {
    const Result<http::Response> bound = co_await api_.create(
        pods(), pod->meta.key, "binding", encode_binding(*pod, placement.node.str()));
    if (!bound) written = runtime::fail(bound.error());
  }
  if (written || runtime::is_object_gone(written.error())) co_return Outcome::done();
  if (!runtime::is_conflict(written.error())) {
    context_.log.warning("Cannot schedule pod", {{"pod", pod->meta.key.str()},
                                                 {"why", runtime::to_string(written.error())}});
  }
  co_return Outcome::retry();
}

// The references here and in reserve() are to what stands in the frame of carry_out().
Task<Result<>> Scheduler::allocate(const Pod& pod, const ClaimStep& step,
                                   const InternedString& node) {
  api::ObjectPtr<Claim> claim = step.claim;
  Result<api::ObjectPtr<Claim>> written = claim;
  if (!claim->has_delete_protection) {
    const Result<http::Response> answer = co_await api_.strategic_merge_patch(
        claims(), claim->meta.key, {}, encode_add_protection(*claim));
    written = caches_.claims.record(answer);
    if (!written) co_return runtime::fail(written.error());
    claim = *written;
  }
  const Result<http::Response> answer = co_await api_.strategic_merge_patch(
      claims(), claim->meta.key, "status",
      encode_allocation(*claim, node.str(), step.grants, step.config, pod));
  written = caches_.claims.record(answer);
  if (written) co_return Result<>();
  co_await look_again(claim->meta.key);
  co_return runtime::fail(written.error());
}

// Others reserve the same claim: that is no reason to choose another node, as long as its
// allocation is the one that was decided for.
Task<Result<>> Scheduler::reserve(const Pod& pod, const ClaimStep& step) {
  api::ObjectPtr<Claim> claim = step.claim;
  for (;;) {
    const Result<http::Response> answer = co_await api_.strategic_merge_patch(
        claims(), claim->meta.key, "status", encode_reservation(*claim, pod));
    const auto written = caches_.claims.record(answer);
    if (written) co_return Result<>();
    if (!runtime::is_conflict(written.error())) co_return runtime::fail(written.error());
    const Result<http::Response> newest = co_await api_.get(claims(), claim->meta.key);
    const auto seen = caches_.claims.record(newest);
    if (!seen || !has_same_allocation(**seen, *step.claim)) {
      co_return runtime::fail(written.error());
    }
    claim = *seen;
  }
}

// After an allocation that failed: perhaps it was written all the same, and then its devices must
// stay reserved until the cache shows that they are in use.
Task<> Scheduler::look_again(api::NamespacedName claim) {
  for (;;) {
    const Result<http::Response> answer = co_await api_.get(claims(), claim);
    const auto seen = caches_.claims.record(answer);
    if (seen || runtime::is_not_found(seen.error())) co_return;
    co_await runtime::sleep_for(context_.time, kLookAgainInterval);
  }
}

// Writes why into the pod, unless it says so already.
Task<Outcome> Scheduler::report(api::ObjectPtr<Pod> pod, Unschedulable verdict) {
  if (pod->unschedulable == verdict.why) co_return Outcome::done();
  const Result<http::Response> answer = co_await api_.strategic_merge_patch(
      pods(), pod->meta.key, "status",
      encode_unschedulable(*pod, verdict.why, context_.time.wall_now()));
  const auto written = caches_.pods.record(answer);
  co_return written || runtime::is_object_gone(written.error()) ? Outcome::done()
                                                                : Outcome::retry();
}

// Takes what was decided, so that the next decision sees it taken; and the next pod begins its
// search at the next node.
void Scheduler::hold(const Placement& placement) {
  for (const ClaimStep& step : placement.steps) {
    if (!step.claim->is_allocated) in_flight_.insert(step.claim->meta.key);
    for (const Grant& grant : step.grants) inventory_.take(grant.device);
  }
  const auto used = std::ranges::find(nodes_, placement.node, &SchedulableNode::name);
  if (used != nodes_.end()) std::rotate(nodes_.begin(), used + 1, nodes_.end());
}

// Written allocations are in the cache by now; all other devices are free again.
void Scheduler::release(const Placement& placement) {
  for (const ClaimStep& step : placement.steps) {
    for (const Grant& grant : step.grants) inventory_.give_back(grant.device);
    if (!step.claim->is_allocated) in_flight_.erase(step.claim->meta.key);
  }
}

// Pods that wait for the devices, and pods that wait for the claims.
void Scheduler::try_others_later(const Placement& placement) {
  for (const api::NamespacedName& pod : waiting_.heads()) work_.add_after(pod, kFailurePause);
  for (const ClaimStep& step : placement.steps) {
    unbound_by_claim_.for_each(step.claim->meta.key, [this](const api::ObjectPtr<Pod>& pod) {
      work_.add_after(pod->meta.key, kFailurePause);
    });
  }
}

void Scheduler::leave_line(const api::NamespacedName& pod) {
  if (const auto next = waiting_.leave(pod)) work_.add(*next);
}

void Scheduler::try_heads() {
  for (const api::NamespacedName& pod : waiting_.heads()) work_.add(pod);
}

void Scheduler::wake_pods_of(const api::NamespacedName& claim) {
  unbound_by_claim_.for_each(claim,
                             [this](const api::ObjectPtr<Pod>& pod) { work_.add(pod->meta.key); });
}

void Scheduler::observe_pod(const api::ObjectPtr<Pod>& before, const api::ObjectPtr<Pod>& after) {
  if (!after) return leave_line(before->meta.key);
  const bool is_news = !before || before->claim_statuses != after->claim_statuses ||
                       before->has_gates != after->has_gates ||
                       before->meta.is_being_deleted != after->meta.is_being_deleted;
  if (!after->node_name.empty()) return leave_line(after->meta.key);
  if (is_news) work_.add(after->meta.key);
}

void Scheduler::observe_claim(const api::ObjectPtr<Claim>& before,
                              const api::ObjectPtr<Claim>& after) {
  if (after) {
    for (const api::AllocatedDevice& device : after->devices) inventory_.take(device.id);
  }
  if (before) {
    for (const api::AllocatedDevice& device : before->devices) inventory_.give_back(device.id);
  }
  const bool was_allocated = before && before->is_allocated;
  const bool is_allocated = after && after->is_allocated;
  if (was_allocated && !is_allocated) try_heads();
  const bool has_room_again = before && after && is_full(*before) && !is_full(*after);
  if (!before || was_allocated != is_allocated || has_room_again) {
    wake_pods_of((after ? after : before)->meta.key);
  }
}

void Scheduler::observe_slice(const api::ObjectPtr<Slice>& before,
                              const api::ObjectPtr<Slice>& after) {
  const bool moved =
      before && after && (before->driver != after->driver || before->pool != after->pool);
  if (before && (!after || moved)) inventory_.remove_slice(*before);
  if (after) inventory_.set_slice(*after);
  try_heads();
}

void Scheduler::observe_node(const api::ObjectPtr<Node>& before,
                             const api::ObjectPtr<Node>& after) {
  const InternedString name = (after ? after : before)->meta.key.name;
  const bool takes_pods = after && after->closed.empty() && !after->meta.is_being_deleted;
  closed_nodes_.erase(name);
  if (after && !takes_pods) {
    closed_nodes_[name] = after->closed.empty() ? "is being deleted" : after->closed;
  }
  const auto place = std::ranges::find(nodes_, name, &SchedulableNode::name);
  const bool is_known = place != nodes_.end();
  if (!takes_pods && is_known) nodes_.erase(place);
  if (!takes_pods || (is_known && place->hostname == after->hostname)) return;
  if (is_known) {
    place->hostname = after->hostname;
  } else {
    nodes_.push_back({name, after->hostname});
  }
  try_heads();
}

}  // namespace dcm::playground
