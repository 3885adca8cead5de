#include "runtime/timestamp.hpp"

#include <chrono>

#include <gtest/gtest.h>

namespace dcm::runtime {
namespace {

using namespace std::chrono_literals;

constexpr WallTime kTime = std::chrono::sys_days(2027y / 3 / 1) + 10h + 15min + 7s;

TEST(Timestamp, reads_rfc_3339) {
  for (const std::string_view text :
       {"2027-03-01T10:15:07Z", "2027-03-01t10:15:07z", "2027-03-01T10:15:07.999999Z",
        "2027-03-01T12:15:07+02:00", "2027-02-28T22:45:07-11:30"}) {
    EXPECT_EQ(parse_timestamp(text), kTime) << text;
  }
}

TEST(Timestamp, rejects_invalid_times) {
  for (const std::string_view text :
       {"", "2027", "2027-03-01", "2027-03-01 10:15:07Z", "2027-03-01T10:15:07",
        "2027-3-01T10:15:07Z", "2027-02-29T10:15:07Z", "2027-13-01T10:15:07Z",
        "2027-03-01T24:15:07Z", "2027-03-01T10:60:07Z", "2027-03-01T10:15:61Z",
        "2027-03-01T10:15:07.Z", "2027-03-01T10:15:07Zx", "2027-03-01T10:15:07+2:00",
        "-027-03-01T10:15:07Z", "2027-03--1T10:15:07Z"}) {
    EXPECT_EQ(parse_timestamp(text), std::nullopt) << text;
  }
}

TEST(Timestamp, clamps_to_range_of_clock) {
  EXPECT_EQ(parse_timestamp("9999-12-31T23:59:59Z"), WallTime::max());
  EXPECT_EQ(parse_timestamp("0000-01-01T00:00:00+23:59"), WallTime::min());
}

TEST(Timestamp, keeps_microseconds_on_request) {
  EXPECT_EQ(parse_micro_timestamp("2027-03-01T10:15:07.001234Z"), kTime + 1234us);
  EXPECT_EQ(parse_micro_timestamp("2027-03-01T10:15:07.0012349999Z"), kTime + 1234us);
  EXPECT_EQ(parse_micro_timestamp("2027-03-01T10:15:07.5Z"), kTime + 500ms);
  EXPECT_EQ(parse_micro_timestamp("2027-03-01T10:15:07Z"), kTime);
  EXPECT_EQ(parse_micro_timestamp("2027-03-01T10:15:07.Z"), std::nullopt);
}

TEST(Timestamp, writes_whole_seconds) {
  EXPECT_EQ(timestamp(kTime + 999ms), "2027-03-01T10:15:07Z");
}

TEST(Timestamp, writes_microseconds_on_request) {
  EXPECT_EQ(micro_timestamp(kTime), "2027-03-01T10:15:07.000000Z");
  EXPECT_EQ(micro_timestamp(kTime + 1'234'567ns), "2027-03-01T10:15:07.001234Z");
  EXPECT_EQ(micro_timestamp(WallTime::min()), "1677-09-21T00:12:43.145224Z");
  EXPECT_EQ(micro_timestamp(WallTime::max()), "2262-04-11T23:47:16.854775Z");
}

}  // namespace
}  // namespace dcm::runtime
