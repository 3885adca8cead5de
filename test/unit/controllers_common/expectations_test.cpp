// Reports of suppressed writes, and disagreements of the cluster; on virtual time.
#include "controllers/common/expectations.hpp"

#include <array>
#include <sstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "runtime/loop.hpp"
#include "runtime/task_group.hpp"

namespace dcm::common {
namespace {

using namespace std::chrono_literals;
using State = Standing::State;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

constexpr WriteKind kPatch{"patch", "pods/status"};
constexpr std::array kKinds{kPatch, ShadowEvents::kWrite};

class ExpectationsTest : public testing::Test {
 protected:
  ExpectationsTest() { tasks_.spawn("looks", expectations.run()); }
  ~ExpectationsTest() override {
    tasks_.cancel();
    loop.run(tasks_.join());
  }

  void expect(const std::string& subject, const std::string& what = "a name") {
    expectations.expect({.kind = kPatch, .object = "lab/p", .subject = subject, .what = what},
                        [this, subject] {
                          ++looks;
                          return Standing{cluster[subject], [] { return std::string("none"); }};
                        });
  }
  double metric(const std::string& name) {
    const std::string series = "dra_controller_manager_dry_run_" + name +
                               "{controller=\"c\",resource=\"pods/status\",verb=\"patch\"} ";
    std::istringstream lines(metrics.expose());
    for (std::string line; std::getline(lines, line);) {
      if (line.starts_with(series)) return std::stod(line.substr(series.size()));
    }
    return -1;
  }
  // The lines since the last call, from their message on.
  std::vector<std::string> lines() {
    std::vector<std::string> texts;
    for (const std::string& line : std::exchange(log, {})) {
      texts.push_back(line.substr(line.find("] ") + 2));  // after the time and the place
    }
    return texts;
  }
  runtime::Logger logger() {
    return runtime::Logger(std::make_shared<runtime::LogBackend>(
        loop.time(), runtime::LogFormat::text,
        [this](runtime::Severity, std::string_view line) { log.emplace_back(line); }));
  }

  runtime::VirtualLoop loop;
  runtime::MetricsRegistry metrics;
  std::vector<std::string> log;
  std::map<std::string, State> cluster;
  bool is_watching = true;
  int looks = 0;
  Expectations expectations{{.time = loop.time(),
                             .metrics = metrics,
                             .log = logger(),
                             .is_watching = [this] { return is_watching; }},
                            "c",
                            kKinds,
                            30s};

 private:
  runtime::TaskGroup tasks_{loop.executor()};
};

TEST_F(ExpectationsTest, reports_write_once) {
  for (int i = 0; i < 5; ++i) expect("p");
  loop.run_for(10s);
  expect("p");
  EXPECT_EQ(metric("writes_total"), 1);
  EXPECT_THAT(lines(), ElementsAre(R"("Dry run: not written" verb="patch" resource="pods/status" )"
                                   R"(object="lab/p" what="a name")"));
}

TEST_F(ExpectationsTest, accepts_change_made_in_time) {
  const char* awaited = "dra_controller_manager_dry_run_awaited{controller=\"c\"} ";
  expect("p");
  EXPECT_THAT(metrics.expose(), HasSubstr(std::string(awaited) + "1\n"));
  loop.run_for(29s);
  cluster["p"] = State::reached;
  loop.run_for(10min);
  EXPECT_EQ(metric("disagreements_total"), 0);
  EXPECT_EQ(lines().size(), 1U);
  EXPECT_THAT(metrics.expose(), HasSubstr(std::string(awaited) + "0\n"));
  // Nothing is expected any longer.
  const int before = looks;
  loop.run_for(1min);
  EXPECT_EQ(looks, before);
}

TEST_F(ExpectationsTest, reports_missing_change_once_until_made) {
  expect("p");
  loop.run_for(30s);
  EXPECT_EQ(metric("disagreements_total"), 0);
  loop.run_for(2s);
  EXPECT_EQ(metric("disagreements_total"), 1);
  EXPECT_EQ(metric("open_disagreements"), 1);
  loop.run_for(1h);
  expect("p");
  EXPECT_EQ(metric("disagreements_total"), 1);
  EXPECT_EQ(metric("writes_total"), 1);
  std::vector<std::string> told = lines();
  ASSERT_EQ(told.size(), 2U);
  EXPECT_THAT(told[1], HasSubstr(R"(what="a name" shown="none" seconds=31)"));
  cluster["p"] = State::reached;
  loop.run_for(2s);
  EXPECT_EQ(metric("disagreements_total"), 1);
  EXPECT_EQ(metric("open_disagreements"), 0);
  EXPECT_THAT(lines(), ElementsAre(HasSubstr("the cluster now shows the change")));
}

TEST_F(ExpectationsTest, forgets_write_that_is_no_longer_due) {
  expect("early");
  cluster["early"] = State::moot;
  expect("late");
  loop.run_for(1min);
  EXPECT_EQ(metric("disagreements_total"), 1);
  lines();
  cluster["late"] = State::moot;
  loop.run_for(2s);
  EXPECT_EQ(metric("open_disagreements"), 0);
  EXPECT_THAT(lines(), ElementsAre(HasSubstr("no longer applies")));
}

TEST_F(ExpectationsTest, needs_no_write_for_existing_state) {
  cluster["p"] = State::reached;
  expect("p");
  EXPECT_EQ(metric("writes_total"), 0);
  EXPECT_THAT(lines(), IsEmpty());
}

TEST_F(ExpectationsTest, prefers_later_write_to_same_object) {
  expect("p", "one name");
  loop.run_for(20s);
  expect("p", "two names");
  loop.run_for(20s);
  EXPECT_EQ(metric("writes_total"), 2);
  EXPECT_EQ(metric("disagreements_total"), 0);
  loop.run_for(20s);
  EXPECT_EQ(metric("disagreements_total"), 1);
  EXPECT_THAT(lines().back(), HasSubstr("two names"));
}

TEST_F(ExpectationsTest, stops_clock_while_watches_fail) {
  expect("p");
  loop.run_for(20s);
  is_watching = false;
  loop.run_for(1h);
  is_watching = true;
  loop.run_for(9s);
  EXPECT_EQ(metric("disagreements_total"), 0);
  loop.run_for(5s);
  EXPECT_EQ(metric("disagreements_total"), 1);
}

TEST_F(ExpectationsTest, bounds_checked_writes_and_counts_the_rest) {
  for (std::size_t i = 0; i < Expectations::kOpenMax + 5; ++i) expect(std::to_string(i));
  EXPECT_EQ(metric("writes_total"), Expectations::kOpenMax + 5);
  EXPECT_THAT(metrics.expose(),
              HasSubstr("dra_controller_manager_dry_run_unchecked_total{controller=\"c\"} 5\n"));
  loop.run_for(32s);
  EXPECT_EQ(metric("open_disagreements"), Expectations::kOpenMax);
}

TEST_F(ExpectationsTest, reports_event_once_without_waiting) {
  ShadowEvents events(expectations);
  for (int i = 0; i < 3; ++i) {
    events.report({"v1", "Pod", {"lab", "p"}, api::Uid("u"), {}}, api::EventType::warning, "c",
                  "Failed", "no template");
  }
  loop.run_for(1h);
  EXPECT_THAT(lines(), ElementsAre(R"("Dry run: not written" verb="create" resource="events" )"
                                   R"(object="lab/p" what="Failed: no template")"));
}

}  // namespace
}  // namespace dcm::common
