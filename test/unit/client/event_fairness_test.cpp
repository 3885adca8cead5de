// Fairness of events: thousands of failing pods of one tenant, whose reports and requests exhaust
// their limits, delay no other tenant's events, and suppress no eviction event.
#include <map>

#include <fmt/format.h>
#include <gmock/gmock.h>

#include "client/events/event_recorder.hpp"
#include "runtime/task_group.hpp"
#include "test/support/co_test.hpp"
#include "test/unit/client/rest_client_fixture.hpp"

namespace dcm::client {
namespace {

using namespace std::chrono_literals;
using runtime::Duration;
using runtime::MonoTime;
using runtime::Task;

// With the default limits: 200 requests a second.
struct Neighbour : RestClientFixture {
  explicit Neighbour(runtime::VirtualLoop& loop)
      : RestClientFixture(loop),
        recorder(client, time, metrics, runtime::Rng(2), runtime::Logger(log_backend)),
        group(loop.executor()) {
    for (int i = 0; i < 20'000; ++i)
      http.answer({.status = 201, .headers = {}, .body = R"({"kind":"Event"})"}, 5ms);
    group.spawn("events", recorder.run());
  }

  void report(const std::string& namespace_, const std::string& pod, api::EventType type,
              const std::string& reason) {
    recorder.report({"v1", "Pod", {namespace_, pod}, api::Uid(namespace_ + pod), "1"}, type, "c",
                    reason, "m");
  }
  void fail_pods(int count) {
    for (int i = 0; i < count; ++i) {
      report("noisy", fmt::format("pod-{}", i), api::EventType::warning, "Failed");
    }
  }
  // 3,000 pods fail repeatedly, and 300 calls for them are always waiting.
  Task<> keep_failing() {
    for (int i = 0; i < 300; ++i) group.spawn("call", keep_calling());
    while (true) {
      fail_pods(3'000);
      co_await runtime::sleep_for(time, 5s);
    }
  }
  Task<> keep_calling() {
    while (true) co_await client.send(read());
  }
  // When each event of the namespace was first sent, by object.
  std::map<std::string, MonoTime> sent(const std::string& namespace_) const {
    std::map<std::string, MonoTime> times;
    const std::string target = "/api/v1/namespaces/" + namespace_ + "/events";
    for (const auto& seen : http.seen()) {
      if (seen.request.target != target) continue;
      const std::string& body = seen.request.body;
      const std::size_t name = body.find("pod-");
      times.try_emplace(body.substr(name, body.find('"', name) - name), seen.at);
    }
    return times;
  }
  Duration longest_wait(const std::string& namespace_, MonoTime since) const {
    Duration longest{};
    for (const auto& [pod, at] : sent(namespace_)) longest = std::max(longest, at - since);
    return longest;
  }
  std::string full() const { return "controller_events_dropped_total{cause=\"queue_full\"} "; }
  Task<> stop() {
    group.cancel();
    co_await group.join();
  }

  EventRecorder recorder;
  runtime::TaskGroup group;
};

CO_TEST(EventFairness, writes_first_event_of_calm_tenant_at_once) {
  Neighbour world(loop);
  world.group.spawn("neighbour", world.keep_failing());
  co_await runtime::sleep_for(world.time, 10s);
  const MonoTime since = world.time.now();
  world.report("calm", "pod-0", api::EventType::warning, "Failed");
  co_await runtime::sleep_for(world.time, 5s);
  EXPECT_EQ(world.sent("calm").size(), 1U);
  EXPECT_LE(world.longest_wait("calm", since), 500ms);
  co_await world.stop();
}

CO_TEST(EventFairness, writes_eviction_events_despite_failing_pods) {
  for (const char* namespace_ : {"calm", "noisy"}) {
    Neighbour world(loop);
    world.group.spawn("neighbour", world.keep_failing());
    co_await runtime::sleep_for(world.time, 10s);
    const MonoTime since = world.time.now();
    for (int i = 0; i < 100; ++i) {
      world.report(namespace_, fmt::format("pod-evicted-{}", i), api::EventType::normal, "Evicted");
    }
    co_await runtime::sleep_for(world.time, 15s);
    std::map<std::string, MonoTime> events = world.sent(namespace_);
    std::erase_if(events, [](const auto& each) { return !each.first.starts_with("pod-evicted"); });
    EXPECT_EQ(events.size(), 100U) << namespace_;
    for (const auto& [pod, at] : events) EXPECT_LE(at - since, 12s) << pod;
    co_await world.stop();
  }
}

CO_TEST(EventFairness, loses_no_event_of_5000_evictions) {
  Neighbour world(loop);
  world.fail_pods(3'000);
  for (int i = 0; i < 5'000; ++i) {
    world.report("calm", fmt::format("pod-{}", i), api::EventType::normal, "Evicted");
  }
  co_await runtime::sleep_for(world.time, 10min);
  EXPECT_EQ(world.sent("calm").size(), 5'000U);
  co_await world.stop();
}

CO_TEST(EventFairness, writes_first_events_before_repetitions) {
  Neighbour world(loop);
  world.fail_pods(900);
  co_await runtime::sleep_for(world.time, 1s);
  for (int i = 0; i < 10; ++i) {
    world.fail_pods(900);
    co_await runtime::sleep_for(world.time, 1s);
  }
  co_await runtime::sleep_for(world.time, 50s);
  EXPECT_EQ(world.sent("noisy").size(), 900U);
  co_await world.stop();
}

CO_TEST(EventFairness, makes_room_for_another_namespace_in_full_queue) {
  Neighbour world(loop);
  world.fail_pods(3'000);
  EXPECT_THAT(world.metrics.expose(), testing::HasSubstr(world.full() + "2000"));
  for (int i = 0; i < 10; ++i) {
    world.report("calm", fmt::format("pod-{}", i), api::EventType::warning, "Failed");
  }
  EXPECT_THAT(world.metrics.expose(), testing::HasSubstr(world.full() + "2010"));
  co_await runtime::sleep_for(world.time, 2s);
  EXPECT_EQ(world.sent("calm").size(), 10U);
  co_await world.stop();
}

CO_TEST(EventFairness, probes_unreachable_server_with_one_event) {
  RestClientFixture f(loop);
  EventRecorder recorder(f.client, f.time, f.metrics, runtime::Rng(2),
                         runtime::Logger(f.log_backend));
  runtime::TaskGroup group(loop.executor());
  group.spawn("events", recorder.run());
  for (int i = 0; i < 1'000; ++i) {
    recorder.report({"v1", "Pod", {"lab", fmt::format("pod-{}", i)}, api::Uid("u"), "1"},
                    api::EventType::normal, "c", "r", "m");
  }
  co_await runtime::sleep_for(f.time, 5min);  // the ten in flight have been given up
  const std::size_t before = f.http.seen().size();
  co_await runtime::sleep_for(f.time, 5min);
  EXPECT_LE(f.http.seen().size() - before, 5 * 60U);
  for (int i = 0; i < 2'000; ++i)
    f.http.answer({.status = 201, .headers = {}, .body = R"({"kind":"Event"})"});
  co_await runtime::sleep_for(f.time, 2min);
  EXPECT_LE(f.http.unanswered(), 1'200U) << "all writers work again";
  group.cancel();
  co_await group.join();
}

// For example, a webhook is slow for one tenant.
CO_TEST(EventFairness, reserves_writers_for_other_namespaces_during_slow_answers) {
  EventQueue queue({}, runtime::Rng(1));
  const auto report = [&](const char* namespace_, int pod) {
    api::Event event;
    event.involved_object.key = {namespace_, fmt::format("pod-{}", pod)};
    event.type = api::EventType::warning;
    queue.report(event, MonoTime(), runtime::WallTime());
  };
  for (int i = 0; i < 100; ++i) report("slow", i);
  std::vector<std::string> in_hand;
  while (const auto write = queue.next()) in_hand.push_back(write->id);
  EXPECT_EQ(in_hand.size(), EventLimits{}.writes_per_namespace);
  report("calm", 0);
  const auto calm = queue.next();
  CO_ASSERT_TRUE(calm.has_value());
  EXPECT_EQ(calm->event.key.namespace_.str(), "calm");
  queue.finish(in_hand.front(), EventQueue::Answer::written);
  EXPECT_TRUE(queue.next().has_value());
  co_return;
}

}  // namespace
}  // namespace dcm::client
