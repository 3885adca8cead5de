#include "cmd/dra-controller-manager/controls.hpp"

#include <boost/asio/this_coro.hpp>

#include "cmd/dra-controller-manager/process_metrics.hpp"
#include "controllers/api/resources.hpp"
#include "runtime/task_group.hpp"

namespace dcm::manager {
namespace {

using runtime::Task;

runtime::Logger logger_of(const ControlContext& context, const char* controller) {
  return context.process.log.with({{"controller", controller}});
}

template <class Api, class... Arguments>
std::optional<Shadow<Api>> make_shadow(const ControlContext& context, const char* controller,
                                       Arguments&&... arguments) {
  if (!context.options.dry_run_timeout) return std::nullopt;
  common::Expectations::Dependencies dependencies{
      .time = context.process.loop.time(),
      .metrics = context.process.metrics,
      .log = context.process.log.with({{"controller", controller}}),
      .is_watching = context.is_watching};
  return std::optional<Shadow<Api>>(std::in_place, std::move(dependencies), controller,
                                    *context.options.dry_run_timeout,
                                    std::forward<Arguments>(arguments)...);
}

// Without a version yet: it is known only later which one is served.
std::optional<Cache<api::PodGroup>> make_groups(const ControlContext& context) {
  if (!context.options.features.generic_workload) return std::nullopt;
  return std::optional<Cache<api::PodGroup>>(
      std::in_place, context.rest, api::Resource{&api::kPodGroups, ""},
      api::make_group_decoder(context.options.kube_api_content_type),
      informer_context(context.process));
}

informers::Informer<api::PodGroup>* informer_of(std::optional<Cache<api::PodGroup>>& groups) {
  return groups ? &groups->informer() : nullptr;
}

template <class Controller>
Task<> run_then_cancel(Controller& controller, runtime::TaskGroup& group) {
  co_await controller.run();
  group.cancel();
}

// In a dry run, a task keeps checking whether the cluster shows each decided change.
template <class Controller, class Api>
Task<> run_with(Controller& controller, std::optional<Shadow<Api>>& shadow) {
  const runtime::Executor executor = co_await boost::asio::this_coro::executor;
  runtime::TaskGroup group(executor);
  group.spawn("controller", run_then_cancel(controller, group));
  if (shadow) group.spawn("dry run", shadow->expectations().run());
  co_await group.join();
}

std::optional<api::NamespacedName> lease_of(const Options& options) {
  if (!options.leader_election) return std::nullopt;
  return options.leader_election->lease;
}

}  // namespace

informers::InformerContext informer_context(const Process& process) {
  return {process.loop.time(), process.rng, process.log, process.metrics};
}

ClaimControl::ClaimControl(ControlContext context)
    : rest_(context.rest),
      any_pod_decoder_(
          api::make_pod_decoder(context.options.kube_api_content_type, api::PodSelection::all)),
      templates_(
          context.rest, client::resource_of(api::kResourceClaimTemplates, context.served),
          api::make_template_decoder(context.options.kube_api_content_type, context.served.version),
          informer_context(context.process)),
      groups_(make_groups(context)),
      stores_(resource_claim::declare_stores(context.pods.informer(), context.claims.informer(),
                                             templates_.informer(), informer_of(groups_))),
      contents_(context.rest, templates_.resource(), context.process.loop.time(),
                context.options.kube_api_content_type),
      client_({context.rest, context.pods.resource(), *any_pod_decoder_},
              {context.rest, context.claims.resource(), context.claims.decoder()}, contents_),
      foreign_({.pods = context.pods.reader(),
                .claims = context.claims.reader(),
                .time = context.process.loop.time(),
                .metrics = context.process.metrics,
                .events = context.events,
                .log = logger_of(context, kResourceClaimController),
                .groups = common::group_claims(context.options.features),
                .policy = context.options.foreign_claims,
                .lease = lease_of(context.options)}),
      shadow_(make_shadow<resource_claim::ShadowApi>(context, kResourceClaimController, client_,
                                                     stores_)),
      controller_(
          {.stores = stores_,
           .api = shadow_ ? static_cast<resource_claim::ClaimApi&>(shadow_->api()) : client_,
           .events = shadow_ ? shadow_->events() : context.events,
           .foreign = foreign_,
           .time = context.process.loop.time(),
           .metrics = context.process.metrics,
           .log = logger_of(context, kResourceClaimController)},
          {.workers = context.options.concurrent_resource_claim_syncs,
           .gates = context.options.features}) {
  controller_.observe(context.pods.informer(), context.claims.informer(), templates_.informer());
  if (groups_) controller_.observe_groups(groups_->informer());
  context.pods.informer().add_observer(foreign_);
  context.claims.informer().add_observer(foreign_);
}

Cache<api::PodGroup>& ClaimControl::use_groups(const client::Served& served) {
  groups_->use_version(served.version);
  client_.use_groups({rest_, groups_->resource(), groups_->decoder()});
  controller_.use_groups(groups_->resource().api_version());
  return *groups_;
}

Task<> ClaimControl::run() {
  if (!shadow_) foreign_.activate();
  return run_with(controller_, shadow_);
}

EvictionControl::EvictionControl(ControlContext context)
    : process_(context.process),
      rest_(context.rest),
      slices_(
          context.rest, client::resource_of(api::kResourceSlices, context.served),
          api::make_slice_decoder(context.options.kube_api_content_type, context.served.version),
          informer_context(process_)),
      api_(context.rest, context.pods.resource(), context.options.kube_api_content_type),
      content_type_(context.options.kube_api_content_type),
      shadow_(make_shadow<device_taint_eviction::ShadowApi>(
          context, kDeviceTaintEvictionController,
          [this]() -> const device_taint_eviction::Tracker& { return controller_.tracker(); })),
      controller_(
          {.lookup = {context.pods.reader(), context.claims.reader(),
                      device_taint_eviction::declare_pods_by_group(context.pods.informer(),
                                                                   context.options.features)},
           .api = shadow_ ? static_cast<device_taint_eviction::EvictionApi&>(shadow_->api()) : api_,
           .events = shadow_ ? shadow_->events() : context.events,
           .time = process_.loop.time(),
           .metrics = process_.metrics,
           .log = logger_of(context, kDeviceTaintEvictionController)},
          {.workers = context.options.concurrent_device_taint_eviction_syncs,
           .mode = context.options.eviction_mode,
           .evictions_per_second = context.options.eviction_rate}) {
  controller_.observe(context.pods.informer(), context.claims.informer(), slices_.informer());
}

Task<> EvictionControl::run() {
  return run_with(controller_, shadow_);
}

Cache<api::DeviceTaintRule>& EvictionControl::use_rules(const client::Served& served) {
  api::Resource resource = client::resource_of(api::kDeviceTaintRules, served);
  api_.use_rules(resource);
  rules_.emplace(rest_, std::move(resource), api::make_rule_decoder(content_type_),
                 informer_context(process_));
  controller_.observe_rules(rules_->informer());
  return *rules_;
}

}  // namespace dcm::manager
