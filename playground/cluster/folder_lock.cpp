#include "playground/cluster/folder_lock.hpp"

#include <cerrno>
#include <system_error>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>

namespace dcm::playground {

runtime::Result<FolderLock> lock_folder(const std::string& folder) {
  const std::string path = folder + "/dra_hollow_node.lock";
  FolderLock lock(::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600));
  if (lock.get() >= 0 && ::flock(lock.get(), LOCK_EX | LOCK_NB) == 0) return lock;
  return runtime::fail(
      runtime::Reason::configuration,
      errno == EWOULDBLOCK
          ? fmt::format("{}: another dra-hollow-node or dra-playground uses this folder", path)
          : fmt::format("{}: {}", path, std::generic_category().message(errno)));
}

}  // namespace dcm::playground
