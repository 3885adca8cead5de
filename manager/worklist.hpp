// A queue of names with its workers: a controller without its rules.
#pragma once

#include <cstddef>
#include <string>
#include <utility>

#include "client/api/meta.hpp"
#include "manager/process.hpp"
#include "workqueue/queue.hpp"
#include "workqueue/workers.hpp"

namespace dcm::manager {

struct NamespaceOfName {
  api::InternedString operator()(const api::NamespacedName& name) const { return name.namespace_; }
};
using NameQueue = workqueue::Queue<api::NamespacedName, NamespaceOfName>;

// Names in, one handler call at a time for each name. A handler may add names.
class Worklist {
 public:
  Worklist(std::string name, std::size_t workers, const Process& process,
           runtime::Backoff backoff = workqueue::kItemBackoff)
      : workers_(workers),
        executor_(process.loop.executor()),
        queue_(process.loop.time(), process.metrics, {name, workers, backoff}),
        failures_(process.metrics, name, process.log) {}

  void add(const api::NamespacedName& name,
           workqueue::Priority priority = workqueue::Priority::live) {
    queue_.add(name, priority);
  }

  void add_after(const api::NamespacedName& name, runtime::Duration delay) {
    queue_.add(name, {.after = delay});
  }

  // Ends by cancellation, or after stop(). `handler`: runtime::Task<Outcome>(const
  // api::NamespacedName&); the name lives until the task ends.
  template <class Handler>
  runtime::Task<> run(Handler handler) {
    const auto describe = [](const api::NamespacedName& name) { return name.str(); };
    return workqueue::run_workers(executor_, workers_, queue_, std::move(handler), describe,
                                  failures_);
  }

  // Retries now what waits for its next attempt.
  void retry_now() { queue_.retry_now(); }
  workqueue::Load load() const { return queue_.load(); }

  // Drops waiting names; begun work is finished.
  void stop() { queue_.shut_down(workqueue::ShutDown::drop_waiting); }

 private:
  std::size_t workers_;
  runtime::Executor executor_;
  NameQueue queue_;
  workqueue::HandlerFailures failures_;
};

}  // namespace dcm::manager
