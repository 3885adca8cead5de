// Registration and calls over gRPC, with well-behaved and faulty plugins. Numbers in brackets are
// the cases of the node's specification.
#include "node/plugins/driver_connections.hpp"

#include <fmt/format.h>
#include <protozero/pbf_reader.hpp>
#include <protozero/pbf_writer.hpp>

#include "runtime/grpc/server.hpp"
#include "runtime/http/pipe.hpp"
#include "runtime/task_group.hpp"
#include "test/support/co_test.hpp"

namespace dcm::node {
namespace {

using namespace std::chrono_literals;
using runtime::Deadline;
using runtime::Task;

constexpr const char* kGpu = "gpu.example.com";
const std::vector<ClaimRef> kClaims{{"lab", "c1", "c1-uid"}};

std::string encode_info(const PluginInfo& info) {
  std::string message;
  protozero::pbf_writer writer(message);
  writer.add_string(1, info.type);
  writer.add_string(2, info.name);
  writer.add_string(3, info.endpoint);
  for (const std::string& service : info.services) writer.add_string(4, service);
  return message;
}

// A driver's answer: one device for a claim.
std::string encode_prepared(const std::string& uid, const std::string& cdi_id) {
  std::string message;
  protozero::pbf_writer writer(message);
  protozero::pbf_writer pair(writer, 1);
  pair.add_string(1, uid);
  protozero::pbf_writer answer(pair, 2);
  protozero::pbf_writer device(answer, 1);
  device.add_string(1, "gpu");
  device.add_string(2, "node-0");
  device.add_string(3, "dev-0");
  device.add_string(4, cdi_id);
  device.add_string(5, "share-1");
  return message;
}

// A plugin with both services on every socket that it listens on.
class Plugin {
 public:
  Plugin(runtime::VirtualLoop& loop, http::PipeNetwork& network, PluginInfo about)
      : info(std::move(about)), loop_(loop), network_(network), group_(loop.executor()) {
    methods_.unary["/pluginregistration.Registration/GetInfo"] =
        [this](std::string, Deadline) -> Task<grpc::Result<std::string>> {
      if (hangs_at_info) co_await runtime::sleep_for(loop_.time(), 1h);
      co_return info_bytes.empty() ? encode_info(info) : info_bytes;
    };
    methods_.unary["/pluginregistration.Registration/NotifyRegistrationStatus"] =
        [this](std::string status, Deadline) -> Task<grpc::Result<std::string>> {
      told.push_back(read_status(status));
      if (!refuses_status) co_return std::string();
      refuses_status = false;
      co_return grpc::fail(grpc::Code::internal, "not now");
    };
    methods_.streams[health_path(node::HealthVersion::v1)] =
        [this](std::string, grpc::AnswerWriter& answers, Deadline) -> Task<grpc::Status> {
      for (int i = 0; i < health_reports; ++i) (void)co_await answers.write("");
      co_await runtime::sleep_for(loop_.time(), 1h);
      co_return grpc::Status{};
    };
    for (const DraVersion service : {DraVersion::v1, DraVersion::v1beta1}) {
      for (const char* method : {"NodePrepareResources", "NodeUnprepareResources"}) {
        const std::string path = method_path(service, method);
        methods_.unary[path] = [this, path](std::string, Deadline) { return work(path); };
      }
    }
  }

  void listen(const std::string& socket) {
    listeners_.push_back(network_.listen(socket, 0));
    group_.spawn("serve", grpc::serve(loop_, *listeners_.back(), methods_, {}, {}));
  }
  Task<> stop() {
    group_.cancel();
    co_await group_.join();
    listeners_.clear();
  }

  PluginInfo info;
  std::string info_bytes;  // instead of `info`
  std::string answer = encode_prepared("c1-uid", "example.com/gpu=0");
  int health_reports = 0;  // sent at once
  bool hangs_at_info = false;
  bool refuses_status = false;
  runtime::Duration works_for{};
  std::vector<std::string> told;   // "registered", or the error
  std::vector<std::string> calls;  // paths
  int cancelled = 0;

 private:
  static std::string read_status(const std::string& message) {
    protozero::pbf_reader reader(message);
    std::string error;
    bool is_registered = false;
    while (reader.next()) {
      if (reader.tag() == 1) {
        is_registered = reader.get_bool();
      } else {
        error = reader.get_string();
      }
    }
    return is_registered ? "registered" : error;
  }

  Task<grpc::Result<std::string>> work(std::string path) {
    calls.push_back(std::move(path));
    struct Leave {
      int& count;
      ~Leave() { ++count; }
    };
    auto leave = std::make_unique<Leave>(cancelled);
    if (works_for > 0s) co_await runtime::sleep_for(loop_.time(), works_for);
    --cancelled;
    leave.reset();
    co_return answer;
  }

  runtime::VirtualLoop& loop_;
  http::PipeNetwork& network_;
  grpc::Methods methods_;
  std::vector<std::unique_ptr<http::Listener>> listeners_;
  runtime::TaskGroup group_;
};

PluginInfo gpu_info(const std::string& endpoint) {
  return {"DRAPlugin", kGpu, endpoint, {"v1.DRAPlugin", "v1beta1.DRAPlugin"}};
}

// A node's plugins, and their network.
struct Site {
  explicit Site(runtime::VirtualLoop& loop)
      : loop(loop),
        network(loop.time()),
        plugins(loop, network, runtime::Rng(1), ServiceChoice::first_named, {}) {}

  // Lets channels connect.
  Task<> settle() { co_await runtime::sleep_for(loop.time(), 10ms); }

  runtime::VirtualLoop& loop;
  http::PipeNetwork network;
  DriverConnections plugins;
};

CO_TEST(DriverConnections, registers_and_calls_driver) {  // [1], [35], [80]
  Site site(loop);
  Plugin plugin(loop, site.network, gpu_info("/dra.sock"));
  plugin.listen("/reg.sock");
  plugin.listen("/dra.sock");
  CO_ASSERT_EQ(co_await site.plugins.register_plugin("/reg.sock"), SocketOutcome::done);
  CO_ASSERT_EQ(plugin.told, std::vector<std::string>{"registered"});
  co_await site.settle();
  EXPECT_TRUE(site.plugins.is_connected(kGpu)) << "without waiting for a call";
  const auto answers = co_await site.plugins.prepare(kGpu, kClaims);
  CO_ASSERT_TRUE(answers);
  const PreparedDevice expected{.pool = "node-0",
                                .device = "dev-0",
                                .share_id = "share-1",
                                .requests = {"gpu"},
                                .cdi_ids = {"example.com/gpu=0"}};
  EXPECT_EQ(answers->at("c1-uid").devices, std::vector{expected});
  EXPECT_EQ(plugin.calls.front(), "/k8s.io.kubelet.pkg.apis.dra.v1.DRAPlugin/NodePrepareResources");
  co_await site.plugins.unregister_plugin("/reg.sock");
  EXPECT_FALSE(site.plugins.is_registered(kGpu));
  co_await plugin.stop();
}

CO_TEST(DriverConnections, defaults_endpoint_to_registration_socket) {  // [10], [13]
  Site site(loop);
  Plugin plugin(loop, site.network, gpu_info(""));
  plugin.info.services = {"v1beta1.DRAPlugin"};
  plugin.listen("/reg.sock");
  CO_ASSERT_EQ(co_await site.plugins.register_plugin("/reg.sock"), SocketOutcome::done);
  CO_ASSERT_TRUE(co_await site.plugins.prepare(kGpu, kClaims));
  EXPECT_EQ(plugin.calls.front(),
            "/k8s.io.kubelet.pkg.apis.dra.v1beta1.DRAPlugin/NodePrepareResources");
  co_await site.plugins.stop();
  co_await plugin.stop();
}

struct RefusedRow {
  const char* sentence;
  PluginInfo info;
  SocketOutcome outcome;
  std::string told;
};

CO_TEST(DriverConnections, tells_refused_plugin_the_reason) {  // [9], [11], [12]
  const RefusedRow rows[] = {
      {"another kind of plugin",
       {"CSIPlugin", kGpu, "/dra.sock", {"1.0.0"}},
       SocketOutcome::refused,
       "RegisterPlugin error -- no handler registered for plugin type: CSIPlugin at socket /reg"},
      {"a kind that nobody knows",
       {"Other", kGpu, "/dra.sock", {"v1.DRAPlugin"}},
       SocketOutcome::failed,
       "RegisterPlugin error -- no handler registered for plugin type: Other at socket /reg"},
      {"no service",
       {"DRAPlugin", kGpu, "/dra.sock", {}},
       SocketOutcome::failed,
       "RegisterPlugin error -- plugin validation failed with err: invalid supported gRPC versions "
       "of DRA driver plugin gpu.example.com at endpoint /dra.sock: empty list of supported gRPC "
       "services (aka supported versions)"},
      {"a name that the API would refuse",
       {"DRAPlugin", "GPU!", "/dra.sock", {"v1.DRAPlugin"}},
       SocketOutcome::failed,
       "RegisterPlugin error -- plugin validation failed with err: \"GPU!\" is not a DNS subdomain "
       "of at most 63 characters"},
      {"an endpoint that is no path",
       {"DRAPlugin", kGpu, std::string("/dra\0.sock", 10), {"v1.DRAPlugin"}},
       SocketOutcome::failed,
       "RegisterPlugin error -- plugin validation failed with err: the endpoint contains a NUL"},
      {"a name without end",
       {"DRAPlugin", std::string(100'000, 'a'), "/dra.sock", {"v1.DRAPlugin"}},
       SocketOutcome::failed,
       "RegisterPlugin error -- plugin validation failed with err: \"" + std::string(961, 'a') +
           "..."},
  };
  for (const RefusedRow& row : rows) {
    Site site(loop);
    Plugin plugin(loop, site.network, row.info);
    plugin.listen("/reg");
    EXPECT_EQ(co_await site.plugins.register_plugin("/reg"), row.outcome) << row.sentence;
    EXPECT_EQ(plugin.told, std::vector<std::string>{row.told}) << row.sentence;
    EXPECT_FALSE(site.plugins.is_registered(row.info.name)) << row.sentence;
    co_await plugin.stop();
  }
}

CO_TEST(DriverConnections, allows_one_driver_per_endpoint) {  // [19], [20]
  Site site(loop);
  Plugin first(loop, site.network, gpu_info("/dra.sock"));
  first.listen("/one");
  CO_ASSERT_EQ(co_await site.plugins.register_plugin("/one"), SocketOutcome::done);
  for (const auto& [name, endpoint] :
       {std::pair(kGpu, "/dra.sock"), std::pair("nic.example.com", "/dra.sock"),
        std::pair("nic.example.com", "/x/.././dra.sock")}) {
    Plugin second(loop, site.network, gpu_info(endpoint));
    second.info.name = name;
    second.listen("/two");
    CO_ASSERT_EQ(co_await site.plugins.register_plugin("/two"), SocketOutcome::failed);
    EXPECT_EQ(second.told.front(),
              fmt::format("RegisterPlugin error -- plugin registration failed with err: endpoint "
                          "{} already registered for DRA driver plugin gpu.example.com",
                          endpoint));
    co_await second.stop();
  }
  co_await site.plugins.stop();
  co_await first.stop();
}

CO_TEST(DriverConnections, registers_driver_with_capitals_in_its_name) {
  Site site(loop);
  PluginInfo info = gpu_info("");
  info.name = "GPU.Example.com";
  Plugin plugin(loop, site.network, info);
  plugin.listen("/reg");
  CO_ASSERT_EQ(co_await site.plugins.register_plugin("/reg"), SocketOutcome::done);
  EXPECT_TRUE(site.plugins.is_registered("GPU.Example.com"));
  co_await site.plugins.stop();
  co_await plugin.stop();
}

CO_TEST(DriverConnections, removes_instance_that_rejects_status) {  // [16]
  Site site(loop);
  Plugin plugin(loop, site.network, gpu_info(""));
  plugin.refuses_status = true;
  plugin.listen("/reg");
  CO_ASSERT_EQ(co_await site.plugins.register_plugin("/reg"), SocketOutcome::failed);
  EXPECT_FALSE(site.plugins.is_registered(kGpu));
  CO_ASSERT_EQ(co_await site.plugins.register_plugin("/reg"), SocketOutcome::done);
  co_await site.plugins.stop();
  co_await plugin.stop();
}

CO_TEST(DriverConnections, waits_ten_seconds_for_silent_plugin) {  // [18]
  Site site(loop);
  const auto silent = site.network.listen("/silent", 0);  // accepts connections, says nothing
  runtime::MonoTime start = loop.time().now();
  CO_ASSERT_EQ(co_await site.plugins.register_plugin("/silent"), SocketOutcome::failed);
  EXPECT_EQ(loop.time().now() - start, 10s);
  Plugin plugin(loop, site.network, gpu_info(""));
  plugin.hangs_at_info = true;
  plugin.listen("/reg");
  start = loop.time().now();
  CO_ASSERT_EQ(co_await site.plugins.register_plugin("/reg"), SocketOutcome::failed);
  EXPECT_EQ(loop.time().now() - start, 1s);
  co_await plugin.stop();
}

CO_TEST(DriverConnections, rejects_garbage_as_information) {
  for (const char* garbage : {"\x0a\xff", "\xff\xff\xff\xff", "no protobuf at all"}) {
    Site site(loop);
    Plugin plugin(loop, site.network, gpu_info(""));
    plugin.info_bytes = garbage;
    plugin.listen("/reg");
    EXPECT_EQ(co_await site.plugins.register_plugin("/reg"), SocketOutcome::failed);
    co_await plugin.stop();
  }
}

CO_TEST(DriverConnections, calls_newest_connected_instance) {  // [30], [31], [32]
  Site site(loop);
  Plugin old_one(loop, site.network, gpu_info("/old"));
  old_one.listen("/old");
  Plugin new_one(loop, site.network, gpu_info("/new"));
  new_one.listen("/new");
  CO_ASSERT_EQ(co_await site.plugins.register_plugin("/old"), SocketOutcome::done);
  CO_ASSERT_EQ(co_await site.plugins.register_plugin("/new"), SocketOutcome::done);
  co_await site.settle();
  CO_ASSERT_TRUE(co_await site.plugins.prepare(kGpu, kClaims));
  CO_ASSERT_EQ(new_one.calls.size(), 1U);
  co_await new_one.stop();
  co_await site.settle();
  CO_ASSERT_TRUE(co_await site.plugins.prepare(kGpu, kClaims));
  CO_ASSERT_EQ(old_one.calls.size(), 1U);
  co_await old_one.stop();
  co_await site.settle();
  const auto none = co_await site.plugins.prepare(kGpu, kClaims);
  CO_ASSERT_TRUE(!none);
  EXPECT_TRUE(none.error().starts_with("rpc error: code = Unavailable desc = ")) << none.error();
  EXPECT_TRUE(site.plugins.is_registered(kGpu)) << "its socket is still there";
  co_await site.plugins.stop();
}

// After a restart of the node, sockets register in any order.
CO_TEST(DriverConnections, takes_instance_with_newer_socket_for_newer) {
  Site site(loop);
  Plugin old_one(loop, site.network, gpu_info("/old"));
  old_one.listen("/old");
  Plugin new_one(loop, site.network, gpu_info("/new"));
  new_one.listen("/new");
  CO_ASSERT_EQ(co_await site.plugins.register_plugin("/new", 2), SocketOutcome::done);
  CO_ASSERT_EQ(co_await site.plugins.register_plugin("/old", 1), SocketOutcome::done);
  co_await site.settle();
  CO_ASSERT_TRUE(co_await site.plugins.prepare(kGpu, kClaims));
  EXPECT_EQ(new_one.calls.size(), 1U);
  co_await site.plugins.stop();
  co_await old_one.stop();
  co_await new_one.stop();
}

// HTTP/2 frames: a server that has started, and that has processed no stream.
constexpr std::string_view kSettings("\0\0\0\4\0\0\0\0\0", 9);
constexpr std::string_view kGoAway("\0\0\x08\7\0\0\0\0\0\0\0\0\0\0\0\0\0", 17);

CO_TEST(DriverConnections, repeats_call_that_was_not_accepted_at_another_instance) {  // [33]
  Site site(loop);
  Plugin old_one(loop, site.network, gpu_info("/old"));
  old_one.listen("/old");
  Plugin new_one(loop, site.network, gpu_info("/new"));
  new_one.listen("/new-reg");
  const auto listener = site.network.listen("/new", 0);
  CO_ASSERT_EQ(co_await site.plugins.register_plugin("/old"), SocketOutcome::done);
  CO_ASSERT_EQ(co_await site.plugins.register_plugin("/new-reg"), SocketOutcome::done);
  const auto stream = co_await listener->accept();
  (void)co_await (*stream)->write(kSettings, {});
  co_await site.settle();
  (void)co_await (*stream)->write(kGoAway, {});  // and crosses the call
  const auto answers = co_await site.plugins.prepare(kGpu, kClaims);
  EXPECT_TRUE(answers) << answers.error();
  EXPECT_EQ(old_one.calls.size(), 1U);
  co_await site.plugins.stop();
  co_await old_one.stop();
  co_await new_one.stop();
}

CO_TEST(DriverConnections, ends_hanging_call_after_45_seconds) {  // [44]
  Site site(loop);
  Plugin plugin(loop, site.network, gpu_info(""));
  plugin.works_for = 1h;
  plugin.listen("/reg");
  CO_ASSERT_EQ(co_await site.plugins.register_plugin("/reg"), SocketOutcome::done);
  co_await site.settle();
  const runtime::MonoTime start = loop.time().now();
  const auto answers = co_await site.plugins.prepare(kGpu, kClaims);
  CO_ASSERT_TRUE(!answers);
  EXPECT_TRUE(answers.error().starts_with("rpc error: code = DeadlineExceeded")) << answers.error();
  EXPECT_EQ(loop.time().now() - start, 45s);
  co_await site.settle();
  EXPECT_EQ(plugin.cancelled, 1) << "the driver sees the cancellation";
  co_await site.plugins.stop();
  co_await plugin.stop();
}

struct ReportCount final : DriverObserver {
  void observe_health(const std::string&, const std::string&,
                      const std::vector<HealthReport>&) override {
    ++reports;
  }

  int reports = 0;
};

CO_TEST(DriverConnections, gives_others_a_turn_between_health_reports) {
  Site site(loop);
  ReportCount count;
  site.plugins.set_observer(count);
  PluginInfo info = gpu_info("");
  info.services.emplace_back("v1.DRAResourceHealth");
  Plugin plugin(loop, site.network, info);
  plugin.health_reports = 1000;
  plugin.listen("/reg");
  CO_ASSERT_EQ(co_await site.plugins.register_plugin("/reg"), SocketOutcome::done);
  int at_once_max = 0;
  for (int turn = 0; turn < 20'000; ++turn) {
    const int before = count.reports;
    co_await runtime::yield();
    at_once_max = std::max(at_once_max, count.reports - before);
  }
  EXPECT_EQ(count.reports, 1000);
  EXPECT_LT(at_once_max, 20);
  co_await site.plugins.stop();
  co_await plugin.stop();
}

CO_TEST(DriverConnections, rejects_unusable_answers) {  // [47]
  Site site(loop);
  Plugin plugin(loop, site.network, gpu_info(""));
  plugin.listen("/reg");
  CO_ASSERT_EQ(co_await site.plugins.register_plugin("/reg"), SocketOutcome::done);
  plugin.answer = encode_prepared("c1-uid", std::string(6U << 20, 'x'));
  const auto large = co_await site.plugins.prepare(kGpu, kClaims);
  CO_ASSERT_TRUE(!large);
  EXPECT_TRUE(large.error().starts_with("rpc error: code = ResourceExhausted")) << large.error();
  plugin.answer = "\x0a\xff";
  const auto garbage = co_await site.plugins.unprepare(kGpu, kClaims);
  CO_ASSERT_TRUE(!garbage);
  EXPECT_TRUE(garbage.error().starts_with("rpc error: code = Internal")) << garbage.error();
  plugin.answer = encode_prepared("c1-uid", "id");
  EXPECT_TRUE(co_await site.plugins.prepare(kGpu, kClaims)) << "the connection goes on";
  co_await site.plugins.stop();
  co_await plugin.stop();
}

}  // namespace
}  // namespace dcm::node
