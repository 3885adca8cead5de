// The common base of scheduler, hollow nodes and garbage collector: a queue of names, and workers.
#pragma once

#include <functional>
#include <string>
#include <utility>

#include "client/api/meta.hpp"
#include "informers/observer.hpp"
#include "runtime/log.hpp"
#include "runtime/metrics.hpp"
#include "runtime/rng.hpp"
#include "workqueue/queue.hpp"
#include "workqueue/workers.hpp"

namespace dcm::playground {

using workqueue::Outcome;

struct NamespaceOfName {
  api::InternedString operator()(const api::NamespacedName& name) const { return name.namespace_; }
};
using NameQueue = workqueue::Queue<api::NamespacedName, NamespaceOfName>;

// The dependencies of every part. All references must outlive it.
struct PartContext {
  runtime::Executor executor;
  runtime::TimeSource& time;
  runtime::Rng& rng;
  runtime::MetricsRegistry& metrics;
  runtime::Logger log;
};

// Names in, one handler call at a time for each name. The owner's handler may add to the queue.
class Worklist {
 public:
  Worklist(std::string name, std::size_t workers, const PartContext& context)
      : workers_(workers),
        executor_(context.executor),
        queue_(context.time, context.metrics, {name, workers}),
        failures_(context.metrics, name, context.log) {}

  void add(const api::NamespacedName& name) { queue_.add(name, workqueue::Priority::live); }

  void add_after(const api::NamespacedName& name, runtime::Duration delay) {
    queue_.add_after(name, delay);
  }

  // Ends by cancellation only. `handler`: runtime::Task<Outcome>(api::NamespacedName).
  template <class Handler>
  runtime::Task<> run(Handler handler) {
    const auto describe = [](const api::NamespacedName& name) { return name.str(); };
    return workqueue::run_workers(executor_, workers_, queue_, std::move(handler), describe,
                                  failures_);
  }

 private:
  std::size_t workers_;
  runtime::Executor executor_;
  NameQueue queue_;
  workqueue::HandlerFailures failures_;
};

// An observer as a function of what was there and what is there now; null: nothing.
template <class T>
class OnChange final : public informers::Observer<T> {
 public:
  using Callback =
      std::function<void(const api::ObjectPtr<T>& before, const api::ObjectPtr<T>& after)>;

  explicit OnChange(Callback callback) : callback_(std::move(callback)) {}

  void observe_added(const api::ObjectPtr<T>& object, informers::Origin) override {
    callback_(nullptr, object);
  }
  void observe_updated(const api::ObjectPtr<T>& before, const api::ObjectPtr<T>& after,
                       informers::Origin) override {
    callback_(before, after);
  }
  void observe_deleted(const api::ObjectPtr<T>& last_known, informers::Origin) override {
    callback_(last_known, nullptr);
  }
  void observe_left(const api::ObjectPtr<T>& last_known, informers::Origin) override {
    callback_(last_known, nullptr);
  }

 private:
  Callback callback_;
};

}  // namespace dcm::playground
