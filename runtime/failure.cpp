#include "runtime/failure.hpp"

#include <new>

#include "runtime/assert.hpp"
#include "runtime/cancellation.hpp"

namespace dcm::runtime {

bool is_isolated(const std::exception_ptr& failure) noexcept {
  if (is_cancellation(failure)) return false;
  try {
    std::rethrow_exception(failure);
  } catch (const InvariantViolation&) {
    return false;
  } catch (const std::bad_alloc&) {
    return false;
  } catch (...) {
    return true;
  }
}

std::string text_of(const std::exception_ptr& failure) {
  try {
    std::rethrow_exception(failure);
  } catch (const std::exception& error) {
    return error.what();
  } catch (...) {
    return "an exception of no known type";
  }
}

}  // namespace dcm::runtime
