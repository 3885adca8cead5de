// Warns when an expected driver has not come: a driver that uses another folder, or that has ended,
// would go unnoticed.
#pragma once

#include <functional>
#include <string>

#include "runtime/log.hpp"
#include "runtime/task.hpp"
#include "runtime/time.hpp"

namespace dcm::playground {

// Logs a warning with the folder in which drivers should register if there is none after 30 s. Ends
// then, or by cancellation. `time` must outlive it.
runtime::Task<> warn_of_silence(runtime::TimeSource& time, runtime::Logger log,
                                std::string registry, std::function<bool()> has_driver);

}  // namespace dcm::playground
