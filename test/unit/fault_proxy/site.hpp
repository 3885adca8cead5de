// A server, the proxy in front of it, and a client of the proxy, over pipes.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "runtime/http/pipe.hpp"
#include "test/support/co_test.hpp"
#include "test/support/fault_control.hpp"

namespace dcm::support {

// The server answers with the request's target as a body, and records it; a watch gets two events
// and then stays open.
struct Site {
  explicit Site(runtime::VirtualLoop& l, const std::string& host = "server")
      : loop(l),
        network(l.time()),
        server_side(network.listen("server", 80)),
        proxy_side(network.listen("proxy", 80)),
        control_side(network.listen("control", 80)),
        upstream(client_of(host)),
        client(client_of("proxy")),
        control(client_of("control")),
        proxy(l.time(), *upstream, "/prefix", {}),
        group(l.executor()) {
    group.spawn("server", http::serve(*server_side, l.time(), {}, answer(), {}));
    group.spawn("proxy", http::serve(*proxy_side, l.time(), {}, proxy.handler(), {}));
    group.spawn("control", http::serve(*control_side, l.time(), {}, make_fault_control(proxy), {}));
  }

  std::unique_ptr<http::Client> client_of(const std::string& host) {
    return http::make_client(network, loop.time(), {.origin = {http::Security::plain, host, 80}});
  }

  http::Handler answer() {
    return [this](http::Request request, http::Responder& responder) -> runtime::Task<> {
      seen.push_back(std::move(request));
      const bool is_watch = seen.back().target.contains("watch=1");
      http::Response response{.status = 200,
                              .headers = {{"Content-Type", "application/json"}},
                              .body = seen.back().target};
      if (!is_watch) {
        co_await responder.send(std::move(response));
        co_return;
      }
      co_await responder.begin(std::move(response));
      co_await responder.write("{\"n\":1}\n{\"n\"");
      co_await responder.write(":2}\n");
      co_await runtime::sleep_for(loop.time(), std::chrono::hours(1));
      co_await responder.end();
    };
  }

  // Sends to the proxy.
  runtime::Task<http::Result<http::Response>> send(http::Method method, std::string target,
                                                   std::string body = {}) {
    co_return co_await client->send({method, std::move(target), {}, std::move(body)}, {});
  }

  // The bytes of a watch until its end, followed by "…" if it was cut.
  runtime::Task<std::string> read_watch(http::StreamingResponse& watch) {
    std::string all;
    while (true) {
      const auto piece = co_await watch.read_some({});
      if (!piece) co_return all + "…";
      if (piece->empty()) co_return all;
      all += *piece;
    }
  }

  runtime::Task<> stop() {
    for (auto* each : {client.get(), control.get(), upstream.get()}) each->close_idle();
    group.cancel();
    co_await group.join();
  }

  runtime::VirtualLoop& loop;
  http::PipeNetwork network;
  std::unique_ptr<http::Listener> server_side, proxy_side, control_side;
  std::unique_ptr<http::Client> upstream, client, control;
  FaultProxy proxy;
  std::vector<http::Request> seen;
  runtime::TaskGroup group;
};

}  // namespace dcm::support
