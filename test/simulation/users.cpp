#include "test/simulation/users.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "test/simulation/weighted_draw.hpp"

namespace dcm::simulation {
namespace {

using runtime::Task;

// How often each actor acts, and how often a StatefulSet is checked.
constexpr double kPause = 8;
constexpr double kSetPause = 3;
constexpr const char* kRequests =
    R"({"devices":{"requests":[{"name":"r","exactly":{"deviceClassName":"gpu.example.com"}}]}})";

// Too large for a manager to cache: it reads such a template when it creates a claim from it.
std::string large_requests() {
  constexpr std::size_t kBytes = 9'000;  // an opaque configuration has at most 10 KiB
  const std::string config =
      fmt::format(R"({{"opaque":{{"driver":"gpu.example.com","parameters":{{"text":"{}"}}}}}})",
                  std::string(kBytes, '<'));
  return fmt::format(
      R"({{"devices":{{"requests":[{{"name":"r","exactly":{{"deviceClassName":"gpu.example.com"}}}}],)"
      R"("config":[{0},{0},{0},{0}]}}}})",
      config);
}

}  // namespace

Users::Users(ActorContext context, runtime::Rng rng, std::size_t pods)
    : Actor(context, rng), pods_at_once_(1 + pods / 60) {
  for (double& weight : weights_) weight = std::pow(rng_.unit(), 3);
  weights_[static_cast<std::size_t>(Act::delete_namespace)] *= rng_.below(4) == 0 ? 0.5 : 0.03;
  pods_per_act_ = 0.2 + rng_.unit() * 0.6;
  shared_share_ = rng_.below(4) == 0 ? rng_.unit() : 0.25;
  extended_share_ = rng_.below(2) == 0 ? 0 : rng_.unit() * 0.5;
  late_template_share_ = rng_.below(4) == 0 ? rng_.unit() : 0.1;
  bound_share_ = rng_.below(3) == 0 ? rng_.unit() * 0.6 : 0.05;
  force_share_ = rng_.below(3) == 0 ? rng_.unit() : 0.05;
  const std::size_t set_pods = rng_.below(6);
  for (std::size_t i = 0; i < set_pods; ++i) {
    set_pods_.emplace_back(any_namespace(), fmt::format("set-{}", i));
  }
  set_pods_left_ = set_pods_.empty() ? 0 : pods / 3;
  pods_left_ = pods - set_pods_left_;
}

void Users::set_up() {
  for (const char* ns : kUsedNamespaces) furnish(ns);
}

void Users::furnish(const std::string& ns) {
  if (!is_active(ns)) {
    context_.send("user", "POST", kNamespaces, "{" + meta(ns) + "}");
  }
  for (std::size_t i = 0; i < kTemplates; ++i) {
    if (!chance(late_template_share_)) make_template(ns, i);
  }
  for (std::size_t i = 0; i < kSharedClaims; ++i) make_shared_claim(ns, i);
}

Task<> Users::run() {
  while (!context_.is_over()) {
    co_await pause(kPause);
    if (context_.is_over()) break;
    if (pods_left_ > 0 && chance(pods_per_act_)) {
      make_pods(std::min(pods_left_, 1 + rng_.below(2 * pods_at_once_ - 1)));
      continue;
    }
    act(static_cast<Act>(draw_by_weight(rng_, weights_)));
  }
}

Task<> Users::keep_sets() {
  while (!context_.is_over()) {
    co_await pause(kSetPause);
    for (const auto& [ns, name] : set_pods_) {
      if (set_pods_left_ == 0) co_return;
      if (!is_active(ns) || context_.cluster.pod(ns + "/" + name) != nullptr) continue;
      --set_pods_left_;
      make_pod(ns, name);
    }
  }
}

void Users::act_once() {
  ++pods_left_;  // even if others exist already
  if (chance(0.4)) return make_pods(1);
  act(static_cast<Act>(rng_.below(kActs)));
}

void Users::delete_made_claims() {
  for (const auto& [key, claim] : std::map(context_.cluster.claims)) {
    if (claim.owner.empty()) continue;
    context_.send("user", "DELETE", claims_in(claim.ns) + "/" + claim.name, delete_only(claim.uid));
  }
}

void Users::make_missing_templates() {
  for (const char* ns : kUsedNamespaces) {
    if (!is_active(ns)) continue;
    for (std::size_t i = 0; i < kTemplates; ++i) {
      if (!context_.cluster.templates.contains(fmt::format("{}/t{}", ns, i))) make_template(ns, i);
    }
  }
}

bool Users::is_active(const std::string& ns) const {
  if (ns == kUsedNamespaces.front()) return true;  // exists permanently from the beginning
  const auto found = context_.cluster.namespaces.find(ns);
  return found != context_.cluster.namespaces.end() && !found->second.is_being_deleted;
}

std::string Users::any_namespace() {
  return kUsedNamespaces[rng_.below(kUsedNamespaces.size())];
}

// ---- pods ---------------------------------------------------------------------------------------

void Users::make_pods(std::size_t count) {
  pods_left_ -= count;
  const std::string ns = any_namespace();
  for (std::size_t i = 0; i < count; ++i) make_pod(ns, fmt::format("pod-{}", next_pod_++));
}

void Users::make_pod(const std::string& ns, const std::string& name) {
  const bool is_bound = chance(bound_share_);
  const bool is_extended = !is_bound && chance(extended_share_);
  const std::string resources =
      is_extended
          ? R"(,"resources":{"limits":{"example.com/gpu":"1"},"requests":{"example.com/gpu":"1"}})"
          : "";
  // An unscheduled pod gets only devices shared with other pods.
  const double shared_share = is_bound ? std::max(0.7, shared_share_) : shared_share_;
  const std::string claims = is_extended && chance(0.5) ? "" : some_pod_claims(shared_share);
  context_.send(
      "user", "POST", pods_in(ns),
      fmt::format(R"({{{},"spec":{{{}"containers":[{{"name":"c","image":"i"{}}}],)"
                  R"("resourceClaims":[{}]}}}})",
                  meta(name), is_bound ? R"("nodeName":"node-1",)" : "", resources, claims));
}

// Like `kubectl replace --force`.
void Users::replace_pod(const Pod& pod) {
  if (pods_left_ == 0) return;
  --pods_left_;
  context_.send("user", "DELETE", pods_in(pod.ns) + "/" + pod.name,
                delete_only(pod.uid, R"(,"gracePeriodSeconds":0)"));
  make_pod(pod.ns, pod.name);
}

std::string Users::some_pod_claims(double shared_share) {
  std::string claims;
  const std::size_t count = chance(0.1) ? 0 : 1 + rng_.below(3);
  for (std::size_t i = 0; i < count; ++i) {
    const bool is_shared = chance(shared_share);
    claims += fmt::format(R"({}{{"name":"c{}","{}":"{}{}"}})", i == 0 ? "" : ",", i,
                          is_shared ? "resourceClaimName" : "resourceClaimTemplateName",
                          is_shared ? "shared-" : "t",
                          rng_.below(is_shared ? kSharedClaims : kTemplates));
  }
  return claims;
}

// ---- templates, claims, namespaces --------------------------------------------------------------

void Users::make_template(const std::string& ns, std::size_t number) {
  const std::string spec = large_share_ > 0 && chance(large_share_) ? large_requests() : kRequests;
  context_.send("user", "POST", templates_in(ns),
                fmt::format(R"({{{},"spec":{{"metadata":{{"labels":{{"t":"{}"}}}},"spec":{}}}}})",
                            meta(fmt::format("t{}", number)), number, spec));
}

void Users::replace_template(const std::string& ns) {
  const std::size_t number = rng_.below(kTemplates);
  const std::string name = fmt::format("t{}", number);
  if (!context_.cluster.templates.contains(ns + "/" + name)) return make_template(ns, number);
  context_.send("user", "DELETE", templates_in(ns) + "/" + name, "");
  // A template that is missing for long causes repeated equal events.
  if (chance(0.8)) make_template(ns, number);
}

void Users::make_shared_claim(const std::string& ns, std::size_t number) {
  context_.send(
      "user", "POST", claims_in(ns),
      fmt::format(R"({{{},"spec":{}}})", meta(fmt::format("shared-{}", number)), kRequests));
}

void Users::delete_shared_claim(const std::string& ns) {
  const std::size_t number = rng_.below(kSharedClaims);
  const std::string name = fmt::format("shared-{}", number);
  if (context_.cluster.claim(ns + "/" + name) == nullptr) return make_shared_claim(ns, number);
  context_.send("user", "DELETE", claims_in(ns) + "/" + name, "");
}

// Or recreates it, if it is gone.
void Users::delete_namespace(const std::string& ns) {
  if (!context_.cluster.namespaces.contains(ns)) return furnish(ns);
  if (is_active(ns)) context_.send("user", "DELETE", kNamespaces + "/" + ns, "");
}

void Users::act(Act what) {
  const Pod* pod = any_of(context_.cluster.pods);
  const Claim* claim = any_of(context_.cluster.claims);
  const std::string pod_target = pod == nullptr ? "" : pods_in(pod->ns) + "/" + pod->name;
  const std::string claim_target = claim == nullptr ? "" : claims_in(claim->ns) + "/" + claim->name;
  switch (what) {
    case Act::delete_pod:
      if (pod == nullptr) return;
      context_.send("user", "DELETE", pod_target,
                    chance(force_share_) ? R"({"gracePeriodSeconds":0})" : "");
      return;
    case Act::replace_pod:
      if (pod != nullptr) replace_pod(Pod(*pod));
      return;
    case Act::finish_pod:
      if (pod == nullptr || pod->node.empty() || pod->has_ended()) return;
      context_.send(
          "kubelet", "PATCH", pod_target + "/status",
          fmt::format(R"({{"status":{{"phase":"{}"}}}})", chance(0.5) ? "Succeeded" : "Failed"));
      return;
    case Act::edit_pod:
      if (pod != nullptr) context_.send("user", "PATCH", pod_target, edit(rng_.below(100)));
      return;
    case Act::delete_made_claim:
      if (claim != nullptr && !claim->owner.empty()) {
        context_.send("user", "DELETE", claim_target, "");
      }
      return;
    case Act::delete_shared_claim:
      return delete_shared_claim(any_namespace());
    case Act::edit_claim:
      if (claim != nullptr) context_.send("user", "PATCH", claim_target, edit(rng_.below(100)));
      return;
    case Act::replace_template:
      return replace_template(any_namespace());
    case Act::delete_namespace:
      return delete_namespace(kUsedNamespaces.back());
  }
}

}  // namespace dcm::simulation
