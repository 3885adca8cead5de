// The device taint eviction controller in the manager, with the caches that only it needs.
#include "cmd/dra-controller-manager/control.hpp"
#include "controllers/api/decoders.hpp"
#include "controllers/api/resources.hpp"
#include "controllers/device_taint_eviction/api/api_client.hpp"
#include "controllers/device_taint_eviction/api/shadow_api.hpp"
#include "controllers/device_taint_eviction/controller.hpp"

namespace dcm::dra_manager {
namespace {

constexpr const char* kName = "device-taint-eviction-controller";

using runtime::Task;

class EvictionControl {
 public:
  explicit EvictionControl(const ControlContext& context);

  device_taint_eviction::Controller& controller() { return controller_; }
  // Works, or only observes in a dry run.
  Task<> run() { return dry_run_.run(controller_.run()); }
  OptionalKind rules();

 private:
  AnyCache use_rules(const client::Served& served);

  const Process& process_;
  client::RestClient& rest_;
  device_taint_eviction::ApiClient api_;
  api::Format content_type_;
  DryRun<device_taint_eviction::ShadowApi> dry_run_;
  device_taint_eviction::Controller controller_;
  std::optional<Cache<api::DeviceTaintRule>> rules_;
};

EvictionControl::EvictionControl(const ControlContext& context)
    : process_(context.process()),
      rest_(context.rest()),
      api_(rest_, context.pods.resource(), context.options.kube_api_content_type),
      content_type_(context.options.kube_api_content_type),
      dry_run_(context, kName,
               [this]() -> const device_taint_eviction::Tracker& { return controller_.tracker(); }),
      controller_({.lookup = {context.pods.reader(), context.claims.reader(),
                              device_taint_eviction::declare_pods_by_group(
                                  context.pods.informer(), context.options.features)},
                   .api = dry_run_.api<device_taint_eviction::EvictionApi>(api_),
                   .events = dry_run_.events(context.events),
                   .time = process_.loop.time(),
                   .rng = process_.rng.fork(),
                   .metrics = process_.metrics,
                   .log = logger_of(context, kName)},
                  {.workers = context.options.concurrent_device_taint_eviction_syncs,
                   .mode = context.options.eviction_mode,
                   .evictions_per_second = context.options.eviction_rate}) {
  controller_.observe(context.pods.informer(), context.claims.informer(),
                      context.slices().informer());
}

// Pods must not be judged without the rules, if there are any. A cluster that serves no rules may
// serve them later. If they are served differently or no longer, a new epoch begins: no pod may be
// judged by rules that are out of date.
OptionalKind EvictionControl::rules() {
  const runtime::Logger& log = process_.log;
  return {.kind = &api::kDeviceTaintRules,
          .use = [this](const client::Served& served) { return use_rules(served); },
          .on_missing =
              [log] {
                log.info("No version of DeviceTaintRules is served: only drivers taint devices");
              }};
}

AnyCache EvictionControl::use_rules(const client::Served& served) {
  process_.log.info("Using DeviceTaintRules", {{"version", served.version}});
  api::Resource resource = client::resource_of(api::kDeviceTaintRules, served);
  api_.use_rules(resource);
  rules_.emplace(rest_, std::move(resource), api::make_rule_decoder(content_type_), process_);
  // Kubernetes 1.34 serves rules without a status.
  controller_.observe_rules(rules_->informer(),
                            served.has_status ? device_taint_eviction::RuleStatus::served
                                              : device_taint_eviction::RuleStatus::not_served);
  return any_cache(*rules_);
}

void add(const ControlContext& context) {
  const auto control = context.epoch.keep(std::make_shared<EvictionControl>(context));
  Controller value = make_controller(context, kName, *control, context.slices().sync());
  value.queue = "eviction";
  if (context.options.features.dra_device_taint_rules) value.optional_kind = control->rules();
  context.epoch.add(std::move(value));
  context.explainers.push_back(device_taint_eviction::explainer_of(control->controller()));
}

}  // namespace

const ControlType kEvictionControl{.name = kName,
                                   .runs = &Options::runs_device_taint_eviction_controller,
                                   .gate = &common::FeatureGates::dra_device_taints,
                                   .kind = &api::kResourceSlices,
                                   .explains = true,
                                   .add = add};

}  // namespace dcm::dra_manager
