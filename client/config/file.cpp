#include "client/config/file.hpp"

#include <cerrno>
#include <system_error>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include "runtime/file_descriptor.hpp"

namespace dcm::client {
namespace {

using runtime::fail;
using runtime::FileDescriptor;
using runtime::Reason;
using runtime::Result;

std::unexpected<runtime::Error> unreadable(const std::string& file, int error) {
  return fail(Reason::configuration,
              fmt::format("{}: cannot be read: {}", file, std::generic_category().message(error)));
}

Result<std::string> read_all(const FileDescriptor& fd, const std::string& file) {
  auto content = runtime::read_all(fd, kMaxConfigFileBytes);
  if (!content) return unreadable(file, content.error());
  return *std::move(content);
}

}  // namespace

Result<std::string> read_file(const std::string& file) {
  const FileDescriptor fd(::open(file.c_str(), O_RDONLY | O_CLOEXEC));
  if (fd.get() < 0) return unreadable(file, errno);
  return read_all(fd, file);
}

// Without O_NONBLOCK, opening a FIFO waits for a writer.
Result<std::string> read_regular_file(const std::string& file) {
  const FileDescriptor fd(::open(file.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  if (fd.get() < 0) return unreadable(file, errno);
  struct stat status{};
  if (::fstat(fd.get(), &status) != 0) return unreadable(file, errno);
  if (!S_ISREG(status.st_mode)) {
    return fail(Reason::configuration, fmt::format("{}: is not a regular file", file));
  }
  return read_all(fd, file);
}

bool file_exists(const std::string& file) {
  struct stat status{};
  return ::stat(file.c_str(), &status) == 0 || (errno != ENOENT && errno != ENOTDIR);
}

}  // namespace dcm::client
