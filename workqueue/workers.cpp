#include "workqueue/workers.hpp"

#include <new>

#include "runtime/assert.hpp"
#include "runtime/cancellation.hpp"

namespace dcm::workqueue {

namespace {

std::string what(const std::exception_ptr& failure) {
  try {
    std::rethrow_exception(failure);
  } catch (const std::exception& error) {
    return error.what();
  } catch (...) {
    return "an exception that is no std::exception";
  }
}

}  // namespace

HandlerFailures::HandlerFailures(runtime::MetricsRegistry& metrics, const std::string& queue_name,
                                 runtime::Logger log)
    : count_(metrics.counter("program_worker_panics_total",
                             "Exceptions that escaped the handling of an item: bugs. The item is "
                             "retried with backoff.",
                             {{"name", queue_name}})),
      log_(log.with({{"queue", queue_name}})) {}

bool HandlerFailures::concerns_one_item(const std::exception_ptr& failure) {
  if (runtime::is_cancellation(failure)) return false;
  try {
    std::rethrow_exception(failure);
  } catch (const runtime::InvariantViolation&) {
    return false;
  } catch (const std::bad_alloc&) {
    return false;
  } catch (...) {
    return true;
  }
}

void HandlerFailures::report(const std::exception_ptr& failure, const std::string& item) {
  count_.Increment();
  log_.error("A handler threw an exception; the item is retried",
             {{"item", item}, {"exception", what(failure)}});
}

}  // namespace dcm::workqueue
