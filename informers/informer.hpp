// Everything needed for one kind: store, reflector, sync state and metrics together.
//
//   Informer<api::Pod> pods("pods", source, {time, rng, log, metrics});
//   auto by_node = pods.add_index<InternedString>(…);  // before run()
//   pods.add_observer(controller);
//   group.spawn("pods informer", pods.run());
//   co_await wait_for_sync({&pods.sync()});
#pragma once

#include <string>
#include <utility>

#include "informers/reflector.hpp"
#include "informers/store.hpp"
#include "informers/sync_state.hpp"

namespace dcm::informers {

// The common dependencies of every informer. All references must outlive it.
struct InformerContext {
  runtime::TimeSource& time;
  runtime::Rng& rng;
  runtime::Logger log;
  runtime::MetricsRegistry& metrics;
};

// One informer per kind, shared by all controllers. Must outlive all readers, indexes and recorders
// of own writes.
template <class T>
class Informer {
 public:
  // `resource` is the plural name, "pods". `source` must outlive the informer.
  Informer(std::string resource, ListerWatcher<T>& source, InformerContext context,
           WatchPolicy policy = {})
      : sync_(resource, context.time),
        metrics_(context.metrics, std::move(resource)),
        report_(sync_, metrics_, context.time, context.log),
        reflector_(source, store_.take_writer(), report_, context.time, context.rng.fork(), policy),
        refresh_(context.metrics.before_exposition([this] { refresh_metrics(); })) {}
  Informer(const Informer&) = delete;
  Informer& operator=(const Informer&) = delete;

  // Call this before run().
  template <class Key>
  Index<T, Key> add_index(Extract<T, Key> extract) {
    return store_.template add_index<Key>(std::move(extract));
  }
  // Call this before run(). The observer must outlive the informer.
  void add_observer(Observer<T>& observer) { store_.add_observer(observer); }

  StoreReader<T> reader() const { return store_.reader(); }
  OwnWrites<T> own_writes() { return store_.own_writes(); }
  SyncState& sync() noexcept { return sync_; }
  const Store<T>& store() const noexcept { return store_; }

  // Called once; ends only by cancellation.
  runtime::Task<> run() { return reflector_.run(); }

 private:
  void refresh_metrics() {
    metrics_.set_contents(store_.reader().size(), store_.bytes(), store_.unseen());
    if (const auto age = sync_.last_event_age()) metrics_.set_last_event_age(*age);
  }

  Store<T> store_;
  SyncState sync_;
  InformerMetrics metrics_;
  ReflectorReport report_;
  Reflector<T> reflector_;
  runtime::Refresh refresh_;
};

}  // namespace dcm::informers
