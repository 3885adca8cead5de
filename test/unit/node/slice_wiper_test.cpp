// Which ResourceSlices a node deletes, and when. Numbers in brackets are the cases of the node's
// specification.
#include "node/agent/slice_wiper.hpp"

#include "runtime/task_group.hpp"
#include "test/support/co_test.hpp"

namespace dcm::node {
namespace {

using namespace std::chrono_literals;
using runtime::Task;
using Selectors = std::vector<std::string>;

class Api final : public NodeApi {
 public:
  explicit Api(bool away) : is_away(away) {}
  Task<runtime::Result<ClaimView>> get(api::NamespacedName) override { co_return ClaimView{}; }
  Task<runtime::Result<>> delete_slices(std::string selector) override {
    deleted.push_back(std::move(selector));
    if (!is_away) co_return runtime::Result<>();
    co_return runtime::fail(runtime::Reason::unreachable, "away");
  }

  Selectors deleted;
  bool is_away;
};

struct Site {
  Site(runtime::VirtualLoop& loop, FirstWipe first, bool is_away = false)
      : api(is_away),
        wiper(
            loop, api, "n0", first, [this] { return connected; }, metrics, runtime::Logger()),
        group(loop.executor()) {
    group.spawn("wiper", wiper.run());
  }
  Task<> stop() {
    group.cancel();
    co_await group.join();
  }

  Api api;
  std::vector<std::string> connected;
  runtime::MetricsRegistry metrics;
  SliceWiper wiper;
  runtime::TaskGroup group;
};

CO_TEST(SliceWiper, deletes_all_slices_of_node_at_start) {  // [2]
  Site site(loop, FirstWipe::at_start);
  co_await runtime::sleep_for(loop.time(), 1ms);
  EXPECT_EQ(site.api.deleted, Selectors{"spec.nodeName=n0"});
  co_await runtime::sleep_for(loop.time(), 1h);
  EXPECT_EQ(site.api.deleted.size(), 1U);
  co_await site.stop();
}

CO_TEST(SliceWiper, keeps_slices_of_registered_drivers) {  // [3]
  Site site(loop, FirstWipe::late);
  site.connected = {"gpu.example.com", "nic.example.com"};
  co_await runtime::sleep_for(loop.time(), 29s);
  EXPECT_TRUE(site.api.deleted.empty());
  co_await runtime::sleep_for(loop.time(), 2s);
  EXPECT_EQ(
      site.api.deleted,
      Selectors{"spec.driver!=gpu.example.com,spec.driver!=nic.example.com,spec.nodeName=n0"});
  co_await site.stop();
}

CO_TEST(SliceWiper, waits_thirty_seconds_for_lost_driver) {  // [23] [24]
  Site site(loop, FirstWipe::at_start);
  co_await runtime::sleep_for(loop.time(), 1s);
  site.api.deleted.clear();
  site.wiper.observe("gpu.example.com", true);
  site.wiper.observe("gpu.example.com", false);
  co_await runtime::sleep_for(loop.time(), 20s);
  site.wiper.observe("gpu.example.com", true);
  co_await runtime::sleep_for(loop.time(), 1h);
  EXPECT_TRUE(site.api.deleted.empty());
  site.wiper.observe("gpu.example.com", false);
  co_await runtime::sleep_for(loop.time(), 31s);
  EXPECT_EQ(site.api.deleted, Selectors{"spec.driver=gpu.example.com,spec.nodeName=n0"});
  co_await site.stop();
}

CO_TEST(SliceWiper, retries_until_server_is_back) {  // [27]
  Site site(loop, FirstWipe::at_start, true);
  co_await runtime::sleep_for(loop.time(), 1h);
  EXPECT_GT(site.api.deleted.size(), 10U);
  EXPECT_LT(site.api.deleted.size(), 40U);
  site.api.is_away = false;
  co_await runtime::sleep_for(loop.time(), 6min);
  const std::size_t asked = site.api.deleted.size();
  co_await runtime::sleep_for(loop.time(), 1h);
  EXPECT_EQ(site.api.deleted.size(), asked);
  co_await site.stop();
}

}  // namespace
}  // namespace dcm::node
