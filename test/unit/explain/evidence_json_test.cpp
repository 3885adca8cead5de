// What single objects of the API say, as JSON.
#include "explain/evidence_json.hpp"

#include <algorithm>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "runtime/json.hpp"

namespace dcm::explain {
namespace {

boost::json::value parse(std::string text) {
  std::ranges::replace(text, '\'', '"');
  return runtime::parse_json(text).value();
}

TEST(AllocationReport, names_other_consumers) {
  const auto report = allocation_report(
      parse("{'metadata': {'namespace': 'lab', 'name': 'c'}, 'status': {'reservedFor': ["
            "{'resource': 'pods', 'name': 'own', 'uid': 'u'},"
            "{'resource': 'pods', 'name': 'p', 'uid': 'v'},"
            "{'apiGroup': 'scheduling.k8s.io', 'resource': 'podgroups', 'name': 'g', 'uid': 'w'},"
            "{'apiGroup': 'e.com', 'resource': 'widgets', 'name': 'x', 'uid': 'x'}]}}"),
      "u");
  EXPECT_EQ(report.consumers,
            (std::vector<std::string>{"pod lab/p", "pod group lab/g", "widgets lab/x"}));
}

// Of two shares of a device, kube-scheduler reads one status.
TEST(MissingConditions, take_first_status_for_all_shares) {
  const auto missing = missing_conditions(
      parse("{'metadata': {'name': 'c'}, 'status': {'allocation': {'devices': {'results': ["
            "{'driver': 'd', 'pool': 'p', 'device': 'g', 'shareID': 'a', 'bindingConditions': "
            "['ready']}, {'driver': 'd', 'pool': 'p', 'device': 'g', 'shareID': 'b', "
            "'bindingConditions': ['ready']}]}}, 'devices': [{'driver': 'd', 'pool': 'p', "
            "'device': 'g', 'shareID': 'b', 'conditions': [{'type': 'ready', 'status': 'True'}]}, "
            "{'driver': 'd', 'pool': 'p', 'device': 'g', 'shareID': 'a'}]}}"));
  EXPECT_TRUE(missing.empty());
}

// kube-scheduler waits for the first device, and does not look at the second.
TEST(AllocationReport, names_no_failure_behind_device_that_is_not_ready) {
  const auto report = allocation_report(
      parse("{'metadata': {'name': 'c'}, 'status': {'allocation': {'devices': {'results': ["
            "{'driver': 'd', 'pool': 'p', 'device': 'g', 'bindingConditions': ['ready']}, "
            "{'driver': 'd', 'pool': 'p', 'device': 'h', 'bindingConditions': ['ready'], "
            "'bindingFailureConditions': ['failed']}]}}, 'devices': [{'driver': 'd', 'pool': 'p', "
            "'device': 'h', 'conditions': [{'type': 'failed', 'status': 'True'}]}]}}"),
      "u");
  EXPECT_TRUE(report.failures.empty());
  EXPECT_TRUE(report.lacks_conditions);
}

TEST(EventReports, keep_latest_event_of_each_reason) {
  const auto reports = event_reports(
      parse("{'items': ["
            "{'reason': 'A', 'message': 'new', 'lastTimestamp': '2026-01-02T00:00:00Z',"
            " 'count': 3, 'involvedObject': {'uid': 'u'}},"
            "{'reason': 'A', 'message': 'old', 'lastTimestamp': '2026-01-01T00:00:00Z',"
            " 'involvedObject': {'uid': 'u'}},"
            "{'reason': 'B', 'message': 'of another', 'involvedObject': {'uid': 'v'}}]}"),
      "u");
  ASSERT_EQ(reports.size(), 1U);
  EXPECT_EQ(reports[0].message, "new");
  EXPECT_EQ(reports[0].count, 3);
}

TEST(EventReports, count_at_least_one_time) {
  const auto reports = event_reports(parse("{'items': [{'reason': 'A', 'count': -1}]}"), "");
  ASSERT_EQ(reports.size(), 1U);
  EXPECT_EQ(reports[0].count, 1);
}

TEST(QuotaReports, compare_whole_numbers_of_claims_and_devices) {
  struct Row {
    const char* resource;
    const char* used;
    const char* hard;
    std::vector<bool> exhausted;
  };
  const Row rows[] = {
      {"count/resourceclaims.resource.k8s.io", "4", "5", {false}},
      {"count/resourceclaims.resource.k8s.io", "5", "5", {true}},
      {"gpu.deviceclass.resource.k8s.io/devices", "9", "8", {true}},
      {"gpu.deviceclass.resource.k8s.io/devices", "1k", "8", {false}},
      {"pods", "5", "5", {}},
  };
  for (const Row& row : rows) {
    const auto reports = quota_reports(
        parse(fmt::format("{{'items': [{{'metadata': {{'name': 'q'}}, 'status': "
                          "{{'hard': {{'{0}': '{2}'}}, 'used': {{'{0}': '{1}'}}}}}}]}}",
                          row.resource, row.used, row.hard)));
    std::vector<bool> exhausted;
    for (const QuotaReport& report : reports) exhausted.push_back(report.is_exhausted);
    EXPECT_EQ(exhausted, row.exhausted) << row.resource << " " << row.used << " " << row.hard;
  }
}

}  // namespace
}  // namespace dcm::explain
