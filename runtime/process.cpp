#include "runtime/process.hpp"

#include <array>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <memory>
#include <optional>
#include <system_error>
#include <utility>

#include <boost/asio/buffer.hpp>
#include <boost/asio/error.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <fcntl.h>
#include <fmt/format.h>
#include <spawn.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "runtime/condition.hpp"

namespace dcm::runtime {
namespace {

namespace asio = boost::asio;
using boost::system::error_code;
using Descriptor = asio::posix::stream_descriptor;

std::unexpected<Error> refuse(int error) {
  return fail(Reason::configuration, std::generic_category().message(error));
}

// Strings in the form that posix_spawn takes.
std::vector<char*> pointers(std::vector<std::string>& texts) {
  std::vector<char*> all;
  for (std::string& text : texts) all.push_back(text.data());
  all.push_back(nullptr);
  return all;
}

// Standard input is empty, output goes to `output`, all else except standard error is closed.
class FileActions {
 public:
  FileActions(int output, const std::string& error_file) {
    posix_spawn_file_actions_init(&actions_);
    posix_spawn_file_actions_addopen(&actions_, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_adddup2(&actions_, output, STDOUT_FILENO);
    posix_spawn_file_actions_addopen(&actions_, STDERR_FILENO, error_file.c_str(),
                                     O_WRONLY | O_CREAT | O_APPEND, 0600);
    posix_spawn_file_actions_addclosefrom_np(&actions_, STDERR_FILENO + 1);
  }
  ~FileActions() { posix_spawn_file_actions_destroy(&actions_); }
  FileActions(const FileActions&) = delete;
  FileActions& operator=(const FileActions&) = delete;
  const posix_spawn_file_actions_t* get() const { return &actions_; }

 private:
  posix_spawn_file_actions_t actions_{};
};

// A process group of its own; default signal handling (we ignore SIGPIPE).
class Attributes {
 public:
  Attributes() {
    posix_spawnattr_init(&attributes_);
    sigset_t signals;
    sigemptyset(&signals);
    posix_spawnattr_setsigmask(&attributes_, &signals);
    sigfillset(&signals);
    posix_spawnattr_setsigdefault(&attributes_, &signals);
    posix_spawnattr_setpgroup(&attributes_, 0);
    posix_spawnattr_setflags(
        &attributes_, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETPGROUP);
  }
  ~Attributes() { posix_spawnattr_destroy(&attributes_); }
  Attributes(const Attributes&) = delete;
  Attributes& operator=(const Attributes&) = delete;
  const posix_spawnattr_t* get() const { return &attributes_; }

 private:
  posix_spawnattr_t attributes_{};
};

// Returns 0 or the error.
int spawn(ProcessCommand& command, int output, pid_t& pid) {
  const FileActions files(output, command.error_file);
  const Attributes attributes;
  return posix_spawnp(&pid, command.arguments.front().c_str(), files.get(), attributes.get(),
                      pointers(command.arguments).data(), pointers(command.environment).data());
}

int exit_status(int wait_status) {
  constexpr int kSignalled = 128;
  if (WIFEXITED(wait_status)) return WEXITSTATUS(wait_status);
  return kSignalled + WTERMSIG(wait_status);
}

// A running child. The handler that waits for its end holds it too, so that it is reaped even after
// all callers have left.
struct Child {
  Child(const Executor& executor, TimeSource& time, std::size_t output_limit)
      : ended(executor), output_end(executor), output_max(output_limit), changed(time) {}

  pid_t pid = -1;
  Descriptor ended;  // of the process (pidfd): readable once it has ended
  Descriptor output_end;
  std::array<char, 16384> buffer{};
  std::string output;
  std::size_t output_max;
  std::optional<int> status;
  Condition changed;

  bool is_too_much() const { return output.size() > output_max; }

  void reap() {
    // While the process ID is still ours: other processes of its group may be left.
    kill_group();
    int wait_status = 0;
    const pid_t reaped = ::waitpid(pid, &wait_status, WNOHANG);
    constexpr int kUnknown = 255;  // something else has reaped it
    status = reaped == pid ? exit_status(wait_status) : kUnknown;
  }

  // Reads what is in the pipe now. Returns whether more may follow.
  bool drain() {
    error_code error;
    while (!error && !is_too_much()) {
      const std::size_t size = output_end.read_some(asio::buffer(buffer), error);
      output.append(buffer.data(), size);
    }
    return error == asio::error::would_block;
  }

  void kill_group() const {
    if (!status) ::kill(-pid, SIGKILL);
  }
};

void await_end(const std::shared_ptr<Child>& child) {
  child->ended.async_wait(Descriptor::wait_read, [child](error_code error) {
    if (error) return;
    child->reap();
    child->changed.notify_all();
  });
}

void read_output(const std::shared_ptr<Child>& child) {
  child->output_end.async_wait(Descriptor::wait_read, [child](error_code error) {
    if (error) return;
    const bool is_open = child->drain();
    if (child->is_too_much()) child->changed.notify_all();
    if (is_open) read_output(child);
  });
}

// No process stays behind when its caller leaves.
class Guard {
 public:
  explicit Guard(std::shared_ptr<Child> child) : child_(std::move(child)) {}
  ~Guard() {
    child_->kill_group();
    error_code ignored;
    child_->output_end.close(ignored);
  }
  Guard(const Guard&) = delete;
  Guard& operator=(const Guard&) = delete;

 private:
  std::shared_ptr<Child> child_;
};

// If SIGCHLD is ignored, as a parent may have left it, the kernel discards exit statuses. A handler
// of the program's own stays.
void keep_exit_statuses() {
  struct sigaction current{};
  if (::sigaction(SIGCHLD, nullptr, &current) == 0 && current.sa_handler == SIG_IGN) {
    std::signal(SIGCHLD, SIG_DFL);
  }
}

Result<std::shared_ptr<Child>> start(const Executor& executor, TimeSource& time,
                                     ProcessCommand command) {
  keep_exit_statuses();
  std::array<int, 2> pipe{};
  if (::pipe2(pipe.data(), O_CLOEXEC) != 0) return refuse(errno);
  auto child = std::make_shared<Child>(executor, time, command.output_max);
  child->output_end.assign(pipe[0]);
  const int error = spawn(command, pipe[1], child->pid);
  ::close(pipe[1]);
  if (error != 0) return refuse(error);
  const auto pidfd = static_cast<int>(::syscall(SYS_pidfd_open, child->pid, 0));
  if (pidfd < 0) {
    const int why = errno;
    child->kill_group();
    ::waitpid(child->pid, nullptr, 0);
    return refuse(why);
  }
  child->ended.assign(pidfd);
  child->output_end.non_blocking(true);
  await_end(child);
  read_output(child);
  return child;
}

}  // namespace

std::string environment_variable(const char* name) {
  const char* const value = std::getenv(name);
  return value == nullptr ? "" : value;
}

std::vector<std::string> own_environment() {
  std::vector<std::string> all;
  for (char** entry = environ; entry != nullptr && *entry != nullptr; ++entry) {
    all.emplace_back(*entry);
  }
  return all;
}

Task<Result<ProcessEnd>> run_process(Executor executor, TimeSource& time, ProcessCommand command,
                                     Deadline deadline) {
  Result<std::shared_ptr<Child>> started = start(executor, time, std::move(command));
  if (!started) co_return fail(std::move(started.error()));
  const std::shared_ptr<Child> child = std::move(*started);
  const Guard guard(child);
  while (!child->status && !child->is_too_much()) {
    const Condition::Wakeup outcome = co_await child->changed.wait(deadline);
    if (outcome == Condition::Wakeup::timed_out && !child->status) {
      co_return fail(Reason::deadline_exceeded, "it had not ended by the deadline");
    }
  }
  // A grandchild may hold the other end of the pipe open: do not wait for it.
  if (child->status) child->drain();
  if (child->is_too_much()) {
    co_return fail(Reason::body_too_large,
                   fmt::format("it wrote more than {} bytes", child->output_max));
  }
  co_return ProcessEnd{*child->status, std::move(child->output)};
}

}  // namespace dcm::runtime
