// When events wait for others, on virtual time: a loop that sleeps as Gathering says and works in
// no time.
#include "runtime/gathering.hpp"

#include <algorithm>
#include <vector>

#include <gtest/gtest.h>

namespace dcm::runtime {
namespace {

using namespace std::chrono_literals;

struct Outcome {
  int rounds = 0;
  Duration longest_delay{};
};

// Events at these times, in order.
Outcome run(const std::vector<Duration>& events) {
  Gathering gathering;
  Outcome outcome;
  Duration now{};
  Duration ended{};
  for (std::size_t next = 0; next < events.size(); ++outcome.rounds) {
    now = std::max(now, events[next]);
    const Duration pause = gathering.next_pause(now - ended);
    outcome.longest_delay = std::max(outcome.longest_delay, now - events[next]);
    while (next < events.size() && events[next] <= now) ++next;
    ended = now;
    now += pause;
  }
  return outcome;
}

std::vector<Duration> every(Duration interval, int count) {
  std::vector<Duration> events;
  for (int i = 1; i <= count; ++i) events.push_back(i * interval);
  return events;
}

TEST(Gathering, wakes_busy_loop_once_a_millisecond) {
  const Outcome outcome = run(every(100us, 1000));
  EXPECT_LE(outcome.rounds, 100 + Gathering::kBusyAfter + 1);
  EXPECT_LE(outcome.longest_delay, Gathering::kPause);
}

TEST(Gathering, never_delays_occasional_event) {
  const Outcome outcome = run(every(2ms, 1000));
  EXPECT_EQ(outcome.rounds, 1000);
  EXPECT_EQ(outcome.longest_delay, 0ms);
}

// The messages of one claim: an event, and the answers to two requests.
TEST(Gathering, never_delays_a_few_consecutive_events) {
  std::vector<Duration> events;
  for (int claim = 1; claim <= 100; ++claim) {
    for (int message = 0; message < Gathering::kBusyAfter - 1; ++message) {
      events.push_back(claim * 20ms + message * 300us);
    }
  }
  EXPECT_EQ(run(events).longest_delay, 0ms);
}

// A few requests are in flight, and an answer is occasionally late.
TEST(Gathering, keeps_loop_busy_through_gaps) {
  std::vector<Duration> events;
  for (int burst = 1; burst <= 100; ++burst) {
    for (int event = 0; event < 8; ++event) events.push_back(burst * 6ms + event * 500us);
  }
  EXPECT_LE(run(events).rounds, 600);  // of 800 events
}

TEST(Gathering, ends_after_one_long_wait) {
  Gathering gathering;
  for (int i = 0; i < Gathering::kBusyAfter; ++i) gathering.next_pause(100us);
  EXPECT_EQ(gathering.next_pause(100us), Gathering::kPause);
  EXPECT_EQ(gathering.next_pause(5ms), 0ms);
  EXPECT_EQ(gathering.next_pause(100us), 0ms);
}

}  // namespace
}  // namespace dcm::runtime
