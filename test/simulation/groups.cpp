#include "test/simulation/groups.hpp"

#include <cmath>

#include <fmt/format.h>

#include "test/simulation/users.hpp"
#include "test/simulation/weighted_draw.hpp"

namespace dcm::simulation {
namespace {

using runtime::Task;

constexpr double kPause = 12;
// Of claims; the others are created from templates.
constexpr double kShareByName = 0.3;

std::string as_entries(const std::vector<PodClaim>& claims) {
  std::string entries;
  for (const PodClaim& claim : claims) {
    const bool is_made = claim.claim.empty();
    entries += fmt::format(R"({}{{"name":"{}","{}":"{}"}})", entries.empty() ? "" : ",", claim.name,
                           is_made ? "resourceClaimTemplateName" : "resourceClaimName",
                           is_made ? claim.template_name : claim.claim);
  }
  return entries;
}

}  // namespace

Groups::Groups(ActorContext context, runtime::Rng rng, std::size_t pods)
    : Actor(context, rng), pods_left_(pods), plans_(1 + rng_.below(4)) {
  for (double& weight : weights_) weight = std::pow(rng_.unit(), 3) * 0.3;
  weights_[static_cast<std::size_t>(Act::make_pod)] += 0.5;
  served_late_ = rng_.below(5) == 0 ? 120 : 0;
  late_share_ = rng_.below(2) == 0 ? rng_.unit() : 0.1;
  bound_share_ = rng_.below(2) == 0 ? rng_.unit() : 0.1;
  different_share_ = rng_.below(3) == 0 ? rng_.unit() * 0.5 : 0.05;
  for (std::size_t i = 0; i < plans_.size(); ++i) {
    plans_[i] = {kUsedNamespaces[rng_.below(kUsedNamespaces.size())],
                 fmt::format("group-{}", i),
                 some_claims(),
                 0,
                 draw_pods(),
                 rng_.below(5) == 0};
  }
}

void Groups::set_up() {
  if (served_late_ == 0) serve();
}

void Groups::serve() {
  context_.server.serve({.pod_groups = {"v1beta1"}});
}

Task<> Groups::run() {
  if (served_late_ > 0) {
    co_await pause(served_late_);
    serve();
  }
  for (const Plan& plan : plans_) {
    if (!plan.comes_last && !chance(late_share_)) make(plan);
  }
  while (!context_.is_over()) {
    co_await pause(kPause);
    if (context_.is_over()) break;
    Plan& plan = plans_[rng_.below(plans_.size())];
    act(static_cast<Act>(draw_by_weight(rng_, weights_)), plan);
  }
}

void Groups::act_once() {
  Plan& plan = plans_[rng_.below(plans_.size())];
  if (!chance(0.3)) return act(static_cast<Act>(rng_.below(kActs)), plan);
  make_one_more_pod(plan);
}

void Groups::act_everywhere() {
  for (Plan& plan : plans_) make_one_more_pod(plan);
}

void Groups::make_missing() {
  for (Plan& plan : plans_) {
    plan.comes_last = false;
    if (find(plan) == nullptr) make(plan);
  }
}

void Groups::act(Act what, Plan& plan) {
  const Group* group = find(plan);
  if (what == Act::make_pod) return make_pod(plan);
  if (plan.comes_last) return;
  if (group == nullptr) {
    plan.pods_left += 2;
    return make(plan);
  }
  switch (what) {
    case Act::make_pod:
    case Act::make_group:
      return;
    case Act::edit:
      context_.send("user", "PATCH", groups_in(plan.ns) + "/" + plan.name, edit(rng_.below(100)));
      return;
    case Act::remove:
      return remove(*group);
    case Act::remove_with_pods:
      remove_pods(*group);
      return remove(*group);
    case Act::remove_by_force:
      return force_out(context_, *group);
    case Act::replace:
      force_out(context_, *group);
      if (chance(0.3)) plan.claims = some_claims();
      plan.pods_left = draw_pods();
      return make(plan);
  }
}

// ---- groups -------------------------------------------------------------------------------------

void Groups::make(const Plan& plan) {
  make_group(context_, plan.ns, plan.name, plan.claims);
}

// Existing pods delay its deletion.
void Groups::remove(const Group& group) {
  context_.send("user", "DELETE", groups_in(group.ns) + "/" + group.name, delete_only(group.uid));
}

void Groups::remove_pods(const Group& group) {
  for (const Pod* member : context_.cluster.pods_of_group(group.ns, group.name)) {
    context_.send("user", "DELETE", pods_in(member->ns) + "/" + member->name, "");
  }
}

// ---- pods ---------------------------------------------------------------------------------------

void Groups::make_one_more_pod(Plan& plan) {
  ++plan.pods_left;
  ++pods_left_;
  make_pod(plan);
}

void Groups::make_pod(Plan& plan) {
  if (plan.pods_left == 0 || pods_left_ == 0) return;
  --plan.pods_left;
  --pods_left_;
  const std::string name = fmt::format("{}-pod-{}", plan.name, plan.next_pod++);
  context_.send(
      "user", "POST", pods_in(plan.ns),
      fmt::format(R"({{{},"spec":{{{}"schedulingGroup":{{"podGroupName":"{}"}},"containers":)"
                  R"([{{"name":"c","image":"i"}}],"resourceClaims":[{}]}}}})",
                  meta(name), chance(bound_share_) ? R"("nodeName":"node-1",)" : "", plan.name,
                  as_entries(claims_of_pod(plan))));
}

// Usually the claims of the group, and now and then some of the pod's own.
std::vector<PodClaim> Groups::claims_of_pod(const Plan& plan) {
  std::vector<PodClaim> claims;
  for (const PodClaim& shared : plan.claims) {
    if (chance(0.1)) continue;
    claims.push_back(chance(different_share_) ? some_claim(shared.name, kShareByName) : shared);
  }
  if (chance(0.4)) claims.push_back(some_claim("own", kShareByName));
  return claims;
}

std::vector<PodClaim> Groups::some_claims() {
  std::vector<PodClaim> claims;
  const std::size_t count = 1 + rng_.below(3);
  const double share_by_name = chance(0.25) ? 1 : kShareByName;
  for (std::size_t i = 0; i < count; ++i) {
    claims.push_back(some_claim(fmt::format("g{}", i), share_by_name));
  }
  return claims;
}

PodClaim Groups::some_claim(std::string name, double share_by_name) {
  if (chance(share_by_name)) {
    return {std::move(name), fmt::format("shared-{}", rng_.below(kSharedClaims)), {}};
  }
  return {std::move(name), {}, fmt::format("t{}", rng_.below(kTemplates))};
}

const Group* Groups::find(const Plan& plan) const {
  return context_.cluster.group(plan.ns + "/" + plan.name);
}

// ---- what others do to groups as well -----------------------------------------------------------

void make_group(const ActorContext& context, const std::string& ns, const std::string& name,
                const std::vector<PodClaim>& claims) {
  context.send("user", "POST", groups_in(ns),
               fmt::format(R"({{{},"spec":{{"schedulingPolicy":{{"basic":{{}}}},)"
                           R"("resourceClaims":[{}]}}}})",
                           meta(name), as_entries(claims)));
}

void force_out(const ActorContext& context, const Group& group) {
  const std::string target = groups_in(group.ns) + "/" + group.name;
  const std::string uid = group.uid;
  context.send("user", "DELETE", target, delete_only(uid));
  if (context.cluster.find_group(uid) == nullptr) return;
  context.send("user", "PATCH", target, R"({"metadata":{"finalizers":null}})");
}

}  // namespace dcm::simulation
