// Calls a function of a controller's author (a feed's, an index's, a filter's) for one object.
#pragma once

#include <exception>
#include <string>

#include "client/api/meta.hpp"
#include "manager/process.hpp"

namespace dcm::manager {

// Logs and counts it as a handler's exception, under the name of the cache. Rethrows what concerns
// more than that object (runtime::is_isolated).
void report_exception(const Process& process, const std::string& cache,
                      const api::NamespacedName& object, const std::exception_ptr& failure);

// Calls `function` for `object`, so that its exception does not end the program.
template <class Function>
void isolate(const Process& process, const std::string& cache, const api::NamespacedName& object,
             Function function) {
  std::exception_ptr failure;
  try {
    function();
  } catch (...) {
    failure = std::current_exception();
  }
  if (failure) report_exception(process, cache, object, failure);
}

}  // namespace dcm::manager
