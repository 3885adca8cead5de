#include "playground/scheduler/scheduler.hpp"

#include <algorithm>

#include "controllers/common/pod_claims.hpp"
#include "playground/scheduler/bodies.hpp"
#include "runtime/deadline.hpp"
#include "runtime/task_group.hpp"
#include "runtime/uuid.hpp"

namespace dcm::playground {
namespace {

constexpr std::size_t kWorkers = 32;
// The API server and the live page share the scheduler's thread, and clients renew leases there.
// kube-scheduler, which has threads, gives up after 10 s on one node.
constexpr runtime::Duration kAttemptTime = std::chrono::seconds(2);
// After a longer attempt the scheduler rests as long as it took: requests are answered then.
constexpr runtime::Duration kShortAttempt = std::chrono::milliseconds(50);

void emit_claims_of_unbound_pod(const Pod& pod, const informers::Emit<api::NamespacedName>& emit) {
  if (!pod.node_name.empty()) return;
  for (const std::string_view name : common::names_of_claims(pod)) {
    emit({pod.meta.key.namespace_, std::string(name)});
  }
}

// Whether only a heartbeat or the like has changed.
bool is_same_for_pods(const Node& a, const Node& b) {
  return a.is_unschedulable == b.is_unschedulable && a.taints == b.taints && a.labels == b.labels &&
         a.declared_features == b.declared_features && a.plugin_resources == b.plugin_resources &&
         a.meta.is_being_deleted == b.meta.is_being_deleted;
}

void emit_owner_of_extended(const Claim& claim, const informers::Emit<api::Uid>& emit) {
  if (claim.is_extended_resource_claim && common::has_pod_as_controller(claim)) {
    emit(claim.controller->uid);
  }
}

std::string_view reason_of(Unschedulable::Kind kind) {
  return kind == Unschedulable::Kind::error ? "SchedulerError" : "Unschedulable";
}

}  // namespace

Scheduler::Scheduler(Process process, Api& api, Caches& caches)
    : process_(std::move(process)),
      api_(api),
      caches_(caches),
      writer_(process_.loop.time(), api, caches),
      events_(api.rest(), process_.loop.time(), process_.metrics, process_.rng.fork(),
              process_.log),
      unbound_by_claim_(
          caches.pods.informer().add_index<api::NamespacedName>(emit_claims_of_unbound_pod)),
      extended_by_pod_(caches.claims.informer().add_index<api::Uid>(emit_owner_of_extended)),
      work_("scheduler", kWorkers, process_),
      on_pod_([this](const auto& before, const auto& after) { observe_pod(before, after); }),
      on_claim_([this](const auto& before, const auto& after) { observe_claim(before, after); }),
      on_slice_([this](const auto& before, const auto& after) { observe_slice(before, after); }),
      on_node_([this](const auto& before, const auto& after) { observe_node(before, after); }),
      on_device_class_([this](const auto& before, const auto& after) {
        devices_.observe_class(before, after);
        try_heads();
      }),
      on_rule_([this](const auto& before, const auto& after) {
        devices_.observe_rule(before, after);
        try_heads();
      }) {
  caches_.pods.informer().add_observer(on_pod_);
  caches_.claims.informer().add_observer(on_claim_);
  caches_.slices.informer().add_observer(on_slice_);
  caches_.nodes.informer().add_observer(on_node_);
  caches_.device_classes.informer().add_observer(on_device_class_);
  caches_.rules.informer().add_observer(on_rule_);
}

Task<> Scheduler::run() {
  runtime::TaskGroup group(process_.loop.executor());
  group.spawn("events of the scheduler", events_.run());
  group.spawn("pods to schedule",
              work_.run([this](api::NamespacedName name) { return handle(std::move(name)); }));
  co_await group.join();
}

ClusterView Scheduler::view() {
  return {
      .claim = [this](const api::NamespacedName& name) { return caches_.claims.get(name); },
      .device_class =
          [this](const std::string& name) { return caches_.device_classes.get({{}, name}); },
      .is_in_flight = [this](const api::NamespacedName& name) { return in_flight_.contains(name); },
      .stale_extended_claim = [this](const Pod& pod) { return extended_claim(pod); },
      .devices = devices_,
      .compiler = compiler_,
      .misfits = misfits_,
      .nodes = nodes_,
      .now = process_.loop.time().wall_now(),
      .new_share_id = [this] { return runtime::make_uuid(process_.rng); },
      .is_time_up = [&time = process_.loop.time(),
                     until = runtime::Deadline::after(
                         process_.loop.time(), kAttemptTime)] { return until.has_passed(time); }};
}

Task<> Scheduler::rest() {
  while (process_.loop.time().now() < rests_until_) {
    co_await runtime::sleep_until(process_.loop.time(), rests_until_);
  }
}

Verdict Scheduler::decide(const Pod& pod) {
  const auto begin = process_.loop.time().now();
  Verdict verdict = decide_placement(pod, view());
  const auto end = process_.loop.time().now();
  if (end - begin > kShortAttempt) rests_until_ = end + (end - begin);
  return verdict;
}

Task<Outcome> Scheduler::handle(api::NamespacedName name) {
  co_await rest();
  const api::ObjectPtr<Pod> pod = caches_.pods.get(name);
  if (bound_.contains(name)) co_return Outcome::done();  // only the cache does not show it yet
  if (pod && awaiting_.contains(name)) {
    co_return co_await look_at_conditions(pod);
  }
  Verdict verdict = pod ? decide(*pod) : NotOurs{};
  if (auto* const unschedulable = std::get_if<Unschedulable>(&verdict)) {
    const auto next = waiting_.wait(name, unschedulable->line, pod->priority);
    if (next) work_.add(*next);
    const bool is_error = unschedulable->kind == Unschedulable::Kind::error;
    if (!is_error) errors_.forget(name);
    const Outcome outcome = co_await turn_down(pod, std::move(*unschedulable));
    // The cause of an error may disappear without an event.
    co_return is_error ? std::min(outcome, Outcome::requeue_after(errors_.next(name))) : outcome;
  }
  leave_line(name);
  auto* const placement = std::get_if<Placement>(&verdict);
  if (placement == nullptr) co_return Outcome::done();
  hold(*placement);
  co_return co_await carry_out(pod, std::move(*placement));
}

// PostFilter, then the report. The change of the claim requeues the pod.
Task<Outcome> Scheduler::turn_down(api::ObjectPtr<Pod> pod, Unschedulable verdict) {
  Result<> written;
  if (verdict.to_deallocate) written = co_await writer_.deallocate(*verdict.to_deallocate);
  if (verdict.to_delete) written = co_await writer_.remove_extended(*verdict.to_delete);
  if (!written) co_return settle(*pod, written);
  co_return co_await report(std::move(pod), std::move(verdict));
}

// Writes the reason into the pod, unless it is there already.
Task<Outcome> Scheduler::report(api::ObjectPtr<Pod> pod, Unschedulable verdict) {
  if (pod->unschedulable == verdict.why) co_return Outcome::done();
  events_.report(reference_to(*pod), api::EventType::warning, kSchedulerName, "FailedScheduling",
                 verdict.why);
  const Result<http::Response> answer = co_await api_.strategic_merge_patch(
      pods(), pod->meta.key, "status",
      encode_unschedulable(*pod, reason_of(verdict.kind), verdict.why,
                           process_.loop.time().wall_now()));
  const auto written = record(caches_.pods, answer);
  co_return written || runtime::is_object_gone(written.error()) ? Outcome::done()
                                                                : Outcome::retry();
}

void Scheduler::leave_line(const api::NamespacedName& pod) {
  errors_.forget(pod);
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
  if (!after || !after->node_name.empty()) {
    const api::NamespacedName& name = (after ? after : before)->meta.key;
    awaiting_.erase(name);
    bound_.erase(name);
    return leave_line(name);
  }
  const bool is_news = !before || before->claim_statuses != after->claim_statuses ||
                       before->has_gates != after->has_gates ||
                       before->tolerations != after->tolerations ||
                       before->meta.is_being_deleted != after->meta.is_being_deleted;
  if (is_news) work_.add(after->meta.key);
}

void Scheduler::observe_claim(const ClaimPtr& before, const ClaimPtr& after) {
  if (after && after->allocation) devices_.take(*after->allocation);
  if (before && before->allocation) devices_.give_back(*before->allocation);
  const bool was_allocated = before && before->is_allocated;
  const bool is_allocated = after && after->is_allocated;
  if (was_allocated && !is_allocated) try_heads();
  // It may have room again, or may be deallocated for a pod that cannot use its devices.
  const bool has_lost_consumer =
      before && after && after->reserved_for.size() < before->reserved_for.size();
  const bool has_news_of_devices =
      before && after && before->device_statuses != after->device_statuses;
  if (!before || was_allocated != is_allocated || has_lost_consumer || has_news_of_devices) {
    wake_pods_of((after ? after : before)->meta.key);
  }
  // The status of an unbound pod does not name the claim.
  const bool is_gone = before && !after && before->is_extended_resource_claim;
  if (is_gone && common::has_pod_as_controller(*before)) {
    work_.add({before->meta.key.namespace_, before->controller->name});
  }
}

void Scheduler::observe_slice(const api::ObjectPtr<Slice>& before,
                              const api::ObjectPtr<Slice>& after) {
  devices_.observe_slice(before, after);
  try_heads();
}

void Scheduler::observe_node(const NodePtr& before, const NodePtr& after) {
  const InternedString name = (after ? after : before)->name;
  const auto place =
      std::ranges::find(nodes_, name, [](const NodePtr& node) { return node->name; });
  const bool is_there = after && !after->meta.is_being_deleted;
  if (place == nodes_.end()) {
    if (is_there) nodes_.push_back(after);
  } else if (is_there) {
    *place = after;
  } else {
    nodes_.erase(place);
  }
  const bool is_like_before = before && after && is_same_for_pods(*before, *after);
  if (is_like_before) return;
  devices_.observe_node(name);
  try_heads();
}

}  // namespace dcm::playground
