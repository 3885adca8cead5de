// The same request for many objects, several concurrently.
#pragma once

#include <cstddef>
#include <functional>

#include "runtime/error.hpp"
#include "runtime/task.hpp"

namespace dcm::playground {

using Numbered = std::function<runtime::Task<runtime::Result<>>(std::size_t number)>;

// Calls `work` for each number below `count`, 16 at a time. Stops at the first error, and returns
// it.
runtime::Task<runtime::Result<>> for_each_number(runtime::Executor executor, std::size_t count,
                                                 Numbered work);

}  // namespace dcm::playground
