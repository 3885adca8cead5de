#include "node/posix_files.hpp"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <system_error>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include "runtime/file_descriptor.hpp"

namespace dcm::node {
namespace {

using runtime::fail;
using runtime::FileDescriptor;
using runtime::Reason;
using runtime::Result;

constexpr ::mode_t kReadableByAll = S_IRUSR | S_IWUSR | S_IRGRP | S_IROTH;

std::unexpected<runtime::Error> failed(const char* what, const std::string& path, int error,
                                       Reason reason = Reason::configuration) {
  return fail(reason,
              fmt::format("{}: {}: {}", path, what, std::generic_category().message(error)));
}

// A socket, a link to itself, or a file that is too large.
std::unexpected<runtime::Error> failed_to_read(const std::string& path, int error) {
  const bool is_no_file = error == ENXIO || error == ELOOP || error == EFBIG;
  return failed("cannot be read", path, error,
                is_no_file ? Reason::malformed : Reason::configuration);
}

FileDescriptor open_file(const std::string& path, int flags) {
  return FileDescriptor(::open(path.c_str(), flags | O_CLOEXEC, S_IRUSR | S_IWUSR));
}

Result<> sync_at(const std::string& path, int flags) {
  const FileDescriptor file = open_file(path, flags);
  if (file.get() < 0 || ::fsync(file.get()) != 0) return failed("cannot be synced", path, errno);
  return {};
}

}  // namespace

Result<std::optional<std::string>> PosixFiles::read(const std::string& path) {
  // Non-blocking, so that a FIFO at the file's path does not block the loop.
  const FileDescriptor file = open_file(path, O_RDONLY | O_NONBLOCK);
  if (file.get() < 0 && errno == ENOENT) return std::optional<std::string>();
  if (file.get() < 0) return failed_to_read(path, errno);
  struct ::stat status{};
  if (::fstat(file.get(), &status) != 0) return failed_to_read(path, errno);
  if (!S_ISREG(status.st_mode)) {
    return fail(Reason::malformed, path + ": cannot be read: not a file");
  }
  auto content = runtime::read_all(file, kFileBytesMax);
  if (!content) return failed_to_read(path, content.error());
  return *std::move(content);
}

Result<> PosixFiles::create(const std::string& path, std::string_view content, Readers readers) {
  if (content.size() > kFileBytesMax) return failed("cannot be written", path, EFBIG);
  const FileDescriptor file = open_file(path, O_WRONLY | O_CREAT | O_EXCL);
  if (file.get() < 0) return failed("cannot be made", path, errno);
  // Not when opening it, where the process's umask would apply.
  if (readers == Readers::all && ::fchmod(file.get(), kReadableByAll) != 0) {
    return failed("cannot be made", path, errno);
  }
  while (!content.empty()) {
    const ssize_t written = ::write(file.get(), content.data(), content.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return failed("cannot be written", path, errno);
    content.remove_prefix(static_cast<std::size_t>(written));
  }
  return {};
}

Result<> PosixFiles::sync(const std::string& path) {
  return sync_at(path, O_RDONLY);
}

Result<> PosixFiles::rename(const std::string& from, const std::string& to) {
  if (::rename(from.c_str(), to.c_str()) != 0) return failed("cannot be renamed", from, errno);
  return {};
}

Result<> PosixFiles::sync_folder(const std::string& folder) {
  return sync_at(folder, O_RDONLY | O_DIRECTORY);
}

Result<> PosixFiles::remove(const std::string& path) {
  if (::unlink(path.c_str()) != 0 && errno != ENOENT && errno != ENOTDIR && errno != EISDIR) {
    return failed("cannot be removed", path, errno);
  }
  return {};
}

Result<> PosixFiles::make_folder(const std::string& path) {
  if (::mkdir(path.c_str(), S_IRWXU | S_IRGRP | S_IXGRP | S_IROTH | S_IXOTH) != 0 &&
      errno != EEXIST) {
    return failed("cannot be made", path, errno);
  }
  return {};
}

Result<> PosixFiles::make_folders(const std::string& path) {
  std::error_code error;
  const bool is_new = std::filesystem::create_directories(path, error);
  if (is_new && !error) std::filesystem::permissions(path, std::filesystem::perms(0755), error);
  if (error) return failed("cannot be made", path, error.value());
  return {};
}

Result<> PosixFiles::remove_folder(const std::string& path) {
  const bool is_removed = ::rmdir(path.c_str()) == 0;
  const bool is_of_others = errno == ENOTEMPTY || errno == EEXIST || errno == ENOTDIR;
  if (!is_removed && !is_of_others && errno != ENOENT) {
    return failed("cannot be removed", path, errno);
  }
  return {};
}

Result<std::vector<std::string>> PosixFiles::list(const std::string& folder) {
  std::error_code error;
  std::vector<std::string> names;
  std::filesystem::directory_iterator entry(folder, error);
  if (error.value() == ENOENT || error.value() == ENOTDIR) return names;
  for (; !error && entry != std::filesystem::directory_iterator(); entry.increment(error)) {
    names.push_back(entry->path().filename().string());
  }
  if (error) return failed("cannot be listed", folder, error.value());
  std::ranges::sort(names);
  return names;
}

}  // namespace dcm::node
