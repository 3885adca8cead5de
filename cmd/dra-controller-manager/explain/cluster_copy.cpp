#include "cmd/dra-controller-manager/explain/cluster_copy.hpp"

namespace dcm::manager {
namespace {

std::unexpected<runtime::Error> not_sent() {
  return runtime::fail(runtime::Reason::shutting_down, "who explains sends nothing");
}

}  // namespace

// Never called, as the controllers stand by.
class ClusterCopy::NoClaimApi final : public resource_claim::ClaimApi {
 public:
  using ClaimPtr = resource_claim::ClaimPtr;
  using PodPtr = resource_claim::PodPtr;
  using GroupPtr = resource_claim::GroupPtr;
  template <class T = void>
  using Answer = runtime::Task<runtime::Result<T>>;

  Answer<PodPtr> get_pod(api::NamespacedName, workqueue::Priority) override {
    co_return not_sent();
  }
  Answer<GroupPtr> get_group(api::NamespacedName, workqueue::Priority) override {
    co_return not_sent();
  }
  Answer<ClaimPtr> get_claim(api::NamespacedName, workqueue::Priority) override {
    co_return not_sent();
  }
  Answer<ClaimPtr> create_claim(api::InternedString, resource_claim::CreateClaim,
                                workqueue::Priority) override {
    co_return not_sent();
  }
  Answer<PodPtr> write_names(PodPtr, std::vector<resource_claim::ClaimName>,
                             workqueue::Priority) override {
    co_return not_sent();
  }
  Answer<GroupPtr> write_group_names(GroupPtr, std::vector<resource_claim::ClaimName>,
                                     workqueue::Priority) override {
    co_return not_sent();
  }
  Answer<ClaimPtr> reserve(ClaimPtr, api::ConsumerReference, workqueue::Priority) override {
    co_return not_sent();
  }
  Answer<ClaimPtr> release(ClaimPtr, resource_claim::Release, workqueue::Priority) override {
    co_return not_sent();
  }
  Answer<ClaimPtr> remove_finalizer(ClaimPtr, workqueue::Priority) override {
    co_return not_sent();
  }
  Answer<> delete_claim(ClaimPtr, workqueue::Priority) override { co_return not_sent(); }
};

class ClusterCopy::NoEvictionApi final : public device_taint_eviction::EvictionApi {
 public:
  using PodRef = device_taint_eviction::PodRef;
  using RulePtr = device_taint_eviction::RulePtr;
  template <class T = void>
  using Answer = runtime::Task<runtime::Result<T>>;

  Answer<> mark(PodRef, runtime::WallTime, api::TransitionTime, workqueue::Priority) override {
    co_return not_sent();
  }
  Answer<> remove(PodRef, workqueue::Priority) override { co_return not_sent(); }
  Answer<> evict(PodRef, workqueue::Priority) override { co_return not_sent(); }
  Answer<RulePtr> write_condition(RulePtr, api::EvictionCondition, workqueue::Priority) override {
    co_return not_sent();
  }
};

ClusterCopy::ClusterCopy(runtime::TimeSource& time, common::FeatureGates gates,
                         ListedObjects objects)
    : claim_api_(std::make_unique<NoClaimApi>()),
      eviction_api_(std::make_unique<NoEvictionApi>()),
      foreign_({.time = time, .metrics = metrics_, .events = events_, .log = {}}),
      claim_controller_({.stores = resource_claim::declare_stores(
                             pods_.store, claims_.store, templates_.store,
                             gates.generic_workload ? &groups_.store : nullptr),
                         .api = *claim_api_,
                         .events = events_,
                         .foreign = foreign_,
                         .time = time,
                         .metrics = metrics_,
                         .log = {}},
                        {.gates = gates}),
      eviction_controller_(
          {.lookup = {pods_.store.reader(), claims_.store.reader(),
                      device_taint_eviction::declare_pods_by_group(pods_.store, gates)},
           .api = *eviction_api_,
           .events = events_,
           .time = time,
           .metrics = metrics_,
           .log = {}},
          {}),
      source_({.pods = pods_.store.reader(),
               .claims = claims_.store.reader(),
               .claim_controller = &claim_controller_,
               .eviction_controller = &eviction_controller_,
               .miss = resource_claim::Miss::gone}) {
  claim_controller_.observe(pods_.store, claims_.store, templates_.store);
  eviction_controller_.observe(pods_.store, claims_.store, slices_.store);
  eviction_controller_.observe_rules(rules_.store);
  pods_.fill(std::move(objects.pods));
  claims_.fill(std::move(objects.claims));
  templates_.fill(std::move(objects.templates));
  slices_.fill(std::move(objects.slices));
  rules_.fill(std::move(objects.rules));
  groups_.fill(std::move(objects.groups));
}

}  // namespace dcm::manager
