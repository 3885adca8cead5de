#include "manager/isolate.hpp"

#include "runtime/failure.hpp"
#include "workqueue/workers.hpp"

namespace dcm::manager {

void report_exception(const Process& process, const std::string& cache,
                      const api::NamespacedName& object, const std::exception_ptr& failure) {
  if (!runtime::is_isolated(failure)) std::rethrow_exception(failure);
  // Made here, so that there is no such metric before the first exception.
  workqueue::HandlerFailures(process.metrics, cache, process.log)
      .report_function(failure, object.str());
}

}  // namespace dcm::manager
