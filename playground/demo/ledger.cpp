#include "playground/demo/ledger.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "controllers/common/pod_claims.hpp"

namespace dcm::playground {
namespace {

void add(std::size_t& figure, int change, std::size_t times = 1) {
  figure += static_cast<std::size_t>(change) * times;  // wraps back for -1
}

void count_phase(const Pod& pod, int change, Tally& tally) {
  if (pod.phase == api::PodPhase::pending) add(tally.pods_pending, change);
  if (pod.phase == api::PodPhase::running) add(tally.pods_running, change);
}

bool has_ended(const Pod& pod) {
  return pod.phase == api::PodPhase::succeeded || pod.phase == api::PodPhase::failed;
}

std::size_t names_in(const Pod& pod) {
  return static_cast<std::size_t>(std::ranges::count_if(
      pod.claim_statuses,
      [](const api::PodClaimStatus& status) { return status.claim_name.has_value(); }));
}

std::size_t templates_in(const Pod& pod) {
  return static_cast<std::size_t>(std::ranges::count_if(
      pod.claims, [](const api::PodClaim& claim) { return !claim.template_name.empty(); }));
}

// How many of `some` are not in `others`.
std::size_t count_missing(const api::UsuallyOne<api::ConsumerReference>& some,
                          const api::UsuallyOne<api::ConsumerReference>& others) {
  return static_cast<std::size_t>(
      std::ranges::count_if(some, [&others](const api::ConsumerReference& one) {
        return std::ranges::find(others, one) == others.end();
      }));
}

}  // namespace

void Ledger::observe_pod(const api::ObjectPtr<Pod>& before, const api::ObjectPtr<Pod>& after) {
  const Pod& pod = after ? *after : *before;
  if (pod.meta.key.namespace_ != namespace_) return;
  if (before) count_phase(*before, -1, tally_);
  if (after) count_phase(*after, 1, tally_);
  if (!before) {
    ++tally_.pods_seen;
    tally_.pod_claims += templates_in(pod);
  }
  const std::size_t names_before = before ? names_in(*before) : 0;
  if (after && names_in(*after) > names_before)
    tally_.names_written += names_in(*after) - names_before;
  const bool ends_now = after && has_ended(*after) && (!before || !has_ended(*before));
  // A pod that ends because it was deleted has not finished.
  if (ends_now && !after->meta.is_being_deleted && finished_.insert(after->meta.uid).second) {
    ++tally_.pods_finished;
  }
  if (!after && finished_.erase(before->meta.uid) == 0) ++tally_.pods_deleted;
}

void Ledger::observe_claim(const api::ObjectPtr<Claim>& before,
                           const api::ObjectPtr<Claim>& after) {
  const Claim& claim = after ? *after : *before;
  if (claim.meta.key.namespace_ != namespace_) return;
  if (before) count_claim(*before, -1);
  if (after) count_claim(*after, 1);
  if (!before) see_made(*after);
  if (!after) ++tally_.claims_deleted;
  static const api::UsuallyOne<api::ConsumerReference> kNobody;
  const auto& reserved_before = before ? before->reserved_for : kNobody;
  const auto& reserved_after = after ? after->reserved_for : kNobody;
  tally_.reserved += count_missing(reserved_after, reserved_before);
  tally_.released += count_missing(reserved_before, reserved_after);
  if (before && before->is_allocated && (!after || !after->is_allocated)) ++tally_.deallocated;
}

void Ledger::count_claim(const Claim& claim, int change) {
  add(tally_.claims, change);
  if (common::has_pod_as_controller(claim)) add(tally_.claims_generated, change);
  if (claim.is_allocated) add(tally_.claims_allocated, change);
  add(tally_.reservations, change, claim.reserved_for.size());
  add(tally_.devices_in_use, change, claim.devices.size());
  for (const api::AllocatedDevice& device : claim.devices) {
    add(users_[device.id], change);
    if (change > 0 && users_[device.id] == 2) {
      mistakes_.push_back(fmt::format("device {} is allocated to two claims", device.id.str()));
    }
  }
}

void Ledger::see_made(const Claim& claim) {
  if (!common::has_pod_as_controller(claim)) return;
  ++tally_.claims_made;
  if (++made_[{claim.controller->uid, claim.pod_claim_name}] == 2) {
    mistakes_.push_back(fmt::format("pod {} has two claims for its pod claim {}",
                                    claim.controller->name, claim.pod_claim_name));
  }
}

bool Ledger::is_over() const {
  return tally_.pods_pending == 0 && tally_.pods_running == 0 && tally_.claims_generated == 0 &&
         tally_.claims_allocated == 0 && tally_.reservations == 0;
}

std::vector<std::string> Ledger::mistakes() const {
  std::vector<std::string> all = mistakes_;
  if (tally_.claims_made != tally_.pod_claims) {
    all.push_back(fmt::format("{} claims were made for {} pod claims", tally_.claims_made,
                              tally_.pod_claims));
  }
  if (tally_.claims_generated != 0) {
    all.push_back(fmt::format("{} claims are left", tally_.claims_generated));
  }
  if (tally_.devices_in_use != 0) {
    all.push_back(fmt::format("{} devices are still in use", tally_.devices_in_use));
  }
  const std::size_t unended = tally_.pods_pending + tally_.pods_running;
  if (unended != 0) all.push_back(fmt::format("{} pods have not ended", unended));
  return all;
}

}  // namespace dcm::playground
