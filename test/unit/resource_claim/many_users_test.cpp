// Claims and templates with thousands of users, and a pod with thousands of claims that others
// made: a change is cheap, however often somebody makes one.
#include <gtest/gtest.h>

#include "test/unit/resource_claim/world.hpp"

namespace dcm::resource_claim {
namespace {

using namespace std::chrono_literals;
using test::Fault;
using test::make_claim;
using test::make_pod;
using test::make_template;
using test::refused;

constexpr int kMany = 400;

class ManyUsers : public testing::Test {
 protected:
  // The rounds so far, of items of all kinds.
  double rounds() {
    return world_.metric("workqueue_work_duration_seconds_count{name=\"resource_claim\"}");
  }
  void refuse(const std::string& call) {
    world_.api.fault = [call](std::size_t, const std::string& text) {
      if (!text.starts_with(call)) return Fault{};
      return refused(runtime::Reason::forbidden);
    };
  }

  World world_;
};

TEST_F(ManyUsers, get_claims_when_their_template_appears) {
  world_.start();
  for (int i = 0; i < kMany; ++i) {
    world_.api.put(make_pod("p" + std::to_string(i)).from_template("gpus", "gpu"));
  }
  world_.run_for(1h);
  world_.api.put(make_template("gpu"));
  world_.run_for(2s);
  EXPECT_EQ(world_.api.claims().size(), kMany);
}

TEST_F(ManyUsers, get_reservations_when_their_claim_appears) {
  world_.start();
  for (int i = 0; i < 200; ++i) {
    world_.api.put(make_pod("p" + std::to_string(i)).on_node("n").uses("gpus", "shared"));
  }
  world_.run_for(1h);
  world_.api.put(make_claim("shared").allocated());
  world_.run_for(2s);
  EXPECT_EQ(world_.api.claim("shared")->reserved_for.size(), 200);
}

TEST_F(ManyUsers, are_woken_together_however_often_their_claim_comes_and_goes) {
  world_.start();
  for (int i = 0; i < kMany; ++i) {
    world_.api.put(make_pod("p" + std::to_string(i)).uses("gpus", "shared"));
  }
  world_.settle();
  const double before = rounds();
  for (int i = 0; i < 100; ++i) {
    world_.api.put(make_claim("shared"));
    world_.run_for(1ms);
    world_.api.remove_claim("shared");
    world_.run_for(1ms);
  }
  world_.settle();
  EXPECT_GE(rounds() - before, 1);
  EXPECT_LE(rounds() - before, 200 / 10 + 1) << "one in 10 ms: 25 µs for each pod";
}

TEST_F(ManyUsers, are_not_woken_by_changes_of_a_claim_that_mean_nothing_to_them) {
  world_.start();
  world_.api.put(make_claim("shared").allocated());
  refuse("reserve");
  world_.api.put(make_pod("trainer").on_node("n").uses("gpus", "shared"));
  world_.run_for(1h);
  static_cast<void>(world_.calls());
  for (int i = 0; i < 10; ++i) {
    world_.api.change_claim("shared", [](api::ResourceClaim& claim) {
      claim.has_admin_access = !claim.has_admin_access;
    });
    world_.run_for(1s);
  }
  EXPECT_EQ(world_.calls().size(), 0);
  world_.api.put(make_claim("shared").allocated().reserved_for("another"));
  world_.run_for(1s);
  EXPECT_GE(world_.calls().size(), 1);
}

TEST_F(ManyUsers, are_not_woken_by_labels_of_a_template) {
  world_.start();
  world_.api.put(make_template("gpu"));
  refuse("create");
  world_.api.put(make_pod("trainer").from_template("gpus", "gpu"));
  world_.run_for(1h);
  static_cast<void>(world_.calls());
  world_.api.put(make_template("gpu"));
  world_.run_for(1s);
  EXPECT_EQ(world_.calls().size(), 0);
  world_.api.put(make_template("gpu").with_uid("another"));
  world_.run_for(1s);
  EXPECT_GE(world_.calls().size(), 1);
}

TEST_F(ManyUsers, try_again_at_limited_rate_however_often_their_template_is_replaced) {
  world_.start();
  world_.api.put(make_template("gpu"));
  refuse("create");
  for (int i = 0; i < kMany; ++i) {
    world_.api.put(make_pod("p" + std::to_string(i)).from_template("gpus", "gpu"));
  }
  world_.run_for(1h);
  static_cast<void>(world_.calls());
  for (int i = 0; i < 30; ++i) {
    world_.api.put(make_template("gpu").with_uid("t" + std::to_string(i)));
    world_.run_for(1s);
  }
  const std::size_t calls = world_.calls().size();
  EXPECT_GE(calls, 5'000) << "at first, they do so each time";
  EXPECT_LE(calls, 5'000 + 30 * 10 + 30 * 10 + 100) << "early attempts and retries";
}

TEST_F(ManyUsers, make_many_claims_for_one_pod_and_it_is_judged_seldom) {
  world_.api.put(make_template("gpu"));
  world_.api.put(make_pod("trainer").from_template("gpus", "gpu"));
  for (int i = 0; i < kMany; ++i) {
    world_.api.put(make_claim("c" + std::to_string(i)).generated_for("trainer", "gpus"));
  }
  world_.start();
  world_.settle();
  const double before = rounds();
  for (int i = 0; i < 100; ++i) {
    world_.api.change_pod("trainer", [](api::Pod& pod) {
      const bool is_running = pod.phase == api::PodPhase::running;
      pod.phase = is_running ? api::PodPhase::pending : api::PodPhase::running;
    });
    world_.run_for(1ms);
  }
  world_.settle();
  EXPECT_GE(rounds() - before, 1) << "by a worker";
  EXPECT_LE(rounds() - before, 100 / 10 + 1) << "once in 10 ms: 25 µs for each claim";
}

class OneAtATimeTest : public testing::Test {
 protected:
  auto begin(const Item& item, Priority priority = Priority::live) {
    return requests_.begin({"lab", "shared"}, {item, priority});
  }

  std::vector<WaitingItem> woken_;
  OneAtATime requests_{[this](const WaitingItem& item, Outcome) { woken_.push_back(item); }};
};

TEST_F(OneAtATimeTest, wakes_item_once_however_often_it_asks) {
  const Item waiter{Item::Kind::pod, {"lab", "waiter"}};
  {
    const auto turn = begin({});
    ASSERT_TRUE(turn);
    for (const Priority priority : {Priority::backlog, Priority::live, Priority::backlog}) {
      EXPECT_FALSE(begin(waiter, priority));
    }
  }
  ASSERT_EQ(woken_.size(), 1);
  EXPECT_EQ(woken_[0].item, waiter);
  EXPECT_EQ(woken_[0].priority, Priority::live);
}

TEST_F(OneAtATimeTest, wakes_thousands_in_slices) {
  runtime::VirtualLoop loop;
  auto turn = begin({});
  for (int i = 0; i < 2'000; ++i) {
    EXPECT_FALSE(begin({Item::Kind::pod, {"lab", "waiter-" + std::to_string(i)}}));
  }
  std::size_t at_first_yield = 0;
  const auto look = [&]() -> runtime::Task<> {
    co_await runtime::yield();
    at_first_yield = woken_.size();
  };
  runtime::TaskGroup group(loop.executor());
  group.spawn("look", look());
  group.spawn("end", requests_.end(*std::move(turn)));
  loop.run(group.join());
  EXPECT_GT(at_first_yield, 0);
  EXPECT_LT(at_first_yield, 1'000);
  EXPECT_EQ(woken_.size(), 2'000);
  EXPECT_TRUE(begin({})) << "it has ended";
}

}  // namespace
}  // namespace dcm::resource_claim
