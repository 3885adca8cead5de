#include "node/plugins/driver_connections.hpp"

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <ranges>
#include <utility>

#include <fmt/format.h>

#include "node/devices/health.hpp"
#include "runtime/ascii.hpp"
#include "runtime/dns_names.hpp"
#include "runtime/task_group.hpp"

namespace dcm::node {

using runtime::Deadline;
using runtime::Task;

namespace {

constexpr int kAttemptsMax = 3;

std::string validation_failed(const std::string& why) {
  return "RegisterPlugin error -- plugin validation failed with err: " + why;
}

// kubelet handles these; here other programs serve them, and they are not asked again.
bool is_of_other_manager(const std::string& type) {
  return type == "CSIPlugin" || type == "DevicePlugin";
}

}  // namespace

// A channel and its running task.
struct DriverConnections::Connection {
  Connection(runtime::LoopRef loop, http::Transport& transport, runtime::Rng rng,
             const std::string& socket)
      : channel(grpc::make_channel(
            loop, transport, rng,
            {.endpoint = {http::Security::plain, socket, 0}, .connect_timeout = kConnectTimeout})),
        group(loop.executor()) {
    group.spawn("connection to " + socket, channel->run());
  }

  std::unique_ptr<grpc::Channel> channel;
  runtime::TaskGroup group;
};

struct DriverConnections::Instance {
  std::string driver;
  std::string endpoint;
  std::string socket;
  std::int64_t made;  // when the socket was made
  Services services;
  Connection connection;
};

DriverConnections::DriverConnections(runtime::LoopRef loop, http::Transport& transport,
                                     runtime::Rng rng, ServiceChoice choice, runtime::Logger log)
    : loop_(std::move(loop)),
      transport_(transport),
      rng_(rng),
      choice_(choice),
      log_(std::move(log)) {}

DriverConnections::~DriverConnections() = default;

Task<SocketOutcome> DriverConnections::register_plugin(std::string socket, std::int64_t made) {
  SocketOutcome outcome = SocketOutcome::failed;
  Connection connection(loop_, transport_, rng_.fork(), socket);
  const auto run = [](DriverConnections& plugins, const std::string& path, std::int64_t age,
                      Connection& to, SocketOutcome& result) -> Task<> {
    result = co_await plugins.introduce(path, age, *to.channel);
    to.group.cancel();
  };
  connection.group.spawn("registration of " + socket,
                         run(*this, socket, made, connection, outcome));
  co_await connection.group.join();
  co_return outcome;
}

Task<SocketOutcome> DriverConnections::introduce(const std::string& socket, std::int64_t made,
                                                 grpc::Channel& channel) {
  const auto in = [&](runtime::Duration limit) { return Deadline::after(loop_.time(), limit); };
  const bool is_connected = co_await channel.wait_until_connected(in(kConnectTimeout));
  if (!is_connected) {
    log_.warning("Cannot connect to a plugin",
                 {{"socket", socket}, {"error", channel.last_error()}});
    co_return SocketOutcome::failed;
  }
  const auto answer = co_await channel.call(kGetInfoPath, "", in(kGetInfoTimeout));
  auto info = answer ? decode_plugin_info(*answer) : std::nullopt;
  if (!info) {
    log_.warning("GetInfo of a plugin failed",
                 {{"socket", socket},
                  {"error", answer ? "GetInfo: no PluginInfo"
                                   : cut_message(grpc::to_string(answer.error()))}});
    co_return SocketOutcome::failed;
  }
  if (info->type != kDraPluginType) {
    co_return co_await refuse(
        socket, channel,
        fmt::format(
            "RegisterPlugin error -- no handler registered for plugin type: {} at socket {}",
            info->type, socket),
        is_of_other_manager(info->type) ? SocketOutcome::refused : SocketOutcome::failed);
  }
  if (info->endpoint.empty()) info->endpoint = socket;
  const auto services = choose_services(*info, choice_);
  if (!services) {
    co_return co_await refuse(socket, channel, validation_failed(services.error()),
                              SocketOutcome::failed);
  }
  const Added added = add(socket, made, *info, *services);
  if (!added) co_return co_await refuse(socket, channel, added.error(), SocketOutcome::failed);
  if (const auto answered = co_await notify(channel, ""); !answered) {
    log_.warning("Plugin rejected the registration status",
                 {{"socket", socket}, {"error", cut_message(grpc::to_string(answered.error()))}});
    co_await remove(*added);
    co_return SocketOutcome::failed;
  }
  log_.info("Registered a driver", {{"driver", info->name}, {"endpoint", info->endpoint}});
  co_return SocketOutcome::done;
}

Task<SocketOutcome> DriverConnections::refuse(const std::string& socket, grpc::Channel& channel,
                                              std::string why, SocketOutcome outcome) {
  why = cut_message(std::move(why));  // it quotes the plugin
  log_.warning("Refused a plugin", {{"socket", socket}, {"error", why}});
  (void)co_await notify(channel, why);
  co_return outcome;
}

Task<grpc::Result<void>> DriverConnections::notify(grpc::Channel& channel,
                                                   const std::string& error) {
  const auto answered = co_await channel.call(kNotifyPath, encode_registration_status(error),
                                              Deadline::after(loop_.time(), kNotifyTimeout));
  if (!answered) co_return std::unexpected(answered.error());
  co_return grpc::Result<void>();
}

DriverConnections::Added DriverConnections::add(const std::string& socket, std::int64_t made,
                                                const PluginInfo& info, const Services& services) {
  // The API takes drivers' names in any case.
  if (!runtime::is_driver_name(runtime::lower(info.name))) {
    return std::unexpected(validation_failed(
        fmt::format("\"{}\" is not a DNS subdomain of at most 63 characters", info.name)));
  }
  if (info.endpoint.size() > kSocketPathBytesMax) {
    return std::unexpected(validation_failed(
        fmt::format("the endpoint has {} bytes; the path of a Unix socket has at most {}",
                    info.endpoint.size(), kSocketPathBytesMax)));
  }
  if (info.endpoint.contains('\0')) {
    return std::unexpected(validation_failed("the endpoint contains a NUL"));
  }
  const std::filesystem::path endpoint(info.endpoint);
  for (const auto& other : instances_) {
    const std::filesystem::path taken(other->endpoint);
    if (taken.lexically_normal() != endpoint.lexically_normal()) continue;
    return std::unexpected(fmt::format(
        "RegisterPlugin error -- plugin registration failed with err: endpoint {} already "
        "registered for DRA driver plugin {}",
        info.endpoint, other->driver));
  }
  const auto newer =
      std::ranges::upper_bound(instances_, made, {}, [](const auto& other) { return other->made; });
  const auto added = instances_.emplace(
      newer, new Instance{info.name, info.endpoint, socket, made, services,
                          Connection(loop_, transport_, rng_.fork(), info.endpoint)});
  Instance& instance = **added;
  instance.connection.group.spawn("connection's state", follow_connection(instance));
  if (services.health != HealthVersion::none) {
    instance.connection.group.spawn("health of devices", follow_health(instance));
  }
  return *added;
}

Task<> DriverConnections::remove(std::shared_ptr<Instance> instance) {
  std::erase(instances_, instance);
  instance->connection.group.cancel();
  co_await instance->connection.group.join();
  observer_->observe_health_end(instance->driver, instance->endpoint);
  observer_->observe_driver(instance->driver);
}

Task<> DriverConnections::follow_connection(Instance& instance) {
  grpc::Channel& channel = *instance.connection.channel;
  while (true) {
    const std::uint64_t seen = channel.changes();
    observer_->observe_driver(instance.driver);
    co_await channel.wait_for_change(
        seen, seen == 0 ? Deadline::after(loop_.time(), kConnectTimeout) : Deadline());
    if (seen == 0 && channel.changes() == 0) {
      log_.warning("Cannot connect to a registered driver; retrying",
                   {{"driver", instance.driver},
                    {"endpoint", instance.endpoint},
                    {"error", channel.last_error()}});
      co_await channel.wait_for_change(seen, {});
    }
  }
}

Task<> DriverConnections::follow_health(Instance& instance) {
  while (true) {
    const grpc::Status end = co_await read_health(instance);
    observer_->observe_health_end(instance.driver, instance.endpoint);
    log_.info("A stream of health reports ended",
              {{"driver", instance.driver}, {"error", cut_message(grpc::to_string(end))}});
    if (end.code == grpc::Code::unimplemented) co_return;
    co_await runtime::sleep_for(loop_.time(), kHealthPause);
  }
}

// Reads until the stream ends. Many reports may have arrived at once.
Task<grpc::Status> DriverConnections::read_health(Instance& instance) {
  const auto stream = co_await instance.connection.channel->open(
      health_path(instance.services.health), "", Deadline::after(loop_.time(), kCallTimeout));
  if (!stream) co_return stream.error();
  while (true) {
    const auto message = co_await (*stream)->next({});
    if (!message) co_return message.error();
    if (!message->has_value()) co_return grpc::Status{};
    const auto report = decode_health_report(**message);
    if (!report) co_return grpc::Status{grpc::Code::internal, "no report of health"};
    observer_->observe_health(instance.driver, instance.endpoint, *report);
    co_await runtime::yield();
  }
}

Task<> DriverConnections::unregister_plugin(std::string socket) {
  const auto found =
      std::ranges::find(instances_, socket, [](const auto& instance) { return instance->socket; });
  if (found == instances_.end()) co_return;
  const std::shared_ptr<Instance> instance = *found;
  log_.info("Unregistered a driver",
            {{"driver", instance->driver}, {"endpoint", instance->endpoint}});
  co_await remove(instance);
}

Task<> DriverConnections::stop() {
  while (!instances_.empty()) co_await remove(instances_.back());
}

bool DriverConnections::is_registered(const std::string& driver) const {
  return instance_for(driver) != nullptr;
}

bool DriverConnections::is_connected(const std::string& driver) const {
  const auto instance = instance_for(driver);
  return instance != nullptr && instance->connection.channel->is_connected();
}

// The newest connected one; if none is connected, the newest.
std::shared_ptr<DriverConnections::Instance> DriverConnections::instance_for(
    const std::string& driver) const {
  std::shared_ptr<Instance> newest;
  for (const auto& instance : std::views::reverse(instances_)) {
    if (instance->driver != driver) continue;
    if (instance->connection.channel->is_connected()) return instance;
    if (!newest) newest = instance;
  }
  return newest;
}

Task<DriverCalls::Answer> DriverConnections::prepare(std::string driver,
                                                     std::vector<ClaimRef> claims) {
  return call(std::move(driver), "NodePrepareResources", std::move(claims), decode_prepare_answer);
}

Task<DriverCalls::Answer> DriverConnections::unprepare(std::string driver,
                                                       std::vector<ClaimRef> claims) {
  return call(std::move(driver), "NodeUnprepareResources", std::move(claims),
              decode_unprepare_answer);
}

Task<grpc::Result<std::string>> DriverConnections::call_instance(const Instance& instance,
                                                                 std::string_view method,
                                                                 const std::string& request,
                                                                 Deadline deadline) {
  const std::string path = method_path(instance.services.dra, method);
  const runtime::MonoTime began = loop_.time().now();
  auto message = co_await instance.connection.channel->call(path, request, deadline);
  observer_->observe_call(instance.driver, path, message ? grpc::Code::ok : message.error().code,
                          loop_.time().now() - began);
  co_return message;
}

Task<DriverCalls::Answer> DriverConnections::call(
    std::string driver, std::string_view method, std::vector<ClaimRef> claims,
    std::function<std::optional<Answers>(std::string_view)> decode) {
  const Deadline deadline = Deadline::after(loop_.time(), kCallTimeout);
  const std::string request = encode_claims(claims);
  auto message = grpc::Result<std::string>();
  // A call that an instance has not processed goes to the best instance at that time, possibly the
  // same.
  for (int attempt = 1;; ++attempt) {
    const std::shared_ptr<Instance> instance = instance_for(driver);
    if (!instance) co_return std::unexpected("DRA driver " + driver + " is not registered");
    message = co_await call_instance(*instance, method, request, deadline);
    const bool was_not_taken = !message && message.error().sent == grpc::Sent::no;
    if (!was_not_taken || attempt == kAttemptsMax) break;
  }
  if (!message) co_return std::unexpected(cut_message(grpc::to_string(message.error())));
  auto answers = decode(*message);
  if (!answers) {
    co_return std::unexpected(
        "rpc error: code = Internal desc = grpc: failed to unmarshal the received message");
  }
  co_return *std::move(answers);
}

}  // namespace dcm::node
