#include "runtime/log.hpp"

#include <vector>

#include <gtest/gtest.h>

#include "runtime/virtual_time.hpp"

namespace dcm::runtime {
namespace {

using namespace std::chrono_literals;

struct Capture {
  explicit Capture(LogFormat format)
      : backend(std::make_shared<LogBackend>(
            time, format, [this](Severity, std::string_view line) { lines.emplace_back(line); })),
        log(backend) {}

  VirtualTime time{WallTime(std::chrono::sys_days{std::chrono::year{2026} / 11 / 21} + 14h + 38min +
                            4s + 123456us)};
  std::vector<std::string> lines;
  std::shared_ptr<LogBackend> backend;
  Logger log;
};

TEST(Log, a_text_line_looks_like_klog) {
  Capture capture(LogFormat::text);
  capture.log.info("Claim created", {{"pod", "lab/trainer-0"}, {"attempt", 2}, {"owned", true}});
  ASSERT_EQ(capture.lines.size(), 1U);
  EXPECT_EQ(capture.lines[0],
            R"(I1121 14:38:04.123456 "Claim created" pod="lab/trainer-0" attempt=2 owned=true)");
}

TEST(Log, no_text_is_a_command_to_a_terminal_or_turns_a_line_around) {
  Capture capture(LogFormat::text);
  capture.log.info("m", {{"why",
                          "a\x1b[2J \xc2\x9b"
                          "1m \u202e \x9b é"}});
  ASSERT_EQ(capture.lines.size(), 1U);
  EXPECT_TRUE(capture.lines[0].ends_with(R"(why="a\u001b[2J \u009b1m \u202e \ufffd é")"))
      << capture.lines[0];
}

TEST(Log, a_json_line_is_one_object) {
  Capture capture(LogFormat::json);
  capture.log.error("Create failed", {{"why", "quota \"gpus\"\nexceeded"}});
  ASSERT_EQ(capture.lines.size(), 1U);
  EXPECT_EQ(capture.lines[0], R"({"ts":1795271884123.456,"level":"error","msg":"Create failed",)"
                              R"("why":"quota \"gpus\"\nexceeded"})");
}

TEST(Log, bound_fields_come_with_every_message) {
  Capture capture(LogFormat::text);
  const Logger bound = capture.log.with({{"controller", "resource_claim"}});
  bound.warning("Slow", {{"ms", 120}});
  EXPECT_TRUE(capture.lines.at(0).starts_with("W1121"));
  EXPECT_TRUE(capture.lines.at(0).ends_with(R"("Slow" controller="resource_claim" ms=120)"));
}

TEST(Log, verbosity_is_compared_with_the_backends_and_may_change) {
  Capture capture(LogFormat::text);
  EXPECT_TRUE(capture.log.v(0));
  EXPECT_FALSE(capture.log.v(4));
  capture.backend->set_verbosity(4);
  EXPECT_TRUE(capture.log.v(4));
  EXPECT_FALSE(Logger().v(0)) << "a logger without a backend says nothing";
}

TEST(RepeatGuard, lets_the_same_text_through_once_per_interval) {
  VirtualTime time;
  RepeatGuard guard(time, 1min);
  EXPECT_TRUE(guard.should_log("refused"));
  EXPECT_FALSE(guard.should_log("refused"));
  EXPECT_TRUE(guard.should_log("wrong CA"));
  EXPECT_TRUE(guard.should_log("refused"));
  time.advance_to(MonoTime(59s));
  EXPECT_FALSE(guard.should_log("refused"));
  time.advance_to(MonoTime(60s));
  EXPECT_TRUE(guard.should_log("refused"));
  guard.reset();
  EXPECT_TRUE(guard.should_log("refused"));
}

}  // namespace
}  // namespace dcm::runtime
