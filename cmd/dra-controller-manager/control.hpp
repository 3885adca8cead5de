// How a controller is added to an epoch of the manager: one file of this folder per controller
// (claim_control.cpp, eviction_control.cpp, pool_status_control.cpp), and one row in controls.cpp.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "client/api/event_sink.hpp"
#include "cmd/dra-controller-manager/namespaces.hpp"
#include "cmd/dra-controller-manager/options.hpp"
#include "controllers/common/expectations.hpp"
#include "controllers/common/explainer.hpp"
#include "manager/epoch.hpp"

namespace dcm::dra_manager {

// The parts of an epoch that a controller uses. All of them must outlive the controller.
struct ControlContext {
  Epoch& epoch;
  api::EventSink& events;
  const Options& options;
  Cache<api::Pod>& pods;
  Cache<api::ResourceClaim>& claims;
  // Where the controller adds its explainer, and what it cannot see.
  std::vector<common::Explainer>& explainers;
  common::Sight& limits;
  // Created by the first controller that uses it, with only the taints of devices.
  std::function<Cache<api::ResourceSlice>&()> slices;

  const Process& process() const { return epoch.context().process; }
  client::RestClient& rest() const { return epoch.context().rest; }
};

// A controller of the manager.
struct ControlType {
  std::string_view name;        // on the command line, as in kube-controller-manager
  std::string_view alias = {};  // an old name; empty if none
  bool Options::* runs;
  bool common::FeatureGates::* gate = nullptr;  // its feature gate; null if none
  const api::ResourceKind* kind;                // of resource.k8s.io, needed in addition to claims
  bool explains = false;                        // whether it adds an explainer
  void (*add)(const ControlContext& context);
};

extern const ControlType kClaimControl;
extern const ControlType kEvictionControl;
extern const ControlType kPoolStatusControl;

// ---- for the controllers' files -----------------------------------------------------------------

// Logs that the caches of a controller are complete.
std::function<void()> say_synced(const ControlContext& context, std::string_view controller);

// The entry of a control, which lives as long as the epoch: it needs the shared caches and
// `own_cache`. The optional members are still to be set.
template <class Control>
Controller make_controller(const ControlContext& context, std::string_view name, Control& control,
                           informers::SyncState& own_cache) {
  auto& controller = control.controller();
  return {.name = std::string(name),
          .caches = {&context.pods.sync(), &context.claims.sync(), &own_cache},
          .on_synced = say_synced(context, name),
          .run = [&control] { return control.run(); },
          .stop = [&controller] { controller.stop(); },
          .retry_now = [&controller] { controller.retry_now(); },
          .load = [&controller] { return controller.load(); }};
}

runtime::Logger logger_of(const ControlContext& context, std::string_view controller);

// Replaces a controller's API and events in a dry run.
template <class Api>
class Shadow {
 public:
  // `arguments` are those of the API, before the expectations.
  template <class... Arguments>
  Shadow(const ControlContext& context, std::string_view controller, Arguments&&... arguments)
      : expectations_(
            {.time = context.process().loop.time(),
             .metrics = context.process().metrics,
             .log = logger_of(context, controller),
             .is_watching = [&epoch = context.epoch] { return !epoch.has_failing_watch(); }},
            std::string(controller), Api::kWrites, *context.options.dry_run_timeout),
        events_(expectations_),
        api_(std::forward<Arguments>(arguments)..., expectations_) {}

  common::Expectations& expectations() { return expectations_; }
  common::ShadowEvents& events() { return events_; }
  Api& api() { return api_; }

 private:
  common::Expectations expectations_;
  common::ShadowEvents events_;
  Api api_;
};

// nullopt if this is no dry run.
template <class Api, class... Arguments>
std::optional<Shadow<Api>> make_shadow(const ControlContext& context, std::string_view controller,
                                       Arguments&&... arguments) {
  if (!context.options.dry_run_timeout) return std::nullopt;
  return std::optional<Shadow<Api>>(std::in_place, context, controller,
                                    std::forward<Arguments>(arguments)...);
}

// Runs `controller`. In a dry run, a parallel task checks whether the cluster shows each change, as
// long as the controller runs. `expectations`: null if this is no dry run.
runtime::Task<> run_with(common::Expectations* expectations, runtime::Task<> controller,
                         runtime::Executor executor);

}  // namespace dcm::dra_manager
