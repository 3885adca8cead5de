#include "controllers/resource_claim/sync/foreign_claims.hpp"

#include <algorithm>
#include <chrono>

#include <fmt/format.h>

#include "controllers/resource_claim/rules/claim_name.hpp"

namespace dcm::resource_claim {
namespace {

using namespace std::chrono_literals;

// Longer than a request of an earlier leader, and the watch's delay, can be.
constexpr runtime::Duration kGrace = 1min;
constexpr runtime::Duration kLineInterval = 5min;

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
  left_since_.erase(claim->controller->uid);
  last_seen_ = deps_.time.now();
  if (*last_seen_ >= *counts_from_) report(*claim);
}

runtime::MonoTime ForeignClaims::quiet_from() const {
  if (deps_.policy == Policy::go_on || !last_seen_) return runtime::MonoTime::min();
  return *last_seen_ + (*last_seen_ < *counts_from_ ? kQuietAtFirst : kQuiet);
}

bool ForeignClaims::is_giving_way() const {
  return deps_.time.now() < quiet_from();
}

std::optional<runtime::Duration> ForeignClaims::give_way(const api::Uid& owner) {
  if (!is_giving_way()) {
    left_since_.clear();
    return std::nullopt;
  }
  const runtime::MonoTime now = deps_.time.now();
  forget_old(now);
  const runtime::MonoTime since = left_since_.try_emplace(owner, now).first->second;
  const runtime::MonoTime until = std::min(since + kGiveWay, quiet_from());
  if (now >= until) return std::nullopt;
  return until - now;
}

// Of pods that went without a claim, or got one of ours.
void ForeignClaims::forget_old(runtime::MonoTime now) {
  if (now - last_cleared_ < kQuiet) return;
  last_cleared_ = now;
  std::erase_if(left_since_, [&](const auto& left) { return now - left.second >= kQuiet; });
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
                      ? "Until it stops, this manager makes claims only after 30 s."
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
