// Devices of real drivers: the node's folder.
#include "playground/cluster/real_devices.hpp"

#include <filesystem>

#include "playground/embedded_server.hpp"
#include "test/support/co_test.hpp"

namespace dcm::playground {
namespace {

CO_TEST(RealDevices, lock_folder_of_node) {
  const std::string folder = testing::TempDir() + "real_devices";
  runtime::Rng rng(1);
  runtime::MetricsRegistry metrics;
  const Process process{loop, metrics, rng, {}};
  EmbeddedServer server(process);
  const auto connection = server.connect();
  Api api(connection->rest());
  Cache<Pod> cache(connection->rest(), pods(), make_pod_decoder(), process);
  const RealDevicesOptions options{.agent = agent_options("node-0", folder)};
  const auto make = [&] {
    return std::make_unique<RealDevices>(process, api, connection->rest(), cache, options,
                                         [](const api::NamespacedName&) {});
  };
  CO_ASSERT_TRUE(make_folders(options));
  auto first = make();
  CO_ASSERT_TRUE(first->open());
  const auto second = make();
  const Result<> opened = second->open();
  CO_ASSERT_TRUE(!opened);
  EXPECT_EQ(
      opened.error().message,
      folder + "/dra_hollow_node.lock: another dra-hollow-node or dra-playground uses this folder");
  first.reset();
  EXPECT_TRUE(second->open());
  std::filesystem::remove_all(folder);
}

}  // namespace
}  // namespace dcm::playground
