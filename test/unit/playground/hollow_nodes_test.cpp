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
  ClaimsReady look(const Pod&) const override { return ClaimsReady::yes; }
  Task<std::optional<Outcome>> prepare(api::ObjectPtr<Pod>) override { co_return std::nullopt; }
  Task<std::optional<Outcome>> unprepare(api::ObjectPtr<Pod>) override {
    ++unprepared;
    co_return std::nullopt;
  }
  DevicesHealth health_of(const Pod&) const override { return {}; }

  int unprepared = 0;
};

CO_TEST(HollowNodes, unprepare_deleted_pod_once) {
  runtime::Rng rng(1);
  runtime::MetricsRegistry metrics;
  const Process process{loop, metrics, rng, {}};
  EmbeddedServer server(process);
  const auto connection = server.connect();
  Api api(connection->rest());
  Cache<Pod> cache(connection->rest(), pods(), make_pod_decoder(), process);
  CountingDevices devices;
  HollowNodes nodes(process, api, cache, {.names = {"node-0"}},
                    [&](const api::InternedString&) -> PodDevices& { return devices; });
  runtime::TaskGroup group(loop.executor());
  group.spawn("server", server.run());
  group.spawn("nodes",
              manager::run_epoch("test", process, connection->rest(), [&](manager::Epoch& epoch) {
                epoch.add_cache(manager::any_cache(cache));
                epoch.add({.name = "life of pods", .caches = {&cache.sync()}, .run = [&] {
                             return nodes.run();
                           }});
              }));
  apiserver::Direct direct(server.server());
  direct.post(kPods, R"({"metadata":{"name":"p"},"spec":{"nodeName":"node-0",)"
                     R"("containers":[{"name":"c","image":"i"}]}})");
  co_await sleep_for(loop.time(), 1s);
  EXPECT_EQ(direct.get(kPods + "/p").text({"status", "phase"}), "Running");
  direct.remove(kPods + "/p");
  co_await sleep_for(loop.time(), 1min);
  EXPECT_EQ(direct.get(kPods + "/p").status, 404);
  EXPECT_EQ(devices.unprepared, 1);
  group.cancel();
  co_await group.join();
}

}  // namespace
}  // namespace dcm::playground
