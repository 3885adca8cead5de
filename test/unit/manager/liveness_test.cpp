#include <gtest/gtest.h>

#include "manager/progress.hpp"
#include "runtime/virtual_time.hpp"

namespace dcm::manager {
namespace {

using namespace std::chrono_literals;
using runtime::Reason;

struct Liveness : testing::Test {
  void pass(runtime::Duration duration) { time.advance_to(time.now() + duration); }

  runtime::VirtualTime time;
  informers::SyncState pods{"pods", time};
};

TEST_F(Liveness, accepts_cache_with_recent_events) {
  pods.note_event();
  pass(kSilenceMax - 1s);
  EXPECT_EQ(why_stuck(pods), std::nullopt);
  pods.note_event();
  pass(kSilenceMax - 1s);
  EXPECT_EQ(why_stuck(pods), std::nullopt);
}

TEST_F(Liveness, detects_cache_without_events_or_error) {
  pods.note_event();
  pass(kSilenceMax + 90s);
  EXPECT_EQ(why_stuck(pods),
            "pods: nothing heard from the API server for 16 minutes, though it answers");
}

TEST_F(Liveness, detects_repeatedly_accepted_silent_watch) {
  pods.note_event();
  for (int i = 0; i < 8; ++i) {
    pass(130s);
    pods.note_error({Reason::deadline_exceeded, "no event"});
    pods.note_accepted();
  }
  EXPECT_TRUE(why_stuck(pods));
}

TEST_F(Liveness, ignores_unreachable_cluster) {
  pass(24h);
  EXPECT_EQ(why_stuck(pods), std::nullopt) << "never heard of";
  pods.note_event();
  pods.note_error({Reason::unreachable, "connection refused"});
  pass(24h);
  EXPECT_EQ(why_stuck(pods), std::nullopt);
}

TEST_F(Liveness, says_why_cache_is_incomplete) {
  EXPECT_EQ(why_incomplete(pods)->whole, "pods: not synced");
  pods.note_error({Reason::forbidden, "a proxy says: Bearer abc"});
  EXPECT_EQ(why_incomplete(pods)->whole, "pods: not synced: forbidden: a proxy says: Bearer abc");
  EXPECT_EQ(why_incomplete(pods)->by_name, "pods: not synced: forbidden");
  pods.note_synced();
  EXPECT_FALSE(why_incomplete(pods)) << "a failure may pass";
  pass(kFailingMax);
  EXPECT_EQ(why_incomplete(pods)->by_name, "pods: no news for 10 s: forbidden");
  pods.note_accepted();
  EXPECT_FALSE(why_incomplete(pods));
}

TEST_F(Liveness, detects_work_beyond_every_deadline) {
  EXPECT_EQ(why_stuck("claims", {.longest = kWorkMax - 1s}), std::nullopt);
  EXPECT_EQ(why_stuck("claims", {.longest = kWorkMax}),
            "claims: an item has been worked on for 15 minutes");
}

}  // namespace
}  // namespace dcm::manager
