#include "cel/kubernetes/semver.hpp"

#include <gtest/gtest.h>

namespace dcm::cel {
namespace {

Semver semver(std::string_view text) {
  const auto parsed = Semver::parse(text);
  EXPECT_TRUE(parsed) << text << ": " << parsed.error();
  return parsed.value_or(Semver());
}

TEST(Semver, orders_by_specification) {
  constexpr std::string_view kRising[] = {
      "0.0.9",        "1.0.0-1",       "1.0.0-2",          "1.0.0-10",
      "1.0.0-alpha",  "1.0.0-alpha.1", "1.0.0-alpha.beta", "1.0.0-beta",
      "1.0.0-beta.2", "1.0.0-beta.11", "1.0.0-rc.1",       "1.0.0",
      "1.0.1",        "1.1.0",         "1.10.0",           "2.0.0"};
  for (std::size_t i = 0; i < std::size(kRising); ++i)
    for (std::size_t j = 0; j < std::size(kRising); ++j)
      EXPECT_EQ(semver(kRising[i]) <=> semver(kRising[j]), i <=> j)
          << kRising[i] << ' ' << kRising[j];
}

TEST(Semver, ignores_build_metadata_in_comparisons) {
  EXPECT_EQ(semver("1.2.3"), semver("1.2.3+build.7"));
}

TEST(Semver, preserves_text) {
  for (const std::string_view text : {"1.2.3", "1.2.3-rc.1", "1.2.3+b", "1.2.3-rc.1+b-c.d"})
    EXPECT_EQ(semver(text).text(), text);
}

struct Row {
  std::string_view text, error;
};

constexpr Row kRefused[] = {
    {"", "Version string empty"},
    {"1.2", "No Major.Minor.Patch elements found"},
    {"v1.2.3", "Invalid character(s) found in major number \"v1\""},
    {"1.02.3", "Minor number must not contain leading zeroes \"02\""},
    {"1.2.", "strconv.ParseUint: parsing \"\": invalid syntax"},
    {"1.2.18446744073709551616",
     "strconv.ParseUint: parsing \"18446744073709551616\": value out of range"},
    {"1.2.3-", "Prerelease is empty"},
    {"1.2.3-a.", "Prerelease is empty"},
    {"1.2.3-01", "Numeric PreRelease version must not contain leading zeroes \"01\""},
    {"1.2.3-a_b", "Invalid character(s) found in prerelease \"a_b\""},
    {"1.2.3+", "Build meta data is empty"},
    {"1.2.3+a+b", "Invalid character(s) found in build meta data \"a+b\""},
};

TEST(Semver, explains_errors) {
  for (const Row& row : kRefused) {
    const auto parsed = Semver::parse(row.text);
    ASSERT_FALSE(parsed) << row.text;
    EXPECT_EQ(parsed.error(), row.error);
  }
}

TEST(Semver, pads_and_strips_zeros_when_normalizing) {
  EXPECT_EQ(normalize_semver("v1"), "1.0.0");
  EXPECT_EQ(normalize_semver("v01.2"), "1.2.0");
  EXPECT_EQ(normalize_semver("00.0.01-rc"), "0.0.1-rc");
  EXPECT_FALSE(normalize_semver("1.2-rc"));
}

}  // namespace
}  // namespace dcm::cel
