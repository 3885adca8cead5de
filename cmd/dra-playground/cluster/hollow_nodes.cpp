#include "cmd/dra-playground/cluster/hollow_nodes.hpp"

#include <algorithm>

#include "cmd/dra-playground/objects/bodies.hpp"
#include "cmd/dra-playground/objects/each.hpp"

namespace dcm::playground {
namespace {

// A driver that hangs holds up its pod for 45 s, and must hold up no other: more than a node has
// pods.
constexpr std::size_t kWorkers = 256;

Outcome outcome_of(const runtime::Error& error) {
  return runtime::is_object_gone(error) ? Outcome::done() : Outcome::retry();
}

}  // namespace

HollowNodes::HollowNodes(PartContext context, Api& api, Cache<Pod>& pods,
                         std::vector<std::string> names, DevicesOf devices)
    : context_(std::move(context)),
      api_(api),
      pods_(pods),
      devices_(std::move(devices)),
      names_(std::move(names)),
      ours_(names_.begin(), names_.end()),
      work_("hollow_nodes", kWorkers, context_.process()),
      on_pod_([this](const auto& before, const auto& after) { observe_pod(before, after); }) {
  pods_.informer.add_observer(on_pod_);
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
  // Where another controller watches over nodes as well, it also removes the taint.
  if (!answer && !runtime::is_conflict(answer.error())) co_return runtime::fail(answer.error());
  co_return Result<>();
}

Task<> HollowNodes::run() {
  return work_.run([this](api::NamespacedName name) { return handle(std::move(name)); });
}

Task<Outcome> HollowNodes::handle(api::NamespacedName name) {
  const api::ObjectPtr<Pod> pod = pods_.reader.get(name);
  if (!pod || !is_ours(*pod)) co_return Outcome::done();
  const LifeStep step = decide_life(*pod, devices_(pod->node_name).look(*pod), times_of(*pod));
  if (std::holds_alternative<Start>(step)) co_return co_await start(pod);
  if (const auto* const end = std::get_if<Finish>(&step))
    co_return co_await finish(pod, end->phase);
  if (std::holds_alternative<Remove>(step)) co_return co_await remove(pod);
  Outcome outcome = Outcome::done();
  if (const auto* const later = std::get_if<LookAgain>(&step)) {
    outcome = Outcome::requeue_after(later->after);
  }
  if (pod->phase == api::PodPhase::running) co_return co_await show_health(pod, outcome);
  co_return outcome;
}

Task<Outcome> HollowNodes::start(api::ObjectPtr<Pod> pod) {
  PodDevices& devices = devices_(pod->node_name);
  if (const auto waits = co_await devices.prepare(pod)) co_return *waits;
  // Drivers may have taken their time. What has become of the pod meanwhile comes next.
  const api::ObjectPtr<Pod> now = pods_.reader.get(pod->meta.key);
  if (!now || now->meta.uid != pod->meta.uid || now->meta.is_being_deleted ||
      now->phase != pod->phase) {
    co_return Outcome::done();
  }
  const DevicesHealth health = devices.health_of(*pod);
  lives_[pod->meta.uid].health = health;
  co_return co_await write_status(pod, encode_running(*pod, context_.time.wall_now(), health));
}

Task<Outcome> HollowNodes::finish(api::ObjectPtr<Pod> pod, api::PodPhase phase) {
  if (const auto waits = co_await devices_(pod->node_name).unprepare(pod)) co_return *waits;
  co_return co_await write_status(pod, encode_finished(*pod, phase, context_.time.wall_now()));
}

Task<Outcome> HollowNodes::show_health(api::ObjectPtr<Pod> pod, Outcome otherwise) {
  DevicesHealth health = devices_(pod->node_name).health_of(*pod);
  if (health == lives_[pod->meta.uid].health) co_return otherwise;
  const Outcome written =
      co_await write_status(pod, encode_devices_health(*pod, context_.time.wall_now(), health));
  const auto life = lives_.find(pod->meta.uid);
  if (written == Outcome::done() && life != lives_.end()) life->second.health = std::move(health);
  co_return std::min(written, otherwise);
}

Task<Outcome> HollowNodes::write_status(api::ObjectPtr<Pod> pod, std::string body) {
  const Result<http::Response> answer =
      co_await api_.strategic_merge_patch(pods(), pod->meta.key, "status", std::move(body));
  const auto written = pods_.record(answer);
  co_return written ? Outcome::done() : outcome_of(written.error());
}

Task<Outcome> HollowNodes::remove(api::ObjectPtr<Pod> pod) {
  if (const auto waits = co_await devices_(pod->node_name).unprepare(pod)) co_return *waits;
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
