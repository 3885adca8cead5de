// The resource claim controller in the manager, with the caches that only it needs.
#include "cmd/dra-controller-manager/control.hpp"
#include "controllers/api/decoders.hpp"
#include "controllers/api/resources.hpp"
#include "controllers/resource_claim/api/api_client.hpp"
#include "controllers/resource_claim/api/shadow_api.hpp"
#include "controllers/resource_claim/controller.hpp"
#include "controllers/resource_claim/sync/foreign_claims.hpp"

namespace dcm::dra_manager {
namespace {

constexpr const char* kName = "resourceclaim-controller";

using runtime::Task;

// Without a version yet: it is only known later which one is served.
std::optional<Cache<api::PodGroup>> make_groups(const ControlContext& context) {
  if (!context.options.features.generic_workload) return std::nullopt;
  return std::optional<Cache<api::PodGroup>>(
      std::in_place, context.rest(), api::Resource{&api::kPodGroups, ""},
      api::make_group_decoder(context.options.kube_api_content_type), context.process());
}

informers::Informer<api::PodGroup>* informer_of(std::optional<Cache<api::PodGroup>>& groups) {
  return groups ? &groups->informer() : nullptr;
}

std::optional<api::NamespacedName> lease_of(const Options& options) {
  if (!options.leader_election) return std::nullopt;
  return options.leader_election->lease;
}

class ClaimControl {
 public:
  explicit ClaimControl(const ControlContext& context);

  Cache<api::ResourceClaimTemplate>& templates() { return templates_; }
  resource_claim::Controller& controller() { return controller_; }
  // Works, or only observes in a dry run.
  Task<> run();
  OptionalKind groups();

 private:
  AnyCache use_groups(const client::Served& served);

  const Process& process_;
  client::RestClient& rest_;
  // A reservation may name a pod without claims.
  std::unique_ptr<api::Decoder<api::Pod>> any_pod_decoder_;
  Cache<api::ResourceClaimTemplate>& templates_;
  std::optional<Cache<api::PodGroup>> groups_;  // nullopt: the gate for groups is off
  resource_claim::Stores stores_;
  resource_claim::TemplateContents contents_;
  resource_claim::ApiClient client_;
  resource_claim::ForeignClaims foreign_;
  DryRun<resource_claim::ShadowApi> dry_run_;
  resource_claim::Controller controller_;
};

ClaimControl::ClaimControl(const ControlContext& context)
    : process_(context.process()),
      rest_(context.rest()),
      any_pod_decoder_(
          api::make_pod_decoder(context.options.kube_api_content_type, api::PodSelection::all)),
      templates_(context.epoch.make_cache<api::ResourceClaimTemplate>(
          client::resource_of(api::kResourceClaimTemplates, context.epoch.served()),
          api::make_template_decoder(context.options.kube_api_content_type,
                                     context.epoch.version()))),
      groups_(make_groups(context)),
      stores_(resource_claim::declare_stores(context.pods.informer(), context.claims.informer(),
                                             templates_.informer(), informer_of(groups_))),
      contents_(rest_, templates_.resource(), process_.loop.time(),
                context.options.kube_api_content_type),
      client_({rest_, context.pods.resource(), *any_pod_decoder_},
              {rest_, context.claims.resource(), context.claims.decoder()}, contents_),
      foreign_({.pods = context.pods.reader(),
                .claims = context.claims.reader(),
                .time = process_.loop.time(),
                .metrics = process_.metrics,
                .events = context.events,
                .log = logger_of(context, kName),
                .groups = common::group_claims(context.options.features),
                .policy = context.options.foreign_claims,
                .lease = lease_of(context.options)}),
      dry_run_(context, kName, client_, stores_, context.options.features),
      controller_({.stores = stores_,
                   .api = dry_run_.api<resource_claim::ClaimApi>(client_),
                   .events = dry_run_.events(context.events),
                   .foreign = foreign_,
                   .time = process_.loop.time(),
                   .metrics = process_.metrics,
                   .log = logger_of(context, kName)},
                  {.workers = context.options.concurrent_resource_claim_syncs,
                   .gates = context.options.features}) {
  controller_.observe(context.pods.informer(), context.claims.informer(), templates_.informer());
  if (groups_) controller_.observe_groups(groups_->informer());
  context.pods.informer().add_observer(foreign_);
  context.claims.informer().add_observer(foreign_);
}

// Claims of a group must not be created for its pods, and a reservation for an unknown group must
// not be released.
OptionalKind ClaimControl::groups() {
  const runtime::Logger& log = process_.log;
  return {.kind = &api::kPodGroups,
          .use = [this](const client::Served& served) { return use_groups(served); },
          .on_missing =
              [log] { log.info("No version of PodGroups is served: members of a group wait"); }};
}

AnyCache ClaimControl::use_groups(const client::Served& served) {
  process_.log.info("Using PodGroups", {{"version", served.version}});
  groups_->use_version(served.version);
  client_.use_groups({rest_, groups_->resource(), groups_->decoder()});
  controller_.use_groups(groups_->resource().api_version());
  return any_cache(*groups_);
}

Task<> ClaimControl::run() {
  if (!dry_run_) foreign_.activate();
  return dry_run_.run(controller_.run());
}

void add(const ControlContext& context) {
  const auto control = context.epoch.keep(std::make_shared<ClaimControl>(context));
  Controller value = make_controller(context, kName, *control, control->templates().sync());
  value.queue = "claims";
  if (context.options.features.generic_workload) {
    value.optional_kind = control->groups();
  } else {
    context.limits.hide(common::Input::groups,
                        "the feature gate GenericWorkload is off, so the manager does not watch "
                        "them");
  }
  context.epoch.add(std::move(value));
  context.explainers.push_back(
      resource_claim::explainer_of(control->controller(), resource_claim::Miss::unknown));
}

}  // namespace

const ControlType kClaimControl{.name = kName,
                                .alias = "resource-claim-controller",
                                .runs = &Options::runs_resource_claim_controller,
                                .kind = &api::kResourceClaimTemplates,
                                .explains = true,
                                .add = add};

}  // namespace dcm::dra_manager
