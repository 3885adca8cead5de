#include "playground/cluster/hollow_nodes.hpp"

#include <algorithm>
#include <functional>
#include <utility>

#include "playground/objects/bodies.hpp"
#include "playground/objects/each.hpp"
#include "runtime/run_all.hpp"
#include "runtime/task_group.hpp"

namespace dcm::playground {
namespace {

// More than a node has pods: a hanging driver blocks its pod for 45 s, and must not block others.
constexpr std::size_t kWorkers = 256;

}  // namespace

HollowNodes::HollowNodes(Process process, Api& api, Cache<Pod>& pods, HollowNodesOptions options,
                         DevicesOf devices)
    : process_(std::move(process)),
      api_(api),
      pods_(pods),
      devices_(std::move(devices)),
      options_(std::move(options)),
      ours_(options_.names.begin(), options_.names.end()),
      events_(api.rest(), process_.loop.time(), process_.metrics, process_.rng.fork(),
              process_.log),
      work_("hollow_nodes", kWorkers, process_),
      on_pod_([this](const auto& before, const auto& after) { observe_pod(before, after); }) {
  pods_.informer().add_observer(on_pod_);
}

Task<Result<>> HollowNodes::publish() {
  return for_each_number(process_.loop.executor(), options_.names.size(),
                         [this](std::size_t node) { return publish_node(options_.names[node]); });
}

Task<Result<>> HollowNodes::publish_node(std::string name) {
  const api::NamespacedName key{{}, name};
  Result<http::Response> answer = co_await api_.apply(nodes(), key, {}, encode_node(name));
  if (!answer) co_return runtime::fail(answer.error());
  answer = co_await api_.apply(
      nodes(), key, "status",
      encode_node_status(
          name, process_.loop.time().wall_now(),
          {.address = address_of_node(name), .declared_features = options_.declared_features}));
  if (!answer) co_return runtime::fail(answer.error());
  const std::optional<std::string> ready = encode_without_not_ready(answer->body);
  if (!ready) co_return Result<>();
  answer = co_await api_.merge_patch(nodes(), key, *ready);
  if (answer || runtime::is_conflict(answer.error())) co_return Result<>();
  if (answer.error().reason != runtime::Reason::forbidden) co_return runtime::fail(answer.error());
  // Like kubelet, the node may not change its taints (admission NodeRestriction). The cluster's
  // node lifecycle controller removes this one.
  process_.log.info(
      "The node may not remove its not-ready taint; the node lifecycle controller will",
      {{"node", name}, {"error", answer.error().message}});
  co_return Result<>();
}

Task<> HollowNodes::run() {
  runtime::TaskGroup group(process_.loop.executor());
  group.spawn("events of hollow nodes", events_.run());
  group.spawn("pods of hollow nodes",
              work_.run([this](api::NamespacedName name) { return handle(std::move(name)); }));
  co_await group.join();
}

Task<Outcome> HollowNodes::handle(api::NamespacedName name) {
  const api::ObjectPtr<Pod> pod = pods_.get(name);
  Life* const life = pod ? life_of(*pod) : nullptr;
  if (life == nullptr) co_return Outcome::done();
  warn_of_misspelt(*pod, *life);
  const LifeStep step =
      decide_life(*pod, devices_(pod->node_name).look(*pod), times_of(*pod, *life));
  if (std::holds_alternative<Start>(step)) co_return co_await start(pod);
  if (const auto* const end = std::get_if<Finish>(&step)) {
    co_return co_await finish(pod, end->ending);
  }
  if (std::holds_alternative<Remove>(step)) co_return co_await remove(pod);
  Outcome outcome = Outcome::done();
  if (const auto* const later = std::get_if<LookAgain>(&step)) {
    outcome = Outcome::requeue_after(later->after);
  }
  if (pod->phase != api::PodPhase::running || pod->meta.is_being_deleted) co_return outcome;
  if (life->is_rebooted) co_return co_await start_again(pod);
  co_return co_await show_running(pod, outcome);
}

Task<Outcome> HollowNodes::start(api::ObjectPtr<Pod> pod) {
  if (const auto waits = co_await prepare(pod)) {
    if (unchanged(*pod)) co_await show_creating(pod);
    co_return *waits;
  }
  const api::ObjectPtr<Pod> now = unchanged(*pod);
  if (!now) co_return Outcome::done();
  co_return co_await show_running(now, Outcome::done());
}

Task<std::optional<Outcome>> HollowNodes::prepare(api::ObjectPtr<Pod> pod) {
  std::optional<std::optional<Outcome>> waits;
  runtime::TaskGroup group(process_.loop.executor());
  group.spawn("prepare", runtime::keep_in(waits, devices_(pod->node_name).prepare(pod)));
  struct Running {
    std::unordered_map<api::Uid, runtime::TaskGroup*>& all;
    api::Uid uid;
    ~Running() { all.erase(uid); }
  } const running{prepares_, pod->meta.uid};
  prepares_[pod->meta.uid] = &group;
  co_await group.join();
  co_return waits ? *waits : Outcome::done();
}

void HollowNodes::stop_preparing(const api::Uid& pod) {
  const auto found = prepares_.find(pod);
  if (found != prepares_.end()) found->second->cancel();
}

// Drivers may have been slow.
api::ObjectPtr<Pod> HollowNodes::unchanged(const Pod& pod) const {
  api::ObjectPtr<Pod> now = pods_.get(pod.meta.key);
  const bool is_same = now && now->meta.uid == pod.meta.uid && !now->meta.is_being_deleted &&
                       now->phase == pod.phase;
  return is_same ? now : nullptr;
}

Task<Outcome> HollowNodes::start_again(api::ObjectPtr<Pod> pod) {
  if (pod->restart_policy == RestartPolicy::never) co_return co_await finish(pod, Ending::lost);
  if (const auto waits = co_await prepare(pod)) co_return *waits;
  const api::ObjectPtr<Pod> now = unchanged(*pod);
  Life* const life = now ? life_of(*now) : nullptr;
  if (life == nullptr) co_return Outcome::done();
  life->is_rebooted = false;
  life->more_restarts = static_cast<int>(now->restarts) + 1;
  life->started = process_.loop.time().now();
  co_return co_await show_running(now, Outcome::done());
}

// This write must not trigger an earlier retry.
Task<> HollowNodes::show_creating(api::ObjectPtr<Pod> pod) {
  Life* const life = life_of(*pod);
  if (life == nullptr || std::exchange(life->says_creating, true) || pod->start_time) co_return;
  (void)co_await write_status(
      pod, encode_creating(*pod, address_of(*pod), process_.loop.time().wall_now()), Wakes::no);
}

Task<Outcome> HollowNodes::finish(api::ObjectPtr<Pod> pod, Ending ending) {
  if (const auto waits = co_await unprepare(pod)) co_return *waits;
  const Life* const life = life_of(*pod);
  if (life == nullptr) co_return Outcome::done();
  // The containers of other pods may have crashed before.
  const RunningPod before =
      pod->restart_policy == RestartPolicy::never ? RunningPod{} : running_now(*pod, *life);
  std::string body = encode_ended(*pod, ending, process_.loop.time().wall_now(), before);
  co_return co_await write_status(pod, std::move(body));
}

// Again, it would wait for a driver that may have stopped since.
Task<std::optional<Outcome>> HollowNodes::unprepare(api::ObjectPtr<Pod> pod) {
  Life* life = life_of(*pod);
  if (life != nullptr && life->is_unprepared) co_return std::nullopt;
  const std::optional<Outcome> waits = co_await devices_(pod->node_name).unprepare(pod);
  life = life_of(*pod);
  if (!waits && life != nullptr) life->is_unprepared = true;
  co_return waits;
}

RunningPod HollowNodes::running_now(const Pod& pod, const Life& life) {
  return {.started = started_at(pod).value_or(process_.loop.time().wall_now()),
          .containers = containers_after(times_of(pod, life).running, pod.crash_after),
          .more_restarts = life.more_restarts,
          .address = address_of(pod),
          .health = devices_(pod.node_name).health_of(pod)};
}

// Whether another process has started the pod, and its status needs no new write.
bool HollowNodes::is_as_found(const Pod& pod, const Life& life, const RunningPod& running) {
  return pod.phase == api::PodPhase::running && life.written == 0 && running.health.empty() &&
         pod.readiness_gates.empty() &&
         pod.restarts == running.containers.restarts + running.more_restarts &&
         !running.containers.waits_for;
}

Task<Outcome> HollowNodes::show_running(api::ObjectPtr<Pod> pod, Outcome otherwise) {
  Life* life = life_of(*pod);
  if (life == nullptr) co_return Outcome::done();
  const RunningPod running = running_now(*pod, *life);
  if (is_as_found(*pod, *life, running)) co_return otherwise;
  std::string body = encode_running(*pod, running, process_.loop.time().wall_now());
  const std::size_t hash = std::hash<std::string>()(body);
  if (std::exchange(life->written, hash) == hash) co_return otherwise;
  const Outcome written = co_await write_status(pod, std::move(body));
  life = life_of(*pod);
  if (written != Outcome::done() && life != nullptr) life->written = 0;
  co_return std::min(written, otherwise);
}

Task<Outcome> HollowNodes::write_status(api::ObjectPtr<Pod> pod, std::string body, Wakes wakes) {
  Life* life = life_of(*pod);
  if (wakes == Wakes::no && life != nullptr) life->quiet.begin();
  const Result<http::Response> answer =
      co_await api_.strategic_merge_patch(pods(), pod->meta.key, "status", std::move(body));
  const auto written = record(pods_, answer);
  std::optional<api::ResourceVersion> version;
  if (written && *written) version = (*written)->meta.resource_version;
  life = life_of(*pod);
  if (life != nullptr && life->quiet.end(version)) work_.add(pod->meta.key);
  co_return written ? Outcome::done()
                    : refused("Cannot write the status of a pod", *pod, written.error());
}

Outcome HollowNodes::refused(std::string_view what, const Pod& pod, const runtime::Error& error) {
  if (runtime::is_object_gone(error)) return Outcome::done();
  process_.log.warning(what, {{"pod", pod.meta.key.str()}, {"error", runtime::to_string(error)}});
  return Outcome::retry();
}

// A pod that is kept only by finalizers has been released already: nothing is left to do.
Task<Outcome> HollowNodes::remove(api::ObjectPtr<Pod> pod) {
  Life* life = life_of(*pod);
  if (life == nullptr || life->is_let_go) co_return Outcome::done();
  if (const auto waits = co_await unprepare(pod)) co_return *waits;
  const Result<http::Response> answer =
      co_await api_.remove(pods(), pod->meta.key, encode_delete_now(pod->meta.uid));
  if (!answer) co_return refused("Cannot delete a pod that has ended", *pod, answer.error());
  life = life_of(*pod);
  if (life != nullptr) life->is_let_go = true;
  co_return Outcome::done();
}

void HollowNodes::warn_of_misspelt(const Pod& pod, Life& life) {
  if (life.told_misspelt == pod.misspelt) return;
  life.told_misspelt = pod.misspelt;
  if (pod.misspelt.empty()) return;
  process_.log.warning("Cannot parse annotations of a pod",
                       {{"pod", pod.meta.key.str()}, {"error", pod.misspelt}});
  events_.report(reference_to(pod), api::EventType::warning, "kubelet", "InvalidAnnotation",
                 pod.misspelt);
}

PodAddress HollowNodes::address_of(const Pod& pod) {
  std::string host = address_of_node(pod.node_name.str());
  if (pod.is_on_host_network) return {.host = host, .pod = host};
  return {.host = std::move(host), .pod = addresses_.address_of(pod.meta.uid)};
}

HollowNodes::Life* HollowNodes::life_of(const Pod& pod) {
  const auto found = lives_.find(pod.meta.uid);
  return found == lives_.end() ? nullptr : &found->second;
}

PodTimes HollowNodes::times_of(const Pod& pod, const Life& life) const {
  const runtime::MonoTime now = process_.loop.time().now();
  const runtime::WallTime wall = process_.loop.time().wall_now();
  return {.running = now - life.started.value_or(now),
          .stopping = now - life.deleted.value_or(now),
          .active = wall - pod.start_time.value_or(wall)};
}

// A pod found running counts from the start in its status.
runtime::MonoTime HollowNodes::start_of(const Pod& pod, StartSeen seen) const {
  const runtime::MonoTime now = process_.loop.time().now();
  const runtime::WallTime wall = process_.loop.time().wall_now();
  const runtime::WallTime started =
      seen == StartSeen::later ? started_at(pod).value_or(wall) : wall;
  return now - std::max(wall - started, Duration::zero());
}

void HollowNodes::observe_pod(const api::ObjectPtr<Pod>& before, const api::ObjectPtr<Pod>& after) {
  if (before && (!after || after->meta.uid != before->meta.uid)) {
    stop_preparing(before->meta.uid);
    lives_.erase(before->meta.uid);
    addresses_.give_back(before->meta.uid);
  }
  if (!after || !is_ours(*after)) return;
  Life& life = lives_[after->meta.uid];
  if (!after->is_on_host_network) addresses_.observe(after->meta.uid, after->ip);
  if (after->phase == api::PodPhase::running && !life.started) {
    life.started = start_of(*after, before ? StartSeen::at_once : StartSeen::later);
    life.is_rebooted = !before && options_.booted == Booted::yes;
  }
  if (after->meta.is_being_deleted && !life.deleted) life.deleted = process_.loop.time().now();
  if (after->meta.is_being_deleted) stop_preparing(after->meta.uid);
  const bool is_held_back = life.quiet.observe(after->meta.resource_version);
  if (!is_held_back || after->meta.is_being_deleted) work_.add(after->meta.key);
}

}  // namespace dcm::playground
