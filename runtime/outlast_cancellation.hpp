// For a task that must finish what it has begun.
#pragma once

#include <boost/asio/this_coro.hpp>

namespace dcm::runtime {

// `co_await outlast_cancellation()`: from here on a cancellation does not make this task throw, so
// that it can finish pending work. That work must end by itself.
inline auto outlast_cancellation() {
  return boost::asio::this_coro::throw_if_cancelled(false);
}

}  // namespace dcm::runtime
