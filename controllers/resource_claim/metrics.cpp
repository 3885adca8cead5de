#include "controllers/resource_claim/metrics.hpp"

#include <algorithm>
#include <set>
#include <string>

#include "runtime/assert.hpp"

namespace dcm::resource_claim {
namespace {

constexpr const char* kCreates = "dynamic_resource_allocation_resourceclaim_creates_total";
constexpr const char* kCreatesHelp =
    "[ALPHA] Number of ResourceClaims creation requests, categorized by creation status, admin "
    "access, and owning API group and kind (either Pod or scheduling.k8s.io/PodGroup)";
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
// Creation times are in whole seconds, so shorter buckets would measure nothing.
const runtime::Buckets kSliBuckets = {1, 2, 3, 5, 10, 20, 30, 60, 120, 300, 600, 1800, 3600};
constexpr const char* kKinds[] = {"pod", "resourceclaim", "podgroup"};

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

ClaimLatency::ClaimLatency(runtime::MetricsRegistry& registry, const runtime::TimeSource& time)
    : time_(time),
      created_(registry.histogram(
          "dra_controller_manager_pod_claim_creation_sli_duration_seconds",
          "Seconds from the creation of a pod or pod group until its claim is made, without those "
          "that waited for a template or that a quota or policy refused.",
          kSliBuckets)),
      named_(registry.histogram(
          "dra_controller_manager_pod_claim_name_sli_duration_seconds",
          "Seconds from the creation of a pod or pod group until its status names its claims, "
          "without those that waited for a template or that a quota or policy refused.",
          kSliBuckets)) {}

void ClaimLatency::observe(Stage stage, runtime::WallTime since) {
  // A creation time may be centuries ago, which a Duration cannot hold.
  const double passed = runtime::in_seconds(time_.wall_now().time_since_epoch()) -
                        runtime::in_seconds(since.time_since_epoch());
  (stage == Stage::created ? created_ : named_).Observe(std::max(passed, 0.0));
}

FailingObjects::FailingObjects(runtime::MetricsRegistry& registry, const ItemProblems& problems) {
  for (std::size_t kind = 0; kind < series_.size(); ++kind) {
    const runtime::Labels labels{{"kind", kKinds[kind]}};
    series_[kind] = {
        &registry.gauge("dra_controller_manager_failing_objects",
                        "Number of objects whose last attempt failed; 4096 at most.", labels),
        &registry.gauge("dra_controller_manager_failing_namespaces",
                        "Number of namespaces with objects whose last attempt failed.", labels)};
  }
  refresh_ = registry.before_exposition([this, &problems] { count(problems); });
}

void FailingObjects::count(const ItemProblems& problems) {
  std::array<std::size_t, 3> objects{};
  std::array<std::set<api::InternedString>, 3> namespaces;
  problems.for_each([&](const Item& item) {
    const auto kind = static_cast<std::size_t>(item.kind);
    DCM_ASSERT(kind < objects.size());
    ++objects[kind];
    namespaces[kind].insert(item.key.namespace_);
  });
  for (std::size_t kind = 0; kind < series_.size(); ++kind) {
    series_[kind].objects->Set(static_cast<double>(objects[kind]));
    series_[kind].namespaces->Set(static_cast<double>(namespaces[kind].size()));
  }
}

ClaimCensus::ClaimCensus(runtime::MetricsRegistry& registry, const runtime::TimeSource& time)
    : time_(time),
      being_deleted_(registry.gauge("dra_controller_manager_claims_being_deleted",
                                    "[ALPHA] Number of ResourceClaims that are deleted, but kept "
                                    "by a finalizer.")),
      longest_deletion_(registry.gauge("dra_controller_manager_claim_deletion_age_seconds",
                                       "Seconds since the longest pending deletion of a "
                                       "ResourceClaim was first seen; 0 if there is none.")),
      refresh_(registry.before_exposition([this] { longest_deletion_.Set(longest_deletion()); })) {
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
  watch_deletion(*claim);
}

void ClaimCensus::observe_updated(const ClaimPtr& before, const ClaimPtr& after,
                                  informers::Origin /*origin*/) {
  count(*before, -1);
  count(*after, 1);
  // A restore of etcd takes a deletion back.
  const bool goes_on = after->meta.is_being_deleted && before->meta.uid == after->meta.uid;
  if (!goes_on) deleted_since_.erase(before->meta.uid);
  watch_deletion(*after);
}

void ClaimCensus::observe_deleted(const ClaimPtr& last_known, informers::Origin /*origin*/) {
  count(*last_known, -1);
  deleted_since_.erase(last_known->meta.uid);
}

void ClaimCensus::observe_left(const ClaimPtr& last_known, informers::Origin /*origin*/) {
  count(*last_known, -1);
  deleted_since_.erase(last_known->meta.uid);
}

void ClaimCensus::watch_deletion(const api::ResourceClaim& claim) {
  if (claim.meta.is_being_deleted) deleted_since_.try_emplace(claim.meta.uid, time_.now());
}

double ClaimCensus::longest_deletion() const {
  const runtime::MonoTime now = time_.now();
  runtime::MonoTime first = now;
  for (const auto& [uid, since] : deleted_since_) first = std::min(first, since);
  return runtime::in_seconds(now - first);
}

void ClaimCensus::count(const api::ResourceClaim& claim, double change) {
  gauges_[claim.is_allocated ? 1 : 0][claim.has_admin_access ? 1 : 0]
         [static_cast<std::size_t>(source_of(claim))]
             ->Increment(change);
  if (claim.meta.is_being_deleted) being_deleted_.Increment(change);
}

}  // namespace dcm::resource_claim
