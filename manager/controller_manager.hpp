// The controllers of a program, as their author adds them to its lifecycle: caches, queues, jobs.
//
//   auto& pods = manager.cache<Pod>(kPods, {{"spec.nodeName", &Pod::node}});
//   auto& labels = manager.controller("pod-labels", {}, PodLabels{manager.client(pods)});
//   manager.feed(labels, pods);
//   co_await manager.run();
//
// lifecycle.hpp has the order of start and stop. A program that loses the lease ends at once, with
// exit status 1, because it must no longer write.
#pragma once

#include <cstddef>
#include <functional>
#include <list>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "client/api/json/projection.hpp"
#include "manager/cache.hpp"
#include "manager/cache_client.hpp"
#include "manager/feed.hpp"
#include "manager/lifecycle.hpp"
#include "manager/reconciler.hpp"
#include "manager/worklist.hpp"

namespace dcm::manager {

struct ControllerOptions {
  std::size_t workers = 1;  // how many names are handled concurrently; at least 1
  runtime::Backoff backoff = workqueue::kItemBackoff;
};

// When a job runs. `leader`: with the lease and full caches. `every_instance`: from the start, when
// caches may be empty and kinds without a version (Reason::not_served); without the lease, writes
// are refused (Reason::shutting_down).
enum class RunsOn : std::uint8_t { leader, every_instance };

class ControllerManager {
 public:
  // `lifecycle` must outlive this; destroy this only after lifecycle.run() has ended.
  explicit ControllerManager(Lifecycle& lifecycle);

  // Call these before run(), else they throw std::logic_error; their results live as long as the
  // manager.

  // The objects of a kind, in the best version that the server has; waits until there is one. The
  // texts and the list of versions in `kind` must outlive the manager. Only `fields` are read
  // (json/projection.hpp).
  template <class T>
  Cache<T>& cache(const api::ResourceKind& kind, std::vector<api::json::Field<T>> fields = {},
                  CacheOptions<T> options = {});
  // The same with your own decoder.
  template <class T>
  Cache<T>& decoded_cache(const api::ResourceKind& kind, std::unique_ptr<api::Decoder<T>> decoder,
                          CacheOptions<T> options = {});

  // `name` labels its metrics: it must be unique among controllers (a cache's among caches), or
  // std::invalid_argument is thrown, as for options out of range. `reconciler` is a function, or an
  // object with
  //
  //   Task<Outcome> reconcile(NamespacedName name);
  //
  // It is called for each name that the queue hands out: again if the outcome says so, and whenever
  // a cache that feeds it changes; never concurrently for the same name. The manager owns the
  // reconciler, so its coroutines may use its members. (A lambda would refer to destroyed locals.)
  template <class R>
  Worklist& controller(std::string name, const ControllerOptions& options, R reconciler);

  // For each change for which `when(before, after)` is true, adds the names returned by `names_of`:
  // a NamespacedName, or a std::optional or std::vector of them.
  template <class T, class NamesOf = OwnName, class When = AnyChange>
  void feed(Worklist& controller, Cache<T>& from, NamesOf names_of = {}, When when = {});
  // A change of an object adds the name of its controlling owner, if that is of the kind `owner`.
  template <class T, class When = AnyChange>
  void owns(Worklist& controller, Cache<T>& owned, const api::ResourceKind& owner, When when = {}) {
    feed(controller, owned, OwnerName(owner), std::move(when));
  }

  // A separate task: a function, or an object with `Task<> run()`. A stop cancels it at once. It
  // may end by itself; an exception stops the program.
  template <class J>
  void job(std::string name, RunsOn where, J job) {
    add_job(std::move(name), where, make_job(std::move(job)));
  }
  // The same, repeated: the next run starts `interval` (above zero) after the last one has ended.
  template <class J>
  void periodic_job(std::string name, RunsOn where, runtime::Duration interval, J job) {
    add_periodic_job(interval, std::move(name), where, make_job(std::move(job)));
  }

  // Calls for the objects of a cache; it may be made before run(). What a field manager applies
  // replaces all that it applied to that object before, so each controller that applies needs its
  // own: by default the program's name, if it has one controller. With more, name it, or apply()
  // throws std::logic_error.
  template <class T>
  CacheClient<T> client(Cache<T>& cache) {
    return {rest(), cache, field_manager_};
  }
  template <class T>
  CacheClient<T> client(Cache<T>& cache, std::string field_manager) {
    return {rest(), cache, std::make_shared<std::string>(std::move(field_manager))};
  }
  // An event about an object of a cache. `reason` is one word in CamelCase.
  template <class T>
  void report(const Cache<T>& cache, const api::ObjectMeta& about, api::EventType type,
              std::string_view reason, std::string_view message) {
    events().report(reference_to(cache.resource(), about), type, program(), reason, message);
  }

  // What a handler returns after its last write: done; or a retry with back-off if the write
  // failed. The error is a warning in the log, unless the object has only changed or is gone.
  template <class Value>
  workqueue::Outcome done_or_retry(const api::NamespacedName& name,
                                   const runtime::Result<Value>& written) const {
    return written ? workqueue::Outcome::done() : retry(name, written.error());
  }
  workqueue::Outcome retry(const api::NamespacedName& name, const runtime::Error& error) const;

  client::EventRecorder& events() { return lifecycle_.events(); }
  Health& health() { return lifecycle_.health(); }
  runtime::MetricsRegistry& metrics() { return process().metrics; }
  const runtime::Logger& log() const { return process().log; }
  runtime::TimeSource& time() { return process().loop.time(); }
  runtime::Rng& rng() { return process().rng; }
  // For task groups, transports and child processes.
  runtime::Executor executor() const { return process().loop.executor(); }
  // For calls other than those of caches (client/request/request.hpp).
  client::RestClient& rest() { return lifecycle_.dependencies().rest; }

  // Runs until request_stop(), or until a part has failed.
  runtime::Task<> run() { return lifecycle_.run(); }
  void request_stop(ExitStatus status = ExitStatus::asked_to_stop) {
    lifecycle_.request_stop(status);
  }
  ExitStatus exit_status() const { return lifecycle_.exit_status(); }

 private:
  struct Source {
    std::string name;
    const api::ResourceKind* kind;
    AnyCache cache;
    std::function<void(const std::string& version)> use_version;
  };
  struct Queue {
    Queue(std::string its_name, const ControllerOptions& options, const Process& process,
          Handler its_handler)
        : name(std::move(its_name)),
          list(name, options.workers, process, options.backoff),
          handler(std::move(its_handler)) {}

    std::string name;
    Worklist list;
    Handler handler;
  };
  struct Job {
    std::string name;
    JobFunction run;
  };

  // Throws if it runs already.
  void check_not_running(const std::string& call) const;
  // Throws if it runs already, or has a cache of that name.
  void check_new_cache(const std::string& name) const;
  Worklist& add_controller(std::string name, const ControllerOptions& options, Handler handler);
  void add_job(std::string name, RunsOn where, JobFunction run);
  void add_periodic_job(runtime::Duration interval, std::string name, RunsOn where,
                        JobFunction run);
  void fill(Epoch& epoch);
  const Process& process() const { return lifecycle_.dependencies().process; }
  const std::string& program() const { return lifecycle_.options().program; }

  Lifecycle& lifecycle_;
  std::shared_ptr<std::string> field_manager_;  // the default; empty: each controller names its own
  std::list<api::ResourceKind> kinds_;          // copies: the caller's may be temporary
  std::vector<std::shared_ptr<void>> owned_;    // caches and observers
  std::vector<Source> sources_;
  std::list<Queue> queues_;
  std::vector<Job> leader_jobs_;
};

template <class T>
Cache<T>& ControllerManager::cache(const api::ResourceKind& kind,
                                   std::vector<api::json::Field<T>> fields,
                                   CacheOptions<T> options) {
  std::vector<std::string> paths;
  for (const auto& field : fields) paths.push_back(field.path);
  auto decoder = api::json::make_projection<T>(std::move(fields));
  Cache<T>& cache = decoded_cache(kind, std::move(decoder), std::move(options));
  cache.set_rows(Rows(std::move(paths)));
  return cache;
}

template <class T>
Cache<T>& ControllerManager::decoded_cache(const api::ResourceKind& kind,
                                           std::unique_ptr<api::Decoder<T>> decoder,
                                           CacheOptions<T> options) {
  check_new_cache(cache_name(kind, options));
  const api::ResourceKind& own_kind = kinds_.emplace_back(kind);
  auto made = std::make_shared<Cache<T>>(rest(), api::Resource{&own_kind, ""}, std::move(decoder),
                                         process(), std::move(options));
  Cache<T>& cache = *made;
  owned_.push_back(std::move(made));
  sources_.push_back({cache.name(), &own_kind, any_cache(cache),
                      [&cache](const std::string& version) { cache.use_version(version); }});
  return cache;
}

template <class R>
Worklist& ControllerManager::controller(std::string name, const ControllerOptions& options,
                                        R reconciler) {
  return add_controller(std::move(name), options, make_handler(std::move(reconciler)));
}

template <class T, class NamesOf, class When>
void ControllerManager::feed(Worklist& controller, Cache<T>& from, NamesOf names_of, When when) {
  const auto observer = std::make_shared<Feed<T, NamesOf, When>>(
      controller, from, std::move(names_of), std::move(when));
  from.check_not_running("feed()");
  from.template require_rows_of<NamesOf>();
  from.template require_rows_of<When>();
  owned_.push_back(observer);
  from.informer().add_observer(*observer);
}

}  // namespace dcm::manager
