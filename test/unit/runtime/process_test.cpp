#include "runtime/process.hpp"

#include <csignal>
#include <filesystem>
#include <fstream>

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include "runtime/loop.hpp"
#include "runtime/task_group.hpp"

namespace dcm::runtime {
namespace {

using namespace std::chrono_literals;
using testing::HasSubstr;

// On the real clock: a process does not wait for a virtual one.
class RunProcess : public testing::Test {
 protected:
  Result<ProcessEnd> run(ProcessCommand command, Duration timeout = 30s) {
    Result<ProcessEnd> end = fail(Reason::internal_error, "not run");
    loop_.run(run_into(std::move(command), Deadline::after(loop_.time(), timeout), end));
    return end;
  }
  Result<ProcessEnd> shell(const std::string& script, Duration timeout = 30s) {
    return run({.arguments = {"sh", "-c", script}, .environment = own_environment()}, timeout);
  }

  Loop loop_;

 private:
  Task<> run_into(ProcessCommand command, Deadline deadline, Result<ProcessEnd>& end) {
    end = co_await run_process(loop_.executor(), loop_.time(), std::move(command), deadline);
  }
};

TEST_F(RunProcess, returns_output_and_status) {
  const auto end = shell("echo one; echo two >&2; exit 3");
  ASSERT_TRUE(end) << end.error().message;
  EXPECT_EQ(end->status, 3);
  EXPECT_EQ(end->output, "one\n");
}

TEST_F(RunProcess, returns_status_even_if_parent_ignored_ends_of_children) {
  std::signal(SIGCHLD, SIG_IGN);
  const auto end = shell("exit 3");
  std::signal(SIGCHLD, SIG_DFL);
  ASSERT_TRUE(end) << end.error().message;
  EXPECT_EQ(end->status, 3);
}

TEST_F(RunProcess, appends_errors_to_named_file) {
  const std::string file = testing::TempDir() + "process_test_errors." + std::to_string(::getpid());
  std::filesystem::remove(file);
  for (const auto* word : {"one", "two"}) {
    const auto end = run({.arguments = {"sh", "-c", std::string("echo >&2 ") + word},
                          .environment = own_environment(),
                          .error_file = file});
    ASSERT_TRUE(end) << end.error().message;
  }
  std::ifstream in(file);
  const std::string text(std::istreambuf_iterator<char>(in), {});
  EXPECT_EQ(text, "one\ntwo\n");
  std::filesystem::remove(file);
}

TEST_F(RunProcess, reads_output_larger_than_pipe) {
  const auto end = shell("head -c 300000 /dev/zero");
  ASSERT_TRUE(end) << end.error().message;
  EXPECT_EQ(end->output.size(), 300'000U);
}

TEST_F(RunProcess, reports_signal_like_shells) {
  const auto end = shell("kill -9 $$");
  ASSERT_TRUE(end) << end.error().message;
  EXPECT_EQ(end->status, 128 + SIGKILL);
}

TEST_F(RunProcess, passes_only_given_environment) {
  const auto end = run({.arguments = {"/usr/bin/env"}, .environment = {"A=1", "B=2"}});
  ASSERT_TRUE(end) << end.error().message;
  EXPECT_EQ(end->output, "A=1\nB=2\n");
}

TEST_F(RunProcess, passes_neither_input_nor_open_files) {
  const int ours = ::open("/dev/null", O_RDONLY);  // not O_CLOEXEC
  const auto end = shell("cat; ls /proc/$$/fd");
  ::close(ours);
  ASSERT_TRUE(end) << end.error().message;
  EXPECT_EQ(end->output, "0\n1\n2\n");
}

TEST_F(RunProcess, resets_ignored_signals) {
  const auto before = std::signal(SIGPIPE, SIG_IGN);
  const auto end = shell("kill -PIPE $$; echo alive");
  std::signal(SIGPIPE, before);
  ASSERT_TRUE(end) << end.error().message;
  EXPECT_EQ(end->status, 128 + SIGPIPE);
}

TEST_F(RunProcess, names_missing_program) {
  const auto end = run({.arguments = {"no-such-program"}, .environment = {}});
  ASSERT_FALSE(end);
  EXPECT_EQ(end.error().reason, Reason::configuration);
  EXPECT_THAT(end.error().message, HasSubstr("No such file"));
}

TEST_F(RunProcess, rejects_excessive_output) {
  const auto end = run(
      {.arguments = {"sh", "-c", "yes"}, .environment = own_environment(), .output_max = 100'000});
  ASSERT_FALSE(end);
  EXPECT_EQ(end.error().reason, Reason::body_too_large);
}

// The process number in a file; 0 if it is not there yet.
pid_t read_pid(const std::string& pid_file) {
  std::ifstream file(pid_file);
  pid_t pid = 0;
  return file >> pid ? pid : 0;
}

// Whether the process whose number is in a file has ended. It may wait to be reaped, by us or by
// the process that adopted an orphan.
bool is_gone(const std::string& pid_file) {
  const pid_t pid = read_pid(pid_file);
  if (pid == 0) return false;
  std::ifstream stat("/proc/" + std::to_string(pid) + "/stat");
  std::string number;
  std::string name;
  char state = 'Z';
  stat >> number >> name >> state;
  return state == 'Z';
}

Task<> await_gone(Loop& loop, const std::string& pid_file) {
  while (!is_gone(pid_file)) co_await sleep_for(loop.time(), 1ms);
}

TEST_F(RunProcess, kills_hanging_process_and_children_at_deadline) {
  const std::string pid_file =
      std::filesystem::temp_directory_path() / ("process_test." + std::to_string(::getpid()));
  // A busy machine may need longer to write the file.
  for (Duration limit = 1s; read_pid(pid_file) == 0; limit *= 2) {
    const auto end = shell("sleep 1000 & echo $! >" + pid_file + "; wait", limit);
    ASSERT_FALSE(end);
    EXPECT_EQ(end.error().reason, Reason::deadline_exceeded);
  }
  loop_.run(await_gone(loop_, pid_file));
  std::filesystem::remove(pid_file);
}

TEST_F(RunProcess, ends_grandchild_that_holds_output_open) {
  const std::string pid_file =
      std::filesystem::temp_directory_path() / ("process_test." + std::to_string(::getpid()));
  const auto end = shell("sleep 1000 & echo $! >" + pid_file);
  ASSERT_TRUE(end) << end.error().message;
  EXPECT_EQ(end->status, 0);
  loop_.run(await_gone(loop_, pid_file));
  std::filesystem::remove(pid_file);
}

TEST_F(RunProcess, ends_process_of_cancelled_caller) {
  const std::string pid_file =
      std::filesystem::temp_directory_path() / ("process_test." + std::to_string(::getpid()));
  TaskGroup group(loop_.executor());
  const auto hang = [&]() -> Task<> {
    ProcessCommand command{.arguments = {"sh", "-c", "echo $$ >" + pid_file + "; sleep 1000"},
                           .environment = own_environment()};
    const auto end =
        co_await run_process(loop_.executor(), loop_.time(), std::move(command), Deadline());
    ADD_FAILURE() << "it ended";
  };
  const auto main = [&]() -> Task<> {
    group.spawn("hang", hang());
    while (read_pid(pid_file) == 0) co_await sleep_for(loop_.time(), 1ms);
    group.cancel();
    co_await group.join();
    co_await await_gone(loop_, pid_file);
  };
  loop_.run(main());
  std::filesystem::remove(pid_file);
}

}  // namespace
}  // namespace dcm::runtime
