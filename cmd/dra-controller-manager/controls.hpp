// Each controller with the caches that it alone needs.
#pragma once

#include <optional>

#include "client/api/json.hpp"
#include "client/discovery.hpp"
#include "cmd/dra-controller-manager/cache.hpp"
#include "cmd/dra-controller-manager/connection.hpp"
#include "cmd/dra-controller-manager/options.hpp"
#include "controllers/common/event_sink.hpp"
#include "controllers/device_taint_eviction/api_client.hpp"
#include "controllers/device_taint_eviction/controller.hpp"
#include "controllers/resource_claim/api_client.hpp"
#include "controllers/resource_claim/controller.hpp"

namespace dcm::manager {

// What controls are made of. All of it must outlive them.
struct ControlContext {
  const Process& process;
  client::RestClient& rest;
  common::EventSink& events;
  const Options& options;
  const client::Served& served;  // resource.k8s.io
  Cache<api::Pod>& pods;
  Cache<api::ResourceClaim>& claims;
};

informers::InformerContext informer_context(const Process& process);

class ClaimControl {
 public:
  explicit ClaimControl(ControlContext context);

  Cache<api::ResourceClaimTemplate>& templates() { return templates_; }
  resource_claim::Controller& controller() { return controller_; }
  const resource_claim::Controller& controller() const { return controller_; }

 private:
  // A reservation may name a pod without claims.
  std::unique_ptr<api::Decoder<api::Pod>> any_pod_decoder_;
  Cache<api::ResourceClaimTemplate> templates_;
  resource_claim::ApiClient api_;
  resource_claim::Controller controller_;
};

class EvictionControl {
 public:
  explicit EvictionControl(ControlContext context);

  Cache<api::ResourceSlice>& slices() { return slices_; }
  device_taint_eviction::Controller& controller() { return controller_; }
  const device_taint_eviction::Controller& controller() const { return controller_; }
  // Rules have versions of their own, and may be served later than the rest. Once.
  Cache<api::DeviceTaintRule>& use_rules(const client::Served& served);

 private:
  const Process& process_;
  client::RestClient& rest_;
  Cache<api::ResourceSlice> slices_;
  device_taint_eviction::ApiClient api_;
  device_taint_eviction::Controller controller_;
  std::optional<Cache<api::DeviceTaintRule>> rules_;
};

}  // namespace dcm::manager
