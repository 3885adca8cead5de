// Cancelling an informer at any await: it ends, closes its watch, and leaves nothing behind.
#include <gtest/gtest.h>

#include "informers/informer.hpp"
#include "runtime/loop.hpp"
#include "runtime/task_group.hpp"
#include "test/support/fake_lister_watcher.hpp"
#include "test/unit/informers/pods.hpp"

namespace dcm::informers {
namespace {

using namespace std::chrono_literals;
using namespace testing;
using runtime::Error;
using runtime::Reason;
using Fake = dcm::testing::FakeListerWatcher<api::Pod>;

api::WatchEvent<api::Pod> added(int i) {
  return api::ChangeEvent<api::Pod>{api::ChangeType::added,
                                    seen({.name = std::to_string(i), .version = i})};
}

// A bit of everything: a failure, a watch list, a broken watch, a relist with a sweep in slices,
// the fallback, pages, and a stalled watch.
void write_script(Fake& fake) {
  std::vector<api::WatchEvent<api::Pod>> events;
  for (int i = 1; i <= 300; ++i) events.push_back(added(i));
  events.push_back(api::BookmarkEvent{version_of(300), true});
  fake.refuse({Reason::unreachable, "not yet"});
  fake.stream(std::move(events), Fake::Then::reset);
  fake.refuse({Reason::gone, "too old"});
  fake.refuse({Reason::invalid, "watch lists are no longer supported"});
  fake.page({seen({.name = "1", .version = 1})}, {version_of(700), "next"});
  fake.page({seen({.name = "2", .version = 2})}, {version_of(700), ""});
  fake.stream({added(701)}, Fake::Then::hang);
}

struct World {
  World() { write_script(fake); }

  void cancel_and_check() {
    group.cancel();
    loop.run_ready();
    ASSERT_EQ(group.running(), 0U);
    EXPECT_EQ(group.failures(), 0U);
    EXPECT_EQ(fake.open_streams(), 0);
    EXPECT_EQ(loop.time().pending(), 0U);
    informer.store().check();
  }

  runtime::VirtualLoop loop;
  Fake fake{loop.time()};
  runtime::Rng rng{1};
  runtime::MetricsRegistry metrics;
  Informer<api::Pod> informer{"pods", fake, InformerContext{loop.time(), rng, {}, metrics}};
  runtime::TaskGroup group{loop.executor()};
};

// Yields alternate with the informer's own steps, so each count cancels at another one.
runtime::Task<> cancel_after(int yields, runtime::TaskGroup& group) {
  for (int i = 0; i < yields; ++i) co_await runtime::yield();
  group.cancel();
}

TEST(ReflectorCancellation, ends_cleanly_at_every_step_of_every_stage) {
  // The stages are distinguished by time: at the start, in the first wait, after it, and so on.
  for (const int milliseconds : {0, 400, 1'700, 4'000, 10'000, 120'000, 600'000}) {
    const runtime::Duration stage = std::chrono::milliseconds(milliseconds);
    for (int yields = 0; yields < 40; ++yields) {
      SCOPED_TRACE(std::to_string(yields) + " yields after " + std::to_string(milliseconds) +
                   " ms");
      World world;
      runtime::TaskGroup canceller(world.loop.executor());
      world.group.spawn("informer", world.informer.run());
      world.loop.time().schedule(world.loop.time().now() + stage, [&] {
        canceller.spawn("canceller", cancel_after(yields, world.group));
      });
      world.loop.run_for(stage);
      world.loop.run_ready();
      world.cancel_and_check();
    }
  }
}

TEST(ReflectorCancellation, ends_cleanly_at_every_step_of_reading) {
  for (int yields = 0; yields < 800; yields += 7) {
    SCOPED_TRACE(std::to_string(yields) + " yields");
    World world;
    runtime::TaskGroup canceller(world.loop.executor());
    world.group.spawn("informer", world.informer.run());
    world.loop.run_ready();
    // From the end of the first wait on everything is read in one instant.
    ASSERT_TRUE(world.loop.time().advance_to_next(runtime::MonoTime::max()));
    canceller.spawn("canceller", cancel_after(yields, world.group));
    world.loop.run_ready();
    world.cancel_and_check();
  }
}

TEST(ReflectorCancellation, completes_script_without_cancellation) {
  World world;
  world.group.spawn("informer", world.informer.run());
  world.loop.run_for(1min);
  EXPECT_TRUE(world.fake.is_done());
  EXPECT_EQ(world.informer.reader().size(), 3U);
  world.cancel_and_check();
}

}  // namespace
}  // namespace dcm::informers
