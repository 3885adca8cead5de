// Both controllers with their caches and the real client, with its default limits, on virtual time.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "client/discovery/discovery.hpp"
#include "client/events/event_recorder.hpp"
#include "controllers/api/decoders.hpp"
#include "controllers/api/resources.hpp"
#include "controllers/device_taint_eviction/api/api_client.hpp"
#include "controllers/device_taint_eviction/controller.hpp"
#include "controllers/resource_claim/api/api_client.hpp"
#include "controllers/resource_claim/controller.hpp"
#include "manager/cache.hpp"
#include "runtime/loop.hpp"
#include "runtime/task_group.hpp"

namespace dcm {

// Counts opened connections: idle ones are reused, so this is also the maximum open at the same
// time.
class CountingTransport final : public http::Transport {
 public:
  explicit CountingTransport(http::Transport& inner) : inner_(inner) {}
  runtime::Task<runtime::Result<std::unique_ptr<http::Stream>>> connect(
      http::Endpoint endpoint, runtime::Deadline deadline) override {
    ++opened;
    return inner_.connect(std::move(endpoint), deadline);
  }
  std::size_t opened = 0;

 private:
  http::Transport& inner_;
};

class NoCredentials final : public client::Credentials {
 public:
  runtime::Task<runtime::Result<>> authorize(http::Headers&, runtime::Deadline) override {
    co_return runtime::Result<>();
  }
  runtime::Task<Refreshed> refresh(std::string, runtime::Deadline) override {
    co_return Refreshed::no;
  }
};

class Sink final : public common::EventSink {
 public:
  explicit Sink(client::EventRecorder& recorder) : recorder_(recorder) {}
  void report(const api::ObjectReference& about, api::EventType type, std::string_view component,
              std::string_view reason, std::string_view message) override {
    recorder_.report(about, type, component, reason, message);
  }

 private:
  client::EventRecorder& recorder_;
};

inline const client::Served kV1{"v1"};

// The parts that main() creates, without status pages and discovery. `network` must outlive it.
struct WholeManager {
  WholeManager(runtime::VirtualLoop& loop, http::Transport& network)
      : time(loop.time()),
        transport(network),
        http(http::make_client(transport, time, {.origin = kServer, .connections_max = 100})),
        rest({*http, credentials, gate, time, metrics}, {.server = kServer, .user_agent = "test"},
             rng.fork(), log),
        recorder(rest, time, metrics, rng.fork(), log),
        pods(rest, client::resource_of(api::kPods, kV1), api::make_json_pod_decoder(), context()),
        claims(rest, client::resource_of(api::kResourceClaims, kV1),
               api::make_json_claim_decoder("v1"), context()),
        templates(rest, client::resource_of(api::kResourceClaimTemplates, kV1),
                  api::make_json_template_decoder("v1"), context()),
        slices(rest, client::resource_of(api::kResourceSlices, kV1),
               api::make_json_slice_decoder("v1"), context()),
        rules(rest, client::resource_of(api::kDeviceTaintRules, kV1), api::make_json_rule_decoder(),
              context()),
        contents(rest, templates.resource(), time),
        claim_api({rest, pods.resource(), pods.decoder()},
                  {rest, claims.resource(), claims.decoder()}, contents),
        foreign({.pods = pods.reader(),
                 .claims = claims.reader(),
                 .time = time,
                 .metrics = metrics,
                 .events = sink,
                 .log = log}),
        claim_controller({.stores = resource_claim::declare_stores(
                              pods.informer(), claims.informer(), templates.informer()),
                          .api = claim_api,
                          .events = sink,
                          .foreign = foreign,
                          .time = time,
                          .metrics = metrics,
                          .log = log},
                         {}),
        eviction_api(rest, pods.resource()),
        eviction_controller({.lookup = {pods.reader(), claims.reader()},
                             .api = eviction_api,
                             .events = sink,
                             .time = time,
                             .metrics = metrics,
                             .log = log},
                            {}),
        group(loop.executor()) {
    eviction_api.use_rules(rules.resource());
    claim_controller.observe(pods.informer(), claims.informer(), templates.informer());
    eviction_controller.observe(pods.informer(), claims.informer(), slices.informer());
    eviction_controller.observe_rules(rules.informer());
  }

  runtime::Task<> start() {
    for (informers::SyncState* sync : {&pods.sync(), &claims.sync(), &templates.sync()}) {
      sync->on_return([this] {
        claim_controller.retry_now();
        eviction_controller.retry_now();
      });
    }
    group.spawn("events", recorder.run());
    group.spawn("pods", pods.informer().run());
    group.spawn("claims", claims.informer().run());
    group.spawn("templates", templates.informer().run());
    group.spawn("slices", slices.informer().run());
    group.spawn("rules", rules.informer().run());
    co_await informers::wait_for_sync(
        {&pods.sync(), &claims.sync(), &templates.sync(), &slices.sync(), &rules.sync()},
        runtime::Deadline::unreachable());
    group.spawn("claim controller", claim_controller.run());
    group.spawn("eviction controller", eviction_controller.run());
  }

  informers::InformerContext context() { return {time, rng, log, metrics}; }

  static inline const http::Endpoint kServer{http::Security::plain, "server", 80};

  runtime::TimeSource& time;
  runtime::MetricsRegistry metrics;
  runtime::Rng rng{1};
  runtime::Logger log;
  NoCredentials credentials;
  client::OpenWriteGate gate;
  CountingTransport transport;
  std::unique_ptr<http::Client> http;
  client::RestClient rest;
  client::EventRecorder recorder;
  Sink sink{recorder};
  manager::Cache<api::Pod> pods;
  manager::Cache<api::ResourceClaim> claims;
  manager::Cache<api::ResourceClaimTemplate> templates;
  manager::Cache<api::ResourceSlice> slices;
  manager::Cache<api::DeviceTaintRule> rules;
  resource_claim::TemplateContents contents;
  resource_claim::ApiClient claim_api;
  resource_claim::ForeignClaims foreign;
  resource_claim::Controller claim_controller;
  device_taint_eviction::ApiClient eviction_api;
  device_taint_eviction::Controller eviction_controller;
  runtime::TaskGroup group;
};

}  // namespace dcm
