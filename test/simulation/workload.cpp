#include "test/simulation/workload.hpp"

#include <cmath>
#include <set>
#include <vector>

#include <fmt/format.h>

namespace dcm::simulation {
namespace {

using namespace std::chrono_literals;
using runtime::Task;

constexpr std::array<const char*, 2> kNamespaces = {"default", "lab"};
constexpr std::size_t kTemplates = 3;
constexpr std::size_t kSharedClaims = 2;
constexpr std::size_t kPools = 3;
constexpr std::size_t kDevices = 24;
constexpr std::size_t kSetPods = 4;
constexpr const char* kDriver = "gpu.example.com";
constexpr const char* kRequests =
    R"({"devices":{"requests":[{"name":"r","exactly":{"deviceClassName":"gpu.example.com"}}]}})";

std::string meta(const std::string& name) {
  return R"("metadata":{"name":")" + name + R"("})";
}

}  // namespace

std::string pods_in(const std::string& ns) {
  return "/api/v1/namespaces/" + ns + "/pods";
}
std::string claims_in(const std::string& ns) {
  return "/apis/resource.k8s.io/v1/namespaces/" + ns + "/resourceclaims";
}
std::string templates_in(const std::string& ns) {
  return "/apis/resource.k8s.io/v1/namespaces/" + ns + "/resourceclaimtemplates";
}

apiserver::Answer Scene::send(const std::string& who, std::string_view method,
                              const std::string& target, std::string body) const {
  const std::string_view type = method == "PATCH" ? apiserver::kMerge : "application/json";
  apiserver::Answer answer =
      apiserver::Direct(server, who).send(method, target, type, std::move(body));
  if (!answer.ok() && timeline.is_kept()) {
    timeline.note(who, fmt::format("… refused: {}", answer.text({"message"})));
  }
  return answer;
}

Workload::Workload(Scene scene, runtime::Rng rng, runtime::Duration until)
    : scene_(scene),
      rng_(rng),
      until_(until),
      placing_(scene.loop.executor()),
      tasks_(scene.loop.executor()) {
  for (double& weight : weights_) weight = std::pow(rng_.unit(), 3);
  weights_[0] = weights_[1] = 0;  // pods of their own share
  pods_left_ = 20 + rng_.below(41);
  pods_per_act_ = 0.2 + rng_.unit() * 0.6;
  finish_share_ = rng_.below(2) == 0 ? 0 : rng_.unit() * 0.05;
  scheduler_crash_share_ = rng_.below(2) == 0 ? 0 : rng_.unit() * 0.3;
}

void Workload::set_up() {
  scene_.send("admin", "POST", "/api/v1/namespaces", "{" + meta("lab") + "}");
  for (const char* ns : kNamespaces) {
    for (std::size_t i = 0; i < kTemplates; ++i) {
      if (!chance(0.1)) make_template(ns, i);
    }
    for (std::size_t i = 0; i < kSharedClaims; ++i) make_shared_claim(ns, i);
  }
  for (std::size_t pool = 0; pool < kPools; ++pool) {
    generations_[pool] = 1;
    publish(pool);
  }
}

void Workload::start() {
  tasks_.spawn("users", users());
  tasks_.spawn("scheduler", scheduler());
  tasks_.spawn("kubelet", kubelet());
  tasks_.spawn("collector", collector());
}

Task<> Workload::stop() {
  tasks_.cancel();
  co_await tasks_.join();
  placing_.cancel();
  co_await placing_.join();
}

Task<> Workload::pause(double seconds_at_most) {
  const auto most = std::chrono::duration_cast<runtime::Duration>(
      std::chrono::duration<double>(seconds_at_most * rng_.unit()));
  co_await runtime::sleep_for(scene_.loop.time(), most);
}

Task<> Workload::users() {
  double sum = 0;
  for (const double weight : weights_) sum += weight;
  while (!is_over()) {
    co_await pause(8);
    if (is_over()) break;
    if (pods_left_ > 0 && chance(pods_per_act_)) {
      --pods_left_;
      act(chance(0.3) ? Act::make_set_pod : Act::make_pod);
      continue;
    }
    double left = rng_.unit() * sum;
    std::size_t chosen = 0;
    while (chosen + 1 < kActs && left >= weights_[chosen]) left -= weights_[chosen++];
    act(static_cast<Act>(chosen));
  }
  calm_down();
}

// What must be there for the world to come to rest.
void Workload::calm_down() {
  for (const char* ns : kNamespaces) {
    for (std::size_t i = 0; i < kTemplates; ++i) {
      const std::string key = fmt::format("{}/t{}", ns, i);
      if (!scene_.cluster.templates.contains(key)) make_template(ns, i);
    }
  }
}

std::string Workload::any_namespace() {
  return kNamespaces[rng_.below(kNamespaces.size())];
}

const Pod* Workload::any_pod() {
  if (scene_.cluster.pods.empty()) return nullptr;
  auto found = scene_.cluster.pods.begin();
  std::advance(found, rng_.below(scene_.cluster.pods.size()));
  return &found->second;
}

const Claim* Workload::any_claim() {
  if (scene_.cluster.claims.empty()) return nullptr;
  auto found = scene_.cluster.claims.begin();
  std::advance(found, rng_.below(scene_.cluster.claims.size()));
  return &found->second;
}

void Workload::make_template(const std::string& ns, std::size_t number) {
  scene_.send("user", "POST", templates_in(ns),
              fmt::format(R"({{{},"spec":{{"metadata":{{"labels":{{"t":"{}"}}}},"spec":{}}}}})",
                          meta(fmt::format("t{}", number)), number, kRequests));
}

void Workload::make_shared_claim(const std::string& ns, std::size_t number) {
  scene_.send(
      "user", "POST", claims_in(ns),
      fmt::format(R"({{{},"spec":{}}})", meta(fmt::format("shared-{}", number)), kRequests));
}

void Workload::make_pod(const std::string& ns, const std::string& name, const std::string& node) {
  std::string claims;
  const std::size_t count = chance(0.1) ? 0 : 1 + rng_.below(3);
  for (std::size_t i = 0; i < count; ++i) {
    const bool is_shared = chance(0.25);
    claims += fmt::format(R"({}{{"name":"c{}","{}":"{}{}"}})", i == 0 ? "" : ",", i,
                          is_shared ? "resourceClaimName" : "resourceClaimTemplateName",
                          is_shared ? "shared-" : "t",
                          rng_.below(is_shared ? kSharedClaims : kTemplates));
  }
  scene_.send(
      "user", "POST", pods_in(ns),
      fmt::format(R"({{{},"spec":{{{}"containers":[{{"name":"c","image":"i"}}],)"
                  R"("resourceClaims":[{}]}}}})",
                  meta(name), node.empty() ? "" : R"("nodeName":")" + node + R"(",)", claims));
}

void Workload::act(Act what) {
  const std::string ns = any_namespace();
  const Pod* pod = any_pod();
  const Claim* claim = any_claim();
  switch (what) {
    case Act::make_pod:
      return make_pod(ns, fmt::format("pod-{}", next_pod_++), "");
    case Act::make_set_pod:  // the same names again and again, as of a StatefulSet
      return make_pod(ns, fmt::format("set-{}", rng_.below(kSetPods)), "");
    case Act::make_bound_pod:
      if (pods_left_ == 0) return;
      --pods_left_;
      return make_pod(ns, fmt::format("pod-{}", next_pod_++), "node-1");
    case Act::delete_pod:
      if (pod != nullptr) scene_.send("user", "DELETE", pods_in(pod->ns) + "/" + pod->name, "");
      return;
    case Act::finish_pod:
      if (pod != nullptr && !pod->node.empty() && !pod->has_ended()) {
        scene_.send(
            "kubelet", "PATCH", pods_in(pod->ns) + "/" + pod->name + "/status",
            fmt::format(R"({{"status":{{"phase":"{}"}}}})", chance(0.5) ? "Succeeded" : "Failed"));
      }
      return;
    case Act::edit_pod:
      if (pod != nullptr) {
        scene_.send("user", "PATCH", pods_in(pod->ns) + "/" + pod->name,
                    fmt::format(R"({{"metadata":{{"labels":{{"edit":"{}"}}}}}})", rng_.below(100)));
      }
      return;
    case Act::delete_made_claim:
      if (claim != nullptr && !claim->owner.empty()) {
        scene_.send("user", "DELETE", claims_in(claim->ns) + "/" + claim->name, "");
      }
      return;
    case Act::delete_shared_claim: {
      const std::size_t number = rng_.below(kSharedClaims);
      const std::string name = fmt::format("shared-{}", number);
      if (scene_.cluster.claim(ns + "/" + name) == nullptr) return make_shared_claim(ns, number);
      scene_.send("user", "DELETE", claims_in(ns) + "/" + name, "");
      return;
    }
    case Act::edit_claim:
      if (claim != nullptr) {
        scene_.send("user", "PATCH", claims_in(claim->ns) + "/" + claim->name,
                    fmt::format(R"({{"metadata":{{"labels":{{"edit":"{}"}}}}}})", rng_.below(100)));
      }
      return;
    case Act::replace_template: {
      const std::size_t number = rng_.below(kTemplates);
      const std::string name = fmt::format("t{}", number);
      if (!scene_.cluster.templates.contains(ns + "/" + name)) return make_template(ns, number);
      scene_.send("user", "DELETE", templates_in(ns) + "/" + name, "");
      return;
    }
    case Act::taint_device:
      return taint_device(true);
    case Act::heal_device:
      return taint_device(false);
    case Act::renew_pool: {
      const std::size_t pool = rng_.below(kPools);
      ++generations_[pool];
      return publish(pool);
    }
    case Act::add_rule:
      return add_rule();
    case Act::change_rule:
      return change_rule();
    case Act::delete_rule:
      if (!scene_.cluster.rules.empty()) {
        scene_.send("admin", "DELETE", kRules + "/" + scene_.cluster.rules.begin()->first, "");
      }
      return;
  }
}

// ---- devices ------------------------------------------------------------------------------------

// The slice of a pool, as its driver wants it to be.
void Workload::publish(std::size_t pool) {
  std::string devices;
  for (std::size_t i = 0; i < kDevices; ++i) {
    const std::string device = fmt::format("dev-{}", i);
    const auto taint = taints_[pool].find(device);
    devices += fmt::format(R"({}{{"name":"{}"{}}})", i == 0 ? "" : ",", device,
                           taint == taints_[pool].end() ? "" : taint->second);
  }
  const std::string name = fmt::format("slice-{}", pool);
  const std::string spec =
      fmt::format(R"({{"driver":"{}","allNodes":true,"pool":{{"name":"pool-{}","generation":{},)"
                  R"("resourceSliceCount":1}},"devices":[{}]}})",
                  kDriver, pool, generations_[pool], devices);
  if (scene_.cluster.slices.contains(name)) {
    scene_.send("driver", "PATCH", kSlices + "/" + name, R"({"spec":)" + spec + "}");
  } else {
    scene_.send("driver", "POST", kSlices, fmt::format(R"({{{},"spec":{}}})", meta(name), spec));
  }
}

void Workload::taint_device(bool is_tainted) {
  const std::size_t pool = rng_.below(kPools);
  if (is_tainted) {
    // The first ones are those that are in use.
    const std::string device = fmt::format("dev-{}", rng_.below(1 + rng_.below(kDevices)));
    taints_[pool][device] =
        fmt::format(R"(,"taints":[{{"key":"{}","effect":"{}"}}])", chance(0.5) ? "burnt" : "hot",
                    chance(0.8) ? "NoExecute" : "NoSchedule");
  } else if (!taints_[pool].empty()) {
    taints_[pool].erase(taints_[pool].begin());
  }
  publish(pool);
}

void Workload::add_rule() {
  constexpr std::array<const char*, 3> kEffects = {"NoExecute", "NoSchedule", "None"};
  std::string selector = R"("driver":"gpu.example.com")";
  if (!chance(0.05)) selector += fmt::format(R"(,"pool":"pool-{}")", rng_.below(kPools));
  if (!chance(0.3)) selector += fmt::format(R"(,"device":"dev-{}")", rng_.below(6));
  scene_.send("admin", "POST", kRules,
              fmt::format(R"({{{},"spec":{{"deviceSelector":{{{}}},"taint":{{"key":"hot",)"
                          R"("effect":"{}"}}}}}})",
                          meta(fmt::format("rule-{}", next_rule_++)), selector,
                          kEffects[chance(0.6) ? 0 : rng_.below(3)]));
}

void Workload::change_rule() {
  constexpr std::array<const char*, 3> kEffects = {"NoExecute", "NoSchedule", "None"};
  if (scene_.cluster.rules.empty()) return;
  auto rule = scene_.cluster.rules.begin();
  std::advance(rule, rng_.below(scene_.cluster.rules.size()));
  scene_.send("admin", "PATCH", kRules + "/" + rule->first,
              fmt::format(R"({{"spec":{{"taint":{{"effect":"{}"}}}}}})", kEffects[rng_.below(3)]));
}

// ---- kubelets and the garbage collector ---------------------------------------------------------

Task<> Workload::kubelet() {
  for (;;) {
    co_await pause(2);
    std::vector<Pod> pods;
    for (const auto& [key, pod] : scene_.cluster.pods) {
      if (!pod.node.empty()) pods.push_back(pod);
    }
    for (const Pod& pod : pods) run_pod(pod);
  }
}

void Workload::run_pod(const Pod& pod) {
  const std::string target = pods_in(pod.ns) + "/" + pod.name;
  const runtime::MonoTime now = scene_.loop.time().now();
  if (pod.is_being_deleted) {
    const auto [gone, is_new] =
        dying_.try_emplace(pod.uid, now + std::chrono::milliseconds(rng_.below(30'000)));
    if (now < gone->second) return;
    scene_.send(
        "kubelet", "DELETE", target,
        fmt::format(R"({{"gracePeriodSeconds":0,"preconditions":{{"uid":"{}"}}}})", pod.uid));
    return;
  }
  if (pod.has_ended() || is_over()) return;
  if (pod.phase == "Pending") {
    for (const PodClaim& pod_claim : pod.claims) {
      const Claim* claim = scene_.cluster.usable_claim(pod, pod_claim);
      if (claim == nullptr || !claim->is_reserved_for(pod.uid)) return;
    }
    scene_.send("kubelet", "PATCH", target + "/status", R"({"status":{"phase":"Running"}})");
  } else if (chance(finish_share_)) {
    scene_.send("kubelet", "PATCH", target + "/status", R"({"status":{"phase":"Succeeded"}})");
  }
}

Task<> Workload::collector() {
  for (;;) {
    co_await pause(10);
    collect();
  }
}

void Workload::collect() {
  std::vector<Claim> orphans;
  for (const auto& [key, claim] : scene_.cluster.claims) {
    const bool is_orphan = !claim.owner.empty() && scene_.cluster.find_pod(claim.owner) == nullptr;
    if (is_orphan && !claim.is_being_deleted) orphans.push_back(claim);
  }
  for (const Claim& claim : orphans) {
    scene_.send("collector", "DELETE", claims_in(claim.ns) + "/" + claim.name,
                fmt::format(R"({{"preconditions":{{"uid":"{}"}}}})", claim.uid));
  }
}

// ---- the scheduler ------------------------------------------------------------------------------

Task<> Workload::scheduler() {
  while (!is_over()) {
    co_await pause(2);
    std::vector<Pod> waiting;
    for (const auto& [key, pod] : scene_.cluster.pods) {
      const bool waits = pod.node.empty() && !pod.is_done() && !being_placed_.contains(pod.uid);
      if (waits) waiting.push_back(pod);
    }
    for (const Pod& pod : waiting) {
      being_placed_[pod.uid] = scene_.loop.time().now();
      placing_.spawn("place", place(pod.key(), pod.uid));
    }
  }
}

// Allocates and reserves each claim, then binds the pod; what stands in the way ends this attempt.
Task<> Workload::place(std::string key, std::string uid) {
  struct Ending {
    std::map<std::string, runtime::MonoTime>& being_placed;
    const std::string& uid;
    ~Ending() { being_placed.erase(uid); }
  } const ending{being_placed_, uid};
  const Pod* pod = scene_.cluster.find_pod(uid);
  if (pod == nullptr) co_return;
  const std::string ns = pod->ns;
  const std::string name = pod->name;
  const std::vector<PodClaim> pod_claims = pod->claims;
  bool is_ready = true;
  for (const PodClaim& pod_claim : pod_claims) {
    pod = scene_.cluster.find_pod(uid);
    const Claim* claim = pod == nullptr ? nullptr : scene_.cluster.usable_claim(*pod, pod_claim);
    if (claim == nullptr || claim->is_being_deleted) {
      is_ready = false;
      break;
    }
    const bool is_reserved = co_await reserve(claim->key(), key, uid);
    is_ready = is_ready && is_reserved;
    if (!is_ready) break;
  }
  co_await pause(1);
  if (!is_ready || chance(scheduler_crash_share_)) co_return;
  scene_.send("scheduler", "POST", pods_in(ns) + "/" + name + "/binding",
              fmt::format(R"({{"metadata":{{"uid":"{}"}},"target":{{"kind":"Node","name":)"
                          R"("node-{}"}}}})",
                          uid, rng_.below(3)));
}

// As the scheduler's plugin does it: the finalizer first, then the status, each with the version
// that it was decided on.
Task<bool> Workload::reserve(std::string claim_key, std::string pod_key, std::string uid) {
  const Claim* claim = scene_.cluster.claim(claim_key);
  if (claim == nullptr) co_return false;
  if (claim->is_reserved_for(uid)) co_return true;
  const std::string target = claims_in(claim->ns) + "/" + claim->name;
  std::string version = claim->version;
  if (!claim->is_allocated && !claim->is_protected) {
    const apiserver::Answer protected_ =
        scene_.send("scheduler", "PATCH", target,
                    fmt::format(R"({{"metadata":{{"resourceVersion":"{}","finalizers":)"
                                R"(["resource.kubernetes.io/delete-protection"]}}}})",
                                version));
    if (!protected_.ok()) co_return false;
    version = protected_.resource_version();
  }
  co_await pause(0.5);
  claim = scene_.cluster.claim(claim_key);
  if (claim == nullptr || claim->version != version) co_return false;
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
    reserved += fmt::format(R"({{"resource":"{}","name":"{}","uid":"{}"}},)", each.resource,
                            each.name, each.uid);
  }
  const std::string pod_name = pod_key.substr(pod_key.find('/') + 1);
  const apiserver::Answer answer = scene_.send(
      "scheduler", "PATCH", target + "/status",
      fmt::format(R"({{"metadata":{{"resourceVersion":"{}"}},"status":{{{}"reservedFor":)"
                  R"([{}{{"resource":"pods","name":"{}","uid":"{}"}}]}}}})",
                  version, allocation, reserved, pod_name, uid));
  co_return answer.ok();
}

// As members of an allocation's result; empty: all are taken.
std::string Workload::free_device() {
  std::set<std::string> taken;
  for (const auto& [key, claim] : scene_.cluster.claims) {
    for (const Device& device : claim.devices) taken.insert(device.id());
  }
  const std::size_t first = rng_.below(kPools);
  for (std::size_t i = 0; i < kPools * kDevices; ++i) {
    const std::size_t pool = (first + i) % kPools;
    const Device device{
        kDriver, fmt::format("pool-{}", pool), fmt::format("dev-{}", i / kPools), {}};
    if (taken.contains(device.id())) continue;
    return fmt::format(R"("driver":"{}","pool":"{}","device":"{}")", device.driver, device.pool,
                       device.device);
  }
  return {};
}

std::string Workload::tolerations() {
  if (chance(0.6)) return {};
  const std::string seconds =
      chance(0.2) ? "" : fmt::format(R"(,"tolerationSeconds":{})", rng_.below(400));
  return fmt::format(
      R"(,"tolerations":[{{"key":"{}","operator":"Exists","effect":"NoExecute"{}}}])",
      chance(0.5) ? "hot" : "burnt", seconds);
}

}  // namespace dcm::simulation
