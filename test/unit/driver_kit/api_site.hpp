// The parts of a driver that talk to an API server, and an in-memory API server: over HTTP, on
// virtual time.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "apiserver/front/direct.hpp"
#include "apiserver/front/http_front.hpp"
#include "client/auth/credentials.hpp"
#include "client/config/config.hpp"
#include "node/driver_kit/slices/api_slices.hpp"
#include "runtime/http/pipe.hpp"
#include "runtime/http/server.hpp"
#include "runtime/task_group.hpp"
#include "test/support/co_test.hpp"

namespace dcm::driver_kit {

inline const std::string kPath = "/apis/resource.k8s.io/v1/resourceslices";
inline const http::Endpoint kServer{http::Security::plain, "server", 80};

struct Site {
  // `answers` stands in for the API server; null: the one in memory answers.
  explicit Site(runtime::VirtualLoop& loop, http::Handler answers = nullptr)
      : loop(loop),
        network(loop.time()),
        server(loop.time(), runtime::Rng(2), {}),
        api(server),
        listener(network.listen("server", 80)),
        front(loop.executor()),
        credentials(client::make_credentials({}, {loop.time()})),
        http(http::make_client(network, loop.time(), {.origin = kServer})),
        rest({*http, *credentials, gate, loop.time(), metrics},
             {.server = kServer, .user_agent = "driver"}, runtime::Rng(1), log),
        slices(loop.time(), rest, "gpu.example.com", "n0"),
        publisher(loop.time(), slices, "gpu.example.com", "n0", log),
        group(loop.executor()) {
    if (!answers) answers = apiserver::http_handler(server, loop.time());
    front.spawn("server", http::serve(*listener, loop.time(), apiserver::front_options(),
                                      std::move(answers), {}));
    EXPECT_EQ(api.post("/api/v1/nodes", R"({"metadata":{"name":"n0"}})").status, 201);
    group.spawn("publisher", publisher.run());
    group.spawn("watch", slices.watch([this] { publisher.observe_change(); }));
  }

  Task<> stop() {
    for (runtime::TaskGroup* each : {&group, &front}) {
      each->cancel();
      co_await each->join();
    }
  }
  // The names of the existing slices.
  std::vector<std::string> names() {
    std::vector<std::string> found;
    const apiserver::Answer list = api.get(kPath);
    for (const auto& item : apiserver::array_at(list.body, {"items"})) {
      found.emplace_back(apiserver::text_at(item.as_object(), {"metadata", "name"}));
    }
    return found;
  }

  runtime::VirtualLoop& loop;
  http::PipeNetwork network;
  apiserver::Server server;
  apiserver::Direct api;
  std::unique_ptr<http::Listener> listener;
  runtime::TaskGroup front;
  std::unique_ptr<client::Credentials> credentials;
  client::OpenWriteGate gate;
  runtime::MetricsRegistry metrics;
  runtime::Logger log;
  std::unique_ptr<http::Client> http;
  client::RestClient rest;
  ApiSlices slices;
  SlicePublisher publisher;
  runtime::TaskGroup group;
};

}  // namespace dcm::driver_kit
