// From the command line to the exit status.
#include "manager/program.hpp"

#include <csignal>
#include <cstdlib>
#include <stdexcept>

#include <gmock/gmock.h>

#include "manager/own_process.hpp"
#include "test/unit/client_config/files.hpp"

namespace dcm::manager {
namespace {

TEST(RunProgram, tells_why_its_controllers_cannot_be_added) {
  client::TempFolder folder;
  const std::string kubeconfig = folder.write(
      "config", R"({"clusters":[{"name":"c","cluster":{"server":"http://127.0.0.1:1"}}],)"
                R"("contexts":[{"name":"x","context":{"cluster":"c"}}],"current-context":"x"})");
  const std::string flag = "--kubeconfig=" + kubeconfig;
  const char* const words[] = {"tested", flag.c_str(), "--metrics-bind-address=127.0.0.1:0"};
  testing::internal::CaptureStderr();
  const int status = run_program(3, words, {.name = "tested"}, [](ControllerManager&) {
    throw std::invalid_argument("there are two\ncaches");
  });
  EXPECT_THAT(testing::internal::GetCapturedStderr(),
              testing::EndsWith("\ntested: there are two caches\n"));
  EXPECT_EQ(status, 3);
}

// The name is used for the lease, the field manager and metrics, which would fail later.
TEST(RunProgram, refuses_name_that_is_no_label) {
  for (const std::string name : {"Bad_Name", "", "9lives", "a.b", "a-"}) {
    const char* const words[] = {"tested"};
    bool is_called = false;
    testing::internal::CaptureStderr();
    const int status =
        run_program(1, words, {.name = name}, [&](ControllerManager&) { is_called = true; });
    EXPECT_THAT(testing::internal::GetCapturedStderr(),
                testing::StartsWith("tested: the program's name \"" + name +
                                    "\" must be in lower case with dashes"));
    EXPECT_EQ(status, 2);
    EXPECT_FALSE(is_called);
  }
}

// `timeout` sends a signal twice at once.
TEST(StopSignals, ends_process_at_second_signal_half_a_second_later) {
  using namespace std::chrono_literals;
  StopSignals signals;
  const runtime::MonoTime first(1h);
  EXPECT_EQ(signals.observe(first), SignalMeans::stop);
  EXPECT_EQ(signals.observe(first), SignalMeans::nothing);
  EXPECT_EQ(signals.observe(first + 499ms), SignalMeans::nothing);
  EXPECT_EQ(signals.observe(first + 500ms), SignalMeans::end_at_once);
}

// Raises SIGTERM twice: at once, or the second time `pause` after the first was observed.
int exit_status_of_two_signals(runtime::Duration pause) {
  using namespace std::chrono_literals;
  runtime::Loop loop;
  const auto log = runtime::Logger(std::make_shared<runtime::LogBackend>(
      loop.time(), runtime::LogFormat::text, runtime::write_to_stderr()));
  int stops = 0;
  stop_on_signals(loop, [&] { ++stops; }, log);
  loop.run([](runtime::TimeSource& time, runtime::Duration between,
              const int& stopped) -> runtime::Task<> {
    const bool is_at_once = between == 0s;
    std::raise(SIGTERM);
    if (is_at_once) std::raise(SIGTERM);
    while (stopped == 0) co_await runtime::sleep_for(time, 1ms);
    co_await runtime::sleep_for(time, between);
    if (!is_at_once) std::raise(SIGTERM);
    co_await runtime::sleep_for(time, is_at_once ? 100ms : 30s);
  }(loop.time(), pause, stops));
  return stops == 1 ? 0 : 9;
}

TEST(StopSignals, are_two_only_when_apart) {
  using namespace std::chrono_literals;
  EXPECT_EXIT(std::_Exit(exit_status_of_two_signals(0s)), testing::ExitedWithCode(0), "");
  EXPECT_EXIT(std::_Exit(exit_status_of_two_signals(StopSignals::kSame)),
              testing::ExitedWithCode(1), "A second signal: ending at once");
}

}  // namespace
}  // namespace dcm::manager
