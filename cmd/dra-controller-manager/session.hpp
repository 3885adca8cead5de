// The controllers with their caches, for one version of resource.k8s.io.
//
// A cluster that is upgraded may stop serving the version that discovery chose: the session ends
// then, and another one is made. Nothing in here outlives it.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "client/api/json.hpp"
#include "client/discovery.hpp"
#include "cmd/dra-controller-manager/connection.hpp"
#include "controllers/common/event_sink.hpp"
#include "controllers/resource_claim/api_client.hpp"
#include "controllers/resource_claim/controller.hpp"
#include "informers/api_lister_watcher.hpp"
#include "informers/informer.hpp"
#include "runtime/task_group.hpp"

namespace dcm::manager {

class Session {
 public:
  // All references must outlive it.
  Session(Process process, client::RestClient& rest, common::EventSink& events,
          const Options& options, const client::Served& served);

  // Fills the caches, then works, until stop() or cancellation.
  runtime::Task<> run();
  // Nothing new is begun; run() ends when what is in hand is done. Idempotent.
  void stop();

  const std::string& version() const { return version_; }
  // What the caches still lack, one line each; empty: they are complete.
  std::vector<std::string> missing() const;
  // Whether a cache is complete but cannot be kept fresh: perhaps the version is not served any
  // more.
  bool has_failing_watch() const;

 private:
  // Waits for the caches, works, and ends the informers.
  runtime::Task<> run_controllers();
  std::vector<informers::SyncState*> caches();
  std::vector<const informers::SyncState*> caches() const;

  Process process_;
  std::string version_;

  std::unique_ptr<api::Decoder<api::Pod>> pod_decoder_;
  // A reservation may name a pod without claims.
  std::unique_ptr<api::Decoder<api::Pod>> any_pod_decoder_;
  std::unique_ptr<api::Decoder<api::ResourceClaim>> claim_decoder_;
  std::unique_ptr<api::Decoder<api::ResourceClaimTemplate>> template_decoder_;
  informers::ApiListerWatcher<api::Pod> pod_source_;
  informers::ApiListerWatcher<api::ResourceClaim> claim_source_;
  informers::ApiListerWatcher<api::ResourceClaimTemplate> template_source_;
  informers::Informer<api::Pod> pods_;
  informers::Informer<api::ResourceClaim> claims_;
  informers::Informer<api::ResourceClaimTemplate> templates_;

  resource_claim::ApiClient claim_api_;
  resource_claim::Controller claim_controller_;

  bool is_working_ = false;
  runtime::TaskGroup tasks_;
};

}  // namespace dcm::manager
