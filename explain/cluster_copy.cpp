// The only file of this folder that names the controllers.
#include "explain/cluster_copy.hpp"

#include <utility>

#include "controllers/api/resources.hpp"
#include "controllers/device_taint_eviction/controller.hpp"
#include "controllers/resource_claim/controller.hpp"
#include "explain/source.hpp"
#include "informers/store.hpp"
#include "runtime/metrics.hpp"

namespace dcm::explain {
namespace {

using common::Draft;

template <class T = void>
using Sent = runtime::Task<runtime::Result<T>>;

std::unexpected<runtime::Error> not_sent() {
  return runtime::fail(runtime::Reason::shutting_down, "explain sends no requests");
}

// Never called, as the controllers are on standby.
class NoClaimApi final : public resource_claim::ClaimApi {
  using Priority = workqueue::Priority;

  Sent<resource_claim::PodPtr> send(resource_claim::PodRequest, Priority) override {
    co_return not_sent();
  }
  Sent<resource_claim::GroupPtr> send(resource_claim::GroupRequest, Priority) override {
    co_return not_sent();
  }
  Sent<resource_claim::ClaimPtr> send(resource_claim::ClaimRequest, Priority) override {
    co_return not_sent();
  }
  Sent<> send(resource_claim::DeleteClaim, Priority) override { co_return not_sent(); }
};

class NoEvictionApi final : public device_taint_eviction::EvictionApi {
  using Priority = workqueue::Priority;
  using RulePtr = device_taint_eviction::RulePtr;

  Sent<api::Decoded<api::Pod>> mark(device_taint_eviction::PodRef, device_taint_eviction::Mark,
                                    Priority) override {
    co_return not_sent();
  }
  Sent<> write(device_taint_eviction::PodRef, device_taint_eviction::PodWrite, Priority) override {
    co_return not_sent();
  }
  Sent<RulePtr> write_condition(RulePtr, api::Condition, Priority) override {
    co_return not_sent();
  }
};

class NoEvents final : public api::EventSink {
  void report(const api::ObjectReference&, api::EventType, std::string_view, std::string_view,
              std::string_view) override {}
};

// A store with its only writer.
template <class T>
struct Kind {
  informers::Store<T> store;
  informers::StoreWriter<T> writer = store.take_writer();

  void fill(Listed<T> objects) {
    writer.begin_relist();
    for (auto& object : objects) writer.observe_listed(std::move(object));
    writer.end_relist({});
  }
};

class Standby {
 public:
  Standby(runtime::TimeSource& time, common::FeatureGates gates, ListedObjects objects);

  std::optional<Draft> explain(const Subject& subject) const;

 private:
  common::FeatureGates gates_;
  runtime::MetricsRegistry metrics_;
  NoEvents events_;
  NoClaimApi claim_api_;
  NoEvictionApi eviction_api_;
  Kind<api::Pod> pods_;
  Kind<api::ResourceClaim> claims_;
  Kind<api::ResourceClaimTemplate> templates_;
  Kind<api::ResourceSlice> slices_;
  Kind<api::DeviceTaintRule> rules_;
  Kind<api::PodGroup> groups_;
  resource_claim::ForeignClaims foreign_;
  resource_claim::Controller claim_controller_;
  device_taint_eviction::Controller eviction_controller_;
  ControllersSource source_;
};

Standby::Standby(runtime::TimeSource& time, common::FeatureGates gates, ListedObjects objects)
    : gates_(gates),
      foreign_({.pods = pods_.store.reader(),
                .claims = claims_.store.reader(),
                .time = time,
                .metrics = metrics_,
                .events = events_,
                .log = {}}),
      claim_controller_({.stores = resource_claim::declare_stores(
                             pods_.store, claims_.store, templates_.store,
                             gates.generic_workload ? &groups_.store : nullptr),
                         .api = claim_api_,
                         .events = events_,
                         .foreign = foreign_,
                         .time = time,
                         .metrics = metrics_,
                         .log = {}},
                        {.gates = gates}),
      eviction_controller_(
          {.lookup = {pods_.store.reader(), claims_.store.reader(),
                      device_taint_eviction::declare_pods_by_group(pods_.store, gates)},
           .api = eviction_api_,
           .events = events_,
           .time = time,
           .rng = runtime::Rng(1),  // it evicts nothing
           .metrics = metrics_,
           .log = {}},
          {}),
      source_({.pods = pods_.store.reader(),
               .claims = claims_.store.reader(),
               .controllers = {
                   resource_claim::explainer_of(claim_controller_, resource_claim::Miss::gone),
                   device_taint_eviction::explainer_of(eviction_controller_)}}) {
  claim_controller_.observe(pods_.store, claims_.store, templates_.store);
  eviction_controller_.observe(pods_.store, claims_.store, slices_.store);
  eviction_controller_.observe_rules(rules_.store, device_taint_eviction::RuleStatus::served);
  pods_.fill(std::move(objects.pods));
  claims_.fill(std::move(objects.claims));
  templates_.fill(std::move(objects.templates));
  slices_.fill(std::move(objects.slices));
  rules_.fill(std::move(objects.rules));
  groups_.fill(std::move(objects.groups));
}

std::optional<Draft> explain_ignored(const api::PodGroup* group) {
  if (group == nullptr) return std::nullopt;
  common::Topic topic{.title = "resourceclaim-controller"};
  topic.add(common::Outlook::stuck, "FeatureDisabled",
            "The feature gate GenericWorkload is off: nothing is made or reserved for groups and "
            "their pods.");
  return common::draft_about(api::kPodGroups, group->meta, "exists", {std::move(topic)});
}

std::optional<Draft> Standby::explain(const Subject& subject) const {
  const bool is_ignored = subject.kind == Subject::Kind::group && !gates_.generic_workload;
  if (is_ignored) return explain_ignored(groups_.store.reader().get(subject.key).get());
  return source_.explain(subject);
}

}  // namespace

std::optional<Draft> explain_listed(runtime::TimeSource& time, common::FeatureGates gates,
                                    ListedObjects objects, const Subject& subject) {
  return Standby(time, gates, std::move(objects)).explain(subject);
}

}  // namespace dcm::explain
