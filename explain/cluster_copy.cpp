#include "explain/cluster_copy.hpp"

namespace dcm::explain {
namespace {

std::unexpected<runtime::Error> not_sent() {
  return runtime::fail(runtime::Reason::shutting_down, "who explains sends nothing");
}

}  // namespace

// Never called, as the controllers are on standby.
class ClusterCopy::NoClaimApi final : public resource_claim::ClaimApi {
  using Priority = workqueue::Priority;
  template <class T = void>
  using Answer = runtime::Task<runtime::Result<T>>;

  Answer<resource_claim::PodPtr> send(resource_claim::PodRequest, Priority) override {
    co_return not_sent();
  }
  Answer<resource_claim::GroupPtr> send(resource_claim::GroupRequest, Priority) override {
    co_return not_sent();
  }
  Answer<resource_claim::ClaimPtr> send(resource_claim::ClaimRequest, Priority) override {
    co_return not_sent();
  }
  Answer<> send(resource_claim::DeleteClaim, Priority) override { co_return not_sent(); }
};

class ClusterCopy::NoEvictionApi final : public device_taint_eviction::EvictionApi {
  using Priority = workqueue::Priority;
  using PodRef = device_taint_eviction::PodRef;
  using RulePtr = device_taint_eviction::RulePtr;
  template <class T = void>
  using Answer = runtime::Task<runtime::Result<T>>;

  Answer<> write(PodRef, device_taint_eviction::PodWrite, Priority) override {
    co_return not_sent();
  }
  Answer<RulePtr> write_condition(RulePtr, api::EvictionCondition, Priority) override {
    co_return not_sent();
  }
};

ClusterCopy::ClusterCopy(runtime::TimeSource& time, common::FeatureGates gates,
                         ListedObjects objects)
    : claim_api_(std::make_unique<NoClaimApi>()),
      eviction_api_(std::make_unique<NoEvictionApi>()),
      foreign_({.pods = pods_.store.reader(),
                .claims = claims_.store.reader(),
                .time = time,
                .metrics = metrics_,
                .events = events_,
                .log = {}}),
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

}  // namespace dcm::explain
