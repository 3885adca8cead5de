// When the slices of a lost driver are deleted. Numbers in brackets are the cases of the node's
// specification.
#include "node/plugins/wiping.hpp"

#include <gtest/gtest.h>

namespace dcm::node {
namespace {

using namespace std::chrono_literals;
using Drivers = std::vector<std::string>;

runtime::MonoTime at(runtime::Duration time) {
  return runtime::MonoTime(time);
}

TEST(WipeTimers, wait_thirty_seconds_after_driver_is_lost) {  // [22], [23], [26]
  WipeTimers timers;
  timers.observe_unusable("gpu", at(0s));
  EXPECT_EQ(timers.next(), at(30s));
  EXPECT_EQ(timers.begin_due(at(29s)), Drivers());
  EXPECT_EQ(timers.begin_due(at(30s)), Drivers{"gpu"});
  EXPECT_EQ(timers.begin_due(at(31s)), Drivers()) << "once, while it is tried";
  timers.finish("gpu");
  EXPECT_EQ(timers.next(), std::nullopt);
}

TEST(WipeTimers, ignore_other_events_until_driver_is_back) {
  WipeTimers timers;
  timers.observe_unusable("gpu", at(0s));
  timers.observe_unusable("gpu", at(20s));
  EXPECT_EQ(timers.begin_due(at(30s)), Drivers{"gpu"});
}

TEST(WipeTimers, spare_driver_that_is_back) {  // [24]
  WipeTimers timers;
  timers.observe_unusable("gpu", at(0s));
  timers.observe_usable("gpu");
  EXPECT_EQ(timers.begin_due(at(1h)), Drivers());
}

TEST(WipeTimers, restart_when_driver_is_lost_again) {  // [25]
  WipeTimers timers;
  timers.observe_unusable("gpu", at(0s));
  timers.observe_usable("gpu");
  timers.observe_unusable("gpu", at(25s));
  EXPECT_EQ(timers.begin_due(at(54s)), Drivers());
  EXPECT_EQ(timers.begin_due(at(55s)), Drivers{"gpu"});
}

TEST(WipeTimers, retry_failures_indefinitely) {  // [27]
  WipeTimers timers;
  timers.observe_unusable("gpu", at(0s));
  runtime::MonoTime now = at(30s);
  std::vector<runtime::Duration> waits;
  for (int i = 0; i < 11; ++i) {
    ASSERT_EQ(timers.begin_due(now), Drivers{"gpu"});
    timers.fail("gpu", now);
    waits.push_back(*timers.next() - now);
    now = *timers.next();
  }
  EXPECT_EQ(waits, (std::vector<runtime::Duration>{1s, 2s, 4s, 8s, 16s, 32s, 64s, 128s, 256s, 300s,
                                                   300s}));
}

TEST(WipeTimers, stop_retrying_when_driver_is_back) {  // [28]
  WipeTimers timers;
  timers.observe_unusable("gpu", at(0s));
  (void)timers.begin_due(at(30s));
  timers.observe_usable("gpu");
  timers.fail("gpu", at(31s));
  EXPECT_EQ(timers.begin_due(at(1h)), Drivers());
  timers.observe_unusable("gpu", at(1h));
  timers.finish("gpu");
  EXPECT_EQ(timers.next(), at(1h + 30s)) << "the end of an old attempt is not that of a new timer";
}

TEST(WipeTimers, select_only_slices_of_node) {  // [29]
  EXPECT_EQ(slices_selector("node-0", ""), "spec.nodeName=node-0");
  EXPECT_EQ(slices_selector("node-0", "gpu"), "spec.driver=gpu,spec.nodeName=node-0");
}

}  // namespace
}  // namespace dcm::node
