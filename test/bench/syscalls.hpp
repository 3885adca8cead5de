// How many system calls a process makes.
#pragma once

#include <optional>
#include <vector>

#include <sys/types.h>

namespace dcm::bench {

// Counts every system call of a child process, by the kernel's tracepoint raw_syscalls:sys_enter.
//
// Nothing cheaper is correct: syscr and syscw of /proc/PID/io count read and write, which Go uses
// for sockets, but neither recvmsg nor sendmsg, which Boost.Asio uses. ptrace (strace) makes each
// call many times slower, so that a busy process makes fewer. The tracepoint adds about 0.2 µs to a
// call.
class SyscallCounter {
 public:
  // Counts from here on, for its threads and those that they start. Stops the process for a moment,
  // so that it starts none meanwhile.
  explicit SyscallCounter(pid_t child);
  ~SyscallCounter();
  SyscallCounter(const SyscallCounter&) = delete;
  SyscallCounter& operator=(const SyscallCounter&) = delete;

  // nullopt if the kernel refuses: it needs tracefs, and root or CAP_PERFMON.
  std::optional<double> count() const;

 private:
  std::vector<int> events_;  // one for each existing thread
  bool is_complete_ = true;
};

}  // namespace dcm::bench
