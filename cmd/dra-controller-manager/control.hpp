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

// Runs `controller`, and beside it, as long as it runs, the checks of `expectations`.
runtime::Task<> run_with(common::Expectations& expectations, runtime::Task<> controller);

// Replaces a controller's API and events in a dry run; otherwise, it leaves everything as it is.
template <class ShadowApi>
class DryRun {
 public:
  // `arguments` go to the constructor of ShadowApi, before the expectations.
  template <class... Arguments>
  DryRun(const ControlContext& context, std::string_view controller, Arguments&&... arguments) {
    if (!context.options.dry_run_timeout) return;
    shadow_.emplace(context, controller, std::forward<Arguments>(arguments)...);
  }

  explicit operator bool() const { return shadow_.has_value(); }

  // `Api` is the interface that the controller uses.
  template <class Api>
  Api& api(Api& real) {
    return shadow_ ? shadow_->api : real;
  }
  api::EventSink& events(api::EventSink& real) { return shadow_ ? shadow_->events : real; }

  runtime::Task<> run(runtime::Task<> controller) {
    return shadow_ ? run_with(shadow_->expectations, std::move(controller)) : std::move(controller);
  }

 private:
  struct Shadow {
    template <class... Arguments>
    Shadow(const ControlContext& context, std::string_view controller, Arguments&&... arguments)
        : expectations(
              {.time = context.process().loop.time(),
               .metrics = context.process().metrics,
               .log = logger_of(context, controller),
               .is_watching = [&epoch = context.epoch] { return !epoch.has_failing_watch(); }},
              std::string(controller), ShadowApi::kWrites, *context.options.dry_run_timeout),
          events(expectations),
          api(std::forward<Arguments>(arguments)..., expectations) {}

    common::Expectations expectations;
    common::ShadowEvents events;
    ShadowApi api;
  };

  std::optional<Shadow> shadow_;
};

}  // namespace dcm::dra_manager
