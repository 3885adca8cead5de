#include "test/bench/syscalls.hpp"

#include <charconv>
#include <csignal>
#include <cstdint>
#include <filesystem>
#include <string>

#include <linux/perf_event.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "test/support/paths.hpp"

namespace dcm::bench {
namespace {

constexpr const char* kTracepoint = "/sys/kernel/tracing/events/raw_syscalls/sys_enter/id";

// A file descriptor; negative if the kernel refuses.
int open_event(const std::string& thread) {
  const std::string id = support::read_file(kTracepoint);
  perf_event_attr event{};
  event.type = PERF_TYPE_TRACEPOINT;
  event.size = sizeof event;
  event.inherit = 1;
  if (std::from_chars(id.data(), id.data() + id.size(), event.config).ec != std::errc()) return -1;
  constexpr int kAnyCpu = -1;
  constexpr int kNoGroup = -1;
  return static_cast<int>(syscall(SYS_perf_event_open, &event, std::stoi(thread), kAnyCpu, kNoGroup,
                                  PERF_FLAG_FD_CLOEXEC));
}

}  // namespace

SyscallCounter::SyscallCounter(pid_t child) {
  kill(child, SIGSTOP);
  siginfo_t stopped{};
  // Its exit status, if it has ended, is left to others.
  waitid(P_PID, static_cast<id_t>(child), &stopped, WSTOPPED | WEXITED | WNOWAIT);
  std::error_code gone;
  for (const auto& thread : std::filesystem::directory_iterator(
           std::filesystem::path("/proc") / std::to_string(child) / "task", gone)) {
    const int event = open_event(thread.path().filename());
    if (event >= 0) events_.push_back(event);
    is_complete_ &= event >= 0;
  }
  kill(child, SIGCONT);
}

SyscallCounter::~SyscallCounter() {
  for (const int event : events_) close(event);
}

std::optional<double> SyscallCounter::count() const {
  if (!is_complete_ || events_.empty()) return std::nullopt;
  double sum = 0;
  for (const int event : events_) {
    std::uint64_t calls = 0;
    if (read(event, &calls, sizeof calls) != sizeof calls) return std::nullopt;
    sum += static_cast<double>(calls);
  }
  return sum;
}

}  // namespace dcm::bench
