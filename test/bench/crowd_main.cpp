// bench_crowd: a Crowd as a process, on loopback over plain HTTP. Prints its URL, and serves until
// SIGINT or SIGTERM. SIGHUP drops the history and ends all watches, so that clients list everything
// again. GET /counts shows how many requests of each kind it has received, as JSON.
#include <csignal>
#include <iostream>
#include <map>

#include "apiserver/front/http_front.hpp"
#include "options/program.hpp"
#include "runtime/http/open_port.hpp"
#include "runtime/http/tcp.hpp"
#include "runtime/loop.hpp"
#include "runtime/task_group.hpp"
#include "runtime/version.hpp"
#include "test/bench/crowd.hpp"

namespace dcm::bench {
namespace {

// Requests by "<verb> <resource>", or "<verb> <resource>/<subresource>".
class Counts {
 public:
  void add(const apiserver::LoggedRequest& request) {
    ++counts_[request.verb + " " + request.resource +
              (request.subresource.empty() ? "" : "/" + request.subresource)];
  }
  http::Handler before(http::Handler inner) {
    return [this, inner = std::move(inner)](http::Request request,
                                            http::Responder& responder) -> runtime::Task<> {
      if (request.target != "/counts") return inner(std::move(request), responder);
      return send(responder);
    };
  }

 private:
  runtime::Task<> send(http::Responder& responder) {
    apiserver::JsonObject object;
    for (const auto& [name, count] : counts_) object[name] = count;
    co_await responder.send({.status = 200,
                             .headers = {{"Content-Type", "application/json"}},
                             .body = apiserver::serialize(object)});
  }

  std::map<std::string, std::uint64_t> counts_;
};

int run(std::size_t nodes) {
  runtime::Loop loop;
  apiserver::Server server(loop.time(), runtime::Rng::from_system(),
                           {.log_limit = 0, .first_revision = 200});
  Counts counts;
  server.before([&](const apiserver::LoggedRequest& request) -> std::optional<apiserver::Response> {
    counts.add(request);
    return std::nullopt;
  });
  Crowd crowd(server, loop.time(), nodes);
  auto listener = http::make_tcp_listener(loop.executor(), loop.time(), "127.0.0.1:0", {});
  if (!listener) throw std::runtime_error(listener.error().message);
  runtime::TaskGroup group(loop.executor());
  int restarts = 0;
  loop.on_signals({SIGINT, SIGTERM, SIGHUP}, [&](int signal) {
    if (signal != SIGHUP) return group.cancel();
    // No client has seen this version yet, so nobody can resume from it.
    server.restore(
        "configmaps",
        {{"metadata", apiserver::JsonObject{{"namespace", "default"},
                                            {"name", "restart-" + std::to_string(++restarts)}}}});
    server.compact_history();
    server.end_watches();
  });
  group.spawn("serve", http::serve_open(**listener, loop.time(), apiserver::front_options(), {},
                                        counts.before(crowd.handler()), {}));
  std::cout << "url: http://" << (*listener)->address() << std::endl;
  loop.run(group.join());
  return 0;
}

}  // namespace
}  // namespace dcm::bench

int main(int argc, char** argv) {
  using namespace dcm;
  std::uint64_t nodes = 1000;
  const options::Usage usage{.name = "bench_crowd",
                             .version = std::string(runtime::kVersion),
                             .summary = "An API server with a crowd of nodes, pods and claims."};
  options::Settings table;
  options::add_group(table, "Crowd",
                     {options::number_setting(
                         {"nodes", "", "NUMBER", "Nodes; each has eight pods with a claim."}, nodes,
                         {0, bench::kNodesMax, "a whole number of nodes up to 1000000"})});
  const auto read = options::read_arguments(usage, table, options::Strings(argv + 1, argv + argc));
  if (!read) return options::print(read.error());
  try {
    return bench::run(nodes);
  } catch (const std::exception& error) {
    std::cerr << "bench_crowd: " << error.what() << "\n";
    return 1;
  }
}
