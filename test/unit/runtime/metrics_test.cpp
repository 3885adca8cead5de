#include "runtime/metrics.hpp"

#include <stdexcept>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace dcm::runtime {
namespace {

using testing::HasSubstr;

TEST(Metrics, shows_named_series_at_zero) {
  MetricsRegistry metrics;
  metrics.counter("requests_total", "Requests sent.", {{"code", "200"}});
  const std::string text = metrics.expose();
  EXPECT_THAT(text, HasSubstr("# HELP requests_total Requests sent.\n"));
  EXPECT_THAT(text, HasSubstr("# TYPE requests_total counter\n"));
  EXPECT_THAT(text, HasSubstr("requests_total{code=\"200\"} 0\n"));
}

TEST(Metrics, returns_same_series_for_same_name_and_labels) {
  MetricsRegistry metrics;
  metrics.counter("requests_total", "Requests sent.", {{"code", "200"}}).Increment();
  metrics.counter("requests_total", "Requests sent.", {{"code", "200"}}).Increment();
  metrics.counter("requests_total", "Requests sent.", {{"code", "404"}}).Increment();
  const std::string text = metrics.expose();
  EXPECT_THAT(text, HasSubstr("requests_total{code=\"200\"} 2\n"));
  EXPECT_THAT(text, HasSubstr("requests_total{code=\"404\"} 1\n"));
}

TEST(Metrics, prefixes_library_metrics_with_program_name) {
  MetricsRegistry metrics("node_labeller");
  metrics.counter("program_worker_panics_total", "Bugs.");
  metrics.gauge("my_program_depth", "Items.");
  EXPECT_THAT(metrics.expose(), HasSubstr("\nnode_labeller_worker_panics_total 0\n"));
  EXPECT_THAT(metrics.expose(), HasSubstr("\nmy_program_depth 0\n"));
}

TEST(Metrics, refreshes_in_parts_once_for_each_exposition) {
  MetricsRegistry metrics;
  Gauge& depth = metrics.gauge("depth", "Depth.");
  int parts = 0;
  const Refresh refresh = metrics.before_exposition_in_parts([&] {
    depth.Set(++parts);
    return parts % 3 != 0;
  });
  EXPECT_THAT(metrics.expose(), HasSubstr("depth 3\n"));
  EXPECT_TRUE(metrics.refresh_part());
  EXPECT_TRUE(metrics.refresh_part());
  EXPECT_THAT(metrics.expose(), HasSubstr("depth 6\n")) << "the rest";
  while (metrics.refresh_part()) {
  }
  EXPECT_FALSE(metrics.refresh_part());
  EXPECT_THAT(metrics.expose(), HasSubstr("depth 9\n")) << "nothing is left";
}

TEST(Metrics, removes_series_of_deleted_objects) {
  MetricsRegistry metrics;
  Gauge& gone = metrics.gauge("copies", "Copies.", {{"of", "gone"}});
  metrics.gauge("copies", "Copies.", {{"of", "kept"}}).Set(2);
  metrics.gauge("others", "Others.").Set(1);
  metrics.remove(gone);
  const std::string text = metrics.expose();
  EXPECT_THAT(text, testing::Not(HasSubstr("gone")));
  EXPECT_THAT(text, HasSubstr("copies{of=\"kept\"} 2\n"));
  EXPECT_THAT(text, HasSubstr("others 1\n"));
  metrics.gauge("copies", "Copies.", {{"of", "gone"}}).Set(3);
  EXPECT_THAT(metrics.expose(), HasSubstr("copies{of=\"gone\"} 3\n")) << "made anew";
}

TEST(Metrics, refreshes_gauges_before_exposition) {
  MetricsRegistry metrics;
  Gauge& depth = metrics.gauge("depth", "Items waiting.");
  int items = 3;
  Refresh refresh = metrics.before_exposition([&] { depth.Set(items); });
  EXPECT_THAT(metrics.expose(), HasSubstr("depth 3\n"));
  items = 5;
  EXPECT_THAT(metrics.expose(), HasSubstr("depth 5\n"));
  refresh = Refresh();
  items = 7;
  EXPECT_THAT(metrics.expose(), HasSubstr("depth 5\n")) << "it is no longer refreshed";
}

TEST(Metrics, exports_memory_files_and_start_time_of_process) {
  MetricsRegistry metrics;
  const Refresh refresh = register_process_metrics(metrics);
  const std::string text = metrics.expose();
  EXPECT_THAT(text, HasSubstr("process_cpu_seconds_total "));
  EXPECT_THAT(text, testing::ContainsRegex("process_resident_memory_bytes [1-9]"));
  // Since 1970, not since the machine was booted.
  EXPECT_THAT(text, testing::ContainsRegex("process_start_time_seconds [1-9][0-9]{9}"));
  EXPECT_THAT(text, testing::ContainsRegex("process_open_fds [1-9]"));
}

// What the exception says; empty if there is none.
template <class Call>
std::string refusal(Call call) {
  try {
    call();
  } catch (const std::invalid_argument& error) {
    return error.what();
  }
  return {};
}

TEST(Metrics, names_metric_that_is_wrong) {
  MetricsRegistry metrics("tested");
  EXPECT_EQ(refusal([&] { metrics.counter("shards made", "Shards."); }),
            "the metric \"shards made\": not a valid name");
  EXPECT_EQ(refusal([&] { metrics.gauge("program_a", "A.", {{"of-what", "b"}}); }),
            "the metric \"tested_a\": not a valid label: \"of-what\"");
  metrics.counter("shards", "Shards.");
  EXPECT_THAT(refusal([&] { metrics.gauge("shards", "Shards."); }),
              testing::StartsWith("the metric \"shards\": "));
  EXPECT_THAT(refusal([&] { metrics.histogram("shards", "Shards.", {1}); }),
              testing::StartsWith("the metric \"shards\": "));
}

TEST(Metrics, grows_exponential_buckets_by_factor) {
  EXPECT_EQ(exponential_buckets(1, 10, 4), (Buckets{1, 10, 100, 1000}));
}

}  // namespace
}  // namespace dcm::runtime
