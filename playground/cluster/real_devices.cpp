#include "playground/cluster/real_devices.hpp"

#include <algorithm>

#include <boost/json/array.hpp>
#include <boost/json/serialize.hpp>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "controllers/common/pod_claims.hpp"
#include "node/claims/look.hpp"
#include "node/devices/cdi_specs.hpp"
#include "playground/cluster/silence.hpp"
#include "runtime/backoff.hpp"
#include "runtime/http/unix.hpp"
#include "runtime/task_group.hpp"

namespace dcm::playground {
namespace {

// Kubelet's name as the source of events.
constexpr std::string_view kComponent = "kubelet";

constexpr Duration kPrepareRetry = std::chrono::seconds(60);  // with up to half as much jitter
constexpr runtime::Backoff kPrepareBackoff{std::chrono::seconds(1), std::chrono::seconds(60)};
constexpr Duration kUnprepareRetry = std::chrono::seconds(10);  // the same
constexpr Duration kEnterRetry = std::chrono::seconds(10);
constexpr Duration kEnterSoon = std::chrono::milliseconds(100);

// The part of a pod that the node's side reads.
api::ObjectPtr<api::Pod> common_part(const Pod& pod) {
  return api::ObjectPtr<api::Pod>(pod);
}

Duration drawn(runtime::Rng& rng, Duration shortest) {
  return shortest + std::chrono::duration_cast<Duration>(shortest * (rng.unit() / 2));
}

std::vector<Container> containers_of(const Pod& pod) {
  std::vector<Container> containers = pod.init_containers;
  containers.insert(containers.end(), pod.containers.begin(), pod.containers.end());
  return containers;
}

// nullopt: there is none, or the pod needs none.
std::optional<node::ContainerClaim> claim_of(const Pod& pod, const ClaimUse& use) {
  const auto entry = std::ranges::find(pod.claims, use.name, &api::PodClaim::name);
  if (entry == pod.claims.end()) return std::nullopt;
  const auto name = common::claim_name(common::target_of(pod, *entry));
  if (!name) return std::nullopt;
  return node::ContainerClaim{{pod.meta.key.namespace_, std::string(*name)}, use.request};
}

// In the order of the container's claims, followed by its extended resources.
std::vector<node::ContainerClaim> claims_of(const Pod& pod, const Container& container) {
  std::vector<node::ContainerClaim> claims;
  for (const ClaimUse& use : container.claims) {
    if (auto claim = claim_of(pod, use)) claims.push_back(*std::move(claim));
  }
  for (const ExtendedRequest& row : pod.extended_requests) {
    if (row.container != container.name) continue;
    claims.push_back({{pod.meta.key.namespace_, pod.extended_resource_claim.str()}, row.request});
  }
  return claims;
}

}  // namespace

node::AgentOptions agent_options(std::string node, const std::string& root) {
  return {.node = std::move(node), .state = root, .registry = root + "/plugins_registry"};
}

Result<> make_folders(const RealDevicesOptions& options) {
  const std::string& root = options.agent.state;
  for (const std::string& folder :
       {root, root + "/plugins", options.agent.registry, options.show_devices}) {
    if (folder.empty()) continue;
    if (auto made = node::PosixFiles::make_folders(folder); !made) return made;
  }
  return {};
}

RealDevices::RealDevices(Process process, Api& api, client::RestClient& rest, Cache<Pod>& pods,
                         RealDevicesOptions options, WakePod wake)
    : process_(std::move(process)),
      options_(std::move(options)),
      pods_(pods),
      wake_(std::move(wake)),
      node_api_(api, process_.loop.time()),
      drivers_(http::make_unix_transport(process_.loop.executor(), process_.loop.time())),
      shown_(options_.show_devices.empty()
                 ? std::nullopt
                 : std::make_optional<ShownDevices>(files_, options_.show_devices)),
      events_(rest, process_.loop.time(), process_.metrics, process_.rng.fork(), process_.log),
      agent_(process_.loop, *drivers_, files_, node_api_, process_.rng, process_.metrics,
             process_.log, options_.agent,
             {.drivers_changed =
                  [this] {
                    has_heard_of_drivers_ = true;
                    wake_waiting();
                  },
              .health_changed =
                  [this](const std::set<std::string>& uids) {
                    pods_.reader().for_each([&](const api::ObjectPtr<Pod>& pod) {
                      if (uids.contains(pod->meta.uid.str())) wake_(pod->meta.key);
                    });
                  }}),
      on_pod_([this](const auto& before, const auto& after) { observe_pod(before, after); }) {
  pods_.informer().add_observer(on_pod_);
  node::add_pod_resources(
      methods_, [this] { return uses(); }, [this]() -> const node::Book& { return agent_.book(); });
}

Result<> RealDevices::open() {
  auto lock = lock_folder(options_.agent.state);
  if (!lock) return runtime::fail(lock.error());
  lock_.emplace(*std::move(lock));
  if (auto opened = agent_.open(); !opened || options_.pod_resources.empty()) return opened;
  auto listener = http::replace_unix_listener(process_.loop.executor(), process_.loop.time(),
                                              options_.pod_resources);
  if (!listener) return runtime::fail(listener.error());
  pod_resources_ = *std::move(listener);
  return {};
}

Task<> RealDevices::run() {
  runtime::TaskGroup group(process_.loop.executor());
  group.spawn("node agent", agent_.run());
  group.spawn("events", events_.run());
  group.spawn("pods of the node", watch_pods());
  group.spawn("silence",
              warn_of_silence(process_.loop.time(), process_.log, options_.agent.registry,
                              [this] { return has_heard_of_drivers_; }));
  if (pod_resources_) {
    group.spawn("pod resources",
                grpc::serve(process_.loop, *pod_resources_, methods_, {}, process_.log));
  }
  co_await group.join();
}

Task<> RealDevices::watch_pods() {
  co_await informers::wait_for_sync({&pods_.sync()});
  has_listed_ = true;
  agent_.observe_pods(active_);
  if (!agent_.has_lost_entries()) co_return;
  co_await enter_running_pods();
  agent_.end_rebuilding();
}

Task<> RealDevices::enter_running_pods() {
  not_entered_ = running_;
  std::vector<api::ObjectPtr<Pod>> left = pods_here();
  while (!left.empty()) {
    std::vector<api::ObjectPtr<Pod>> failed;
    for (const api::ObjectPtr<Pod>& pod : left) {
      const bool is_entered = co_await enter(pod);
      if (is_entered) {
        not_entered_.erase(pod->meta.uid.str());
      } else {
        failed.push_back(pod);
      }
    }
    left = std::move(failed);
    if (!left.empty()) co_await runtime::sleep_for(process_.loop.time(), kEnterRetry);
  }
}

Task<bool> RealDevices::enter(api::ObjectPtr<Pod> pod) {
  if (!running_.contains(pod->meta.uid.str())) co_return true;
  const node::ClaimResult entered = co_await agent_.enter(common_part(*pod));
  if (entered) co_return true;
  process_.log.warning("Cannot recreate checkpoint entries of a running pod; retrying",
                       {{"pod", pod->meta.key.str()}, {"error", entered.error()}});
  co_return false;
}

std::vector<api::ObjectPtr<Pod>> RealDevices::pods_here() const {
  std::vector<api::ObjectPtr<Pod>> pods;
  pods_.reader().for_each([&](const api::ObjectPtr<Pod>& pod) {
    if (active_.contains(pod->meta.uid.str())) pods.push_back(pod);
  });
  return pods;
}

// As in kubelet, sidecars come first, and init containers that end are left out.
std::vector<node::PodUse> RealDevices::uses() const {
  std::vector<node::PodUse> uses;
  for (const api::ObjectPtr<Pod>& pod : pods_here()) {
    node::PodUse use{.namespace_ = pod->meta.key.namespace_.str(),
                     .name = pod->meta.key.name.str()};
    for (const Container& container : long_lived_containers(*pod)) {
      use.containers.push_back({container.name, claims_of(*pod, container)});
    }
    uses.push_back(std::move(use));
  }
  return uses;
}

void RealDevices::observe_pod(const api::ObjectPtr<Pod>& before, const api::ObjectPtr<Pod>& after) {
  // The pod replaces an earlier one of the same name, perhaps on another node.
  const bool is_another = before && after && before->meta.uid != after->meta.uid;
  if (is_another) {
    observe_pod(before, nullptr);
    return observe_pod(nullptr, after);
  }
  const Pod& pod = after ? *after : *before;
  if (pod.node_name != options_.agent.node) return;
  const std::string uid = pod.meta.uid.str();
  const bool is_active =
      after && pod.phase != api::PodPhase::succeeded && pod.phase != api::PodPhase::failed;
  const bool was_active = active_.contains(uid);
  if (is_active) active_.insert(uid);
  if (!is_active) active_.erase(uid);
  // A pod that was deleted by force is not unprepared first.
  if (shown_ && !after) note_unshown(pod, shown_->remove(uid));
  if (is_active && pod.phase == api::PodPhase::running) running_.insert(uid);
  if (!is_active) running_.erase(uid);
  if (!is_active) failed_prepares_.erase(pod.meta.key);
  if (!after) wait_for_drivers_.erase(pod.meta.key);
  if (has_listed_ && is_active != was_active) agent_.observe_pods(active_);
}

void RealDevices::wake_waiting() {
  for (const api::NamespacedName& pod : std::exchange(wait_for_drivers_, {})) wake_(pod);
}

Task<std::optional<Outcome>> RealDevices::prepare(api::ObjectPtr<Pod> pod) {
  node::ClaimResult prepared = co_await agent_.prepare(common_part(*pod));
  if (prepared) {
    const auto missing = missing_cdi_device(*pod);
    if (!missing) {
      failed_prepares_.erase(pod->meta.key);
      show(*pod);
      co_return std::nullopt;
    }
    prepared = std::unexpected(*missing);
  }
  warn(*pod, "FailedPrepareDynamicResources",
       "Failed to prepare dynamic resources: " + prepared.error());
  co_return retry_prepare(*pod);
}

Outcome RealDevices::retry_prepare(const Pod& pod) {
  if (options_.prepare_retry == PrepareRetry::as_kubelet) {
    return Outcome::requeue_after(drawn(process_.rng, kPrepareRetry));
  }
  wait_for_drivers_.insert(pod.meta.key);
  return Outcome::requeue_after(kPrepareBackoff.after_failures(failed_prepares_[pod.meta.key]++));
}

Task<std::optional<Outcome>> RealDevices::unprepare(api::ObjectPtr<Pod> pod) {
  const bool is_entered = has_listed_ && !not_entered_.contains(pod->meta.uid.str());
  if (agent_.has_lost_entries() && !is_entered) co_return Outcome::retry(kEnterSoon);
  const node::ClaimResult unprepared = co_await agent_.unprepare(common_part(*pod));
  if (unprepared) {
    if (shown_) note_unshown(*pod, shown_->remove(pod->meta.uid.str()));
    co_return std::nullopt;
  }
  warn(*pod, "FailedUnprepareDynamicResources",
       "Failed to unprepare dynamic resources: " + unprepared.error());
  wait_for_drivers_.insert(pod->meta.key);
  co_return Outcome::requeue_after(drawn(process_.rng, kUnprepareRetry));
}

std::optional<std::string> RealDevices::missing_cdi_device(const Pod& pod) {
  if (options_.cdi_folders.empty()) return std::nullopt;
  const std::set<std::string> described = node::cdi_devices_in(files_, options_.cdi_folders);
  for (const Container& container : containers_of(pod)) {
    const auto ids = node::cdi_devices_of(agent_.book(), claims_of(pod, container));
    if (!ids) return ids.error();
    for (const std::string& id : *ids) {
      if (described.contains(id)) continue;
      return fmt::format("container {}: no CDI spec in {} describes the device {}", container.name,
                         fmt::join(options_.cdi_folders, ", "), id);
    }
  }
  return std::nullopt;
}

void RealDevices::warn(const Pod& pod, std::string_view reason, const std::string& message) {
  process_.log.warning(message, {{"pod", pod.meta.key.str()}});
  events_.report(reference_to(pod), api::EventType::warning, kComponent, reason, message);
}

DevicesHealth RealDevices::health_of(const Pod& pod) const {
  DevicesHealth health;
  for (const Container& container : pod.containers) {
    auto rows = health_of(pod, container);
    if (!rows.empty()) health[container.name] = std::move(rows);
  }
  return health;
}

std::vector<AllocatedResource> RealDevices::health_of(const Pod& pod,
                                                      const Container& container) const {
  std::vector<AllocatedResource> rows;
  for (const ClaimUse& use : container.claims) {
    const auto claim = claim_of(pod, use);
    if (!claim) continue;
    AllocatedResource row{.name = "claim:" + use.name, .devices = {}};
    if (!use.request.empty()) row.name += "/" + use.request;
    for (const auto& [id, state] : agent_.health_of(*claim)) {
      row.devices.push_back({.id = id,
                             .health = std::string(node::to_string(state.health)),
                             .message = state.message});
    }
    if (!row.devices.empty()) rows.push_back(std::move(row));
  }
  return rows;
}

void RealDevices::show(const Pod& pod) {
  if (!shown_) return;
  for (const Container& container : containers_of(pod)) {
    const auto ids = node::cdi_devices_of(agent_.book(), claims_of(pod, container));
    if (!ids || ids->empty()) continue;
    const boost::json::object shown{{"namespace", pod.meta.key.namespace_.str()},
                                    {"pod", pod.meta.key.name},
                                    {"container", container.name},
                                    {"cdiDevices", boost::json::array(ids->begin(), ids->end())}};
    note_unshown(pod, shown_->show(pod.meta.uid.str(), container.name,
                                   boost::json::serialize(shown) + "\n"));
  }
}

void RealDevices::note_unshown(const Pod& pod, const Result<>& done) const {
  if (done) return;
  process_.log.warning("Cannot write the devices of a pod's containers",
                       {{"pod", pod.meta.key.str()}, {"error", done.error().message}});
}

}  // namespace dcm::playground
