// Nodes without machines, with devices that count.
#include "playground/cluster/hollow_nodes.hpp"

#include "apiserver/front/direct.hpp"
#include "manager/epoch.hpp"
#include "playground/embedded_server.hpp"
#include "test/support/co_test.hpp"

namespace dcm::playground {
namespace {

using namespace std::chrono_literals;
using runtime::sleep_for;

const std::string kPods = "/api/v1/namespaces/default/pods";

struct CountingDevices final : PodDevices {
  explicit CountingDevices(runtime::TimeSource& time) : time(time) {}
  ClaimsReady look(const Pod&) const override { return ClaimsReady::yes; }
  Task<std::optional<Outcome>> prepare(api::ObjectPtr<Pod>) override {
    co_await sleep_for(time, prepare_takes);
    co_return std::nullopt;
  }
  Task<std::optional<Outcome>> unprepare(api::ObjectPtr<Pod>) override {
    ++unprepared;
    co_await sleep_for(time, unprepare_takes);
    co_return std::nullopt;
  }
  DevicesHealth health_of(const Pod&) const override {
    ++looks_at_health;
    return {};
  }

  runtime::TimeSource& time;
  Duration prepare_takes{0};
  Duration unprepare_takes{0};
  int unprepared = 0;
  mutable int looks_at_health = 0;
};

struct Site {
  explicit Site(runtime::VirtualLoop& loop)
      : process{loop, metrics, rng, {}},
        server(process),
        connection(server.connect()),
        api(connection->rest()),
        cache(connection->rest(), pods(), make_pod_decoder(), process),
        devices(loop.time()),
        nodes(process, api, cache, {.names = {"node-0"}},
              [this](const api::InternedString&) -> PodDevices& { return devices; }),
        group(loop.executor()),
        direct(server.server()) {
    group.spawn("server", server.run());
    group.spawn("nodes",
                manager::run_epoch("test", process, connection->rest(), [&](manager::Epoch& epoch) {
                  epoch.add_cache(manager::any_cache(cache));
                  epoch.add({.name = "life of pods", .caches = {&cache.sync()}, .run = [&] {
                               return nodes.run();
                             }});
                }));
    direct.post(kPods, R"({"metadata":{"name":"p"},"spec":{"nodeName":"node-0",)"
                       R"("containers":[{"name":"c","image":"i"}]}})");
  }
  Task<> stop() {
    group.cancel();
    co_await group.join();
  }

  runtime::Rng rng{1};
  runtime::MetricsRegistry metrics;
  Process process;
  EmbeddedServer server;
  std::unique_ptr<Connection> connection;
  Api api;
  Cache<Pod> cache;
  CountingDevices devices;
  HollowNodes nodes;
  runtime::TaskGroup group;
  apiserver::Direct direct;
};

CO_TEST(HollowNodes, unprepare_deleted_pod_once) {
  Site site(loop);
  co_await sleep_for(loop.time(), 1s);
  EXPECT_EQ(site.direct.get(kPods + "/p").text({"status", "phase"}), "Running");
  site.direct.remove(kPods + "/p");
  co_await sleep_for(loop.time(), 1min);
  EXPECT_EQ(site.direct.get(kPods + "/p").status, 404);
  EXPECT_EQ(site.devices.unprepared, 1);
  co_await site.stop();
}

CO_TEST(HollowNodes, give_up_prepare_of_deleted_pod) {
  Site site(loop);
  site.devices.prepare_takes = 45s;
  co_await sleep_for(loop.time(), 1s);
  site.direct.remove(kPods + "/p");
  co_await sleep_for(loop.time(), 1s);
  EXPECT_EQ(site.direct.get(kPods + "/p").status, 404);
  EXPECT_EQ(site.devices.unprepared, 1);
  co_await site.stop();
}

CO_TEST(HollowNodes, forget_pod_that_goes_while_driver_is_slow) {
  Site site(loop);
  site.devices.unprepare_takes = 10s;
  co_await sleep_for(loop.time(), 1s);
  site.direct.remove(kPods + "/p");
  co_await sleep_for(loop.time(), 1s);
  site.direct.remove(kPods + "/p?gracePeriodSeconds=0");
  EXPECT_EQ(site.direct.get(kPods + "/p").status, 404);
  EXPECT_EQ(site.devices.unprepared, 1);
  const int before = site.devices.looks_at_health;
  co_await sleep_for(loop.time(), 1min);
  EXPECT_EQ(site.devices.looks_at_health, before) << "it has no status to write";
  co_await site.stop();
}

}  // namespace
}  // namespace dcm::playground
