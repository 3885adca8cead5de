// Drivers built with the kit, called by our node on virtual time. Numbers in brackets are the cases
// of the node's specification; test/node/compare.py --kit has kubelet's managers call them.
#include "node/driver_kit/plugin.hpp"

#include <map>

#include <fmt/format.h>
#include <protozero/pbf_reader.hpp>
#include <protozero/pbf_writer.hpp>

#include "node/plugins/driver_connections.hpp"
#include "runtime/grpc/channel.hpp"
#include "runtime/http/pipe.hpp"
#include "runtime/task_group.hpp"
#include "test/support/co_test.hpp"
#include "test/support/memory_files.hpp"

namespace dcm::driver_kit {
namespace {

using namespace std::chrono_literals;
using node::ClaimRef;
using runtime::Deadline;
using runtime::VirtualLoop;

constexpr const char* kGpu = "gpu.example.com";
const ClaimRef kClaim{"lab", "c1", "c1-uid"};

std::string claim_json(const std::string& uid, const std::string& status) {
  return fmt::format(R"({{"metadata":{{"name":"c1","uid":"{}"}},"status":{}}})", uid, status);
}

const std::string kAllocated = R"({"allocation":{"devices":{"results":[
    {"request":"gpu/large","driver":"gpu.example.com","pool":"p","device":"d0","shareID":"s"},
    {"request":"nic","driver":"nic.example.com","pool":"p","device":"d1"}]}}})";

class Claims final : public ClaimReader {
 public:
  Task<runtime::Result<std::string>> get(api::NamespacedName key) override {
    const auto found = objects.find(key.name.str());
    if (found != objects.end()) co_return found->second;
    co_return runtime::fail(runtime::Reason::object_not_found, key.name + " not found");
  }

  std::map<std::string, std::string> objects{{"c1", claim_json("c1-uid", kAllocated)}};
};

// Records its calls, and how many run concurrently.
class SlowDriver final : public Driver {
 public:
  SlowDriver(runtime::TimeSource& time, std::string name) : time_(time), name_(std::move(name)) {}

  Task<Prepared> prepare(AllocatedClaim claim) override {
    co_await work("prepare " + claim.ref.uid);
    if (refuses) co_return std::unexpected(*refuses);
    std::vector<PreparedDevice> devices;
    for (const AllocatedDevice& each : claim.devices) {
      devices.push_back({.pool = each.pool,
                         .device = each.device,
                         .share_id = each.share_id,
                         .requests = {each.request + "/" + each.subrequest},
                         .cdi_ids = {name_ + "/gpu=" + each.device}});
    }
    co_return PreparedClaim{.devices = std::move(devices)};
  }

  Task<Unprepared> unprepare(ClaimRef claim) override {
    co_await work("unprepare " + claim.uid);
    if (refuses) co_return std::unexpected(*refuses);
    co_return Unprepared();
  }

  std::optional<std::string> refuses;
  std::vector<std::string> calls;
  int at_once_max = 0;

 private:
  Task<> work(std::string what) {
    struct Visit {
      int& count;
      explicit Visit(int& c) : count(++c) {}
      ~Visit() { --count; }
    } const visit(inside_);
    at_once_max = std::max(at_once_max, inside_);
    calls.push_back(std::move(what));
    co_await runtime::sleep_for(time_, 1s);
  }

  runtime::TimeSource& time_;
  std::string name_;
  int inside_ = 0;
};

// A node, and one driver on it.
struct Site {
  explicit Site(VirtualLoop& loop, PluginOptions options = {.driver = kGpu,
                                                            .registry = "/reg",
                                                            .data = "/gpu",
                                                            .health = HealthService::served})
      : loop(loop),
        network(loop.time()),
        driver(loop.time(), kGpu),
        node(loop, network, runtime::Rng(1), node::ServiceChoice::first_named, {}),
        group(loop.executor()) {
    options.on_status = [this](const RegistrationStatus& status) {
      told.push_back(status.is_registered ? "registered" : status.error);
    };
    options.files = &files;
    plugin = std::make_unique<Plugin>(loop, driver, claims, options, runtime::Logger());
    paths = socket_paths(options);
  }

  Task<node::SocketOutcome> start() {
    const auto opened = plugin->open(
        [this](const std::string& path) -> runtime::Result<std::unique_ptr<http::Listener>> {
          return network.listen(path, 0);
        });
    EXPECT_TRUE(opened) << to_string(opened.error());
    group.spawn("plugin", plugin->run());
    co_return co_await node.register_plugin(paths.registration);
  }
  Task<> stop() {
    co_await node.stop();
    group.cancel();
    co_await group.join();
  }
  // It works until stop(), and must exist until then.
  std::unique_ptr<grpc::Channel> connect() {
    auto channel = grpc::make_channel(loop, network, runtime::Rng(1),
                                      {.endpoint = {http::Security::plain, paths.endpoint, 0}});
    group.spawn("channel", channel->run());
    return channel;
  }
  Deadline in(runtime::Duration duration) const { return Deadline::after(loop.time(), duration); }

  VirtualLoop& loop;
  http::PipeNetwork network;
  Claims claims;
  test::MemoryFiles files;
  SlowDriver driver;
  node::DriverConnections node;
  std::unique_ptr<Plugin> plugin;
  SocketPaths paths;
  std::vector<std::string> told;
  runtime::TaskGroup group;
};

CO_TEST(DriverKit, warns_once_if_no_node_finds_it) {
  std::string lines;
  const auto backend = std::make_shared<runtime::LogBackend>(
      loop.time(), runtime::LogFormat::text,
      [&](runtime::Severity, std::string_view line) { lines += line; });
  Site site(loop);
  site.plugin = std::make_unique<Plugin>(
      loop, site.driver, site.claims,
      PluginOptions{.driver = kGpu, .registry = "/reg", .data = "/gpu", .files = &site.files},
      runtime::Logger(backend));
  CO_ASSERT_TRUE(site.plugin->open(
      [&](const std::string& path) -> runtime::Result<std::unique_ptr<http::Listener>> {
        return site.network.listen(path, 0);
      }));
  site.group.spawn("plugin", site.plugin->run());
  co_await runtime::sleep_for(loop.time(), 29s);
  EXPECT_EQ(lines, "");
  co_await runtime::sleep_for(loop.time(), 2s);
  EXPECT_TRUE(lines.contains("No node has found the driver. Check that kubelet runs")) << lines;
  EXPECT_TRUE(lines.contains("/reg/gpu.example.com-reg.sock")) << lines;
  const std::string once = lines;
  co_await runtime::sleep_for(loop.time(), 10min);
  EXPECT_EQ(lines, once);
  co_await site.stop();
}

CO_TEST(DriverKit, does_not_warn_if_node_finds_it) {
  std::string lines;
  const auto backend =
      std::make_shared<runtime::LogBackend>(loop.time(), runtime::LogFormat::text,
                                            [&](runtime::Severity severity, std::string_view line) {
                                              if (severity != runtime::Severity::info)
                                                lines += line;
                                            });
  Site site(loop);
  site.plugin = std::make_unique<Plugin>(
      loop, site.driver, site.claims,
      PluginOptions{.driver = kGpu, .registry = "/reg", .data = "/gpu", .files = &site.files},
      runtime::Logger(backend));
  CO_ASSERT_EQ(co_await site.start(), node::SocketOutcome::done);
  co_await runtime::sleep_for(loop.time(), 1min);
  EXPECT_EQ(lines, "");
  co_await site.stop();
}

CO_TEST(DriverKit, registers_prepares_and_unprepares) {  // [81]
  Site site(loop);
  CO_ASSERT_EQ(co_await site.start(), node::SocketOutcome::done);
  EXPECT_EQ(site.told, std::vector<std::string>{"registered"});
  const auto prepared = co_await site.node.prepare(kGpu, {kClaim});
  CO_ASSERT_TRUE(prepared);
  const node::PreparedDevice expected{.pool = "p",
                                      .device = "d0",
                                      .share_id = "s",
                                      .requests = {"gpu"},
                                      .cdi_ids = {"gpu.example.com/gpu=d0"}};
  EXPECT_EQ(prepared->at("c1-uid").devices, std::vector{expected});
  const auto unprepared = co_await site.node.unprepare(kGpu, {kClaim, {"lab", "gone", "g-uid"}});
  CO_ASSERT_TRUE(unprepared);
  EXPECT_EQ(unprepared->size(), 2U) << "one that is gone from the API has an answer as well";
  EXPECT_EQ(site.driver.calls,
            (std::vector<std::string>{"prepare c1-uid", "unprepare c1-uid", "unprepare g-uid"}));
  co_await site.stop();
}

CO_TEST(DriverKit, serves_both_versions) {  // [81]
  Site site(loop);
  CO_ASSERT_EQ(co_await site.start(), node::SocketOutcome::done);
  const auto channel = site.connect();
  for (const char* const version : {"v1", "v1beta1"}) {
    const auto answer = co_await channel->call(
        fmt::format("/k8s.io.kubelet.pkg.apis.dra.{}.DRAPlugin/NodePrepareResources", version),
        node::encode_claims({kClaim}), site.in(5s));
    CO_ASSERT_TRUE(answer);
    EXPECT_EQ(node::decode_prepare_answer(*answer)->at("c1-uid").devices.size(), 1U) << version;
  }
  co_await site.stop();
}

// As deep as opaque parameters can be: 10 KiB.
TEST(ReadClaim, reads_parameters_of_any_depth) {
  const std::string parameters = std::string(5'000, '[') + std::string(5'000, ']');
  const std::string status = R"({"deep":)" + parameters + "," + kAllocated.substr(1);
  const auto claim = read_claim({"lab", "c1", "c1-uid"}, kGpu, claim_json("c1-uid", status));
  ASSERT_TRUE(claim) << claim.error();
  EXPECT_EQ(claim->devices.size(), 1U);
}

TEST(ReadClaim, ignores_pod_claim_name_that_is_none) {
  const auto name_read = [](const std::string& annotation) {
    const auto claim = read_claim({"lab", "c1", "c1-uid"}, kGpu,
                                  fmt::format(R"({{"metadata":{{"uid":"c1-uid","annotations":{{
                    "resource.kubernetes.io/pod-claim-name":"{}"}}}},"status":{}}})",
                                              annotation, kAllocated));
    return claim ? claim->pod_claim_name : claim.error();
  };
  EXPECT_EQ(name_read("gpus"), "gpus");
  for (const char* const wrong : {"../../../etc", "a/b", "..", ""}) {
    EXPECT_EQ(name_read(wrong), "") << wrong;
  }
}

CO_TEST(DriverKit, fails_call_for_replaced_claim_before_any_work) {  // [83]
  const struct {
    const char* sentence;
    std::optional<std::string> object;
    const char* why;
  } rows[] = {
      {"gone", std::nullopt, "retrieve claim lab/c2: c2 not found"},
      {"replaced", claim_json("other-uid", kAllocated), "claim lab/c2 got replaced"},
      {"not allocated", claim_json("c2-uid", "{}"), "claim lab/c2 not allocated"},
      {"deallocated", claim_json("c2-uid", R"({"allocation":null})"), "claim lab/c2 not allocated"},
      {"no object", "nonsense", "claim lab/c2 is not JSON: syntax error"},
  };
  for (const auto& row : rows) {
    Site site(loop);
    if (row.object) site.claims.objects["c2"] = *row.object;
    CO_ASSERT_EQ(co_await site.start(), node::SocketOutcome::done);
    const auto answer = co_await site.node.prepare(kGpu, {kClaim, {"lab", "c2", "c2-uid"}});
    CO_ASSERT_TRUE(!answer);
    EXPECT_EQ(answer.error(), fmt::format("rpc error: code = Unknown desc = {}", row.why));
    EXPECT_TRUE(site.driver.calls.empty()) << row.sentence;
    co_await site.stop();
  }
}

CO_TEST(DriverKit, reports_refusal_of_claim) {
  for (const char* const why : {"out of order", ""}) {
    Site site(loop);
    site.driver.refuses = why;
    CO_ASSERT_EQ(co_await site.start(), node::SocketOutcome::done);
    const std::string expected = *why == '\0' ? "the driver does not say why" : why;
    EXPECT_EQ((co_await site.node.prepare(kGpu, {kClaim}))->at("c1-uid").error, expected);
    EXPECT_EQ((co_await site.node.unprepare(kGpu, {kClaim}))->at("c1-uid").error, expected);
    co_await site.stop();
  }
}

// A node refuses an answer with a string that is not UTF-8, as a whole.
CO_TEST(DriverKit, repairs_texts_of_driver) {
  Site site(loop);
  site.driver.refuses = "caf\xe9";
  CO_ASSERT_EQ(co_await site.start(), node::SocketOutcome::done);
  const auto prepared = co_await site.node.prepare(kGpu, {kClaim});
  const auto unprepared = co_await site.node.unprepare(kGpu, {kClaim});
  for (const auto* answer : {&prepared, &unprepared}) {
    CO_ASSERT_TRUE(*answer);
    EXPECT_EQ((*answer)->at("c1-uid").error, "caf\ufffd");
  }
  const auto report = node::decode_health_report(
      encode_health({{"p", "d0", {node::Health::unhealthy, "caf\xe9"}, 500ms}}));
  CO_ASSERT_TRUE(report && report->size() == 1);
  EXPECT_EQ(report->front().state.message, "caf\ufffd");
  EXPECT_EQ(report->front().timeout, 1s) << "0 would be 30 s";
  co_await site.stop();
}

CO_TEST(DriverKit, calls_driver_one_at_a_time) {
  Site site(loop);
  CO_ASSERT_EQ(co_await site.start(), node::SocketOutcome::done);
  const auto began = loop.time().now();
  const auto call = [&site]() -> Task<> { (void)co_await site.node.prepare(kGpu, {kClaim}); };
  runtime::TaskGroup calls(loop.executor());
  for (int i = 0; i < 3; ++i) calls.spawn("call", call());
  co_await calls.join();
  EXPECT_EQ(loop.time().now() - began, 3s);
  EXPECT_EQ(site.driver.at_once_max, 1);
  co_await site.stop();
}

CO_TEST(DriverKit, accepts_refusal_by_node_and_later_attempt) {
  Site site(loop);
  CO_ASSERT_EQ(co_await site.start(), node::SocketOutcome::done);
  CO_ASSERT_EQ(co_await site.node.register_plugin(site.paths.registration),
               node::SocketOutcome::failed);
  CO_ASSERT_EQ(site.told.size(), 2U);
  EXPECT_TRUE(site.told[1].contains("endpoint /gpu/dra.sock already registered")) << site.told[1];
  co_await site.node.unregister_plugin(site.paths.registration);
  EXPECT_EQ(co_await site.node.register_plugin(site.paths.registration), node::SocketOutcome::done);
  co_await site.stop();
}

// The devices of a health message by name, with their health.
std::map<std::string, int> read_health(const std::string& message) {
  std::map<std::string, int> found;
  for (protozero::pbf_reader rows(message); rows.next(1);) {
    protozero::pbf_reader row = rows.get_message();
    std::string name;
    int health = 0;
    while (row.next()) {
      if (row.tag() == 1) {
        protozero::pbf_reader device = row.get_message();
        while (device.next(2)) name = device.get_string();
      } else if (row.tag() == 2) {
        health = row.get_enum();
      } else {
        row.skip();
      }
    }
    found[name] = health;
  }
  return found;
}

CO_TEST(DriverKit, sends_health_to_current_and_prompt_watchers) {
  Site site(loop);
  CO_ASSERT_EQ(co_await site.start(), node::SocketOutcome::done);
  const auto channel = site.connect();
  using Found = std::map<std::string, int>;
  for (const char* const version : {"v1", "v1alpha1"}) {
    const std::string path = fmt::format("/{}.DRAResourceHealth/NodeWatchResources", version);
    auto stream = co_await channel->open(path, "", site.in(1s));
    CO_ASSERT_TRUE(stream);
    site.plugin->health().report(
        {{"p", "d0", {node::Health::healthy, ""}}, {"p", "d1", {node::Health::unhealthy, "hot"}}});
    const auto report = co_await (*stream)->next(site.in(1s));
    CO_ASSERT_TRUE(report && *report);
    EXPECT_EQ(read_health(**report), (Found{{"d0", 1}, {"d1", 2}}));
    co_await runtime::sleep_for(loop.time(), 29s);
    auto later = co_await channel->open(path, "", site.in(1s));
    CO_ASSERT_TRUE(later);
    EXPECT_TRUE(co_await (*later)->next(site.in(500ms)));
    co_await runtime::sleep_for(loop.time(), 2s);
    auto too_late = co_await channel->open(path, "", site.in(1s));
    CO_ASSERT_TRUE(too_late);
    const auto nothing = co_await (*too_late)->next(site.in(1min));
    CO_ASSERT_TRUE(!nothing);
    EXPECT_EQ(nothing.error().code, grpc::Code::deadline_exceeded) << "it is no longer known";
  }
  co_await site.stop();
}

// As in the Go helper: otherwise nobody sees why devices become unknown.
CO_TEST(DriverKit, warns_once_of_missing_health_report) {
  int warnings = 0;
  const auto backend = std::make_shared<runtime::LogBackend>(
      loop.time(), runtime::LogFormat::text, [&](runtime::Severity, std::string_view line) {
        warnings += line.contains("has not reported health in time") ? 1 : 0;
      });
  Site site(loop);
  site.plugin = std::make_unique<Plugin>(loop, site.driver, site.claims,
                                         PluginOptions{.driver = kGpu,
                                                       .registry = "/reg",
                                                       .data = "/gpu",
                                                       .health = HealthService::served,
                                                       .files = &site.files},
                                         runtime::Logger(backend));
  const auto rest = [&] { return runtime::sleep_for(loop.time(), 10min); };
  CO_ASSERT_EQ(co_await site.start(), node::SocketOutcome::done);
  co_await rest();
  EXPECT_EQ(warnings, 1) << "no report yet";
  site.plugin->health().report({{"p", "d0", {node::Health::healthy, ""}, 1min}});
  co_await runtime::sleep_for(loop.time(), 59s);
  EXPECT_EQ(warnings, 1);
  co_await rest();
  EXPECT_EQ(warnings, 2) << "no other report";
  site.plugin->health().report(
      {{"p", "d0", {node::Health::healthy, ""}, runtime::Duration::max()}});
  co_await rest();
  site.plugin->health().report({});
  co_await rest();
  EXPECT_EQ(warnings, 2);
  co_await site.stop();
}

CO_TEST(DriverKit, omits_health_service_without_health) {
  Site site(loop, {.driver = kGpu, .registry = "/reg", .data = "/gpu"});
  CO_ASSERT_EQ(co_await site.start(), node::SocketOutcome::done);
  const auto channel = site.connect();
  auto stream = co_await channel->open("/v1.DRAResourceHealth/NodeWatchResources", "", site.in(1s));
  CO_ASSERT_TRUE(stream);
  const auto answer = co_await (*stream)->next(site.in(1s));
  CO_ASSERT_TRUE(!answer);
  EXPECT_EQ(answer.error().code, grpc::Code::unimplemented);
  co_await site.stop();
}

CO_TEST(DriverKit, rejects_garbage) {
  Site site(loop);
  CO_ASSERT_EQ(co_await site.start(), node::SocketOutcome::done);
  const auto channel = site.connect();
  const std::string no_utf8 = node::encode_claims({{"lab", "c1", "caf\xe9"}});
  for (const char* const method : {"NodePrepareResources", "NodeUnprepareResources"}) {
    for (const std::string& request : {std::string("\x0a\xff"), no_utf8}) {
      const auto answer = co_await channel->call(
          fmt::format("/k8s.io.kubelet.pkg.apis.dra.v1.DRAPlugin/{}", method), request,
          site.in(1s));
      CO_ASSERT_TRUE(!answer);
      EXPECT_EQ(answer.error().code, grpc::Code::internal);
    }
  }
  EXPECT_TRUE(site.driver.calls.empty());
  co_await site.stop();
}

// A claim's parts become parts of paths: of URLs in the kit, perhaps of files in the driver.
CO_TEST(DriverKit, refuses_only_claims_whose_names_are_none) {
  const std::vector<ClaimRef> wrong{{"", "c1", "u1"},
                                    {"a/b", "c1", "u2"},
                                    {"lab", "", "u3"},
                                    {"lab", "../c1", "u4"},
                                    {"lab", "c1", "../../etc"},
                                    {"lab", "c1", ""},
                                    {"lab", std::string(300, 'n'), "u5"}};
  Site site(loop);
  CO_ASSERT_EQ(co_await site.start(), node::SocketOutcome::done);
  std::vector<ClaimRef> asked = wrong;
  asked.push_back(kClaim);
  const auto prepared = co_await site.node.prepare(kGpu, asked);
  const auto unprepared = co_await site.node.unprepare(kGpu, asked);
  CO_ASSERT_TRUE(prepared && unprepared);
  EXPECT_EQ(prepared->at("c1-uid").devices.size(), 1U);
  EXPECT_EQ(unprepared->at("c1-uid").error, "");
  for (const ClaimRef& claim : wrong) {
    for (const auto* answers : {&*prepared, &*unprepared}) {
      EXPECT_EQ(answers->at(claim.uid).error, "no claim can have its namespace, name and UID");
    }
  }
  EXPECT_EQ(site.driver.calls, (std::vector<std::string>{"prepare c1-uid", "unprepare c1-uid"}));
  co_await site.stop();
}

// The driver was down when the claim was deleted; its node has lost the checkpoint, and does not
// call it.
CO_TEST(DriverKit, unprepares_claim_deleted_during_downtime) {
  Site site(loop);
  ClaimFiles before(site.files, loop.time(), {.driver = kGpu, .data = "/gpu", .cdi = "/cdi"});
  CO_ASSERT_TRUE(before.begin({.ref = {"lab", "gone", "gone-uid"}, .devices = {}, .json = {}}));
  co_await site.start();
  co_await runtime::sleep_for(loop.time(), 1min);
  EXPECT_EQ(site.driver.calls, std::vector<std::string>{"unprepare gone-uid"});
  EXPECT_TRUE(site.files.names().empty());
  co_await site.stop();
}

}  // namespace
}  // namespace dcm::driver_kit
