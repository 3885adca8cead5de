#include "runtime/log.hpp"

#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <unistd.h>

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

TEST(Log, writes_klog_format) {
  Capture capture(LogFormat::text);
  const int line = __LINE__ + 1;
  capture.log.info("Claim created", {{"pod", "lab/trainer-0"}, {"attempt", 2}, {"owned", true}});
  ASSERT_EQ(capture.lines.size(), 1U);
  EXPECT_EQ(capture.lines[0],
            fmt::format("I1121 14:38:04.123456 {:7} log_test.cpp:{}] \"Claim created\" "
                        "pod=\"lab/trainer-0\" attempt=2 owned=true",
                        getpid(), line));
}

TEST(Log, escapes_terminal_commands_and_bidirectional_text) {
  Capture capture(LogFormat::text);
  capture.log.info("m", {{"why",
                          "a\x1b[2J \xc2\x9b"
                          "1m \u202e \x9b é"}});
  ASSERT_EQ(capture.lines.size(), 1U);
  EXPECT_TRUE(capture.lines[0].ends_with(R"(why="a\u001b[2J \u009b1m \u202e \ufffd é")"))
      << capture.lines[0];
}

TEST(Log, writes_one_json_object_per_line) {
  Capture capture(LogFormat::json);
  const int line = __LINE__ + 1;
  capture.log.error("Create failed", {{"why", "quota \"gpus\"\nexceeded"}});
  ASSERT_EQ(capture.lines.size(), 1U);
  EXPECT_EQ(capture.lines[0],
            fmt::format(R"({{"ts":1795271884123.456,"caller":"log_test.cpp:{}","level":"error",)"
                        R"("msg":"Create failed","why":"quota \"gpus\"\nexceeded"}})",
                        line));
}

TEST(Log, adds_bound_fields_to_every_message) {
  Capture capture(LogFormat::text);
  const Logger bound = capture.log.with({{"controller", "resource_claim"}});
  bound.warning("Slow", {{"ms", 120}});
  EXPECT_TRUE(capture.lines.at(0).starts_with("W1121"));
  EXPECT_TRUE(capture.lines.at(0).ends_with(R"("Slow" controller="resource_claim" ms=120)"));
}

TEST(Log, compares_changeable_verbosity) {
  Capture capture(LogFormat::text);
  EXPECT_TRUE(capture.log.v(0));
  EXPECT_FALSE(capture.log.v(4));
  capture.backend->set_verbosity(4);
  EXPECT_TRUE(capture.log.v(4));
  EXPECT_FALSE(Logger().v(0)) << "a logger without a backend says nothing";
}

bool ends_with(const std::string& line, std::string_view end) {
  return line.ends_with(end);
}

TEST(Log, backs_off_from_repeated_warning_with_count) {
  Capture capture(LogFormat::text);
  const auto warn_for = [&](Duration duration) {
    const MonoTime end = capture.time.now() + duration;
    for (; capture.time.now() < end; capture.time.advance_to(capture.time.now() + 1s)) {
      capture.log.warning("Refused", {{"pod", "lab/a"}, {"error", "quota"}});
    }
  };
  warn_for(10s);
  ASSERT_EQ(capture.lines.size(), 1U);
  EXPECT_TRUE(ends_with(capture.lines[0], R"("Refused" pod="lab/a" error="quota")"));
  warn_for(1s);
  ASSERT_EQ(capture.lines.size(), 2U);
  EXPECT_TRUE(ends_with(capture.lines[1], R"(error="quota" repeated=9)"));
  warn_for(1h);
  EXPECT_EQ(capture.lines.size(), 11U);
  capture.time.advance_to(capture.time.now() + 30min);
  warn_for(11s);
  EXPECT_EQ(capture.lines.size(), 13U) << "news again";
}

TEST(Log, separates_warnings_by_words_and_object_only) {
  Capture capture(LogFormat::text);
  const auto warn = [&](const char* pod, const char* error) {
    capture.log.warning("Refused",
                        {{"pod", pod}, {"failures", capture.lines.size()}, {"error", error}});
    return capture.lines.size();
  };
  EXPECT_EQ(warn("lab/a", "quota \"x\" used 5"), 1U);
  EXPECT_EQ(warn("lab/a", "quota \"y\" used 17"), 1U);
  EXPECT_EQ(warn("lab/a", "denied"), 2U);
  EXPECT_EQ(warn("lab/b", "denied"), 3U);
  EXPECT_EQ(warn("lab/b-1", "denied"), 4U);
  capture.log.with({{"controller", "other"}}).warning("Refused", {{"pod", "lab/a"}});
  EXPECT_EQ(capture.lines.size(), 5U);
}

TEST(Log, bounds_and_counts_warnings_about_many_objects) {
  Capture capture(LogFormat::text);
  for (int i = 0; i < 10'000; ++i) {
    capture.log.warning("Refused", {{"pod", "lab/" + std::to_string(i)}});
  }
  EXPECT_EQ(capture.lines.size(), 200U);
  capture.log.warning("Broken");
  EXPECT_EQ(capture.lines.size(), 201U) << "another message is not held up";
  capture.time.advance_to(capture.time.now() + 1s);
  capture.log.warning("Refused", {{"pod", "lab/new"}});
  ASSERT_EQ(capture.lines.size(), 202U);
  EXPECT_TRUE(ends_with(capture.lines.back(), R"(pod="lab/new" suppressed=9800)"));
}

TEST(Log, limits_info_rate_by_message_apart_from_warnings) {
  Capture capture(LogFormat::text);
  const auto log_many = [&](int count) {
    for (int i = 0; i < count; ++i) capture.log.info("Slice seen", {{"slice", std::to_string(i)}});
  };
  log_many(10'000);
  EXPECT_EQ(capture.lines.size(), 2'000U);
  capture.log.warning("Slice seen", {{"slice", "broken"}});
  EXPECT_EQ(capture.lines.size(), 2'001U) << "a warning is not held up";
  capture.time.advance_to(capture.time.now() + 1s);
  log_many(1'000);
  EXPECT_EQ(capture.lines.size(), 2'101U);
  EXPECT_TRUE(ends_with(capture.lines.at(2'001), R"(slice="0" suppressed=8000)"));
}

TEST(Log, writes_every_info_line_at_high_verbosity) {
  Capture capture(LogFormat::text);
  capture.backend->set_verbosity(4);
  for (int i = 0; i < 5'000; ++i) capture.log.info("Item queued");
  EXPECT_EQ(capture.lines.size(), 5'000U);
}

TEST(Log, cuts_long_values_between_characters) {
  Capture capture(LogFormat::text);
  std::string text = "a";
  for (int i = 0; i < 4'000; ++i) text += "é";
  capture.log.info("m", {{"error", text}});
  EXPECT_LT(capture.lines.at(0).size(), 4'200U);
  EXPECT_TRUE(ends_with(capture.lines[0], "é… (8001 bytes)\""));
}

TEST(RepeatGuard, passes_same_text_once_per_interval) {
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
