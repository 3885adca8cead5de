// Snapshots of pods and groups in one line.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "controllers/resource_claim/rules/decide_generation.hpp"

namespace dcm::resource_claim {

// What is known of the claims that are made for a pod or group. `Self` adds what is its own.
template <class Self, class Snapshot>
class KnownGeneration {
 public:
  Self& got(const std::string& claim, ClaimAnswer answer) {
    snapshot_.claims[claim] = std::move(answer);
    return self();
  }
  Self& gone(const std::string& claim) { return got(claim, Gone{}); }
  Self& with(const TemplatePtr& claim_template) {
    snapshot_.templates[claim_template->meta.key.name] = claim_template;
    return self();
  }
  Self& outcome_unknown() {
    snapshot_.earlier_creates = Generation::EarlierCreates::outcome_unknown;
    return self();
  }
  Self& listed(std::vector<ClaimPtr> claims) {
    snapshot_.listed = std::move(claims);
    return self();
  }
  Self& list_failed(runtime::Error error) {
    snapshot_.listed = std::move(error);
    return self();
  }
  Self& created(const std::string& pod_claim, const ClaimPtr& claim) {
    snapshot_.created.emplace(pod_claim, claim);
    return self();
  }
  Self& create_failed(const std::string& pod_claim, runtime::Error error) {
    snapshot_.created.emplace(pod_claim, std::move(error));
    return self();
  }
  Self& names_written() {
    snapshot_.names = Generation::Names::written;
    return self();
  }
  operator Snapshot() const { return snapshot_; }

 protected:
  Self& self() { return static_cast<Self&>(*this); }

  Snapshot snapshot_;
};

}  // namespace dcm::resource_claim
