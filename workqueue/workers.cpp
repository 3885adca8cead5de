#include "workqueue/workers.hpp"

#include "runtime/failure.hpp"

namespace dcm::workqueue {

HandlerFailures::HandlerFailures(runtime::MetricsRegistry& metrics, const std::string& queue_name,
                                 runtime::Logger log)
    : count_(metrics.counter("program_worker_panics_total",
                             "Exceptions that escaped the handling of an item, or a feed: bugs. An "
                             "item is retried with backoff; a feed skips that object.",
                             {{"name", queue_name}})),
      log_(log.with({{"queue", queue_name}})) {}

void HandlerFailures::report(const std::exception_ptr& failure, const std::string& item) {
  count_.Increment();
  log_.error("A handler threw an exception; the item is retried",
             {{"item", item}, {"exception", runtime::text_of(failure)}});
}

void HandlerFailures::report_function(const std::exception_ptr& failure,
                                      const std::string& object) {
  count_.Increment();
  log_.error("A function of a cached object threw an exception; the object is passed over",
             {{"object", object}, {"exception", runtime::text_of(failure)}});
}

}  // namespace dcm::workqueue
