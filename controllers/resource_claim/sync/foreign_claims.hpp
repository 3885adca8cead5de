// Notices that somebody else makes claims for pods (or pod groups) while we do.
//
// Each of our managers computes the same name for a claim (claim_name.hpp); a generated claim that
// appears under another one was made by kube-controller-manager, which must not be.
#pragma once

#include <cstdint>
#include <optional>

#include "controllers/common/pod_claims.hpp"
#include "controllers/resource_claim/rules/decide_generation.hpp"
#include "informers/observer.hpp"
#include "runtime/log.hpp"
#include "runtime/metrics.hpp"
#include "runtime/time.hpp"

namespace dcm::resource_claim {

// Not foreign are: what was there before we led or what a relist finds, and what appears within a
// minute of our beginning: the last creates of who did the work before may have been under way.
// Loop thread only.
class ForeignClaims final : public informers::Observer<api::ResourceClaim> {
 public:
  struct Dependencies {
    runtime::TimeSource& time;
    runtime::MetricsRegistry& metrics;
    runtime::Logger log;
    // Whether claims are made for groups as well.
    common::GroupClaims groups = common::GroupClaims::refused;
  };
  // What the dependencies refer to must outlive it.
  explicit ForeignClaims(Dependencies dependencies);
  ForeignClaims(const ForeignClaims&) = delete;
  ForeignClaims& operator=(const ForeignClaims&) = delete;

  // From now on we are the one who makes claims.
  void activate();

  void observe_added(const ClaimPtr& claim, informers::Origin origin) override;
  // Who owns a claim is decided when it appears.
  void observe_updated(const ClaimPtr& /*before*/, const ClaimPtr& /*after*/,
                       informers::Origin /*origin*/) override {}
  void observe_deleted(const ClaimPtr& /*last_known*/, informers::Origin /*origin*/) override {}
  void observe_left(const ClaimPtr& /*last_known*/, informers::Origin /*origin*/) override {}

 private:
  bool is_generated(const api::ResourceClaim& claim) const;
  void report(const api::ResourceClaim& claim);

  Dependencies deps_;
  runtime::Counter& foreign_;
  std::optional<runtime::MonoTime> counts_from_;  // nothing: we do not make claims (yet)
  std::optional<runtime::MonoTime> last_line_;
  std::uint64_t since_last_line_ = 0;
};

}  // namespace dcm::resource_claim
