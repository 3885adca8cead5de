// Informers on virtual time against a scripted API.
#include <set>

#include <gmock/gmock.h>

#include "informers/informer.hpp"
#include "runtime/task_group.hpp"
#include "test/support/co_test.hpp"
#include "test/support/fake_lister_watcher.hpp"
#include "test/unit/informers/pods.hpp"

namespace dcm::informers {
namespace {

using namespace std::chrono_literals;
using namespace testing;
using api::ChangeEvent;
using api::ChangeType;
using runtime::Error;
using runtime::Reason;
using runtime::Task;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

using Event = api::WatchEvent<api::Pod>;
using Fake = dcm::testing::FakeListerWatcher<api::Pod>;
using Then = Fake::Then;

Event added(const PodSpec& pod) {
  return ChangeEvent<api::Pod>{ChangeType::added, seen(pod)};
}
Event modified(const PodSpec& pod) {
  return ChangeEvent<api::Pod>{ChangeType::modified, seen(pod)};
}
Event deleted(const PodSpec& pod) {
  return ChangeEvent<api::Pod>{ChangeType::deleted, seen(pod)};
}
Event bookmark(int version) {
  return api::BookmarkEvent{version_of(version), false};
}
Event end_of_initial_events(int version) {
  return api::BookmarkEvent{version_of(version), true};
}
Event error_event(Reason reason) {
  return api::ErrorEvent{Error{reason, "said so"}};
}
Error error(Reason reason) {
  return Error{reason, "said so"};
}
api::ListMeta list_meta(int version, std::string token = {}) {
  return {version_of(version), std::move(token)};
}

// An informer running in its own group.
struct Bench {
  using Pods = std::vector<Event>;

  explicit Bench(runtime::VirtualLoop& l, WatchPolicy p = {})
      : loop(l), fake(l.time()), policy(p), group(l.executor()) {
    informer.add_observer(diary);
  }
  ~Bench() { stop(); }

  void start() { group.spawn("informer", informer.run()); }
  void run_for(Duration duration) { loop.run_for(duration); }
  void stop() {
    group.cancel();
    loop.run_ready();
  }
  std::string metrics() { return registry.expose(); }

  runtime::VirtualLoop& loop;
  Fake fake;
  WatchPolicy policy;
  runtime::Rng rng{1};
  runtime::MetricsRegistry registry;
  std::vector<std::string> log;
  std::shared_ptr<runtime::LogBackend> backend = std::make_shared<runtime::LogBackend>(
      loop.time(), runtime::LogFormat::text,
      [this](runtime::Severity, std::string_view line) { log.emplace_back(line); });
  Informer<api::Pod> informer{
      "pods", fake, InformerContext{loop.time(), rng, runtime::Logger(backend), registry}, policy};
  Diary diary;
  runtime::TaskGroup group;
};

class ReflectorTest : public ::testing::Test {
 protected:
  runtime::VirtualLoop loop_;
  Bench bench_{loop_};
  Fake& fake_ = bench_.fake;
  Informer<api::Pod>& informer_ = bench_.informer;

  // The requests without the times, for tests in which jitter makes those uneven.
  std::vector<std::string> requests() const {
    std::vector<std::string> requests;
    for (const auto& line : fake_.requests()) requests.push_back(line.substr(line.find(' ') + 1));
    return requests;
  }
  double time_of_request(std::size_t i) const { return std::stod(fake_.requests().at(i)); }
};

TEST_F(ReflectorTest, reads_initial_state_and_changes_by_watch_list) {
  fake_.stream({added({.name = "a", .version = 3}), added({.name = "b", .version = 2}),
                end_of_initial_events(5), added({.name = "c", .version = 6}),
                deleted({.name = "a", .version = 7})},
               Then::hang);
  bench_.start();
  bench_.run_for(1s);
  EXPECT_THAT(fake_.requests(), ElementsAre("0 watch list"));
  EXPECT_THAT(bench_.diary.take(), ElementsAre("added a@3 (initial)", "added b@2 (initial)",
                                               "added c@6", "deleted a@3"));
  EXPECT_TRUE(informer_.sync().is_synced());
}

TEST_F(ReflectorTest, is_synced_only_after_observers_saw_everything) {
  fake_.stream({added({.name = "a", .version = 3}), bookmark(4)}, Then::hang);
  bench_.start();
  bench_.run_for(1s);
  EXPECT_FALSE(informer_.sync().is_synced());
  EXPECT_THAT(bench_.diary.take(), ElementsAre("added a@3 (initial)"));
}

TEST_F(ReflectorTest, reads_pages_after_refusal_of_watch_list) {
  fake_.refuse(error(Reason::invalid));
  fake_.page({seen({.name = "a", .version = 1})}, list_meta(5, "next"));
  fake_.page({seen({.name = "b", .version = 2})}, list_meta(5));
  fake_.refuse(error(Reason::gone));
  fake_.page({}, list_meta(9));
  bench_.start();
  bench_.run_for(1s);
  EXPECT_THAT(requests(), ElementsAre("watch list", "list", "list continue next", "watch from 5",
                                      "list", "watch from 9"));
  EXPECT_THAT(bench_.diary.take(), ElementsAre("added a@1 (initial)", "added b@2 (initial)",
                                               "deleted a@1 (initial)", "deleted b@2 (initial)"));
  EXPECT_THAT(bench_.metrics(),
              HasSubstr("informer_watch_list_fallbacks_total{resource=\"pods\"} 1"));
}

TEST_F(ReflectorTest, detects_server_that_ignores_watch_list) {
  fake_.stream({added({.name = "a", .version = 1}), modified({.name = "a", .version = 6})},
               Then::hang);
  fake_.page({seen({.name = "a", .version = 6})}, list_meta(8));
  bench_.start();
  bench_.run_for(31s);
  EXPECT_THAT(fake_.requests(), ElementsAre("0 watch list", "30 list", "30 watch from 8"));
  EXPECT_TRUE(informer_.sync().is_synced());
  EXPECT_EQ(fake_.open_streams(), 0);
}

TEST_F(ReflectorTest, falls_back_if_watch_list_is_not_answered) {
  fake_.time_out();
  fake_.page({}, list_meta(8));
  bench_.start();
  bench_.run_for(31s);
  EXPECT_THAT(fake_.requests(), ElementsAre("0 watch list", "30 list", "30 watch from 8"));
}

TEST_F(ReflectorTest, restarts_expired_list_without_duplicate_reports) {
  fake_.refuse(error(Reason::invalid));
  fake_.page({seen({.name = "a", .version = 1})}, list_meta(5, "next"));
  fake_.refuse(error(Reason::gone));
  fake_.page({seen({.name = "a", .version = 1}), seen({.name = "b", .version = 2})}, list_meta(9));
  bench_.start();
  bench_.run_for(1s);
  EXPECT_THAT(requests(),
              ElementsAre("watch list", "list", "list continue next", "list", "watch from 9"));
  EXPECT_THAT(bench_.diary.take(), ElementsAre("added a@1 (initial)", "added b@2 (initial)"));
  EXPECT_THAT(bench_.metrics(),
              HasSubstr("informer_relists_total{reason=\"page_expired\",resource=\"pods\"} 1"));
}

TEST_F(ReflectorTest, resumes_after_clean_end) {
  fake_.stream({end_of_initial_events(5), added({.name = "a", .version = 6})}, Then::end);
  fake_.stream({bookmark(9)}, Then::end);
  bench_.start();
  bench_.run_for(2s);
  EXPECT_THAT(fake_.requests(), ElementsAre("0 watch list", "1 watch from 6", "2 watch from 9"));
  EXPECT_FALSE(informer_.sync().last_error());
}

// Without the pause, there were 2,000 requests in 8 s.
TEST_F(ReflectorTest, reopens_short_watches_once_a_second) {
  fake_.stream({end_of_initial_events(5)}, Then::end);
  for (int i = 6; i < 100; ++i) fake_.stream({bookmark(i)}, Then::end);
  bench_.start();
  bench_.run_for(8s);
  EXPECT_THAT(fake_.requests().size(), ::testing::AllOf(::testing::Ge(8U), ::testing::Le(10U)));
}

TEST_F(ReflectorTest, relists_after_410_and_finds_deletions) {
  fake_.stream({added({.name = "a", .version = 1}), added({.name = "b", .version = 2}),
                end_of_initial_events(5)},
               Then::end);
  fake_.refuse(error(Reason::gone));
  fake_.stream({added({.name = "b", .version = 2}), end_of_initial_events(9)}, Then::hang);
  bench_.start();
  bench_.run_for(1s);
  EXPECT_THAT(requests(), ElementsAre("watch list", "watch from 5", "watch list"));
  EXPECT_THAT(bench_.diary.take(),
              ElementsAre("added a@1 (initial)", "added b@2 (initial)", "deleted a@1 (initial)"));
}

TEST_F(ReflectorTest, relists_after_410_event) {
  fake_.stream({end_of_initial_events(5), error_event(Reason::gone)}, Then::hang);
  fake_.stream({end_of_initial_events(9)}, Then::hang);
  bench_.start();
  bench_.run_for(1s);
  EXPECT_THAT(requests(), ElementsAre("watch list", "watch list"));
  EXPECT_EQ(fake_.open_streams(), 1);
  EXPECT_THAT(bench_.metrics(),
              HasSubstr("informer_relists_total{reason=\"expired\",resource=\"pods\"} 1"));
}

TEST_F(ReflectorTest, reports_deletion_among_initial_events) {
  fake_.stream({added({.name = "a", .version = 1}), deleted({.name = "a", .version = 4}),
                end_of_initial_events(5)},
               Then::hang);
  bench_.start();
  bench_.run_for(1s);
  EXPECT_THAT(bench_.diary.take(), ElementsAre("added a@1 (initial)", "deleted a@1 (initial)"));
}

TEST_F(ReflectorTest, abandons_and_resumes_stalled_watch) {
  fake_.stream({end_of_initial_events(5)}, Then::hang);
  bench_.start();
  bench_.run_for(129s);
  EXPECT_EQ(fake_.requests().size(), 1U);
  EXPECT_EQ(*informer_.sync().last_event_age(), 129s);
  bench_.run_for(3s);
  EXPECT_THAT(requests(), ElementsAre("watch list", "watch from 5"));
  EXPECT_EQ(informer_.sync().last_error()->reason, Reason::deadline_exceeded);
}

TEST_F(ReflectorTest, backs_off_with_jitter_after_failures) {
  for (int i = 0; i < 5; ++i) fake_.refuse(error(Reason::too_many_requests));
  bench_.start();
  bench_.run_for(2min);
  double base = 0.8;
  for (std::size_t i = 0; i < 5; ++i, base *= 2) {
    const double waited = time_of_request(i + 1) - time_of_request(i);
    EXPECT_GE(waited, base * 0.999);
    EXPECT_LT(waited, base * 2.001);
  }
}

TEST_F(ReflectorTest, reports_duration_of_failure_and_recovery_once) {
  int returns = 0;
  informer_.sync().on_return([&] { ++returns; });
  for (int i = 0; i < 6; ++i) fake_.refuse(error(Reason::unreachable));
  fake_.refuse(error(Reason::forbidden));
  fake_.stream({end_of_initial_events(5)}, Then::hang);
  bench_.start();
  bench_.run_for(5s);
  EXPECT_EQ(informer_.sync().failing(), 5s);
  EXPECT_EQ(returns, 0);
  bench_.run_for(1min);
  EXPECT_EQ(informer_.sync().failing(), std::nullopt);
  EXPECT_TRUE(informer_.sync().is_synced());
  EXPECT_EQ(returns, 1);
}

TEST_F(ReflectorTest, reports_recovery_once_when_watches_are_accepted_and_fail_at_once) {
  int returns = 0;
  informer_.sync().on_return([&] { ++returns; });
  fake_.stream({end_of_initial_events(5), error_event(Reason::too_many_requests)}, Then::hang);
  for (int i = 0; i < 12; ++i) {
    fake_.stream({error_event(Reason::too_many_requests)}, Then::hang);
  }
  fake_.stream({added({.name = "a", .version = 6}), error_event(Reason::too_many_requests)},
               Then::hang);
  bench_.start();
  bench_.run_for(3min);
  EXPECT_EQ(returns, 1);
  bench_.run_for(10min);
  EXPECT_EQ(returns, 2) << "the event shows that the server works";
}

TEST_F(ReflectorTest, logs_lasting_fault_and_its_end_once) {
  for (int i = 0; i < 3; ++i) fake_.refuse(error(Reason::forbidden));
  fake_.stream({end_of_initial_events(5)}, Then::hang);
  bench_.start();
  bench_.run_for(5s);
  EXPECT_THAT(fake_.requests(), ElementsAre("0 watch list", "0.8 watch list", "2.4 watch list"));
  EXPECT_EQ(informer_.sync().last_error()->message, "said so");
  EXPECT_THAT(bench_.log, ElementsAre(HasSubstr("List or watch failed")));
  bench_.run_for(1s);
  EXPECT_FALSE(informer_.sync().last_error());
  EXPECT_THAT(bench_.log, ElementsAre(HasSubstr("failed"), HasSubstr("work again"),
                                      HasSubstr("\"Synced\" resource=\"pods\" objects=0")));
}

TEST_F(ReflectorTest, waits_for_server_that_lags_and_then_lists) {
  fake_.stream({end_of_initial_events(5)}, Then::end);
  fake_.refuse(error(Reason::resource_version_too_large));
  fake_.stream({end_of_initial_events(4)}, Then::hang);
  bench_.start();
  bench_.run_for(3s);
  EXPECT_THAT(requests(), ElementsAre("watch list", "watch from 5", "watch list"));
  EXPECT_GE(time_of_request(2), 0.8);
}

TEST_F(ReflectorTest, reports_pod_outside_projection_as_left) {
  fake_.stream({added({.name = "a", .version = 1}), end_of_initial_events(5),
                ChangeEvent<api::Pod>{ChangeType::modified,
                                      seen_without_interest({.name = "a", .version = 6})}},
               Then::hang);
  bench_.start();
  bench_.run_for(1s);
  EXPECT_THAT(bench_.diary.take(), ElementsAre("added a@1 (initial)", "left a@1"));
}

TEST_F(ReflectorTest, shows_own_write_until_bookmark_passes_it) {
  fake_.stream({end_of_initial_events(5)}, Then::end);
  bench_.start();
  bench_.run_for(1s);
  informer_.own_writes().record(a_pod({.name = "a", .version = 7}));
  EXPECT_NE(informer_.reader().get(name_of("a")), nullptr);
  EXPECT_THAT(bench_.metrics(), HasSubstr("informer_own_writes_unseen{resource=\"pods\"} 1"));
  EXPECT_THAT(bench_.diary.take(), ElementsAre("added a@7"));
  fake_.stream({bookmark(7)}, Then::hang);
  bench_.run_for(70s);
  EXPECT_EQ(informer_.reader().get(name_of("a")), nullptr);
  EXPECT_THAT(bench_.diary.take(), ElementsAre("deleted a@7"));
}

TEST_F(ReflectorTest, yields_during_large_lists_and_sweeps) {
  std::vector<Event> events;
  for (int i = 1; i <= 3000; ++i) events.push_back(added({std::to_string(i), i}));
  events.push_back(end_of_initial_events(3000));
  fake_.stream(events, Then::end, Fake::Pace::buffered);
  fake_.refuse(error(Reason::gone));
  fake_.stream({end_of_initial_events(4000)}, Then::hang);
  bench_.start();
  std::set<std::size_t> sizes_that_others_saw;
  bench_.group.spawn("other", [](auto& informer, auto& sizes, auto& time) -> Task<> {
    for (int i = 0; i < 200; ++i) {
      sizes.insert(informer.reader().size());
      if (i == 99) co_await runtime::sleep_for(time, 1s);  // until the watch is reopened
      co_await runtime::yield();
    }
  }(informer_, sizes_that_others_saw, bench_.loop.time()));
  bench_.run_for(2s);
  EXPECT_GE(sizes_that_others_saw.size(), 20U);  // 3000 / 256 on the way up, and down again
  EXPECT_EQ(informer_.reader().size(), 0U);
  EXPECT_EQ(bench_.diary.take().size(), 6000U);
}

// More objects, or more bytes, than a cache may have.
class FullCache : public ::testing::TestWithParam<CacheLimits> {
 protected:
  runtime::VirtualLoop loop_;
  Bench bench_{loop_, {.cache = GetParam()}};
  Bench::Pods pods_{added({.name = "a", .version = 1}), added({.name = "b", .version = 2}),
                    added({.name = "c", .version = 3})};
};

TEST_P(FullCache, is_unsynced_until_list_fits) {
  for (int i = 0; i < 2; ++i) bench_.fake.stream(pods_, Then::hang);
  bench_.fake.stream({added({.name = "a", .version = 1}), end_of_initial_events(5)}, Then::hang);
  bench_.start();
  bench_.run_for(500ms);
  EXPECT_EQ(bench_.informer.reader().size(), 2U);
  EXPECT_FALSE(bench_.informer.sync().is_synced());
  EXPECT_THAT(bench_.log, Contains(HasSubstr("the cache is full: it has 2 objects")));
  bench_.run_for(1min);
  EXPECT_TRUE(bench_.informer.sync().is_synced());
  EXPECT_EQ(bench_.informer.reader().size(), 1U);
}

TEST_P(FullCache, bounds_pages_and_watches) {
  bench_.fake.refuse(error(Reason::invalid));
  bench_.fake.page({seen({.name = "a", .version = 1}), seen({.name = "b", .version = 2}),
                    seen({.name = "c", .version = 3})},
                   list_meta(3));
  bench_.fake.page({seen({.name = "a", .version = 1}), seen({.name = "b", .version = 2})},
                   list_meta(3));
  bench_.fake.stream({modified({.name = "a", .version = 4}), added({.name = "c", .version = 5})},
                     Then::hang);
  bench_.start();
  bench_.run_for(500ms);
  EXPECT_EQ(bench_.informer.reader().size(), 2U);
  EXPECT_FALSE(bench_.informer.sync().is_synced());
  bench_.run_for(3s);
  EXPECT_TRUE(bench_.informer.sync().is_synced());
  EXPECT_EQ(bench_.informer.reader().size(), 2U);
  EXPECT_THAT(bench_.diary.take(), Contains("updated a@1 to 4"));
}

INSTANTIATE_TEST_SUITE_P(
    Limits, FullCache,
    ::testing::Values(CacheLimits{.objects = 2},
                      CacheLimits{.bytes = 3 * bytes_of(*seen({.name = "a"}).object)}));

TEST_F(ReflectorTest, has_metrics_from_the_start) {
  EXPECT_THAT(bench_.metrics(),
              HasSubstr("informer_relists_total{reason=\"ahead_of_server\",resource=\"pods\"} 0"));
  fake_.stream({added({.name = "a", .version = 1}), end_of_initial_events(5)}, Then::hang);
  bench_.start();
  bench_.run_for(7s);
  const std::string text = bench_.metrics();
  EXPECT_THAT(text, HasSubstr("informer_objects{resource=\"pods\"} 1"));
  EXPECT_THAT(text, HasSubstr("informer_last_event_age_seconds{resource=\"pods\"} 7"));
  EXPECT_THAT(text, HasSubstr("informer_relists_total{reason=\"start\",resource=\"pods\"} 1"));
}

// A later cache of the resource goes on with the same series.
TEST(InformerMetrics, are_zero_without_cache) {
  runtime::MetricsRegistry registry;
  const auto expect_zero = [&registry] {
    for (const char* const name : {"objects", "bytes", "own_writes_unseen",
                                   "last_event_age_seconds", "initial_sync_seconds"}) {
      EXPECT_THAT(registry.expose(),
                  HasSubstr(std::string("informer_") + name + "{resource=\"pods\"} 0"));
    }
  };
  {
    InformerMetrics metrics(registry, "pods");
    expect_zero();
    metrics.set_contents(3, 4, 5);
    metrics.set_last_event_age(6s);
    metrics.set_initial_sync(7s);
  }
  expect_zero();
}

CO_TEST(WaitForSync, waits_for_all_caches) {
  SyncState pods("pods", loop.time());
  SyncState claims("claims", loop.time());
  loop.time().schedule(loop.time().now() + 1s, [&] { pods.note_synced(); });
  loop.time().schedule(loop.time().now() + 2s, [&] { claims.note_synced(); });
  co_await wait_for_sync({&claims, &pods});
  EXPECT_EQ(loop.time().now().time_since_epoch(), 2s);
}

}  // namespace
}  // namespace dcm::informers
