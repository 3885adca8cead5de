#include "playground/embedded_server.hpp"

#include <chrono>

#include "apiserver/front/http_front.hpp"
#include "runtime/http/open_port.hpp"
#include "runtime/task_group.hpp"

namespace dcm::playground {
namespace {

constexpr const char* kHost = "playground";
constexpr std::uint16_t kPort = 80;

// Enough for the watches of some clients to catch up; each version of an object is kept as long as
// it is in the history.
constexpr std::size_t kHistory = 20'000;

// Revisions start at the time in microseconds, and a write takes longer than a microsecond. So they
// exceed the revisions of an earlier process on the same port; its clients learn that theirs are
// too old, and list again.
apiserver::ServerOptions server_options(runtime::WallTime now, apiserver::ServedVersions served,
                                        const Attended& attended) {
  const auto since_epoch =
      std::chrono::duration_cast<std::chrono::microseconds>(now.time_since_epoch());
  return {
      .history_limit = kHistory,
      .log_limit = 0,
      .first_revision = static_cast<apiserver::Revision>(since_epoch.count()),
      .served = std::move(served),
      .advice = [attended](const apiserver::ObjectWrite& made) { return advise(attended, made); }};
}

}  // namespace

EmbeddedServer::EmbeddedServer(const Process& process, apiserver::ServedVersions served,
                               const Attended& attended)
    : process_(process),
      server_(process_.loop.time(), process_.rng.fork(),
              server_options(process_.loop.time().wall_now(), std::move(served), attended)),
      network_(process_.loop.time()),
      pipes_(network_.listen(kHost, kPort)) {}

runtime::Result<> EmbeddedServer::listen(const std::string& address,
                                         std::vector<std::string> accept_hosts) {
  auto listener = http::make_tcp_listener(process_.loop.executor(), process_.loop.time(), address,
                                          std::nullopt);
  if (!listener) return runtime::fail(listener.error());
  loopback_ = std::move(*listener);
  accept_hosts_ = std::move(accept_hosts);
  return {};
}

std::string EmbeddedServer::url() const {
  return "http://" + loopback_->address();
}

std::unique_ptr<Connection> EmbeddedServer::connect() {
  return Connection::over(network_, config(), connection_options(), manager::open_gate(), process_);
}

client::ClusterConfig EmbeddedServer::config() {
  client::ClusterConfig config;
  config.server = {.security = http::Security::plain, .host = kHost, .port = kPort};
  config.origin = "the API server in memory";
  return config;
}

runtime::Task<> EmbeddedServer::run(Front front) {
  const http::Handler handler = apiserver::http_handler(server_, process_.loop.time());
  runtime::TaskGroup group(process_.loop.executor());
  group.spawn("pipes", http::serve(*pipes_, process_.loop.time(), apiserver::front_options(),
                                   handler, process_.log));
  if (loopback_) {
    group.spawn("loopback",
                http::serve_open(*loopback_, process_.loop.time(), apiserver::front_options(),
                                 accept_hosts_, front ? front(handler) : handler, process_.log));
  }
  co_await group.join();
}

}  // namespace dcm::playground
