#include "runtime/cancellation.hpp"

#include <boost/asio/error.hpp>
#include <boost/system/system_error.hpp>

namespace dcm::runtime {

bool is_cancellation(const std::exception_ptr& failure) noexcept {
  if (!failure) return false;
  try {
    std::rethrow_exception(failure);
  } catch (const boost::system::system_error& error) {
    return error.code() == boost::asio::error::operation_aborted;
  } catch (...) {
    return false;
  }
}

}  // namespace dcm::runtime
