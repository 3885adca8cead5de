#include "manager/epoch.hpp"

#include <algorithm>

#include "manager/find_version.hpp"
#include "manager/progress.hpp"
#include "runtime/memory.hpp"

namespace dcm::manager {

using runtime::Task;

Epoch::Epoch(EpochContext context, client::Served served)
    : context_(std::move(context)),
      served_(std::move(served)),
      discovery_(context_.rest),
      stopping_(context_.process.loop.time()),
      tasks_(context_.process.loop.executor()) {}

Epoch::~Epoch() {
  while (!kept_.empty()) kept_.pop_back();
}

void Epoch::add(Controller controller) {
  Member& member = members_.emplace_back(std::move(controller), context_.process.loop.executor());
  report(member, Running::no);
  if (auto& kind = member.controller.optional_kind) expect(member, *std::move(kind));
}

// A job is not a controller, so it is not reported as running.
void Epoch::report(const Member& member, Running running) {
  if (!member.controller.stop) return;
  report_running_controller(context_.process.metrics, context_.program, member.controller.name,
                            running);
}

Task<> Epoch::run() {
  for (Source& source : caches_) {
    if (source.kind == nullptr) {
      run_cache(source);
    } else {
      tasks_.spawn("version of a kind", follow_versions(source));
    }
  }
  tasks_.spawn("controllers", run_controllers());
  co_await tasks_.join();
}

// From now on, the cache is filled, and its state is reported.
void Epoch::run_cache(Source& source) {
  source.is_running = true;
  source.cache.sync->on_return([this] { retry_now(); });
  tasks_.spawn(source.cache.sync->resource() + " informer", source.cache.run());
}

// Fills the cache when the API server serves a version of its kind, and goes on with another
// version when that one is no longer served.
Task<> Epoch::follow_versions(Source& source) {
  std::string version =
      co_await find_version(discovery_, context_.process, *source.kind, source.why_not_served);
  source.use_version(version);
  run_cache(source);
  runtime::TimeSource& time = context_.process.loop.time();
  client::Availability answer = client::Served{version};
  while (true) {
    co_await runtime::sleep_for(time, client::ask_again_after(answer));
    if (!source.cache.sync->last_error()) continue;
    answer = co_await ask_once(discovery_, time, {source.kind});
    const auto* served = std::get_if<client::Served>(&answer);
    if (served == nullptr || served->version == version) continue;
    context_.process.log.warning("The kind is now served in another version",
                                 {{"resource", source.kind->plural}, {"version", served->version}});
    version = served->version;
    source.use_version(version);
  }
}

Task<> Epoch::run_controllers() {
  runtime::TaskGroup controllers(context_.process.loop.executor());
  for (Member& member : members_) {
    controllers.spawn(member.controller.name, run_controller(member));
  }
  co_await controllers.join();
  while (!is_stopping_) co_await stopping_.wait();
  tasks_.cancel();
}

Task<> Epoch::run_controller(Member& member) {
  member.cancelled_by_stop.spawn("caches and lease", prepare(member));
  co_await member.cancelled_by_stop.join();
  if (!member.is_working) co_return;
  report(member, Running::yes);
  co_await work(member);
  report(member, Running::no);
}

Task<> Epoch::prepare(Member& member) {
  std::vector<informers::SyncState*> caches = member.controller.caches;
  if (member.late_kind) {
    co_await member.late_kind->find();
    tasks_.spawn("follow a kind that need not be served", member.late_kind->follow());
    if (member.late_kind->cache() != nullptr) caches.push_back(member.late_kind->cache());
  }
  co_await informers::wait_for_sync(std::move(caches));
  if (member.controller.on_synced) member.controller.on_synced();
  // Reading lists leaves holes in the heap.
  runtime::return_free_memory();
  co_await context_.elected.wait();
  if (auto notify = std::exchange(on_working_, {})) notify();
  member.is_working = true;
}

Task<> Epoch::work(Member& member) {
  const Controller& controller = member.controller;
  if (controller.stop) {
    co_await controller.run();
  } else {
    member.cancelled_by_stop.spawn(controller.name, controller.run());
    co_await member.cancelled_by_stop.join();
  }
}

void Epoch::expect(Member& member, OptionalKind kind) {
  LateKind::Hooks hooks;
  hooks.start = [this, &member,
                 use = std::move(kind.use)](const client::Served& served) -> informers::SyncState& {
    Source& source = caches_.emplace_back(use(served));
    run_cache(source);
    if (member.is_working)
      tasks_.spawn("retry with a new kind", retry_when_synced(*source.cache.sync));
    return *source.cache.sync;
  };
  hooks.not_served = std::move(kind.on_missing);
  hooks.has_lost = [this, kind = kind.kind](const std::string& version) {
    context_.process.log.warning("The API server serves a resource differently now; starting over",
                                 {{"resource", kind->plural}, {"version", version}});
    stop();
  };
  member.late_kind.emplace(LateKind::Dependencies{discovery_, context_.process.loop.time()},
                           *kind.kind, std::move(hooks));
}

Task<> Epoch::retry_when_synced(informers::SyncState& cache) {
  co_await cache.wait();
  retry_now();
}

void Epoch::stop() {
  is_stopping_ = true;
  stopping_.notify_all();
  for (Member& member : members_) {
    member.cancelled_by_stop.cancel();
    if (member.controller.stop) member.controller.stop();
  }
}

// Otherwise failed items would wait for about as long again as the API server was away.
void Epoch::retry_now() {
  for (const Member& member : members_) {
    if (member.controller.retry_now) member.controller.retry_now();
  }
}

std::vector<Epoch::Gap> Epoch::gaps() const {
  std::vector<Gap> gaps;
  for (const Member& member : members_) {
    const auto& late = member.late_kind;
    if (late && late->missing()) gaps.push_back({late->kind().plural, *late->missing()});
  }
  for (const Source& source : caches_) {
    const std::string& resource = source.cache.sync->resource();
    if (source.why_not_served) {
      gaps.push_back({resource, about(resource + ": not served", *source.why_not_served)});
    } else if (auto why = why_incomplete(*source.cache.sync)) {
      gaps.push_back({resource, *std::move(why)});
    }
  }
  return gaps;
}

std::vector<runtime::Problem> Epoch::missing() const {
  std::vector<runtime::Problem> missing;
  for (Gap& gap : gaps()) missing.push_back(std::move(gap.why));
  return missing;
}

std::vector<std::string> Epoch::stuck() const {
  std::vector<std::string> stuck;
  const auto add = [&stuck](std::optional<std::string> why) {
    if (why) stuck.push_back(std::move(*why));
  };
  for (const informers::SyncState* cache : running_caches()) add(why_stuck(*cache));
  for (const Member& member : members_) {
    const Controller& controller = member.controller;
    if (controller.load) add(why_stuck(controller.queue, controller.load()));
  }
  return stuck;
}

bool Epoch::has_failing_watch() const {
  return std::ranges::any_of(running_caches(), [](const informers::SyncState* cache) {
    return cache->last_error().has_value();
  });
}

std::vector<informers::SyncState*> Epoch::running_caches() const {
  std::vector<informers::SyncState*> running;
  for (const Source& source : caches_) {
    if (source.is_running) running.push_back(source.cache.sync);
  }
  return running;
}

Task<> run_epoch(std::string program, Process process, client::RestClient& rest,
                 std::function<void(Epoch&)> fill) {
  Elected elected(process.loop.time());
  elected.set();
  Epoch epoch({std::move(program), process, rest, elected}, {});
  fill(epoch);
  co_await epoch.run();
}

}  // namespace dcm::manager
