// Snapshots of pods and groups on one line.
#pragma once

#include <string>
#include <utility>

#include "controllers/resource_claim/rules/claim_name.hpp"
#include "controllers/resource_claim/rules/decide_generated_claims.hpp"

namespace dcm::resource_claim {

// The known claims created for a pod or group. `Self` adds fields of its own.
template <class Self, class Snapshot>
class KnownGeneration {
 public:
  Self& got(const std::string& claim, ClaimAnswer answer) {
    snapshot_.claims[claim] = std::move(answer);
    return self();
  }
  Self& gone(const std::string& claim) { return got(claim, Gone{}); }
  Self& with(const TemplatePtr& claim_template) {
    snapshot_.templates[claim_template->meta.key.name.str()] = claim_template;
    return self();
  }
  // The create with the claim's first name was answered with this claim.
  Self& created(const std::string& pod_claim, const ClaimPtr& claim) {
    snapshot_.created.emplace(name_of(pod_claim), claim);
    return self();
  }
  Self& create_failed(const std::string& pod_claim, runtime::Error error) {
    snapshot_.created.emplace(name_of(pod_claim), std::move(error));
    return self();
  }
  // Another object has the claim's name with that number.
  Self& taken(const std::string& pod_claim, unsigned number = 0) {
    snapshot_.created.emplace(name_of(pod_claim, number),
                              runtime::Error{runtime::Reason::already_exists, "already exists"});
    return self();
  }
  std::string name_of(const std::string& pod_claim, unsigned number = 0) const {
    const api::ObjectMeta& owner = self().owner();
    return claim_name(owner.key.name, owner.uid, pod_claim, number);
  }
  Self& names_written() {
    snapshot_.names = KnownClaims::Names::written;
    return self();
  }
  Self& names_failed(runtime::Error error) {
    snapshot_.names_failure = std::move(error);
    return self();
  }
  operator Snapshot() const { return snapshot_; }

 protected:
  Self& self() { return static_cast<Self&>(*this); }
  const Self& self() const { return static_cast<const Self&>(*this); }

  Snapshot snapshot_;
};

}  // namespace dcm::resource_claim
