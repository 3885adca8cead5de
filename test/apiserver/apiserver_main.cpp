// dcm-test-apiserver: the in-memory API server as a process, on loopback over plain HTTP, for
// black-box cases and for trying things by hand. Prints its URL and a kubeconfig, and serves until
// it gets SIGINT or SIGTERM. All it holds is gone then.
#include <csignal>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iostream>

#include <CLI/CLI.hpp>

#include "runtime/cancellation.hpp"
#include "runtime/http/tcp.hpp"
#include "runtime/loop.hpp"
#include "runtime/task_group.hpp"
#include "test/apiserver/http_front.hpp"

namespace dcm::apiserver {
namespace {

struct Arguments {
  std::string address = "127.0.0.1:0";
  std::string kubeconfig;
  ServerOptions server;
};

void write_kubeconfig(const std::string& path, const std::string& url) {
  std::ofstream file(path);
  file << "apiVersion: v1\n"
          "kind: Config\n"
          "clusters:\n"
          "- name: in-memory\n"
          "  cluster: {server: \""
       << url
       << "\"}\n"
          "users:\n"
          "- name: anybody\n"
          "  user: {}\n"
          "contexts:\n"
          "- name: in-memory\n"
          "  context: {cluster: in-memory, user: anybody}\n"
          "current-context: in-memory\n";
  if (!file.flush()) throw std::runtime_error("cannot write " + path);
}

void add_options(CLI::App& app, Arguments& arguments) {
  app.add_option("--listen", arguments.address, "host:port to listen on; port 0 takes a free one")
      ->capture_default_str();
  app.add_option("--kubeconfig", arguments.kubeconfig, "file to write a kubeconfig to")->required();
  app.add_option("--history", arguments.server.history_limit,
                 "changes of a resource that can still be watched; older ones are a 410")
      ->capture_default_str();
  app.add_option("--resource-versions", arguments.server.served.resource,
                 "versions of resource.k8s.io that are served, the preferred one first")
      ->delimiter(',')
      ->capture_default_str();
  app.add_option("--device-taint-rule-versions", arguments.server.served.device_taint_rules,
                 "the same for DeviceTaintRule alone")
      ->delimiter(',')
      ->capture_default_str();
}

int run(const Arguments& arguments) {
  runtime::Loop loop;
  auto listener = http::make_tcp_listener(loop.executor(), loop.time(), arguments.address, {});
  if (!listener) {
    std::cerr << listener.error().message << "\n";
    return 1;
  }
  const std::string url = "http://" + (*listener)->address();
  write_kubeconfig(arguments.kubeconfig, url);
  auto backend = std::make_shared<runtime::LogBackend>(loop.time(), runtime::LogFormat::text,
                                                       runtime::write_to_stderr());

  Server server(loop.time(), runtime::Rng::from_system(), arguments.server);
  runtime::TaskGroup group(loop.executor());
  loop.on_signals({SIGINT, SIGTERM}, [&](int) { group.cancel(); });
  group.spawn("serve", http::serve(**listener, loop.time(), front_options(),
                                   http_handler(server, loop.time()), runtime::Logger(backend)));
  std::cout << "url: " << url << "\nkubeconfig: " << arguments.kubeconfig << std::endl;
  loop.run(group.join());
  return 0;
}

}  // namespace
}  // namespace dcm::apiserver

int main(int argc, char** argv) {
  CLI::App app("An in-memory Kubernetes API server for tests");
  dcm::apiserver::Arguments arguments;
  dcm::apiserver::add_options(app, arguments);
  CLI11_PARSE(app, argc, argv);
  try {
    return dcm::apiserver::run(arguments);
  } catch (const std::exception& error) {
    std::cerr << "dcm-test-apiserver: " << error.what() << "\n";
    return 1;
  }
}
