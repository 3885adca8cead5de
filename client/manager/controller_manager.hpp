// A program of controllers without their rules: caches, lease, workers, and the order in which they
// start and stop.
//
//   auto& pods = manager.cache<Pod>(kPods, json::make_projection<Pod>({{"spec.nodeName", …}}));
//   auto& labels = manager.controller("pod-labels", 4, [&](NamespacedName key) { … });
//   manager.feed(labels, pods);
//   co_await manager.run();
//
// Start: events, then the versions of all kinds, their caches, the lease, the workers. Stop, in
// reverse: workers finish what they have begun (20 s at most), the lease is given back, then events
// and caches end. A program that loses the lease ends at once, with exit status 1, because it must
// not write any more.
#pragma once

#include <cstddef>
#include <functional>
#include <list>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "client/discovery/discovery.hpp"
#include "client/events/event_recorder.hpp"
#include "client/manager/cache.hpp"
#include "client/manager/leader_election.hpp"
#include "client/manager/leadership.hpp"
#include "client/manager/pages.hpp"
#include "client/manager/process.hpp"
#include "client/manager/stop.hpp"
#include "client/manager/worklist.hpp"
#include "client/request/typed.hpp"
#include "informers/on_change.hpp"
#include "runtime/task_group.hpp"

namespace dcm::manager {

template <class T>
api::NamespacedName own_name(const T& object) {
  return object.meta.key;
}

class ControllerManager {
 public:
  // All references must outlive it. `rest` asks `fence` before each write; `lease_rest` does not,
  // and has a connection of its own.
  struct Dependencies {
    Process process;
    client::RestClient& rest;
    client::RestClient& lease_rest;
    leader_election::Fence& fence;
  };
  // What a controller does about a name. It is called again for the outcomes that say so, and
  // whenever one of its caches changes; never twice at a time for the same name.
  using Handler = std::function<runtime::Task<workqueue::Outcome>(api::NamespacedName)>;

  // `program` is who reports events.
  ControllerManager(Dependencies dependencies, std::string program,
                    const LeaderElectionOptions& election);

  // These come before run(); what they return lives as long as the manager.

  // All objects of a kind, in the best of its versions that is served: it is waited for.
  template <class T>
  Cache<T>& cache(const api::ResourceKind& kind, std::unique_ptr<api::Decoder<T>> decoder);
  // `name` labels its metrics.
  Worklist& controller(std::string name, std::size_t workers, Handler handler);
  // A change of an object adds the name that `name_of` makes of it, its own unless said otherwise.
  template <class T>
  void feed(Worklist& controller, Cache<T>& from,
            std::function<api::NamespacedName(const T&)> name_of = own_name<T>);

  // Calls for the objects of a cache, once run() has found the version. Show what a write answers
  // by cache.informer().own_writes().record(): the next decision sees it before the watch does.
  template <class T>
  client::TypedClient<T> client(Cache<T>& cache) {
    return {deps_.rest, cache.resource(), cache.decoder()};
  }
  client::EventRecorder& events() { return recorder_; }
  Health& health() { return health_; }

  // Until request_stop(), or until a part has failed.
  runtime::Task<> run();
  void request_stop() { stop_.request(); }
  ExitStatus exit_status() const { return stop_.exit_status(); }

 private:
  struct Source {
    const api::ResourceKind* kind;
    informers::SyncState* sync;
    std::function<void(const std::string& version)> use_version;
    std::function<runtime::Task<>()> run;
  };
  struct Controller {
    Controller(std::string its_name, std::size_t workers, const Process& process,
               Handler its_handler)
        : name(std::move(its_name)),
          list(name, workers, process),
          handler(std::move(its_handler)) {}

    std::string name;
    Worklist list;
    Handler handler;
  };

  void start();
  runtime::Task<> work();
  runtime::Task<> find_version(const Source& source);
  runtime::Task<> run_controllers();
  runtime::Task<> stop();
  void spawn(runtime::TaskGroup& group, const std::string& part, runtime::Task<> task);
  std::optional<std::string> why_not_ready() const;

  Dependencies deps_;
  runtime::TimeSource& time_;
  client::EventRecorder recorder_;
  Leadership leadership_;
  LeaderElection leader_;
  Stop stop_;
  Health health_;
  std::vector<std::shared_ptr<void>> owned_;  // caches and observers
  std::vector<Source> sources_;
  std::list<Controller> controllers_;
  runtime::TaskGroup background_;
  runtime::TaskGroup work_;
};

template <class T>
Cache<T>& ControllerManager::cache(const api::ResourceKind& kind,
                                   std::unique_ptr<api::Decoder<T>> decoder) {
  Process& process = deps_.process;
  auto made = std::make_shared<Cache<T>>(
      deps_.rest, api::Resource{&kind, ""}, std::move(decoder),
      informers::InformerContext{time_, process.rng, process.log, process.metrics});
  Cache<T>& cache = *made;
  owned_.push_back(std::move(made));
  sources_.push_back(
      {.kind = &kind,
       .sync = &cache.sync(),
       .use_version = [&cache](const std::string& version) { cache.use_version(version); },
       .run = [&cache] { return cache.informer().run(); }});
  return cache;
}

template <class T>
void ControllerManager::feed(Worklist& controller, Cache<T>& from,
                             std::function<api::NamespacedName(const T&)> name_of) {
  const auto observer = std::make_shared<informers::OnChange<T>>(
      [&controller, name_of = std::move(name_of)](const api::ObjectPtr<T>& before,
                                                  const api::ObjectPtr<T>& after) {
        controller.add(name_of(after ? *after : *before));
      });
  owned_.push_back(observer);
  from.informer().add_observer(*observer);
}

}  // namespace dcm::manager
