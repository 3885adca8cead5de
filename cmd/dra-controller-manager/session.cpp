#include "cmd/dra-controller-manager/session.hpp"

#include <algorithm>
#include <chrono>
#include <utility>

#include <fmt/format.h>

#include "client/api/json.hpp"
#include "cmd/dra-controller-manager/liveness.hpp"
#include "cmd/dra-controller-manager/process_metrics.hpp"
#include "runtime/memory.hpp"

namespace dcm::manager {
namespace {

using namespace std::chrono_literals;
using runtime::Deadline;
using runtime::Task;

// A server that restarts, or a connection that breaks, is no reason to be called unready.
constexpr runtime::Duration kFailingMax = 10s;

std::int64_t whole_seconds(runtime::Duration duration) {
  return std::chrono::floor<std::chrono::seconds>(duration).count();
}

// Core kinds have had one version for ever.
const client::Served kCoreV1{"v1"};

}  // namespace

client::KindSet kinds_of_one_version(const Options& options) {
  client::KindSet kinds{&api::kResourceClaims};
  if (options.runs_resource_claim_controller) kinds.push_back(&api::kResourceClaimTemplates);
  if (options.runs_device_taint_eviction_controller) kinds.push_back(&api::kResourceSlices);
  return kinds;
}

Session::Session(Process process, client::RestClient& rest, common::EventSink& events,
                 Leadership& leadership, const Options& options, const client::Served& served)
    : process_(std::move(process)),
      leadership_(leadership),
      options_(options),
      version_(served.version),
      discovery_(rest),
      pods_(rest, client::resource_of(api::kPods, kCoreV1), api::make_json_pod_decoder(),
            informer_context(process_)),
      claims_(rest, client::resource_of(api::kResourceClaims, served),
              api::make_json_claim_decoder(version_), informer_context(process_)),
      tasks_(process_.loop.executor()) {
  const ControlContext context{process_, rest,  events,  options,
                               served,   pods_, claims_, [this] { return !has_failing_watch(); }};
  if (options.runs_resource_claim_controller) claim_control_.emplace(context);
  if (options.runs_device_taint_eviction_controller) eviction_control_.emplace(context);
  explanations_.emplace(ControllersSource::Parts{
      .pods = pods_.reader(),
      .claims = claims_.reader(),
      .claim_controller = claim_control_ ? &claim_control_->controller() : nullptr,
      .eviction_controller = eviction_control_ ? &eviction_control_->controller() : nullptr});
  if (eviction_control_ && options.features.dra_device_taint_rules) {
    rules_missing_ = "devicetaintrules: not asked for yet";
  }
}

Task<> Session::run() {
  run_cache(pods_);
  run_cache(claims_);
  if (claim_control_) run_cache(claim_control_->templates());
  if (eviction_control_) run_cache(eviction_control_->slices());
  tasks_.spawn("controllers", run_controllers());
  co_await tasks_.join();
}

template <class T>
void Session::run_cache(Cache<T>& cache) {
  running_caches_.push_back(&cache.sync());
  cache.sync().on_return([this] { retry_now(); });
  tasks_.spawn(cache.sync().resource() + " informer", cache.informer().run());
}

Task<> Session::run_controllers() {
  if (rules_missing_) co_await find_rules();
  co_await informers::wait_for_sync(running_caches_, Deadline::unreachable());
  process_.log.info("Caches are synced",
                    {{"pods", pods_.reader().size()}, {"claims", claims_.reader().size()}});
  // Reading lists leaves holes in the heap.
  runtime::return_free_memory();
  co_await leadership_.wait();
  is_working_ = true;
  report_running_controllers(process_.metrics, options_, Running::yes);
  runtime::TaskGroup controllers(process_.loop.executor());
  if (claim_control_) controllers.spawn("claims", claim_control_->run());
  if (eviction_control_) controllers.spawn("eviction", eviction_control_->run());
  co_await controllers.join();
  report_running_controllers(process_.metrics, options_, Running::no);
  tasks_.cancel();
}

Task<client::Availability> Session::ask_for_rules() {
  return discovery_.find({&api::kDeviceTaintRules}, Deadline::after(process_.loop.time(), 30s));
}

// Pods must not be judged without the rules where there are any. A cluster that serves none may
// serve them later.
Task<> Session::find_rules() {
  client::Availability availability = client::NotServed{};
  do {
    availability = co_await ask_for_rules();
    rules_missing_ = start_rules(availability);
    if (rules_missing_) {
      co_await runtime::sleep_for(process_.loop.time(), client::ask_again_after(availability));
    }
  } while (rules_missing_);
  if (rules_ == nullptr) {
    process_.log.info("No version of DeviceTaintRules is served: only drivers taint devices");
  }
  tasks_.spawn("follow taint rules", follow_rules(availability));
}

// Starts the cache of the rules if they are served. Why that is not known yet; nothing: it is.
std::optional<std::string> Session::start_rules(const client::Availability& availability) {
  if (const auto* unknown = std::get_if<client::Unknown>(&availability)) {
    return "devicetaintrules: " + unknown->error.message;
  }
  if (const auto* served = std::get_if<client::Served>(&availability)) {
    process_.log.info("Using DeviceTaintRules", {{"version", served->version}});
    rules_ = &eviction_control_->use_rules(*served);
    run_cache(*rules_);
  }
  return std::nullopt;
}

// They may come to be served. In another version than at first, or no more, they are for a new
// session: nobody may be judged by rules that are not kept up to date.
Task<> Session::follow_rules(client::Availability availability) {
  do {
    co_await runtime::sleep_for(process_.loop.time(), client::ask_again_after(availability));
    if (rules_ != nullptr && rules_->sync().last_error().empty()) continue;
    availability = co_await ask_for_rules();
    if (rules_ == nullptr) start_rules(availability);
  } while (!has_lost_rules(availability));
  process_.log.warning("The API server has stopped serving the version of DeviceTaintRules in use",
                       {{"version", rules_->resource().version}});
  stop();
}

bool Session::has_lost_rules(const client::Availability& availability) const {
  if (rules_ == nullptr || std::holds_alternative<client::Unknown>(availability)) return false;
  const auto* served = std::get_if<client::Served>(&availability);
  return served == nullptr || served->version != rules_->resource().version;
}

void Session::stop() {
  if (!is_working_) return tasks_.cancel();
  if (claim_control_) claim_control_->controller().stop();
  if (eviction_control_) eviction_control_->controller().stop();
}

std::vector<std::string> Session::missing() const {
  std::vector<std::string> missing;
  if (rules_missing_) missing.push_back(*rules_missing_);
  for (const informers::SyncState* cache : running_caches_) {
    if (!cache->is_synced()) {
      missing.push_back(cache->describe());
    } else if (const auto failing = cache->failing(); failing && *failing >= kFailingMax) {
      missing.push_back(fmt::format("{}: no news for {} s: {}", cache->resource(),
                                    whole_seconds(*failing), cache->last_error()));
    }
  }
  return missing;
}

// What has failed meanwhile would wait for about as long again as the API server was away.
void Session::retry_now() {
  if (claim_control_) claim_control_->controller().retry_now();
  if (eviction_control_) eviction_control_->controller().retry_now();
}

std::vector<std::string> Session::stuck() const {
  std::vector<std::string> stuck;
  const auto add = [&stuck](std::optional<std::string> why) {
    if (why) stuck.push_back(std::move(*why));
  };
  for (const informers::SyncState* cache : running_caches_) add(why_stuck(*cache));
  if (claim_control_) add(why_stuck("claims", claim_control_->controller().load()));
  if (eviction_control_) add(why_stuck("eviction", eviction_control_->controller().load()));
  return stuck;
}

bool Session::has_failing_watch() const {
  return std::ranges::any_of(running_caches_, [](const informers::SyncState* cache) {
    return !cache->last_error().empty();
  });
}

}  // namespace dcm::manager
