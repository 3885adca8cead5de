// The return type of everything that waits.
//
// A Task is lazy: it starts when it is awaited or given to a TaskGroup. It runs on the loop
// thread; cancelling it makes its next `co_await` throw (see cancellation.hpp).
#pragma once

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>

namespace dcm::runtime {

template <class T = void>
using Task = boost::asio::awaitable<T>;

using Executor = boost::asio::any_io_executor;

// Gives other ready tasks a turn: for loops that would occupy the loop thread longer than about 1
// ms.
Task<> yield();

}  // namespace dcm::runtime
