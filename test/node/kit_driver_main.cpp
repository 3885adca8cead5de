// A driver made with node/driver_kit that fails on request: the counterpart of peers/driver, which
// uses the Go helper. Flags, orders and journal are the same, as far as the kit lets a driver fail.
// With --kubeconfig, claims come from that API server, and --devices devices appear on --node.
#include <csignal>
#include <cstdio>
#include <fstream>
#include <iterator>
#include <map>
#include <string>

#include <boost/asio/buffer.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/read_until.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/json/parse.hpp>
#include <fmt/format.h>
#include <unistd.h>

#include "manager/connection.hpp"
#include "node/driver_kit/plugin.hpp"
#include "node/driver_kit/slices/api_slices.hpp"
#include "runtime/task_group.hpp"

namespace dcm::driver_kit {
namespace {

namespace asio = boost::asio;
namespace json = boost::json;
using Flags = std::map<std::string, std::string>;

void say(const std::string& line) {
  std::puts(line.c_str());
  std::fflush(stdout);
}

std::string read_file(const std::string& path) {
  std::ifstream file(path);
  return std::string(std::istreambuf_iterator<char>(file), {});
}

std::string text_of(const json::object& object, std::string_view key) {
  const json::value* const value = object.if_contains(key);
  return value != nullptr && value->is_string() ? std::string(value->get_string()) : std::string();
}

class FolderClaims final : public ClaimReader {
 public:
  explicit FolderClaims(std::string folder) : folder_(std::move(folder)) {}

  Task<runtime::Result<std::string>> get(api::NamespacedName key) override {
    std::string claim = read_file(fmt::format("{}/{}.{}.json", folder_, key.namespace_, key.name));
    if (claim.empty()) co_return runtime::fail(runtime::Reason::object_not_found, "not found");
    co_return claim;
  }

 private:
  std::string folder_;
};

class FailingDriver final : public Driver {
 public:
  FailingDriver(runtime::TimeSource& time, Flags flags) : time_(time), flags_(std::move(flags)) {}

  Task<Prepared> prepare(AllocatedClaim claim) override {
    if (const auto refused = co_await begin("prepare", claim.ref)) {
      co_return std::unexpected(*refused);
    }
    std::vector<PreparedDevice> devices;
    for (const AllocatedDevice& each : claim.devices) {
      devices.push_back(
          {.pool = each.pool,
           .device = each.device,
           .share_id = each.share_id,
           .requests = {each.request},
           .cdi_ids = {fmt::format("{}/gpu={}", flags_["name"],
                                   each.device.starts_with("c4-") ? "c4-both" : each.device)}});
    }
    if (mode == "no-devices") devices.clear();
    co_return PreparedClaim{.devices = std::move(devices)};
  }

  Task<Unprepared> unprepare(node::ClaimRef claim) override {
    if (const auto refused = co_await begin("unprepare", claim)) {
      co_return std::unexpected(*refused);
    }
    co_return Unprepared();
  }

  std::string mode;

 private:
  // Records the call; returns why it fails, or nullopt.
  Task<std::optional<std::string>> begin(std::string what, node::ClaimRef claim) {
    std::string line = what + " " + claim.uid;
    const std::string& checkpoint = flags_["checkpoint"];
    if (what == "prepare" && !checkpoint.empty() && !read_file(checkpoint).contains(claim.uid)) {
      line += " BEFORE-THE-CHECKPOINT";
    }
    say(line);
    while (mode == "hang") co_await runtime::sleep_for(time_, std::chrono::hours(1));
    if (mode == "refuse-claims") co_return "this claim is refused";
    co_return std::nullopt;
  }

  runtime::TimeSource& time_;
  Flags flags_;
};

node::HealthReport report_of(const json::object& row) {
  const std::string health = text_of(row, "health");
  return {.pool = text_of(row, "pool"),
          .device = text_of(row, "device"),
          .state = {.health = health == "Healthy"     ? node::Health::healthy
                              : health == "Unhealthy" ? node::Health::unhealthy
                                                      : node::Health::unknown,
                    .message = text_of(row, "message")}};
}

void obey(const json::object& order, FailingDriver& driver, Plugin& plugin) {
  if (order.contains("mode")) driver.mode = text_of(order, "mode");
  if (const json::value* const health = order.if_contains("health")) {
    std::vector<node::HealthReport> report;
    for (const json::value& row : health->as_array()) report.push_back(report_of(row.as_object()));
    plugin.health().report(report);
  }
  say("obeyed");
}

Task<> read_orders(runtime::Loop& loop, FailingDriver& driver, Plugin& plugin) {
  asio::posix::stream_descriptor input(loop.executor(), ::dup(STDIN_FILENO));
  std::string buffer;
  while (true) {
    boost::system::error_code error;
    const std::size_t size =
        co_await asio::async_read_until(input, asio::dynamic_buffer(buffer), '\n',
                                        asio::redirect_error(asio::use_awaitable, error));
    if (error) co_return;
    obey(json::parse(buffer.substr(0, size)).as_object(), driver, plugin);
    buffer.erase(0, size);
  }
}

// The API server of a kubeconfig, where the driver's devices are published.
struct Cluster {
  Cluster(const manager::Cluster& connection, runtime::TimeSource& time, Flags flags,
          const runtime::Logger& log)
      : claims(connection.rest()),
        slices(time, connection.rest(), flags["name"], flags["node"]),
        publisher(time, slices, flags["name"], flags["node"], log) {
    publish(flags["node"], std::stoul(flags["devices"]));
  }

  void publish(const std::string& pool, std::size_t count) {
    DevicePool devices{.name = pool, .devices = {}};
    for (std::size_t i = 0; i < count; ++i) {
      devices.devices.push_back({{"name", fmt::format("dev-{}", i)}});
    }
    (void)publisher.publish({std::move(devices)});
  }

  ApiClaims claims;
  ApiSlices slices;
  SlicePublisher publisher;
};

Task<> run(runtime::Loop& loop, Flags flags, int& status) {
  FailingDriver driver(loop.time(), flags);
  FolderClaims folder(flags["claims"]);
  const runtime::Logger log(std::make_shared<runtime::LogBackend>(
      loop.time(), runtime::LogFormat::text, runtime::write_to_stderr()));
  const PluginOptions options{.driver = flags["name"],
                              .registry = flags["registry"],
                              .data = flags["data"],
                              .pod_uid = flags["pod-uid"],
                              .health = HealthService::served,
                              .on_status = [](const RegistrationStatus& told) {
                                say(fmt::format("status {} {}", told.is_registered, told.error));
                              }};
  runtime::MetricsRegistry metrics;
  runtime::Rng rng(static_cast<std::uint64_t>(::getpid()));
  std::optional<manager::Cluster> connection;
  std::optional<Cluster> cluster;
  if (flags.contains("kubeconfig")) {
    auto opened = manager::open_cluster({.kubeconfig = flags["kubeconfig"]},
                                        {.user_agent = "kit-driver", .qps = 0, .burst = 1},
                                        {loop, metrics, rng, log});
    if (!opened) {
      std::fputs(fmt::format("kit_driver: {}\n", to_string(opened.error())).c_str(), stderr);
      co_return;
    }
    connection = *std::move(opened);
    cluster.emplace(*connection, loop.time(), flags, log);
  }
  ClaimReader& claims = cluster ? static_cast<ClaimReader&>(cluster->claims) : folder;
  Plugin plugin(loop, driver, claims, options, log);
  if (const auto opened = plugin.open(listen_on_files(loop)); !opened) {
    std::fputs(fmt::format("kit_driver: {}\n", to_string(opened.error())).c_str(), stderr);
    co_return;
  }
  runtime::TaskGroup group(loop.executor());
  loop.on_signals({SIGTERM, SIGINT}, [&group](int) { group.cancel(); });
  group.spawn("plugin", plugin.run());
  if (cluster) {
    group.spawn("publisher", cluster->publisher.run());
    group.spawn("watch",
                cluster->slices.watch([&cluster] { cluster->publisher.observe_change(); }));
  }
  group.spawn("orders", read_orders(loop, driver, plugin));
  co_await group.join();
  status = 0;
}

}  // namespace
}  // namespace dcm::driver_kit

int main(int count, char** arguments) {
  dcm::driver_kit::Flags flags;
  for (int i = 1; i + 1 < count; i += 2)
    flags[std::string(arguments[i]).substr(2)] = arguments[i + 1];
  int status = 1;
  dcm::runtime::Loop loop;
  loop.run(dcm::driver_kit::run(loop, std::move(flags), status));
  return status;
}
