#include "test/simulation/scheduler.hpp"

#include <algorithm>
#include <vector>

#include <fmt/format.h>

#include "test/simulation/devices.hpp"

namespace dcm::simulation {

using namespace std::chrono_literals;
using runtime::Task;

namespace {

Consumer as_consumer(const Pod& pod) {
  return {"", "pods", pod.name, pod.uid};
}

// An entry of status.reservedFor.
std::string as_entry(const Consumer& consumer) {
  const std::string group =
      consumer.is_pod() ? "" : fmt::format(R"("apiGroup":"{}",)", consumer.api_group);
  return fmt::format(R"({{{}"resource":"{}","name":"{}","uid":"{}"}})", group, consumer.resource,
                     consumer.name, consumer.uid);
}

}  // namespace

Scheduler::Scheduler(ActorContext context, runtime::Rng rng, std::size_t devices_per_pool)
    : Actor(context, rng), devices_per_pool_(devices_per_pool), placing_(context.loop.executor()) {
  crash_share_ = rng_.below(2) == 0 ? 0 : rng_.unit() * 0.3;
  patience_max_ = rng_.below(4) == 0 ? 0s : 30s;
}

Task<> Scheduler::run() {
  while (!context_.is_over()) {
    co_await pause(2);
    place_waiting([this](const Pod& pod) { return has_turn(pod.uid); });
  }
}

void Scheduler::place_all() {
  place_waiting([](const Pod&) { return true; });
}

void Scheduler::place_waiting(const std::function<bool(const Pod&)>& may_be_tried) {
  for (const auto& [key, pod] : context_.cluster.pods) {
    if (!pod.node.empty() || pod.is_done() || being_placed_.contains(pod.uid)) continue;
    if (!may_be_tried(pod)) continue;
    being_placed_.insert(pod.uid);
    placing_.spawn("place", place(pod.uid));
  }
}

// An unplaced pod is retried later, with growing delay.
bool Scheduler::has_turn(const std::string& uid) {
  const runtime::MonoTime now = context_.loop.time().now();
  Attempts& attempts = attempts_[uid];
  if (now < attempts.next) return false;
  attempts.next = now + attempts.patience;
  attempts.patience = std::min<runtime::Duration>(2 * attempts.patience, patience_max_);
  return true;
}

Task<> Scheduler::stop() {
  placing_.cancel();
  co_await placing_.join();
}

// An obstacle ends this attempt.
Task<> Scheduler::place(std::string uid) {
  struct Ending {
    std::set<std::string>& being_placed;
    const std::string& uid;
    ~Ending() { being_placed.erase(uid); }
  } const ending{being_placed_, uid};
  const bool is_ready = co_await reserve_all(uid);
  co_await pause(1);
  const Pod* pod = context_.cluster.find_pod(uid);
  if (pod == nullptr || chance(crash_share_)) co_return;
  if (!is_ready) {
    if (chance(0.3)) give_up(uid);
    co_return;
  }
  context_.send("scheduler", "POST", pods_in(pod->ns) + "/" + pod->name + "/binding",
                fmt::format(R"({{"metadata":{{"name":"{}","uid":"{}"}},"target":{{"kind":"Node",)"
                            R"("name":"node-{}"}}}})",
                            pod->name, uid, rng_.below(3)));
}

Task<bool> Scheduler::reserve_all(std::string uid) {
  const Pod* pod = context_.cluster.find_pod(uid);
  if (pod == nullptr) co_return false;
  if (!pod->group.empty() && context_.cluster.group_of(*pod) == nullptr) co_return false;
  const std::vector<PodClaim> pod_claims = pod->claims;
  const bool wants_extended = pod->wants_extended_resource;
  for (const PodClaim& pod_claim : pod_claims) {
    pod = context_.cluster.find_pod(uid);
    const Claim* claim = pod == nullptr ? nullptr : context_.cluster.usable_claim(*pod, pod_claim);
    if (claim == nullptr || claim->is_being_deleted) co_return false;
    // Otherwise it belongs to a former group of the same name.
    const bool is_fit = claim->owner_if_group.empty() || context_.cluster.has_owner(*claim);
    if (!is_fit) co_return false;
    const Consumer consumer = consumer_of(*pod, pod_claim);
    const bool is_reserved = co_await reserve(claim->key(), uid, consumer);
    if (!is_reserved) co_return false;
  }
  if (!wants_extended) co_return true;
  const std::string extended = co_await make_extended_claim(uid);
  co_return !extended.empty();
}

// As known to the scheduler: the group may be gone, or replaced under its name, when this is
// written.
Task<bool> Scheduler::reserve(std::string claim_key, std::string uid, Consumer consumer) {
  const Claim* claim = context_.cluster.claim(claim_key);
  if (claim == nullptr) co_return false;
  if (claim->is_reserved_for(consumer.uid)) co_return true;
  const std::string target = claims_in(claim->ns) + "/" + claim->name;
  std::string version = claim->version;
  if (!claim->is_allocated && !claim->is_protected) {
    const apiserver::Answer protected_ =
        context_.send("scheduler", "PATCH", target,
                      fmt::format(R"({{"metadata":{{"resourceVersion":"{}","finalizers":)"
                                  R"(["resource.kubernetes.io/delete-protection"]}}}})",
                                  version));
    if (!protected_.ok()) co_return false;
    version = protected_.resource_version();
  }
  co_await pause(0.5);
  claim = context_.cluster.claim(claim_key);
  const Pod* pod = context_.cluster.find_pod(uid);
  if (claim == nullptr || claim->version != version || pod == nullptr) co_return false;
  std::string allocation;
  if (!claim->is_allocated) {
    const std::string device = free_device();
    if (device.empty()) co_return false;
    allocation =
        fmt::format(R"("allocation":{{"devices":{{"results":[{{"request":"r",{}{}}}]}}}},)", device,
                    tolerations());
  }
  std::string reserved;
  for (const Consumer& each : claim->reserved_for) {
    reserved += as_entry(each) + ",";
  }
  const apiserver::Response written = context_.send(
      "scheduler", "PATCH", target + "/status",
      fmt::format(R"({{"metadata":{{"resourceVersion":"{}"}},"status":{{{}"reservedFor":)"
                  R"([{}{}]}}}})",
                  version, allocation, reserved, as_entry(consumer)));
  co_return written.status == 200;
}

// A group's claim is reserved for the group.
Consumer Scheduler::consumer_of(const Pod& pod, const PodClaim& pod_claim) const {
  const Group* group = context_.cluster.sharing_group(pod, pod_claim);
  if (group == nullptr) return as_consumer(pod);
  return {"scheduling.k8s.io", "podgroups", group->name, group->uid};
}

// The claim behind the extended resources of a pod, allocated, reserved and named in its status;
// empty: not yet. A scheduler that is interrupted leaves it behind, and creates another one later.
Task<std::string> Scheduler::make_extended_claim(std::string uid) {
  const Pod* pod = context_.cluster.find_pod(uid);
  if (pod == nullptr) co_return std::string();
  if (!pod->extended_claim.empty()) co_return pod->extended_claim;
  const apiserver::Answer made = context_.send(
      "scheduler", "POST", claims_in(pod->ns),
      fmt::format(
          R"({{"metadata":{{"generateName":"{0}-extended-resources-","annotations":)"
          R"({{"resource.kubernetes.io/extended-resource-claim":"true"}},"ownerReferences":)"
          R"([{{"apiVersion":"v1","kind":"Pod","name":"{0}","uid":"{1}","controller":true}}]}},)"
          R"("spec":{{"devices":{{"requests":[{{"name":"r","exactly":{{"deviceClassName":)"
          R"("gpu.example.com"}}}}]}}}}}})",
          pod->name, uid));
  if (!made.ok()) co_return std::string();
  const std::string name(made.name());
  const Consumer consumer = as_consumer(*pod);
  const bool is_reserved = co_await reserve(pod->ns + "/" + name, uid, consumer);
  co_await pause(0.5);
  pod = context_.cluster.find_pod(uid);
  if (!is_reserved || pod == nullptr || chance(crash_share_)) co_return std::string();
  const apiserver::Response named = context_.send(
      "scheduler", "PATCH", pods_in(pod->ns) + "/" + pod->name + "/status",
      fmt::format(R"({{"metadata":{{"uid":"{}"}},"status":{{"extendedResourceClaimStatus":)"
                  R"({{"resourceClaimName":"{}","requestMappings":[{{"containerName":"c",)"
                  R"("resourceName":"example.com/gpu","requestName":"r"}}]}}}}}})",
                  uid, name));
  co_return named.status == 200 ? name : std::string();
}

void Scheduler::give_up(const std::string& uid) {
  const Pod* pod = context_.cluster.find_pod(uid);
  if (pod == nullptr || !pod->node.empty()) return;
  for (const PodClaim& pod_claim : std::vector(pod->claims)) {
    pod = context_.cluster.find_pod(uid);
    const Claim* claim = context_.cluster.usable_claim(*pod, pod_claim);
    if (claim == nullptr) continue;
    const std::string consumer = consumer_of(*pod, pod_claim).uid;
    const bool may_be_in_use = consumer != uid && has_bound_pods(pod->ns, pod->group);
    if (claim->is_reserved_for(consumer) && !may_be_in_use) unreserve(*claim, consumer);
  }
}

bool Scheduler::has_bound_pods(const std::string& ns, const std::string& group) const {
  const auto pods = context_.cluster.pods_of_group(ns, group);
  return std::ranges::any_of(pods, [](const Pod* pod) { return !pod->node.empty(); });
}

// Like the real scheduler: without a version, and the allocation stays.
void Scheduler::unreserve(const Claim& claim, const std::string& consumer_uid) {
  context_.send("scheduler", "PATCH", claims_in(claim.ns) + "/" + claim.name + "/status",
                fmt::format(R"({{"metadata":{{"uid":"{}"}},"status":{{"reservedFor":)"
                            R"([{{"$patch":"delete","uid":"{}"}}]}}}})",
                            claim.uid, consumer_uid),
                apiserver::kStrategic);
}

// A free device, as members of an allocation's result; empty: all are taken.
std::string Scheduler::free_device() {
  std::set<std::string> taken;
  for (const auto& [key, claim] : context_.cluster.claims) {
    for (const Device& device : claim.devices) taken.insert(device.id());
  }
  const std::size_t first = rng_.below(kPools);
  for (std::size_t i = 0; i < kPools * devices_per_pool_; ++i) {
    const std::size_t pool = (first + i) % kPools;
    const Device device{
        kDriver, fmt::format("pool-{}", pool), fmt::format("dev-{}", i / kPools), {}};
    if (taken.contains(device.id())) continue;
    return fmt::format(R"("driver":"{}","pool":"{}","device":"{}")", device.driver, device.pool,
                       device.device);
  }
  return {};
}

std::string Scheduler::tolerations() {
  if (chance(0.6)) return {};
  const std::string seconds =
      chance(0.2) ? "" : fmt::format(R"(,"tolerationSeconds":{})", rng_.below(400));
  return fmt::format(
      R"(,"tolerations":[{{"key":"{}","operator":"Exists","effect":"NoExecute"{}}}])",
      chance(0.5) ? "hot" : "burnt", seconds);
}

}  // namespace dcm::simulation
