#include "node/driver_kit/call_lock.hpp"

#include <cerrno>
#include <system_error>

#include <fcntl.h>
#include <fmt/format.h>

namespace dcm::driver_kit {

using runtime::Reason;
namespace {

// The lock belongs to the open file, as with flock(2). Kubernetes' Go helper takes locks of the
// same kind, so drivers of both exclude each other.
bool try_lock(int file) {
  struct flock whole = {};  // from the start to the end
  whole.l_type = F_WRLCK;
  whole.l_whence = SEEK_SET;
  return ::fcntl(file, F_OFD_SETLK, &whole) == 0;
}

bool is_taken(int error) {
  return error == EAGAIN || error == EACCES;
}

}  // namespace

runtime::Task<runtime::Result<CallLock::Turn>> CallLock::take(runtime::Deadline deadline) {
  auto slot = co_await slots_.acquire(deadline);
  if (!slot) co_return runtime::fail(slot.error());
  if (file_.empty()) co_return Turn(*std::move(slot), -1);
  Turn turn(*std::move(slot), ::open(file_.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600));
  while (turn.file() < 0 || !try_lock(turn.file())) {
    if (turn.file() < 0 || !is_taken(errno)) {
      const std::string why = std::generic_category().message(errno);
      co_return runtime::fail(Reason::configuration, fmt::format("{}: {}", file_, why));
    }
    if (deadline.has_passed(time_)) {
      co_return runtime::fail(Reason::deadline_exceeded,
                              fmt::format("{}: another process holds it", file_));
    }
    co_await runtime::sleep_for(time_, kLook);
  }
  co_return std::move(turn);
}

}  // namespace dcm::driver_kit
