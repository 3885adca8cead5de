#include "cmd/dra-controller-manager/session.hpp"

#include <algorithm>
#include <utility>

#include "runtime/memory.hpp"

namespace dcm::manager {
namespace {

informers::InformerContext informer_context(const Process& process) {
  return {process.loop.time(), process.rng, process.log, process.metrics};
}

// Core kinds have had one version for ever.
const client::Served kCoreV1{"v1"};

}  // namespace

Session::Session(Process process, client::RestClient& rest, common::EventSink& events,
                 const Options& options, const client::Served& served)
    : process_(std::move(process)),
      version_(served.version),
      pod_decoder_(api::make_json_pod_decoder()),
      any_pod_decoder_(api::make_json_pod_decoder(api::PodSelection::all)),
      claim_decoder_(api::make_json_claim_decoder(version_)),
      template_decoder_(api::make_json_template_decoder(version_)),
      pod_source_(rest, client::resource_of(api::kPods, kCoreV1), *pod_decoder_),
      claim_source_(rest, client::resource_of(api::kResourceClaims, served), *claim_decoder_),
      template_source_(rest, client::resource_of(api::kResourceClaimTemplates, served),
                       *template_decoder_),
      pods_("pods", pod_source_, informer_context(process_)),
      claims_("resourceclaims", claim_source_, informer_context(process_)),
      templates_("resourceclaimtemplates", template_source_, informer_context(process_)),
      claim_api_({rest, client::resource_of(api::kPods, kCoreV1), *any_pod_decoder_},
                 {rest, client::resource_of(api::kResourceClaims, served), *claim_decoder_}),
      claim_controller_(
          {.stores = resource_claim::declare_stores(pods_, claims_, templates_),
           .api = claim_api_,
           .events = events,
           .time = process_.loop.time(),
           .metrics = process_.metrics,
           .log = process_.log.with({{"controller", "resource_claim"}})},
          {.workers = options.concurrent_resource_claim_syncs, .gates = options.features}),
      tasks_(process_.loop.executor()) {
  claim_controller_.observe(pods_, claims_, templates_);
}

runtime::Task<> Session::run() {
  tasks_.spawn("pods informer", pods_.run());
  tasks_.spawn("claims informer", claims_.run());
  tasks_.spawn("templates informer", templates_.run());
  tasks_.spawn("controllers", run_controllers());
  co_await tasks_.join();
}

runtime::Task<> Session::run_controllers() {
  co_await informers::wait_for_sync({&pods_.sync(), &claims_.sync(), &templates_.sync()},
                                    runtime::Deadline::unreachable());
  process_.log.info("Caches are synced", {{"pods", pods_.reader().size()},
                                          {"claims", claims_.reader().size()},
                                          {"templates", templates_.reader().size()}});
  // Reading lists leaves holes in the heap.
  runtime::return_free_memory();
  is_working_ = true;
  co_await claim_controller_.run();
  tasks_.cancel();
}

void Session::stop() {
  if (is_working_) {
    claim_controller_.stop();
  } else {
    tasks_.cancel();
  }
}

std::vector<std::string> Session::missing() const {
  std::vector<std::string> missing;
  for (const informers::SyncState* cache : caches()) {
    if (!cache->is_synced()) missing.push_back(cache->describe());
  }
  return missing;
}

bool Session::has_failing_watch() const {
  return std::ranges::any_of(
      caches(), [](const informers::SyncState* cache) { return !cache->last_error().empty(); });
}

std::vector<const informers::SyncState*> Session::caches() const {
  return {&pods_.sync(), &claims_.sync(), &templates_.sync()};
}

}  // namespace dcm::manager
