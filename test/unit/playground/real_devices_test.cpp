// Devices of real drivers: the node's folder.
#include "playground/cluster/real_devices.hpp"

#include <filesystem>
#include <fstream>

#include "apiserver/front/direct.hpp"
#include "manager/epoch.hpp"
#include "playground/embedded_server.hpp"
#include "test/support/co_test.hpp"
#include "test/support/temp_folder.hpp"

namespace dcm::playground {
namespace {

using namespace std::chrono_literals;

struct Site {
  explicit Site(runtime::VirtualLoop& loop)
      : process{loop, metrics, rng, {}},
        server(process),
        connection(server.connect()),
        api(connection->rest()),
        cache(connection->rest(), pods(), make_pod_decoder(), process),
        options{.agent = agent_options("node-0", folder), .prepare_retry = PrepareRetry::backoff} {}

  std::unique_ptr<RealDevices> make() {
    return std::make_unique<RealDevices>(process, api, connection->rest(), cache, options,
                                         [](const api::NamespacedName&) {});
  }

  test::TempFolder temporary;
  std::string folder = temporary.path("node");
  runtime::Rng rng{1};
  runtime::MetricsRegistry metrics;
  Process process;
  EmbeddedServer server;
  std::unique_ptr<Connection> connection;
  Api api;
  Cache<Pod> cache;
  RealDevicesOptions options;
};

CO_TEST(RealDevices, back_off_after_failed_prepares) {
  Site site(loop);
  CO_ASSERT_TRUE(make_folders(site.options));
  const auto devices = site.make();
  CO_ASSERT_TRUE(devices->open());
  const auto pod = make_pod_decoder()->decode_object(
      R"({"metadata":{"namespace":"lab","name":"p","uid":"u","resourceVersion":"1"},"spec":{)"
      R"("nodeName":"node-0","containers":[{"name":"c","resources":{"claims":[{"name":"g"}]}}],)"
      R"("resourceClaims":[{"name":"g","resourceClaimName":"missing"}]}})");
  CO_ASSERT_TRUE(pod);
  std::vector<Duration> waits;
  for (int i = 0; i < 8; ++i) {
    const auto outcome = co_await devices->prepare(pod->object);
    CO_ASSERT_TRUE(outcome);
    waits.push_back(outcome->delay());
  }
  EXPECT_EQ(waits, (std::vector<Duration>{1s, 2s, 4s, 8s, 16s, 32s, 60s, 60s}));
}

CO_TEST(RealDevices, name_missing_folder_of_node) {
  Site site(loop);
  const Result<> opened = site.make()->open();
  CO_ASSERT_TRUE(!opened);
  EXPECT_EQ(opened.error().message, site.folder + ": no such folder");
}

// A running server and cache with a pod on the node, whose devices are shown.
struct Shown {
  explicit Shown(runtime::VirtualLoop& virtual_loop) : loop(virtual_loop), site(loop) {
    site.options.show_devices = site.folder + "/devices";
    EXPECT_TRUE(make_folders(site.options));
    devices = site.make();
    EXPECT_TRUE(devices->open());
    group.spawn("server", site.server.run());
    group.spawn("cache", manager::run_epoch("test", site.process, site.connection->rest(),
                                            [this](manager::Epoch& epoch) {
                                              epoch.add_cache(manager::any_cache(site.cache));
                                            }));
  }
  runtime::Task<> start() {
    direct.post("/api/v1/namespaces/default/pods",
                R"({"metadata":{"name":"p"},"spec":{"nodeName":"node-0",)"
                R"("containers":[{"name":"c","image":"i"}]}})");
    co_await runtime::sleep_for(loop.time(), 1s);
    const auto made = direct.get(pod);
    folder = site.options.show_devices + "/" + std::string(made.text({"metadata", "uid"}));
    std::filesystem::create_directory(folder);
    std::ofstream(folder + "/c.json") << "{}";
  }
  runtime::Task<> stop() {
    group.cancel();
    co_await group.join();
  }

  const std::string pod = "/api/v1/namespaces/default/pods/p";
  std::string folder;  // of the pod's devices
  runtime::VirtualLoop& loop;
  Site site;
  std::unique_ptr<RealDevices> devices;
  runtime::TaskGroup group{loop.executor()};
  apiserver::Direct direct{site.server.server()};
};

CO_TEST(RealDevices, hide_devices_of_pod_deleted_by_force) {
  Shown shown(loop);
  co_await shown.start();
  shown.direct.remove(shown.pod + "?gracePeriodSeconds=0");
  co_await runtime::sleep_for(loop.time(), 1s);
  EXPECT_FALSE(std::filesystem::exists(shown.folder));
  co_await shown.stop();
}

// As after a watch that missed the deletion.
CO_TEST(RealDevices, hide_devices_of_pod_replaced_on_another_node) {
  Shown shown(loop);
  co_await shown.start();
  const auto other = make_pod_decoder()->decode_object(
      R"({"metadata":{"namespace":"default","name":"p","uid":"u","resourceVersion":"9999999999999999"},)"
      R"("spec":{"nodeName":"node-1"}})");
  CO_ASSERT_TRUE(other);
  shown.site.cache.informer().own_writes().record(other->object);
  EXPECT_FALSE(std::filesystem::exists(shown.folder));
  co_await shown.stop();
}

// A container may use extended resources besides a claim that its pod turned out not to need.
CO_TEST(RealDevices, show_health_under_the_claim_that_has_the_device) {
  Site site(loop);
  CO_ASSERT_TRUE(make_folders(site.options));
  node::PosixFiles files;
  node::CheckpointStore store(files, site.folder, runtime::Rng(1));
  CO_ASSERT_TRUE(store.write(
      {{.namespace_ = "lab",
        .name = "extended",
        .uid = "x",
        .pod_uids = {"u"},
        .drivers = {{"d", {.devices = {{.pool = "n", .device = "0", .requests = {"r"}}}}}}}}));
  const auto devices = site.make();
  CO_ASSERT_TRUE(devices->open());
  const std::string pod =
      R"({"metadata":{"namespace":"lab","name":"p","uid":"u","resourceVersion":"1"},"spec":{)"
      R"("containers":[{"name":"c","resources":{"claims":[{"name":"g"}]}}],"resourceClaims":[)"
      R"({"name":"g","resourceClaimTemplateName":"t"}]},"status":{"resourceClaimStatuses":[)"
      R"({"name":"g"%}],"extendedResourceClaimStatus":{"resourceClaimName":"extended",)"
      R"("requestMappings":[{"containerName":"c","resourceName":"a.b/c","requestName":"r"}]}}})";
  const auto health_of = [&](const std::string& claim) {
    std::string text = pod;
    text.replace(text.find('%'), 1, claim);
    const auto decoded = make_pod_decoder()->decode_object(text);
    EXPECT_TRUE(decoded);
    return decoded ? devices->health_of(*decoded->object) : DevicesHealth();
  };
  EXPECT_TRUE(health_of("").empty());
  const DevicesHealth health = health_of(R"(,"resourceClaimName":"extended")");
  CO_ASSERT_TRUE(health.contains("c"));
  EXPECT_EQ(health.at("c").front().name, "claim:g");
}

CO_TEST(RealDevices, lock_folder_of_node) {
  Site site(loop);
  CO_ASSERT_TRUE(make_folders(site.options));
  auto first = site.make();
  CO_ASSERT_TRUE(first->open());
  const auto second = site.make();
  const Result<> opened = second->open();
  CO_ASSERT_TRUE(!opened);
  EXPECT_EQ(
      opened.error().message,
      site.folder +
          "/dra_hollow_node.lock: another dra-hollow-node or dra-playground uses this folder");
  first.reset();
  EXPECT_TRUE(second->open());
}

}  // namespace
}  // namespace dcm::playground
