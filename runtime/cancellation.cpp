#include "runtime/cancellation.hpp"

#include <boost/asio/error.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/system/system_error.hpp>

namespace dcm::runtime {
namespace asio = boost::asio;

bool is_cancellation(const std::exception_ptr& failure) noexcept {
  if (!failure) return false;
  try {
    std::rethrow_exception(failure);
  } catch (const boost::system::system_error& error) {
    return error.code() == asio::error::operation_aborted;
  } catch (...) {
    return false;
  }
}

Task<> disable_cancellation() {
  // The cancellation state belongs to the whole thread of coroutines that runs now, so this reaches
  // the caller too.
  co_await asio::this_coro::reset_cancellation_state(asio::disable_cancellation());
}

}  // namespace dcm::runtime
