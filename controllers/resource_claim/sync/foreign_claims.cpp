#include "controllers/resource_claim/sync/foreign_claims.hpp"

#include <algorithm>
#include <chrono>
#include <string_view>
#include <unordered_set>
#include <vector>

#include <fmt/format.h>

#include "controllers/resource_claim/rules/claim_name.hpp"
#include "runtime/keyed_hash.hpp"

namespace dcm::resource_claim {
namespace {

using namespace std::chrono_literals;

// Longer than a request of an earlier leader plus the watch's delay.
constexpr runtime::Duration kGrace = 1min;
constexpr runtime::Duration kLineInterval = 5min;
// Longer than the longest back-off of a pod whose claims are refused.
constexpr runtime::Duration kForgetAfter = 40min;

// The most claims of a namespace that are remembered as named before they are known; any number may
// come, and the first that turns out to be foreign is enough.
constexpr std::size_t kAwaitedMax = 100;

bool has_computed_name(const api::ResourceClaim& claim, std::string_view pod_claim) {
  const api::ControllerRef& owner = *claim.controller;
  return is_claim_name(claim.meta.key.name, owner.name, owner.uid, pod_claim);
}

// Statuses in `after` that are not in `before`. A pod may have thousands.
std::vector<const api::PodClaimStatus*> new_names(const api::Pod& before, const api::Pod& after) {
  std::vector<const api::PodClaimStatus*> fresh;
  if (before.claim_statuses == after.claim_statuses) return fresh;
  std::unordered_set<std::string_view, runtime::KeyedHash> known;
  for (const api::PodClaimStatus& status : before.claim_statuses) {
    if (status.claim_name) known.insert(*status.claim_name);
  }
  for (const api::PodClaimStatus& status : after.claim_statuses) {
    if (status.claim_name && !known.contains(*status.claim_name)) fresh.push_back(&status);
  }
  return fresh;
}

}  // namespace

ForeignClaims::ForeignClaims(Dependencies dependencies)
    : deps_(std::move(dependencies)),
      foreign_(deps_.metrics.counter(
          "dra_controller_manager_foreign_claims_total",
          "Claims of another manager that statuses of pods began to name while this process made "
          "claims: both make them.")),
      giving_way_(deps_.metrics.gauge(
          "dra_controller_manager_creates_held_back",
          "1 while another manager makes claims for pods too, so that creates wait for it in some "
          "namespace.")),
      refresh_(
          deps_.metrics.before_exposition([this] { giving_way_.Set(is_giving_way() ? 1 : 0); })) {}

void ForeignClaims::activate() {
  counts_from_ = deps_.time.now() + kGrace;
}

void ForeignClaims::expect_own(const api::Pod& pod, const std::vector<ClaimName>& names) {
  for (const auto& [pod_claim, name] : names) {
    const ClaimPtr claim = deps_.claims.get({pod.meta.key.namespace_, name});
    const bool is_computed =
        claim != nullptr && claim->controller && has_computed_name(*claim, pod_claim);
    if (!is_computed) own_[pod.meta.uid].insert(name);
  }
}

void ForeignClaims::observe_updated(const PodPtr& before, const PodPtr& after,
                                    informers::Origin /*origin*/) {
  if (!counts_from_) return;
  for (const api::PodClaimStatus* status : new_names(*before, *after)) look_at(*after, *status);
}

void ForeignClaims::observe_deleted(const PodPtr& last_known, informers::Origin /*origin*/) {
  own_.erase(last_known->meta.uid);
}

void ForeignClaims::look_at(const api::Pod& pod, const api::PodClaimStatus& status) {
  const api::NamespacedName key{pod.meta.key.namespace_, *status.claim_name};
  if (const ClaimPtr claim = deps_.claims.get(key)) {
    if (is_foreign(pod, status, *claim)) note(*claim);
    return;
  }
  auto& awaited = awaited_[key.namespace_];
  if (awaited.size() >= kAwaitedMax) awaited.clear();
  awaited.insert_or_assign(key.name, pod.meta.key.name);
}

bool ForeignClaims::is_foreign(const api::Pod& pod, const api::PodClaimStatus& status,
                               const api::ResourceClaim& claim) const {
  if (!common::is_active(pod) || !common::is_made_for(claim, pod, deps_.groups)) return false;
  if (has_computed_name(claim, status.name.str())) return false;
  const auto own = own_.find(pod.meta.uid);
  return own == own_.end() || !own->second.contains(claim.meta.key.name);
}

void ForeignClaims::observe_added(const ClaimPtr& claim, informers::Origin /*origin*/) {
  const auto& [namespace_, name] = claim->meta.key;
  const auto in_namespace = awaited_.find(namespace_);
  if (in_namespace == awaited_.end()) return;
  const auto awaited = in_namespace->second.extract(name);
  if (!awaited) return;
  const PodPtr pod = deps_.pods.get({namespace_, awaited.mapped()});
  if (pod == nullptr) return;
  const auto names_it = [&](const api::PodClaimStatus& status) {
    return status.claim_name == name && is_foreign(*pod, status, *claim);
  };
  if (std::ranges::any_of(pod->claim_statuses, names_it)) note(*claim);
}

// The owner needs a claim again; restart its grace period. Anybody can name an owner of another
// namespace.
void ForeignClaims::observe_deleted(const ClaimPtr& last_known, informers::Origin /*origin*/) {
  if (!common::has_claim_user_as_controller(*last_known)) return;
  const auto left = left_.find(last_known->controller->uid);
  if (left == left_.end() || left->second.namespace_ != last_known->meta.key.namespace_) return;
  left_.erase(left);
}

runtime::MonoTime ForeignClaims::quiet_from(runtime::MonoTime last_seen) const {
  if (deps_.policy == Policy::go_on) return runtime::MonoTime::min();
  return last_seen + (last_seen < *counts_from_ ? kQuietAtFirst : kQuiet);
}

bool ForeignClaims::is_giving_way() const {
  const runtime::MonoTime now = deps_.time.now();
  return std::ranges::any_of(last_seen_,
                             [&](const auto& seen) { return now < quiet_from(seen.second); });
}

std::optional<runtime::Duration> ForeignClaims::give_way(const api::InternedString& namespace_,
                                                         const api::Uid& owner) {
  const runtime::MonoTime now = deps_.time.now();
  forget_old(now);
  const auto seen = last_seen_.find(namespace_);
  if (seen == last_seen_.end() || now >= quiet_from(seen->second)) {
    left_.erase(owner);
    return std::nullopt;
  }
  Left& left = left_.try_emplace(owner, Left{namespace_, now, now}).first->second;
  left.last_asked = now;
  const runtime::MonoTime until = std::min(left.since + kGiveWay, quiet_from(seen->second));
  if (now >= until) return std::nullopt;
  return until - now;
}

// Forgets pods that ended without a claim, or have their claims. Waiting pods ask again in time,
// and awaited claims come within seconds.
void ForeignClaims::forget_old(runtime::MonoTime now) {
  if (now - last_cleared_ < kForgetAfter) return;
  last_cleared_ = now;
  awaited_.clear();
  std::erase_if(left_,
                [&](const auto& left) { return now - left.second.last_asked >= kForgetAfter; });
  std::erase_if(last_seen_, [&](const auto& seen) { return now >= quiet_from(seen.second); });
}

void ForeignClaims::note(const api::ResourceClaim& claim) {
  const runtime::MonoTime now = deps_.time.now();
  last_seen_[claim.meta.key.namespace_] = now;
  if (now >= *counts_from_) report(claim);
}

void ForeignClaims::report(const api::ResourceClaim& claim) {
  foreign_.Increment();
  ++since_last_line_;
  const runtime::MonoTime now = deps_.time.now();
  if (last_line_ && now - *last_line_ < kLineInterval) return;
  deps_.log.warning(
      "Another manager makes claims for pods too; is kube-controller-manager's "
      "resourceclaim-controller on?",
      {{"claim", claim.meta.key.str()}, {"claims", since_last_line_}});
  announce(
      fmt::format("Another manager made claim {}; is kube-controller-manager's "
                  "resourceclaim-controller on? {}",
                  claim.meta.key.str(),
                  deps_.policy == Policy::give_way
                      ? fmt::format("Until it stops, this manager makes claims in that namespace "
                                    "only after {} s.",
                                    kGiveWay.count())
                      : "This manager goes on making claims, because of --foreign-claims=go-on."));
  last_line_ = now;
  since_last_line_ = 0;
}

void ForeignClaims::announce(const std::string& text) {
  if (!deps_.lease) return;
  deps_.events.report(api::reference_to({&api::kLeases, "v1"}, {*deps_.lease, {}, {}}),
                      api::EventType::warning, "resource_claim", "ForeignClaims", text);
}

}  // namespace dcm::resource_claim
