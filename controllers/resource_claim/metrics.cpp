#include "controllers/resource_claim/metrics.hpp"

#include <string>

namespace dcm::resource_claim {
namespace {

constexpr const char* kCreates = "dynamic_resource_allocation_resourceclaim_creates_total";
constexpr const char* kCreatesHelp =
    "[ALPHA] Number of ResourceClaims creation requests, categorized by creation status, admin "
    "access and owner";
constexpr const char* kClaims = "dynamic_resource_allocation_resource_claims";
constexpr const char* kClaimsHelp =
    "[ALPHA] Number of ResourceClaims, categorized by allocation status, admin access, and source. "
    "Source can be 'resource_claim_template' (created from a template), 'extended_resource' "
    "(extended resources), or empty (manually created by a user).";

constexpr const char* kFlags[] = {"false", "true"};
constexpr const char* kStatuses[] = {"success", "failure"};
struct OwnerLabels {
  std::string_view group;
  std::string_view kind;
};
constexpr OwnerLabels kOwners[] = {{"", "Pod"}, {api::kSchedulingGroup, "PodGroup"}};
enum class Source : std::uint8_t { user, claim_template, extended_resource };
constexpr const char* kSources[] = {"", "resource_claim_template", "extended_resource"};

Source source_of(const api::ResourceClaim& claim) {
  if (claim.is_extended_resource_claim) return Source::extended_resource;
  return claim.pod_claim_name.empty() ? Source::user : Source::claim_template;
}

}  // namespace

CreateMetrics::CreateMetrics(runtime::MetricsRegistry& registry, common::GroupClaims groups) {
  const std::size_t owners = groups == common::GroupClaims::shared ? 2 : 1;
  for (std::size_t owner = 0; owner < owners; ++owner) {
    for (std::size_t status = 0; status < 2; ++status) {
      for (std::size_t admin = 0; admin < 2; ++admin) {
        counters_[owner][status][admin] =
            &registry.counter(kCreates, kCreatesHelp,
                              {{"status", kStatuses[status]},
                               {"admin_access", kFlags[admin]},
                               {"owner_api_group", std::string(kOwners[owner].group)},
                               {"owner_api_kind", std::string(kOwners[owner].kind)}});
      }
    }
  }
}

void CreateMetrics::count(Status status, AdminAccess admin_access, Owner owner) {
  counters_[static_cast<std::size_t>(owner)][static_cast<std::size_t>(status)]
           [static_cast<std::size_t>(admin_access)]
               ->Increment();
}

ClaimCensus::ClaimCensus(runtime::MetricsRegistry& registry)
    : being_deleted_(registry.gauge("dra_controller_manager_claims_being_deleted",
                                    "[ALPHA] Number of ResourceClaims that are deleted, but kept "
                                    "by a finalizer.")) {
  being_deleted_.Set(0);
  for (std::size_t allocated = 0; allocated < 2; ++allocated) {
    for (std::size_t admin = 0; admin < 2; ++admin) {
      for (std::size_t source = 0; source < 3; ++source) {
        runtime::Gauge& gauge = registry.gauge(kClaims, kClaimsHelp,
                                               {{"allocated", kFlags[allocated]},
                                                {"admin_access", kFlags[admin]},
                                                {"source", kSources[source]}});
        gauge.Set(0);
        gauges_[allocated][admin][source] = &gauge;
      }
    }
  }
}

void ClaimCensus::observe_added(const ClaimPtr& claim, informers::Origin /*origin*/) {
  count(*claim, 1);
}

void ClaimCensus::observe_updated(const ClaimPtr& before, const ClaimPtr& after,
                                  informers::Origin /*origin*/) {
  count(*before, -1);
  count(*after, 1);
}

void ClaimCensus::observe_deleted(const ClaimPtr& last_known, informers::Origin /*origin*/) {
  count(*last_known, -1);
}

void ClaimCensus::observe_left(const ClaimPtr& last_known, informers::Origin /*origin*/) {
  count(*last_known, -1);
}

void ClaimCensus::count(const api::ResourceClaim& claim, double change) {
  gauges_[claim.is_allocated ? 1 : 0][claim.has_admin_access ? 1 : 0]
         [static_cast<std::size_t>(source_of(claim))]
             ->Increment(change);
  if (claim.meta.is_being_deleted) being_deleted_.Increment(change);
}

}  // namespace dcm::resource_claim
