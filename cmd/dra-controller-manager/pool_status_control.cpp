// The resource pool status request controller in the manager, with the cache that only it needs.
#include "cmd/dra-controller-manager/control.hpp"
#include "controllers/api/decoders.hpp"
#include "controllers/api/resources.hpp"
#include "controllers/resource_pool_status/api/api_client.hpp"
#include "controllers/resource_pool_status/api/shadow_api.hpp"
#include "controllers/resource_pool_status/controller.hpp"

namespace dcm::dra_manager {
namespace {

constexpr const char* kName = "resourcepoolstatusrequest-controller";

using resource_pool_status::TaintRules;
using runtime::Task;

class PoolStatusControl {
 public:
  explicit PoolStatusControl(const ControlContext& context);

  resource_pool_status::Controller& controller() { return controller_; }
  // Works, or only observes in a dry run.
  Task<> run() { return dry_run_.run(controller_.run()); }
  OptionalKind requests();

 private:
  const Process& process_;
  // Without a version yet: an alpha kind, which may be served later or never.
  Cache<api::ResourcePoolStatusRequest> requests_;
  resource_pool_status::ApiClient client_;
  DryRun<resource_pool_status::ShadowApi> dry_run_;
  resource_pool_status::Controller controller_;
};

PoolStatusControl::PoolStatusControl(const ControlContext& context)
    : process_(context.process()),
      requests_(context.rest(), {&api::kResourcePoolStatusRequests, ""},
                api::make_json_pool_status_request_decoder(), process_),
      client_(context.rest(), requests_.resource(), requests_.decoder(),
              context.options.features.dra_device_taint_rules ? TaintRules::count
                                                              : TaintRules::are_ignored),
      dry_run_(context, kName, client_, [this](const auto& key) { return requests_.get(key); }),
      controller_({.requests = requests_.reader(),
                   .own_requests = requests_.informer().own_writes(),
                   .api = dry_run_.api<resource_pool_status::PoolStatusApi>(client_),
                   .time = process_.loop.time(),
                   .metrics = process_.metrics,
                   .log = logger_of(context, kName)}) {
  controller_.observe(requests_.informer(), context.slices().informer());
}

OptionalKind PoolStatusControl::requests() {
  const runtime::Logger& log = process_.log;
  return {.kind = &api::kResourcePoolStatusRequests,
          .use =
              [this](const client::Served& served) {
                requests_.use_version(served.version);
                return any_cache(requests_);
              },
          .on_missing =
              [log] {
                log.info(
                    "No version of ResourcePoolStatusRequests is served: nobody asks for the "
                    "status of pools");
              }};
}

void add(const ControlContext& context) {
  const auto control = context.epoch.keep(std::make_shared<PoolStatusControl>(context));
  Controller value = make_controller(context, kName, *control, context.slices().sync());
  value.queue = "pool status";
  value.optional_kind = control->requests();
  context.epoch.add(std::move(value));
}

}  // namespace

const ControlType kPoolStatusControl{.name = kName,
                                     .runs = &Options::runs_pool_status_controller,
                                     .gate = &common::FeatureGates::dra_resource_pool_status,
                                     .kind = &api::kResourceSlices,
                                     .add = add};

}  // namespace dcm::dra_manager
