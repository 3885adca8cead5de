#include "controllers/resource_claim/sync/foreign_claims.hpp"

#include <algorithm>
#include <chrono>
#include <functional>
#include <vector>

#include <fmt/format.h>

#include "controllers/resource_claim/rules/claim_name.hpp"

namespace dcm::resource_claim {
namespace {

using namespace std::chrono_literals;

// Longer than a request of an earlier leader, and the watch's delay, can be.
constexpr runtime::Duration kGrace = 1min;
constexpr runtime::Duration kLineInterval = 5min;
// Longer than the longest back-off of a pod whose claims are refused.
constexpr runtime::Duration kForgetAfter = 40min;

bool has_computed_name(const api::ResourceClaim& claim) {
  const api::ControllerRef& owner = *claim.controller;
  for (unsigned number = 0; number < kClaimNamesMax; ++number) {
    if (claim.meta.key.name == claim_name(owner.name, owner.uid, claim.pod_claim_name, number)) {
      return true;
    }
  }
  return false;
}

}  // namespace

ForeignClaims::ForeignClaims(Dependencies dependencies)
    : deps_(std::move(dependencies)),
      foreign_(deps_.metrics.counter(
          "dra_controller_manager_foreign_claims_total",
          "Generated claims that appeared while this process made claims, under names that it does "
          "not compute: another manager makes claims too.")),
      giving_way_(deps_.metrics.gauge(
          "dra_controller_manager_creates_held_back",
          "1 while another manager makes claims for pods too, so that creates wait for it.")),
      refresh_(
          deps_.metrics.before_exposition([this] { giving_way_.Set(is_giving_way() ? 1 : 0); })) {}

bool ForeignClaims::is_generated(const api::ResourceClaim& claim) const {
  const bool is_for_group =
      deps_.groups == common::GroupClaims::shared && common::has_group_as_controller(claim);
  return !claim.pod_claim_name.empty() && !claim.is_extended_resource_claim &&
         (is_for_group || common::has_pod_as_controller(claim));
}

void ForeignClaims::activate() {
  counts_from_ = deps_.time.now() + kGrace;
}

void ForeignClaims::observe_added(const ClaimPtr& claim, informers::Origin origin) {
  if (!counts_from_ || origin == informers::Origin::initial || !is_generated(*claim)) return;
  if (has_computed_name(*claim)) return;
  const runtime::MonoTime now = deps_.time.now();
  last_seen_[claim->meta.key.namespace_] = now;
  if (now >= *counts_from_) report(*claim);
}

// Its pod lacks a claim from now on, whoever made the one that has gone.
void ForeignClaims::observe_deleted(const ClaimPtr& last_known, informers::Origin /*origin*/) {
  if (is_generated(*last_known)) left_.erase(last_known->controller->uid);
}

runtime::MonoTime ForeignClaims::quiet_from(runtime::MonoTime last_seen) const {
  if (deps_.policy == Policy::go_on) return runtime::MonoTime::min();
  return last_seen + (last_seen < *counts_from_ ? kQuietAtFirst : kQuiet);
}

runtime::MonoTime ForeignClaims::quiet_from(const api::InternedString& name_space) const {
  const auto seen = last_seen_.find(name_space);
  if (seen == last_seen_.end()) return quiet_everywhere_from();
  return std::max(quiet_from(seen->second), quiet_everywhere_from());
}

runtime::MonoTime ForeignClaims::quiet_everywhere_from() const {
  if (last_seen_.size() < kEverywhere) return runtime::MonoTime::min();
  std::vector<runtime::MonoTime> ends;
  for (const auto& [name_space, last_seen] : last_seen_) ends.push_back(quiet_from(last_seen));
  const auto decisive = ends.begin() + (kEverywhere - 1);
  std::ranges::nth_element(ends, decisive, std::ranges::greater());
  return *decisive;
}

bool ForeignClaims::is_giving_way() const {
  const runtime::MonoTime now = deps_.time.now();
  return std::ranges::any_of(last_seen_,
                             [&](const auto& seen) { return now < quiet_from(seen.second); });
}

bool ForeignClaims::is_giving_way_everywhere() const {
  return deps_.time.now() < quiet_everywhere_from();
}

std::optional<runtime::Duration> ForeignClaims::give_way(const api::InternedString& name_space,
                                                         const api::Uid& owner) {
  const runtime::MonoTime now = deps_.time.now();
  forget_old(now);
  const runtime::MonoTime quiet = quiet_from(name_space);
  if (now >= quiet) {
    left_.erase(owner);
    return std::nullopt;
  }
  Left& left = left_.try_emplace(owner, Left{now, now}).first->second;
  left.last_asked = now;
  const runtime::MonoTime until = std::min(left.since + kGiveWay, quiet);
  if (now >= until) return std::nullopt;
  return until - now;
}

// Pods that went without a claim, or got theirs. Those that wait ask again.
void ForeignClaims::forget_old(runtime::MonoTime now) {
  if (now - last_cleared_ < kForgetAfter) return;
  last_cleared_ = now;
  std::erase_if(left_,
                [&](const auto& left) { return now - left.second.last_asked >= kForgetAfter; });
  std::erase_if(last_seen_, [&](const auto& seen) { return now >= quiet_from(seen.second); });
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
                      ? "Until it stops, this manager makes claims there only after 30 s."
                      : "This manager goes on making claims, because of --foreign-claims=go-on."));
  last_line_ = now;
  since_last_line_ = 0;
}

void ForeignClaims::announce(const std::string& text) {
  if (!deps_.lease) return;
  deps_.events.report({"coordination.k8s.io/v1", "Lease", *deps_.lease, {}, {}},
                      api::EventType::warning, "resource_claim", "ForeignClaims", text);
}

}  // namespace dcm::resource_claim
