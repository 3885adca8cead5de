#include "controllers/resource_claim/sync/foreign_claims.hpp"

#include <chrono>

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
          "not make: somebody else does the same work.")) {}

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
  if (deps_.time.now() < *counts_from_ || has_computed_name(*claim)) return;
  report(*claim);
}

void ForeignClaims::report(const api::ResourceClaim& claim) {
  foreign_.Increment();
  ++since_last_line_;
  const runtime::MonoTime now = deps_.time.now();
  if (last_line_ && now - *last_line_ < kLineInterval) return;
  deps_.log.warning(
      "Somebody else makes claims for pods as well: is another manager at work, or "
      "kube-controller-manager's resourceclaim-controller?",
      {{"claim", claim.meta.key.str()}, {"claims", since_last_line_}});
  last_line_ = now;
  since_last_line_ = 0;
}

}  // namespace dcm::resource_claim
