#include "playground/cluster/folder_lock.hpp"

#include <cerrno>
#include <system_error>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>

namespace dcm::playground {
namespace {

std::string describe(int error, const std::string& folder, const std::string& path) {
  if (error == EWOULDBLOCK) {
    return path + ": another dra-hollow-node or dra-playground uses this folder";
  }
  if (error == ENOENT || error == ENOTDIR) return folder + ": no such folder";
  return fmt::format("{}: {}", path, std::generic_category().message(error));
}

}  // namespace

runtime::Result<FolderLock> lock_folder(const std::string& folder) {
  const std::string path = folder + "/dra_hollow_node.lock";
  FolderLock lock(::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600));
  if (lock.get() >= 0 && ::flock(lock.get(), LOCK_EX | LOCK_NB) == 0) return lock;
  return runtime::fail(runtime::Reason::configuration, describe(errno, folder, path));
}

}  // namespace dcm::playground
