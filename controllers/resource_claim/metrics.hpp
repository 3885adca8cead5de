// The two metrics of Kubernetes' resource claim controller, under the names of 1.37.
#pragma once

#include <cstdint>

#include "controllers/api/resource_claim.hpp"
#include "controllers/common/pod_claims.hpp"
#include "informers/observer.hpp"
#include "runtime/metrics.hpp"

namespace dcm::resource_claim {

enum class AdminAccess : std::uint8_t { no, yes };

// dynamic_resource_allocation_resourceclaim_creates_total: requests that were sent.
class CreateMetrics {
 public:
  // The metrics of groups exist only where claims are made for groups.
  CreateMetrics(runtime::MetricsRegistry& registry, common::GroupClaims groups);

  enum class Status : std::uint8_t { success, failure };
  enum class Owner : std::uint8_t { pod, group };
  void count(Status status, AdminAccess admin_access, Owner owner);

 private:
  runtime::Counter* counters_[2][2][2] = {};  // by owner, status and admin access
};

// dynamic_resource_allocation_resource_claims: how many claims there are, by what they are. Kept as
// claims come and go, so that a scrape costs nothing; all 12 series are always there. And how many
// of them are deleted, but kept by a finalizer. One at a time per registry: each begins at nothing.
class ClaimCensus final : public informers::Observer<api::ResourceClaim> {
 public:
  explicit ClaimCensus(runtime::MetricsRegistry& registry);

  using ClaimPtr = informers::ObjectPtr<api::ResourceClaim>;
  void observe_added(const ClaimPtr& claim, informers::Origin origin) override;
  void observe_updated(const ClaimPtr& before, const ClaimPtr& after,
                       informers::Origin origin) override;
  void observe_deleted(const ClaimPtr& last_known, informers::Origin origin) override;
  void observe_left(const ClaimPtr& last_known, informers::Origin origin) override;

 private:
  void count(const api::ResourceClaim& claim, double change);

  runtime::Gauge* gauges_[2][2][3];  // by allocation, admin access, source
  runtime::Gauge& being_deleted_;
};

}  // namespace dcm::resource_claim
