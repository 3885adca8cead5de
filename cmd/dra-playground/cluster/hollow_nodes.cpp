#include "cmd/dra-playground/cluster/hollow_nodes.hpp"

#include <algorithm>

#include "cmd/dra-playground/objects/bodies.hpp"
#include "cmd/dra-playground/objects/each.hpp"
#include "controllers/common/pod_claims.hpp"

namespace dcm::playground {
namespace {

constexpr std::size_t kWorkers = 32;

void emit_claims_of_starting_pod(const Pod& pod, const informers::Emit<api::NamespacedName>& emit) {
  if (pod.node_name.empty() || pod.phase != api::PodPhase::pending) return;
  for (const std::string_view name : common::names_of_claims(pod)) {
    emit({pod.meta.key.namespace_, std::string(name)});
  }
}

Outcome outcome_of(const runtime::Error& error) {
  return runtime::is_object_gone(error) ? Outcome::done() : Outcome::retry();
}

}  // namespace

HollowNodes::HollowNodes(PartContext context, Api& api, Caches& caches,
                         std::vector<std::string> names)
    : context_(std::move(context)),
      api_(api),
      caches_(caches),
      starting_by_claim_(caches.pods.informer.add_index<api::NamespacedName>(
          "starting_by_claim", emit_claims_of_starting_pod)),
      names_(std::move(names)),
      ours_(names_.begin(), names_.end()),
      work_("hollow_nodes", kWorkers, context_),
      on_pod_([this](const auto& before, const auto& after) { observe_pod(before, after); }),
      on_claim_([this](const auto& before, const auto& after) {
        starting_by_claim_.for_each(
            (after ? after : before)->meta.key,
            [this](const api::ObjectPtr<Pod>& pod) { work_.add(pod->meta.key); });
      }) {
  caches_.pods.informer.add_observer(on_pod_);
  caches_.claims.informer.add_observer(on_claim_);
}

Task<Result<>> HollowNodes::publish() {
  return for_each_number(context_.executor, names_.size(),
                         [this](std::size_t node) { return publish_node(names_[node]); });
}

Task<Result<>> HollowNodes::publish_node(std::string name) {
  const api::NamespacedName key{{}, name};
  Result<http::Response> answer = co_await api_.apply(nodes(), key, {}, encode_node(name));
  if (!answer) co_return runtime::fail(answer.error());
  answer = co_await api_.apply(nodes(), key, "status",
                               encode_node_status(name, context_.time.wall_now()));
  if (!answer) co_return runtime::fail(answer.error());
  const std::optional<std::string> ready = encode_without_not_ready(answer->body);
  if (!ready) co_return Result<>();
  answer = co_await api_.merge_patch(nodes(), key, *ready);
  // Where somebody else watches over nodes as well, the taint is theirs to take off.
  if (!answer && !runtime::is_conflict(answer.error())) co_return runtime::fail(answer.error());
  co_return Result<>();
}

Task<> HollowNodes::run() {
  return work_.run([this](api::NamespacedName name) { return handle(std::move(name)); });
}

Task<Outcome> HollowNodes::handle(api::NamespacedName name) {
  const api::ObjectPtr<Pod> pod = caches_.pods.reader.get(name);
  if (!pod || !is_ours(*pod)) co_return Outcome::done();
  const LifeStep step = decide_life(*pod, claims_of(*pod), times_of(*pod));
  if (const auto* const later = std::get_if<LookAgain>(&step)) {
    co_return Outcome::retry_after(later->after);
  }
  const runtime::WallTime now = context_.time.wall_now();
  Outcome outcome = Outcome::done();
  if (std::holds_alternative<Start>(step)) {
    outcome = co_await write_status(pod, encode_running(*pod, now));
  } else if (const auto* const finish = std::get_if<Finish>(&step)) {
    outcome = co_await write_status(pod, encode_finished(*pod, finish->phase, now));
  } else if (std::holds_alternative<Remove>(step)) {
    outcome = co_await remove(pod);
  }
  co_return outcome;
}

Task<Outcome> HollowNodes::write_status(api::ObjectPtr<Pod> pod, std::string body) {
  const Result<http::Response> answer =
      co_await api_.strategic_merge_patch(pods(), pod->meta.key, "status", std::move(body));
  const auto written = caches_.pods.record(answer);
  co_return written ? Outcome::done() : outcome_of(written.error());
}

Task<Outcome> HollowNodes::remove(api::ObjectPtr<Pod> pod) {
  const Result<http::Response> answer =
      co_await api_.remove(pods(), pod->meta.key, encode_delete_now(pod->meta.uid));
  co_return answer ? Outcome::done() : outcome_of(answer.error());
}

PodTimes HollowNodes::times_of(const Pod& pod) {
  const runtime::MonoTime now = context_.time.now();
  const Life& life = lives_[pod.meta.uid];
  return {.running = now - life.started.value_or(now),
          .stopping = now - life.deleted.value_or(now)};
}

ClaimsReady HollowNodes::claims_of(const Pod& pod) const {
  for (const api::PodClaim& entry : pod.claims) {
    const common::PodClaimTarget target = common::target_of(pod, entry);
    if (std::holds_alternative<common::NoClaimNeeded>(target)) continue;
    std::string_view name;
    if (const auto* named = std::get_if<common::UserClaim>(&target)) name = named->name;
    if (const auto* made = std::get_if<common::GeneratedClaim>(&target)) name = made->name;
    if (name.empty()) return ClaimsReady::no;
    const auto claim = caches_.claims.reader.get({pod.meta.key.namespace_, std::string(name)});
    if (!claim || !common::may_consume_now(*claim, pod, common::GroupClaims::refused))
      return ClaimsReady::no;
  }
  return ClaimsReady::yes;
}

// A pod that was found running counts from the start that its status tells.
runtime::MonoTime HollowNodes::start_of(const Pod& pod, StartSeen seen) const {
  const runtime::MonoTime now = context_.time.now();
  const runtime::WallTime wall = context_.time.wall_now();
  const runtime::WallTime started = seen == StartSeen::later ? pod.start_time.value_or(wall) : wall;
  return now - std::max(wall - started, Duration::zero());
}

void HollowNodes::observe_pod(const api::ObjectPtr<Pod>& before, const api::ObjectPtr<Pod>& after) {
  if (!after) {
    lives_.erase(before->meta.uid);
    return;
  }
  if (!is_ours(*after)) return;
  Life& life = lives_[after->meta.uid];
  if (after->phase == api::PodPhase::running && !life.started) {
    life.started = start_of(*after, before ? StartSeen::at_once : StartSeen::later);
  }
  if (after->meta.is_being_deleted && !life.deleted) life.deleted = context_.time.now();
  work_.add(after->meta.key);
}

}  // namespace dcm::playground
