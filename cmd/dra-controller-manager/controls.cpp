#include "cmd/dra-controller-manager/controls.hpp"

namespace dcm::manager {

informers::InformerContext informer_context(const Process& process) {
  return {process.loop.time(), process.rng, process.log, process.metrics};
}

ClaimControl::ClaimControl(ControlContext context)
    : any_pod_decoder_(api::make_json_pod_decoder(api::PodSelection::all)),
      templates_(context.rest, client::resource_of(api::kResourceClaimTemplates, context.served),
                 api::make_json_template_decoder(context.served.version),
                 informer_context(context.process)),
      api_({context.rest, context.pods.resource(), *any_pod_decoder_},
           {context.rest, context.claims.resource(), context.claims.decoder()}),
      controller_({.stores = resource_claim::declare_stores(
                       context.pods.informer(), context.claims.informer(), templates_.informer()),
                   .api = api_,
                   .events = context.events,
                   .time = context.process.loop.time(),
                   .metrics = context.process.metrics,
                   .log = context.process.log.with({{"controller", "resource_claim"}})},
                  {.workers = context.options.concurrent_resource_claim_syncs,
                   .gates = context.options.features,
                   .predecessor = context.options.leader_election
                                      ? resource_claim::Predecessor::Exists::maybe
                                      : resource_claim::Predecessor::Exists::no}) {
  controller_.observe(context.pods.informer(), context.claims.informer(), templates_.informer());
}

EvictionControl::EvictionControl(ControlContext context)
    : process_(context.process),
      rest_(context.rest),
      slices_(context.rest, client::resource_of(api::kResourceSlices, context.served),
              api::make_json_slice_decoder(context.served.version), informer_context(process_)),
      api_(context.rest, context.pods.resource()),
      controller_({.lookup = {context.pods.reader(), context.claims.reader()},
                   .api = api_,
                   .events = context.events,
                   .time = process_.loop.time(),
                   .metrics = process_.metrics,
                   .log = process_.log.with({{"controller", "device_taint_eviction"}})},
                  {.workers = context.options.concurrent_device_taint_eviction_syncs,
                   .mode = context.options.eviction_mode,
                   .evictions_per_second = context.options.eviction_rate}) {
  controller_.observe(context.pods.informer(), context.claims.informer(), slices_.informer());
}

Cache<api::DeviceTaintRule>& EvictionControl::use_rules(const client::Served& served) {
  api::Resource resource = client::resource_of(api::kDeviceTaintRules, served);
  api_.use_rules(resource);
  rules_.emplace(rest_, std::move(resource), api::make_json_rule_decoder(),
                 informer_context(process_));
  controller_.observe_rules(rules_->informer());
  return *rules_;
}

}  // namespace dcm::manager
