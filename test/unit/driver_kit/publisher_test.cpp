// Slices of a driver on the in-memory API server, over HTTP and on virtual time.
#include "node/driver_kit/slices/publisher.hpp"

#include "test/unit/driver_kit/api_site.hpp"

namespace dcm::driver_kit {
namespace {

using namespace std::chrono_literals;
using apiserver::Answer;
using runtime::sleep_for;

std::vector<DevicePool> pool_of(std::size_t devices) {
  DevicePool pool{.name = "n0", .devices = {}};
  for (std::size_t i = 0; i < devices; ++i) {
    pool.devices.push_back({{"name", "dev-" + std::to_string(i)}});
  }
  return {pool};
}

CO_TEST(SlicePublisher, publishes_at_once_and_follows_driver) {
  Site site(loop);
  co_await sleep_for(loop.time(), 1min);
  EXPECT_TRUE(site.names().empty()) << "the driver has not said anything yet";
  EXPECT_TRUE(site.publisher.publish(pool_of(200)));
  co_await sleep_for(loop.time(), 1s);
  const auto names = site.names();
  CO_ASSERT_EQ(names.size(), 2U);
  EXPECT_TRUE(names[0].starts_with("00000-gpu.example.com-n0-")) << names[0];
  EXPECT_TRUE(site.publisher.publish(pool_of(1)));
  co_await sleep_for(loop.time(), 1s);
  EXPECT_EQ(site.names(), std::vector{names[0]});
  co_await site.stop();
}

CO_TEST(SlicePublisher, restores_deleted_slices_after_thirty_seconds) {  // [84]
  Site site(loop);
  EXPECT_TRUE(site.publisher.publish(pool_of(200)));
  co_await sleep_for(loop.time(), 2min);
  CO_ASSERT_EQ(site.names().size(), 2U);
  const Answer wiped = site.api.remove(kPath + "?fieldSelector=spec.nodeName%3Dn0");
  CO_ASSERT_EQ(wiped.status, 200);
  co_await sleep_for(loop.time(), 29s);
  EXPECT_TRUE(site.names().empty());
  co_await sleep_for(loop.time(), 2s);
  EXPECT_EQ(site.names().size(), 2U);
  co_await site.stop();
}

// The garbage collector deletes slices whose owner is gone.
CO_TEST(SlicePublisher, follows_node_that_is_created_again) {
  Site site(loop);
  EXPECT_TRUE(site.publisher.publish(pool_of(1)));
  co_await sleep_for(loop.time(), 2min);
  CO_ASSERT_EQ(site.names().size(), 1U);
  const std::string node = "/api/v1/nodes/n0";
  const std::string before(site.api.get(node).text({"metadata", "uid"}));
  site.api.remove(node);
  site.api.remove(kPath + "?fieldSelector=spec.nodeName%3Dn0");
  site.api.post("/api/v1/nodes", R"({"metadata":{"name":"n0"}})");
  co_await sleep_for(loop.time(), 31s);
  CO_ASSERT_EQ(site.names().size(), 1U);
  const std::string now(site.api.get(node).text({"metadata", "uid"}));
  EXPECT_NE(now, before);
  const Answer slice = site.api.get(kPath + "/" + site.names().at(0));
  const auto& owners = apiserver::array_at(slice.body, {"metadata", "ownerReferences"});
  EXPECT_EQ(apiserver::text_at(owners.at(0).as_object(), {"uid"}), now);
  co_await site.stop();
}

CO_TEST(SlicePublisher, survives_list_with_nameless_slice) {
  Site site(loop, [](http::Request, http::Responder& responder) -> Task<> {
    co_await responder.send({.status = 200, .headers = {}, .body = R"({"items":[{"spec":{}}]})"});
  });
  EXPECT_TRUE(site.publisher.publish(pool_of(1)));
  co_await sleep_for(loop.time(), 1min);
  const auto listed = co_await site.slices.list();
  CO_ASSERT_TRUE(!listed);
  EXPECT_EQ(listed.error().reason, runtime::Reason::malformed);
  co_await site.stop();
}

CO_TEST(SlicePublisher, restores_slice_changed_by_another_client) {
  Site site(loop);
  EXPECT_TRUE(site.publisher.publish(pool_of(1)));
  co_await sleep_for(loop.time(), 2min);
  const std::string path = kPath + "/" + site.names().at(0);
  CO_ASSERT_EQ(
      site.api.patch(path, apiserver::kMerge, R"({"spec":{"devices":[{"name":"x"}]}})").status,
      200);
  co_await sleep_for(loop.time(), 31s);
  const Answer mended = site.api.get(path);
  EXPECT_EQ(apiserver::serialize(apiserver::array_at(mended.body, {"spec", "devices"})),
            R"([{"name":"dev-0"}])");
  co_await site.stop();
}

CO_TEST(SlicePublisher, keeps_previous_pool_if_new_one_is_invalid) {
  Site site(loop);
  EXPECT_TRUE(site.publisher.publish(pool_of(1)));
  co_await sleep_for(loop.time(), 2min);
  auto wrong = pool_of(2);
  wrong[0].devices[1]["attributes"] = {{"model", {{"text", "A100"}}}};
  const auto refused = site.publisher.publish(wrong);
  CO_ASSERT_TRUE(!refused);
  EXPECT_EQ(refused.error().message,
            "pool n0: devices[dev-1].attributes[model]: exactly one of bool, int, string, version, "
            "bools, ints, strings and versions must be set");
  co_await sleep_for(loop.time(), 2min);
  EXPECT_EQ(site.names().size(), 1U);
  co_await site.stop();
}

// A driver of network-attached devices publishes them once in the cluster, beside those of nodes.
CO_TEST(SlicePublisher, separates_node_slices_from_network_slices) {
  Site site(loop);
  EXPECT_TRUE(site.publisher.publish(pool_of(1)));
  ApiSlices slices(loop.time(), site.rest, "gpu.example.com", "");
  SlicePublisher fabric(loop.time(), slices, "gpu.example.com", "", {});
  site.group.spawn("fabric", fabric.run());
  auto pools = pool_of(200);
  EXPECT_FALSE(fabric.publish(pools)) << "nothing says which nodes reach them";
  pools[0].name = "rack-1/fabric";
  pools[0].more = {{"allNodes", true}};
  EXPECT_TRUE(fabric.publish(pools));
  co_await sleep_for(loop.time(), 2min);
  EXPECT_EQ(site.names().size(), 3U);
  EXPECT_TRUE(fabric.publish({}));
  co_await sleep_for(loop.time(), 2min);
  const auto names = site.names();
  CO_ASSERT_EQ(names.size(), 1U);
  EXPECT_TRUE(names[0].starts_with("00000-gpu.example.com-n0-")) << names[0];
  co_await site.stop();
}

// A node that restarts deletes the slices of drivers that it has lost.
CO_TEST(SlicePublisher, keeps_taint_time_when_slice_is_deleted) {
  Site site(loop);
  auto pools = pool_of(1);
  pools[0].devices[0]["taints"] =
      boost::json::array{{{"key", "example.com/hot"}, {"effect", "NoExecute"}}};
  EXPECT_TRUE(site.publisher.publish(pools));
  co_await sleep_for(loop.time(), 2min);
  const auto time_of_taint = [&] {
    const Answer list = site.api.get(kPath);
    const std::string text = apiserver::serialize(list.body);
    const auto at = text.find("timeAdded");
    return at == std::string::npos ? std::string() : text.substr(at, 35);
  };
  const std::string before = time_of_taint();
  CO_ASSERT_TRUE(!before.empty());
  CO_ASSERT_EQ(site.api.remove(kPath + "?fieldSelector=spec.nodeName%3Dn0").status, 200);
  co_await sleep_for(loop.time(), 1min);
  EXPECT_EQ(time_of_taint(), before);
  CO_ASSERT_EQ(site.api.remove(kPath + "?fieldSelector=spec.nodeName%3Dn0").status, 200);
  EXPECT_TRUE(site.publisher.publish(pools));  // as its author writes it, without a time
  co_await sleep_for(loop.time(), 1min);
  EXPECT_EQ(time_of_taint(), before);
  co_await site.stop();
}

// A server without list attributes: it drops them, and rejects attributes without a value.
class NoLists final : public SliceApi {
 public:
  explicit NoLists(ApiSlices& api) : api_(api) {}
  Task<runtime::Result<std::string>> node_uid() override { return api_.node_uid(); }
  Task<runtime::Result<std::vector<Slice>>> list() override { return api_.list(); }
  Task<runtime::Result<Slice>> create(Slice slice) override {
    ++creates;
    if (without_lists(slice)) co_return runtime::fail(runtime::Reason::invalid, "no value");
    co_return co_await api_.create(std::move(slice));
  }
  Task<runtime::Result<Slice>> update(Slice slice) override {
    return api_.update(std::move(slice));
  }
  Task<runtime::Result<>> remove(Slice slice) override { return api_.remove(std::move(slice)); }
  int creates = 0;

 private:
  ApiSlices& api_;
};

CO_TEST(SlicePublisher, omits_list_attributes_that_server_rejects) {
  Site site(loop);
  NoLists api(site.slices);
  SlicePublisher publisher(loop.time(), api, "gpu.example.com", "n0", {});
  site.group.spawn("second", publisher.run());
  auto pools = pool_of(1);
  pools[0].devices[0]["attributes"] = {{"links", {{"strings", {"a"}}}}, {"index", {{"int", 0}}}};
  EXPECT_TRUE(publisher.publish(pools));
  co_await sleep_for(loop.time(), 10min);
  CO_ASSERT_EQ(site.names().size(), 1U);
  const Answer stored = site.api.get(kPath + "/" + site.names().at(0));
  EXPECT_EQ(apiserver::serialize(apiserver::array_at(stored.body, {"spec", "devices"})),
            R"([{"name":"dev-0","attributes":{"index":{"int":0}}}])");
  EXPECT_EQ(api.creates, 2) << "and not again and again";
  co_await site.stop();
}

CO_TEST(SlicePublisher, writes_nothing_while_nothing_changes) {
  Site site(loop);
  EXPECT_TRUE(site.publisher.publish(pool_of(200)));
  co_await sleep_for(loop.time(), 1min);
  const std::string before = apiserver::serialize(site.api.get(kPath).body);
  co_await sleep_for(loop.time(), 1h);
  EXPECT_EQ(apiserver::serialize(site.api.get(kPath).body), before);
  co_await site.stop();
}

CO_TEST(SlicePublisher, retries_unreachable_server) {
  Site site(loop);
  site.front.cancel();
  co_await site.front.join();
  site.listener.reset();
  site.network.cut_all();
  EXPECT_TRUE(site.publisher.publish(pool_of(1)));
  co_await sleep_for(loop.time(), 10min);
  EXPECT_TRUE(site.names().empty());
  site.listener = site.network.listen("server", 80);
  runtime::TaskGroup front(loop.executor());
  front.spawn("server", http::serve(*site.listener, loop.time(), apiserver::front_options(),
                                    apiserver::http_handler(site.server, loop.time()), {}));
  co_await sleep_for(loop.time(), 3min);
  EXPECT_EQ(site.names().size(), 1U);
  site.group.cancel();
  co_await site.group.join();
  front.cancel();
  co_await front.join();
}

}  // namespace
}  // namespace dcm::driver_kit
