#include "client/events/event_queue.hpp"

#include <set>

#include <gtest/gtest.h>

namespace dcm::client {
namespace {

using namespace std::chrono_literals;
using runtime::Duration;
using runtime::MonoTime;
using runtime::Rng;
using runtime::WallTime;
using Kind = EventQueue::Write::Kind;
using Answer = EventQueue::Answer;
using Verdict = EventQueue::Verdict;

const WallTime kStart{Duration(0x18a1f0c2d9e4b7c3)};

api::Event event(std::string object, std::string message = "m", std::string reason = "r") {
  return {.key = {},
          .involved_object = {.api_version = "v1",
                              .kind = "Pod",
                              .key = {"lab", std::move(object)},
                              .uid = api::Uid("5b0c7c1e-94a5-4a55-8f5c-6f2f3c0d9a11"),
                              .resource_version = {}},
          .type = api::EventType::normal,
          .reason = std::move(reason),
          .message = std::move(message),
          .component = "c",
          .count = 1,
          .first_time = {},
          .last_time = {}};
}

// A queue whose two clocks advance together.
struct Clocked {
  explicit Clocked(EventLimits limits = {}) : queue(limits, Rng(1)) {}

  Verdict report(api::Event reported) {
    return queue.report(std::move(reported), MonoTime(elapsed), kStart + elapsed);
  }
  // Writes the next event, with this answer.
  EventQueue::Write written(Answer answer = Answer::written) {
    const auto next = queue.next();
    if (!next) throw std::logic_error("nothing to write");
    queue.finish(next->id, answer);
    return *next;
  }

  EventQueue queue;
  Duration elapsed{0};
};

TEST(EventQueue, sets_name_and_times_from_first_report) {
  Clocked c;
  EXPECT_EQ(c.report(event("trainer-0")), Verdict::waiting);
  const EventQueue::Write write = c.written();
  EXPECT_EQ(write.kind, Kind::create);
  EXPECT_EQ(write.event.key.str(), "lab/trainer-0.18a1f0c2d9e4b7c3");
  EXPECT_EQ(write.event.count, 1);
  EXPECT_EQ(write.event.first_time, kStart);
  EXPECT_EQ(write.event.last_time, kStart);
}

TEST(EventQueue, merges_messages_that_differ_only_in_quoted_name) {
  Clocked c;
  c.report(event("trainer-0", R"(claims "a-x7k2p" is forbidden: quota)"));
  c.written();
  EXPECT_EQ(c.report(event("trainer-0", R"(claims "a-9d4tz" is forbidden: quota)")),
            Verdict::waiting);
  const EventQueue::Write second = c.written();
  EXPECT_EQ(second.kind, Kind::repeat);
  EXPECT_EQ(second.event.count, 2);
  EXPECT_EQ(second.event.message, R"(claims "a-9d4tz" is forbidden: quota)");
  EXPECT_EQ(c.report(event("trainer-0", R"(claims "a-9d4tz" is forbidden: policy)")),
            Verdict::waiting);
  EXPECT_EQ(c.written().kind, Kind::create);
}

TEST(EventQueue, counts_repetition_for_same_object) {
  Clocked c;
  c.report(event("trainer-0"));
  const EventQueue::Write first = c.written();
  c.elapsed = 5min;
  EXPECT_EQ(c.report(event("trainer-0")), Verdict::waiting);
  const EventQueue::Write second = c.written();
  EXPECT_EQ(second.kind, Kind::repeat);
  EXPECT_EQ(second.event.key, first.event.key);
  EXPECT_EQ(second.event.count, 2);
  EXPECT_EQ(second.event.first_time, kStart);
  EXPECT_EQ(second.event.last_time, kStart + 5min);
}

TEST(EventQueue, separates_events_with_any_difference) {
  Clocked c;
  api::Event warning = event("a");
  warning.type = api::EventType::warning;
  api::Event component = event("a");
  component.component = "other";
  api::Event uid = event("a");
  uid.involved_object.uid = api::Uid("00000000-94a5-4a55-8f5c-6f2f3c0d9a11");
  std::set<std::string> names;
  for (const api::Event& e : {event("a"), event("b"), event("a", "other"), event("a", "m", "other"),
                              warning, component, uid}) {
    EXPECT_EQ(c.report(e), Verdict::waiting);
  }
  for (int i = 0; i < 7; ++i) {
    const EventQueue::Write write = c.written();
    EXPECT_EQ(write.kind, Kind::create);
    names.insert(write.event.key.str());
  }
  EXPECT_EQ(names.size(), 7U) << "all at the same time, so the times in the names must differ";
}

TEST(EventQueue, writes_event_repeated_while_waiting_once) {
  Clocked c;
  c.report(event("a"));
  EXPECT_EQ(c.report(event("a")), Verdict::merged);
  EXPECT_EQ(c.written().event.count, 2);
  EXPECT_FALSE(c.queue.next());
}

TEST(EventQueue, writes_event_repeated_while_being_written_again) {
  Clocked c;
  c.report(event("a"));
  const auto write = c.queue.next();
  ASSERT_TRUE(write);
  EXPECT_EQ(c.report(event("a")), Verdict::merged);
  EXPECT_FALSE(c.queue.next()) << "not twice at the same time";
  c.queue.finish(write->id, Answer::written);
  const EventQueue::Write again = c.written();
  EXPECT_EQ(again.kind, Kind::repeat);
  EXPECT_EQ(again.event.count, 2);
}

TEST(EventQueue, recreates_expired_event_on_repetition) {
  Clocked c;
  c.report(event("a"));
  c.written();
  c.report(event("a"));
  EXPECT_EQ(c.written(Answer::vanished).kind, Kind::repeat);
  const EventQueue::Write again = c.written();
  EXPECT_EQ(again.kind, Kind::create);
  EXPECT_EQ(again.event.count, 2);
}

TEST(EventQueue, does_not_retry_abandoned_event) {
  Clocked c;
  c.report(event("a"));
  c.written(Answer::given_up);
  EXPECT_FALSE(c.queue.next());
  c.elapsed = 1h;
  c.report(event("a"));
  const EventQueue::Write next = c.written();
  EXPECT_EQ(next.kind, Kind::create);
  EXPECT_EQ(next.event.count, 1);
}

TEST(EventQueue, limits_object_and_reason_to_25_and_then_one_per_five_minutes) {
  Clocked c;
  int passed = 0;
  for (int i = 0; i < 100; ++i) {
    if (c.report(event("a", std::to_string(i))) != Verdict::over_rate) ++passed;
  }
  EXPECT_EQ(passed, 25);
  EXPECT_EQ(c.report(event("b")), Verdict::waiting) << "another object";
  EXPECT_EQ(c.report(event("a", "m", "other")), Verdict::waiting) << "another reason";
  c.elapsed = 5min - 1s;
  EXPECT_EQ(c.report(event("a")), Verdict::over_rate);
  c.elapsed = 5min + 1s;
  EXPECT_EQ(c.report(event("a")), Verdict::waiting);
  EXPECT_EQ(c.report(event("a")), Verdict::over_rate);
}

TEST(EventQueue, only_merges_when_full) {
  Clocked c({.normal_waiting_max = 2});
  c.report(event("a"));
  c.report(event("b"));
  EXPECT_EQ(c.report(event("c")), Verdict::full);
  EXPECT_EQ(c.report(event("a")), Verdict::merged);
  EXPECT_EQ(c.queue.waiting(), 2U);
}

TEST(EventQueue, remembers_bounded_number_and_all_waiting_events) {
  Clocked c({.normal_waiting_max = 3, .remembered_max = 2});
  c.report(event("waits"));
  c.report(event("second"));
  for (int i = 0; i < 100; ++i) {
    c.report(event("pod-" + std::to_string(i)));
    while (c.queue.waiting() > 2) c.written();
  }
  EXPECT_LE(c.queue.remembered(), 5U);
  EXPECT_EQ(c.report(event("pod-99")), Verdict::merged);
}

TEST(EventQueue, uses_namespace_of_object_or_default) {
  Clocked c;
  api::Event cluster_scoped = event("burnt-gpus");
  cluster_scoped.involved_object.key.namespace_ = {};
  c.report(cluster_scoped);
  EXPECT_EQ(c.written().event.key.namespace_.str(), "default");
}

TEST(EventQueue, replaces_invalid_name_by_uuid) {
  for (const std::string& object :
       {std::string("system:node"), std::string("Upper"), std::string(250, 'a'), std::string(),
        std::string("a."), std::string(".a"), std::string("a..b"), std::string("-a")}) {
    Clocked c;
    c.report(event(object));
    const std::string name = c.written().event.key.name.str();
    ASSERT_EQ(name.size(), 36U) << object;
    EXPECT_EQ(name.find_first_not_of("0123456789abcdef-"), std::string::npos) << name;
  }
  for (const std::string object : {"a", "a.b", "a-b.c1", "1"}) {
    Clocked c;
    c.report(event(object));
    EXPECT_EQ(c.written().event.key.name, object + ".18a1f0c2d9e4b7c3");
  }
}

TEST(EventQueue, cuts_long_message_between_characters) {
  Clocked c;
  std::string message(1023, 'x');
  message += "\u00e4\u00e4";
  c.report(event("a", message));
  EXPECT_EQ(c.written().event.message, std::string(1023, 'x'));
}

}  // namespace
}  // namespace dcm::client
