// The metrics of Kubernetes' resource claim controller, under the names of 1.37, and ours.
#pragma once

#include <array>
#include <cstdint>
#include <unordered_map>

#include "controllers/api/resource_claim.hpp"
#include "controllers/common/pod_claims.hpp"
#include "controllers/resource_claim/item.hpp"
#include "informers/observer.hpp"
#include "runtime/metrics.hpp"
#include "runtime/time.hpp"

namespace dcm::resource_claim {

enum class AdminAccess : std::uint8_t { no, yes };

// dynamic_resource_allocation_resourceclaim_creates_total: requests sent.
class CreateMetrics {
 public:
  // The metrics of groups exist only if claims are created for groups.
  CreateMetrics(runtime::MetricsRegistry& registry, common::GroupClaims groups);

  enum class Status : std::uint8_t { success, failure };
  enum class Owner : std::uint8_t { pod, group };
  void count(Status status, AdminAccess admin_access, Owner owner);

 private:
  runtime::Counter* counters_[2][2][2] = {};  // by owner, status and admin access
};

// How long users wait for claims: from the creation of a pod or pod group until its claim is
// created, and until its status names the claim.
class ClaimLatency {
 public:
  // Both must outlive it.
  ClaimLatency(runtime::MetricsRegistry& registry, const runtime::TimeSource& time);

  enum class Stage : std::uint8_t { created, named };
  void observe(Stage stage, runtime::WallTime since);

 private:
  const runtime::TimeSource& time_;
  runtime::Histogram& created_;
  runtime::Histogram& named_;
};

// The objects whose last attempt failed, and the number of their namespaces; counted at each
// scrape, for at most ItemProblems::kCapacity.
class FailingObjects {
 public:
  // Both must outlive it.
  FailingObjects(runtime::MetricsRegistry& registry, const ItemProblems& problems);

 private:
  void count(const ItemProblems& problems);

  struct Series {
    runtime::Gauge* objects;
    runtime::Gauge* namespaces;
  };
  std::array<Series, 3> series_;  // by Item::Kind
  runtime::Refresh refresh_;
};

// dynamic_resource_allocation_resource_claims: the number of claims by state. Updated as claims
// change, so that a scrape costs nothing; all 12 series always exist. Also how many deleted claims
// are kept by a finalizer, and for how long as seen by this process. One per registry at a time:
// each starts at zero.
class ClaimCensus final : public informers::Observer<api::ResourceClaim> {
 public:
  // Both must outlive it.
  ClaimCensus(runtime::MetricsRegistry& registry, const runtime::TimeSource& time);

  using ClaimPtr = informers::ObjectPtr<api::ResourceClaim>;
  void observe_added(const ClaimPtr& claim, informers::Origin origin) override;
  void observe_updated(const ClaimPtr& before, const ClaimPtr& after,
                       informers::Origin origin) override;
  void observe_deleted(const ClaimPtr& last_known, informers::Origin origin) override;
  void observe_left(const ClaimPtr& last_known, informers::Origin origin) override;

 private:
  void count(const api::ResourceClaim& claim, double change);
  void watch_deletion(const api::ResourceClaim& claim);
  double longest_deletion() const;

  const runtime::TimeSource& time_;
  runtime::Gauge* gauges_[2][2][3];  // by allocation, admin access, source
  runtime::Gauge& being_deleted_;
  runtime::Gauge& longest_deletion_;
  std::unordered_map<api::Uid, runtime::MonoTime> deleted_since_;
  runtime::Refresh refresh_;
};

}  // namespace dcm::resource_claim
