#include "manager/health.hpp"

#include <stdexcept>

#include <gtest/gtest.h>

namespace dcm::manager {
namespace {

TEST(Health, is_ok_without_checks) {
  const HealthReport report = HealthChecks().run("livez", Verbose::no);
  EXPECT_TRUE(report.is_healthy);
  EXPECT_EQ(report.text, "ok");
}

TEST(Health, names_failing_check_and_reason) {
  HealthChecks checks;
  checks.add("ping", [] { return std::nullopt; });
  checks.add("pods", [] { return std::optional<std::string>("not synced: 403"); });
  const HealthReport report = checks.run("readyz", Verbose::no);
  EXPECT_FALSE(report.is_healthy);
  EXPECT_EQ(report.text, "[+]ping ok\n[-]pods failed: not synced: 403\nreadyz check failed\n");
}

TEST(Health, shows_only_error_type_to_unknown_callers) {
  const runtime::Error forbidden{runtime::Reason::forbidden, "a proxy says: Bearer abc"};
  HealthChecks checks;
  checks.add("lease", [&] { return forbidden; });
  checks.add("caches", [&] { return runtime::about("pods: not synced", forbidden); });
  checks.add("sets", [] { return std::string("forbidden: 2 sets"); });
  EXPECT_EQ(checks.run("readyz", Verbose::no, Reasons::by_name).text,
            "[-]lease failed: forbidden\n[-]caches failed: pods: not synced: forbidden\n"
            "[-]sets failed: forbidden: 2 sets\nreadyz check failed\n");
  EXPECT_EQ(checks.run("readyz", Verbose::no).text,
            "[-]lease failed: forbidden: a proxy says: Bearer abc\n"
            "[-]caches failed: pods: not synced: forbidden: a proxy says: Bearer abc\n"
            "[-]sets failed: forbidden: 2 sets\nreadyz check failed\n");
}

TEST(Health, reports_exception_as_failure_of_its_check) {
  HealthChecks checks;
  checks.add("bad", []() -> std::optional<std::string> { throw std::runtime_error("boom"); });
  checks.add("ping", [] { return std::nullopt; });
  EXPECT_EQ(checks.run("readyz", Verbose::no).text,
            "[-]bad failed: the check threw an exception: boom\n[+]ping ok\nreadyz check failed\n");
  EXPECT_EQ(checks.run("readyz", Verbose::no, Reasons::by_name).text,
            "[-]bad failed: the check threw an exception\n[+]ping ok\nreadyz check failed\n");
}

TEST(Health, lists_every_check_if_verbose) {
  HealthChecks checks;
  checks.add("ping", [] { return std::nullopt; });
  EXPECT_EQ(checks.run("readyz", Verbose::yes).text, "[+]ping ok\nreadyz check passed\n");
}

}  // namespace
}  // namespace dcm::manager
