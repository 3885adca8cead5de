#include "runtime/open_files.hpp"

#include <sys/resource.h>

namespace dcm::runtime {

void allow_all_open_files() {
  rlimit limit{};
  if (::getrlimit(RLIMIT_NOFILE, &limit) != 0) return;
  limit.rlim_cur = limit.rlim_max;
  // Refused by a sandbox: the limit stays as it is.
  (void)::setrlimit(RLIMIT_NOFILE, &limit);
}

std::size_t open_files_max() {
  constexpr std::size_t kPosixLeast = 20;
  rlimit limit{};
  return ::getrlimit(RLIMIT_NOFILE, &limit) == 0 ? limit.rlim_cur : kPosixLeast;
}

}  // namespace dcm::runtime
