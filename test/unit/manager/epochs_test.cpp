// Epochs and the stop of the process, with epochs made by the test: the order of events, and the
// consequences of a failure.
#include "manager/epochs.hpp"

#include <stdexcept>

#include "manager/stop.hpp"
#include "runtime/condition.hpp"
#include "runtime/task_group.hpp"
#include "test/support/co_test.hpp"

namespace dcm::manager {
namespace {

using namespace std::chrono_literals;
using runtime::Task;

// The test's requests for epochs, and their outcomes.
struct Script {
  std::optional<runtime::Duration> fails_after = {};
  bool watches_fail = false;
  std::vector<std::string> stuck = {};
  std::vector<std::string> versions = {};  // of the epochs made, in this order
  int alive = 0;
};

class FakeEpoch final : public VersionedWork {
 public:
  FakeEpoch(runtime::TimeSource& time, Script& script, std::string version)
      : time_(time), script_(script), version_(std::move(version)), stopped_(time) {
    script_.versions.push_back(version_);
    ++script_.alive;
  }
  ~FakeEpoch() override { --script_.alive; }

  Task<> run() override {
    if (script_.fails_after) {
      co_await runtime::sleep_for(time_, *script_.fails_after);
      throw std::logic_error("the index has lost a pod");
    }
    co_await stopped_.wait();
  }
  void stop() override { stopped_.notify_all(); }
  const std::string& version() const override { return version_; }
  std::vector<runtime::Problem> missing() const override { return {"pods of " + version_}; }
  std::vector<std::string> stuck() const override { return script_.stuck; }
  bool has_failing_watch() const override { return script_.watches_fail; }

 private:
  runtime::TimeSource& time_;
  Script& script_;
  std::string version_;
  runtime::Condition stopped_;
};

// The environment of epochs in a manager: a separate group, with a guard.
struct Site {
  explicit Site(runtime::VirtualLoop& loop, Script wanted = {},
                client::Availability availability = client::Served{"v1"})
      : script(std::move(wanted)),
        answer(std::move(availability)),
        time(loop.time()),
        log(std::make_shared<runtime::LogBackend>(
            time, runtime::LogFormat::text,
            [this](runtime::Severity severity, std::string_view line) {
              if (severity == runtime::Severity::error) errors.emplace_back(line);
            })),
        stop(time, log),
        epochs(
            time, log, stop, [this] { return find(); },
            [this](const client::Served& served) {
              return std::make_unique<FakeEpoch>(time, script, served.version);
            }),
        tasks(loop.executor()) {
    tasks.spawn("epochs", stop.guard("epochs", epochs.run()));
  }

  Task<client::Availability> find() { co_return answer; }

  Script script;
  client::Availability answer;  // of the API server
  runtime::TimeSource& time;
  std::vector<std::string> errors;
  runtime::Logger log;
  Stop stop;
  Epochs epochs;
  runtime::TaskGroup tasks;
};

CO_TEST(Epochs, exit_with_own_status_after_failure) {
  Site site(loop, {.fails_after = 5s});
  co_await site.stop.wait();
  EXPECT_EQ(site.time.now().time_since_epoch(), 5s);
  EXPECT_EQ(site.stop.exit_status(), ExitStatus::failed);
  CO_ASSERT_EQ(site.errors.size(), 1U);
  EXPECT_NE(site.errors[0].find("the index has lost a pod"), std::string::npos) << site.errors[0];
  co_await site.tasks.join();
}

CO_TEST(Epochs, keep_last_one_until_it_is_dropped) {
  Site site(loop);
  co_await runtime::yield();
  site.stop.request();
  EXPECT_TRUE(site.epochs.stop_current());
  co_await site.tasks.join();
  EXPECT_EQ(site.script.alive, 1);
  EXPECT_FALSE(site.epochs.stop_current());
  site.epochs.drop_last();
  EXPECT_EQ(site.script.alive, 0);
}

CO_TEST(Epochs, are_not_queried_after_failure) {
  Site site(loop, {.fails_after = 5s});
  co_await runtime::yield();
  EXPECT_EQ(site.epochs.why_not_ready()->whole, "pods of v1");
  co_await site.stop.wait();
  EXPECT_EQ(site.script.alive, 0);
  EXPECT_EQ(site.epochs.why_not_ready()->whole, "asking the API server what it serves");
  EXPECT_FALSE(site.epochs.stop_current());
  co_await site.tasks.join();
}

CO_TEST(Epochs, report_stuck_part_for_restart) {
  Site site(loop, {.stuck = {"pods: silent", "claims: working"}});
  co_await runtime::yield();
  EXPECT_EQ(site.epochs.why_stuck(), "pods: silent; claims: working");
  site.tasks.cancel();
  co_await site.tasks.join();
}

CO_TEST(Epochs, are_not_queried_after_cancellation) {
  Site site(loop);
  co_await runtime::sleep_for(site.time, 1s);
  site.tasks.cancel();
  co_await site.tasks.join();
  EXPECT_EQ(site.script.alive, 0);
  EXPECT_FALSE(site.epochs.stop_current());
  EXPECT_EQ(site.stop.exit_status(), ExitStatus::asked_to_stop);
  EXPECT_FALSE(site.stop.is_requested());
}

CO_TEST(Epochs, start_no_other_after_stop_request) {
  Site site(loop);
  co_await runtime::sleep_for(site.time, 1s);
  site.stop.request();
  EXPECT_TRUE(site.epochs.stop_current());
  co_await site.tasks.join();
  EXPECT_EQ(site.script.versions, std::vector<std::string>{"v1"});
  EXPECT_EQ(site.stop.exit_status(), ExitStatus::asked_to_stop);
}

CO_TEST(Epochs, change_version_when_old_one_is_not_served) {
  Site site(loop);
  co_await runtime::sleep_for(site.time, 1s);
  site.answer = client::Served{"v2"};
  co_await runtime::sleep_for(site.time, 1h);
  EXPECT_EQ(site.script.versions.size(), 1U) << "the watches are well: nothing is asked";
  site.script.watches_fail = true;
  co_await runtime::sleep_for(site.time, 1min);
  EXPECT_EQ(site.script.versions, (std::vector<std::string>{"v1", "v2"}));
  EXPECT_EQ(site.script.alive, 1);
  site.tasks.cancel();
  co_await site.tasks.join();
}

CO_TEST(Epochs, wait_for_version_to_be_served) {
  Site site(loop, {}, client::NotServed{"resource.k8s.io is not served"});
  co_await runtime::yield();
  EXPECT_EQ(site.epochs.why_not_ready()->whole, "resource.k8s.io is not served");
  site.answer = client::Served{"v1"};
  co_await runtime::sleep_for(site.time, 31s);
  EXPECT_EQ(site.epochs.why_not_ready()->whole, "pods of v1");
  site.tasks.cancel();
  co_await site.tasks.join();
}

}  // namespace
}  // namespace dcm::manager
