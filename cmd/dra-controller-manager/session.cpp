#include "cmd/dra-controller-manager/session.hpp"

#include <algorithm>
#include <chrono>
#include <utility>

#include <fmt/format.h>

#include "cmd/dra-controller-manager/process_metrics.hpp"
#include "controllers/api/decoders.hpp"
#include "controllers/api/resources.hpp"
#include "runtime/memory.hpp"

namespace dcm::manager {
namespace {

using namespace std::chrono_literals;
using common::Input;
using runtime::Deadline;
using runtime::Task;

// How long the API server may take to answer discovery.
constexpr runtime::Duration kDiscoveryTimeout = 30s;
// A restarting server, or a broken connection, does not make us unready.
constexpr runtime::Duration kFailingMax = 10s;

std::int64_t whole_seconds(runtime::Duration duration) {
  return std::chrono::floor<std::chrono::seconds>(duration).count();
}

// Core kinds have only ever had v1.
const client::Served kCoreV1{"v1"};

Task<client::Availability> find_served(SessionContext context) {
  client::Discovery discovery(context.rest);
  co_return co_await discovery.find(
      kinds_of_one_version(context.options),
      Deadline::after(context.process.loop.time(), kDiscoveryTimeout));
}

}  // namespace

client::KindSet kinds_of_one_version(const Options& options) {
  client::KindSet kinds{&api::kResourceClaims};
  if (options.runs_resource_claim_controller) kinds.push_back(&api::kResourceClaimTemplates);
  if (options.runs_device_taint_eviction_controller) kinds.push_back(&api::kResourceSlices);
  return kinds;
}

Sessions make_sessions(const SessionContext& context, Stop& stop) {
  const Process& process = context.process;
  return {process.loop.executor(),
          process.loop.time(),
          process.log,
          stop,
          [context] { return find_served(context); },
          [context](const client::Served& served) {
            return std::make_unique<Session>(context, served);
          }};
}

Session::Session(const SessionContext& context, const client::Served& served)
    : process_(context.process),
      leadership_(context.leadership),
      options_(context.options),
      version_(served.version),
      discovery_(context.rest),
      pods_(context.rest, client::resource_of(api::kPods, kCoreV1),
            api::make_pod_decoder(options_.kube_api_content_type), informer_context(process_)),
      claims_(context.rest, client::resource_of(api::kResourceClaims, served),
              api::make_claim_decoder(options_.kube_api_content_type, version_),
              informer_context(process_)),
      claim_part_{.name = kResourceClaimController,
                  .preparation = runtime::TaskGroup(process_.loop.executor())},
      eviction_part_{.name = kDeviceTaintEvictionController,
                     .preparation = runtime::TaskGroup(process_.loop.executor())},
      tasks_(process_.loop.executor()) {
  const ControlContext control{
      process_, context.rest, context.events, options_,
      served,   pods_,        claims_,        [this] { return !has_failing_watch(); }};
  if (options_.runs_resource_claim_controller) claim_control_.emplace(control);
  if (options_.runs_device_taint_eviction_controller) eviction_control_.emplace(control);
  explanations_.emplace(ControllersSource::Parts{
      .pods = pods_.reader(),
      .claims = claims_.reader(),
      .claim_controller = claim_control_ ? &claim_control_->controller() : nullptr,
      .eviction_controller = eviction_control_ ? &eviction_control_->controller() : nullptr,
      .sight = [this] { return sight(); }});
  if (eviction_control_ && options_.features.dra_device_taint_rules) expect_rules();
  if (claim_control_ && options_.features.generic_workload) expect_groups();
}

Task<> Session::run() {
  run_cache(Input::pods, pods_);
  run_cache(Input::claims, claims_);
  if (claim_control_) {
    run_cache(Input::templates, claim_control_->templates());
    claim_part_.cache = &claim_control_->templates().sync();
  }
  if (eviction_control_) {
    run_cache(Input::slices, eviction_control_->slices());
    eviction_part_.cache = &eviction_control_->slices().sync();
  }
  tasks_.spawn("controllers", run_controllers());
  co_await tasks_.join();
}

template <class T>
void Session::run_cache(Input input, Cache<T>& cache) {
  running_caches_.push_back({input, &cache.sync()});
  cache.sync().on_return([this] { retry_now(); });
  tasks_.spawn(cache.sync().resource() + " informer", cache.informer().run());
}

Task<> Session::run_controllers() {
  runtime::TaskGroup controllers(process_.loop.executor());
  if (claim_control_) controllers.spawn("claims", run_controller(*claim_control_, claim_part_));
  if (eviction_control_) {
    controllers.spawn("eviction", run_controller(*eviction_control_, eviction_part_));
  }
  co_await controllers.join();
  tasks_.cancel();
}

template <class Control>
Task<> Session::run_controller(Control& control, Part& part) {
  part.preparation.spawn("caches and lease", prepare(part));
  co_await part.preparation.join();
  if (!part.is_working) co_return;
  report_running_controller(process_.metrics, part.name, Running::yes);
  co_await control.run();
  report_running_controller(process_.metrics, part.name, Running::no);
}

Task<> Session::prepare(Part& part) {
  std::vector<informers::SyncState*> caches = {&pods_.sync(), &claims_.sync(), part.cache};
  if (part.late_kind) {
    co_await part.late_kind->find();
    tasks_.spawn("follow a kind that need not be served", part.late_kind->follow());
    if (part.late_kind->cache() != nullptr) caches.push_back(part.late_kind->cache());
  }
  co_await informers::wait_for_sync(std::move(caches), Deadline::unreachable());
  process_.log.info("Caches are synced", {{"controller", part.name},
                                          {"pods", pods_.reader().size()},
                                          {"claims", claims_.reader().size()}});
  // Reading lists fragments the heap.
  runtime::return_free_memory();
  co_await leadership_.wait();
  part.is_working = true;
}

// Pods must not be judged without the rules, if there are any. A cluster that serves no rules may
// serve them later. If their version changes or is no longer served, a new session begins: no pod
// may be judged by outdated rules.
void Session::expect_rules() {
  LateKind::Hooks hooks;
  hooks.start = [this](const client::Served& served) -> informers::SyncState& {
    process_.log.info("Using DeviceTaintRules", {{"version", served.version}});
    Cache<api::DeviceTaintRule>& rules = eviction_control_->use_rules(served);
    run_cache(Input::rules, rules);
    return rules.sync();
  };
  hooks.not_served = [this] {
    process_.log.info("No version of DeviceTaintRules is served: only drivers taint devices");
  };
  hooks.has_lost = [this](const std::string& version) {
    process_.log.warning(
        "The API server has stopped serving the version of DeviceTaintRules in use",
        {{"version", version}});
    stop();
  };
  eviction_part_.late_kind.emplace(LateKind::Dependencies{discovery_, process_.loop.time()},
                                   api::kDeviceTaintRules, std::move(hooks));
}

// Claims of a group must not be created for its pods, and a reservation for an unknown group must
// not be released.
void Session::expect_groups() {
  LateKind::Hooks hooks;
  hooks.start = [this](const client::Served& served) -> informers::SyncState& {
    process_.log.info("Using PodGroups", {{"version", served.version}});
    Cache<api::PodGroup>& groups = claim_control_->use_groups(served);
    run_cache(Input::groups, groups);
    if (claim_part_.is_working)
      tasks_.spawn("retry with pod groups", retry_when_synced(groups.sync()));
    return groups.sync();
  };
  hooks.not_served = [this] {
    process_.log.info("No version of PodGroups is served: members of a group wait");
  };
  hooks.has_lost = [this](const std::string& version) {
    process_.log.warning("The API server has stopped serving the version of PodGroups in use",
                         {{"version", version}});
    stop();
  };
  claim_part_.late_kind.emplace(LateKind::Dependencies{discovery_, process_.loop.time()},
                                api::kPodGroups, std::move(hooks));
}

Task<> Session::retry_when_synced(informers::SyncState& cache) {
  co_await cache.wait(Deadline::unreachable());
  retry_now();
}

void Session::stop() {
  for (Part* part : {&claim_part_, &eviction_part_}) part->preparation.cancel();
  if (claim_control_) claim_control_->controller().stop();
  if (eviction_control_) eviction_control_->controller().stop();
}

namespace {

std::optional<std::string> why_incomplete(const informers::SyncState& cache) {
  if (!cache.is_synced()) return cache.describe();
  const auto failing = cache.failing();
  if (!failing || *failing < kFailingMax) return std::nullopt;
  return fmt::format("{}: no news for {} s: {}", cache.resource(), whole_seconds(*failing),
                     cache.last_error());
}

}  // namespace

common::Sight Session::sight() const {
  common::Sight sight;
  for (const RunningCache& cache : running_caches_) {
    if (auto why = why_incomplete(*cache.state)) sight.hide(cache.input, *std::move(why));
  }
  if (const auto& late = claim_part_.late_kind; late && late->missing()) {
    sight.hide(Input::groups, *late->missing());
  }
  if (const auto& late = eviction_part_.late_kind; late && late->missing()) {
    sight.hide(Input::rules, *late->missing());
  }
  if (claim_control_ && !options_.features.generic_workload) {
    sight.hide(Input::groups,
               "the feature gate GenericWorkload is off, so the manager does not "
               "watch them");
  }
  return sight;
}

std::vector<std::string> Session::missing() const {
  std::vector<std::string> missing;
  for (const Part* part : {&claim_part_, &eviction_part_}) {
    const auto& late = part->late_kind;
    if (late && late->missing()) missing.push_back(*late->missing());
  }
  for (const RunningCache& cache : running_caches_) {
    if (auto why = why_incomplete(*cache.state)) missing.push_back(*std::move(why));
  }
  return missing;
}

// Otherwise failed items would wait about as long again as the API server was unreachable.
void Session::retry_now() {
  if (claim_control_) claim_control_->controller().retry_now();
  if (eviction_control_) eviction_control_->controller().retry_now();
}

std::vector<std::string> Session::stuck() const {
  std::vector<std::string> stuck;
  const auto add = [&stuck](std::optional<std::string> why) {
    if (why) stuck.push_back(std::move(*why));
  };
  for (const RunningCache& cache : running_caches_) add(why_stuck(*cache.state));
  if (claim_control_) add(why_stuck("claims", claim_control_->controller().load()));
  if (eviction_control_) add(why_stuck("eviction", eviction_control_->controller().load()));
  return stuck;
}

bool Session::has_failing_watch() const {
  return std::ranges::any_of(running_caches_, [](const RunningCache& cache) {
    return !cache.state->last_error().empty();
  });
}

namespace {

std::int64_t whole_minutes(runtime::Duration duration) {
  return std::chrono::floor<std::chrono::minutes>(duration).count();
}

}  // namespace

std::optional<std::string> why_stuck(const informers::SyncState& cache) {
  const std::optional<runtime::Duration> silence = cache.last_event_age();
  if (!silence || *silence < kSilenceMax || cache.failing()) return std::nullopt;
  return fmt::format("{}: nothing heard from the API server for {} minutes, though it answers",
                     cache.resource(), whole_minutes(*silence));
}

std::optional<std::string> why_stuck(std::string_view queue, const workqueue::Load& load) {
  if (load.longest < kWorkMax) return std::nullopt;
  return fmt::format("{}: an item has been worked on for {} minutes", queue,
                     whole_minutes(load.longest));
}

}  // namespace dcm::manager
