// Each controller with the caches that only it needs.
#pragma once

#include <optional>

#include "client/discovery/discovery.hpp"
#include "cmd/dra-controller-manager/options.hpp"
#include "controllers/api/decoders.hpp"
#include "controllers/common/event_sink.hpp"
#include "controllers/common/expectations.hpp"
#include "controllers/device_taint_eviction/api/api_client.hpp"
#include "controllers/device_taint_eviction/api/shadow_api.hpp"
#include "controllers/device_taint_eviction/controller.hpp"
#include "controllers/resource_claim/api/api_client.hpp"
#include "controllers/resource_claim/api/shadow_api.hpp"
#include "controllers/resource_claim/controller.hpp"
#include "controllers/resource_claim/sync/foreign_claims.hpp"
#include "manager/cache.hpp"
#include "manager/connection.hpp"

namespace dcm::manager {

// The dependencies of controls. All of them must outlive the controls.
struct ControlContext {
  const Process& process;
  client::RestClient& rest;
  common::EventSink& events;
  const Options& options;
  const client::Served& served;  // resource.k8s.io
  Cache<api::Pod>& pods;
  Cache<api::ResourceClaim>& claims;
  // Whether the caches are up to date now.
  std::function<bool()> is_watching;
};

informers::InformerContext informer_context(const Process& process);

// Replaces a controller's API and events in a dry run.
template <class Api>
class Shadow {
 public:
  // `arguments` are those of the API, before the expectations.
  template <class... Arguments>
  Shadow(common::Expectations::Dependencies dependencies, const std::string& controller,
         runtime::Duration timeout, Arguments&&... arguments)
      : expectations_(std::move(dependencies), controller, Api::kWrites, timeout),
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

class ClaimControl {
 public:
  explicit ClaimControl(ControlContext context);

  Cache<api::ResourceClaimTemplate>& templates() { return templates_; }
  resource_claim::Controller& controller() { return controller_; }
  const resource_claim::Controller& controller() const { return controller_; }
  // Works, or in a dry run only observes.
  runtime::Task<> run();
  // Groups are versioned separately, and may be served later than the rest. Call once, with the
  // gate GenericWorkload on.
  Cache<api::PodGroup>& use_groups(const client::Served& served);

 private:
  client::RestClient& rest_;
  // A reservation may name a pod without claims.
  std::unique_ptr<api::Decoder<api::Pod>> any_pod_decoder_;
  Cache<api::ResourceClaimTemplate> templates_;
  std::optional<Cache<api::PodGroup>> groups_;  // nullopt: the gate for groups is off
  resource_claim::Stores stores_;
  resource_claim::TemplateContents contents_;
  resource_claim::ApiClient client_;
  resource_claim::ForeignClaims foreign_;
  std::optional<Shadow<resource_claim::ShadowApi>> shadow_;  // nullopt: no dry run
  resource_claim::Controller controller_;
};

class EvictionControl {
 public:
  explicit EvictionControl(ControlContext context);

  Cache<api::ResourceSlice>& slices() { return slices_; }
  device_taint_eviction::Controller& controller() { return controller_; }
  const device_taint_eviction::Controller& controller() const { return controller_; }
  // Works, or in a dry run only observes.
  runtime::Task<> run();
  // Rules are versioned separately, and may be served later than the rest. Call once.
  Cache<api::DeviceTaintRule>& use_rules(const client::Served& served);

 private:
  const Process& process_;
  client::RestClient& rest_;
  Cache<api::ResourceSlice> slices_;
  device_taint_eviction::ApiClient api_;
  api::Format content_type_;
  std::optional<Shadow<device_taint_eviction::ShadowApi>> shadow_;  // nullopt: no dry run
  device_taint_eviction::Controller controller_;
  std::optional<Cache<api::DeviceTaintRule>> rules_;
};

}  // namespace dcm::manager
