#include <gtest/gtest.h>

#include "options/value.hpp"

namespace dcm::options {
namespace {

using namespace std::chrono_literals;
using runtime::Duration;

TEST(ParseDuration, reads_like_go) {
  const std::pair<const char*, Duration> rows[] = {
      {"0", 0s},        {"15s", 15s},   {"1m30s", 90s},   {"1h0m1s", 3601s},
      {"1.5s", 1500ms}, {".5s", 500ms}, {"100ms", 100ms}, {"2us", 2us},
      {"2µs", 2us},     {"3ns", 3ns},   {"1.5h", 90min},  {"0s", 0s},
  };
  for (const auto& [text, duration] : rows) EXPECT_EQ(parse_duration(text), duration) << text;
}

TEST(ParseDuration, rejects_everything_else) {
  for (const char* text :
       {"", "15", "s", "15 s", "-15s", "+15s", "15s ", "1e3s", "15x", "1m 30s", "inf", "nan",
        "nans", "infs", "2s!", "3000000h", "99999999999999999999s", "1.2.3s"}) {
    EXPECT_EQ(parse_duration(text), std::nullopt) << text;
  }
}

TEST(FormatDuration, survives_round_trip) {
  for (const Duration duration :
       {Duration(0s), Duration(15s), Duration(90s), Duration(500ms), Duration(3600s),
        Duration(3661s), Duration(3ns), Duration(20us), Duration(2'000'000h + 59'999'999'999ns),
        Duration::max() - Duration(1)}) {
    EXPECT_EQ(parse_duration(format_duration(duration)), duration) << format_duration(duration);
  }
  EXPECT_EQ(format_duration(90s), "1m30s");
  EXPECT_EQ(format_duration(15s), "15s");
  EXPECT_EQ(format_duration(500ms), "0.5s");
  EXPECT_EQ(format_duration(3ns), "0.000000003s");
}

}  // namespace
}  // namespace dcm::options
