// dcm-test-apiserver: the in-memory API server as a process, on loopback over plain HTTP, for
// black-box cases and for trying things by hand. Prints its URL and a kubeconfig, and serves until
// SIGINT or SIGTERM. Nothing is persisted. SIGUSR1 closes all connections and the port, like an API
// server that ends while etcd continues; SIGUSR2 reopens the port, with all objects and, like a
// restarted server, without history. SIGHUP drops only the history, like a compaction of etcd.
#include <algorithm>
#include <csignal>
#include <cstdio>
#include <fstream>
#include <iostream>
#include <optional>

#include "apiserver/front/garbage_collector.hpp"
#include "apiserver/front/http_front.hpp"
#include "apiserver/front/kubeconfig.hpp"
#include "apiserver/text/words.hpp"
#include "options/program.hpp"
#include "runtime/cancellation.hpp"
#include "runtime/condition.hpp"
#include "runtime/http/open_port.hpp"
#include "runtime/http/tcp.hpp"
#include "runtime/loop.hpp"
#include "runtime/task_group.hpp"
#include "runtime/version.hpp"

namespace dcm::apiserver {
namespace {

using namespace options;

struct Arguments {
  std::string address = "127.0.0.1:0";
  std::string kubeconfig;
  Strings accept_hosts;
  bool collects_garbage = false;
  Strings custom_kinds;
  // As in a real cluster, which starts with objects of its own, small versions are in the past.
  ServerOptions server{.first_revision = 200};
};

void write_kubeconfig(const std::string& path, const std::string& url) {
  std::ofstream file(path);
  file << kubeconfig_text("in-memory", url);
  if (!file.flush()) throw std::runtime_error("cannot write " + path);
}

// From "hello.example.com/v1/greetings/Greeting", with "/Cluster" for a cluster-scoped kind.
std::optional<CustomKind> custom_kind(const std::string& text) {
  const auto parts = split(text, '/');
  const bool is_cluster_wide = parts.size() == 5 && parts[4] == "Cluster";
  if ((parts.size() != 4 && !is_cluster_wide) ||
      std::ranges::any_of(parts, &std::string_view::empty)) {
    return std::nullopt;
  }
  return CustomKind{.group = std::string(parts[0]),
                    .version = std::string(parts[1]),
                    .plural = std::string(parts[2]),
                    .kind = std::string(parts[3]),
                    .scope = is_cluster_wide ? Scope::cluster : Scope::namespaced};
}

std::string why_no_kind(const std::string& text) {
  if (custom_kind(text)) return {};
  return "expected GROUP/VERSION/PLURAL/KIND[/Cluster], got \"" + text + "\"";
}

Settings served_settings(Arguments& arguments) {
  ServedVersions& served = arguments.server.served;
  return {
      list_setting({"resource-versions", "", "LIST",
                    "Versions of resource.k8s.io that are served, the preferred one first."},
                   served.resource),
      list_setting(
          {"device-taint-rule-versions", "", "LIST", "The same for DeviceTaintRule alone."},
          served.device_taint_rules),
      list_setting({"pool-status-request-versions", "", "LIST",
                    "Versions of ResourcePoolStatusRequest that are served."},
                   served.pool_status_requests),
      list_setting({"pod-group-versions", "", "LIST",
                    "Versions of scheduling.k8s.io in which pod groups are served."},
                   served.pod_groups),
      checked(list_setting({"custom-kind", "", "KIND",
                            "A custom resource that is served, as "
                            "GROUP/VERSION/PLURAL/KIND[/Cluster]. May be repeated."},
                           arguments.custom_kinds),
              why_no_kind),
  };
}

Settings server_settings(Arguments& arguments) {
  return {
      text_setting({"listen", "", "HOST:PORT", "To listen on; port 0 takes a free one."},
                   arguments.address),
      list_setting({"accept-hosts", "", "HOST,...",
                    "Hosts that are answered besides localhost and, on loopback, loopback "
                    "addresses; *.DOMAIN is every name below one, * every host."},
                   arguments.accept_hosts),
      required(text_setting({"kubeconfig", "", "FILE", "File to write a kubeconfig to."},
                            arguments.kubeconfig)),
      switch_setting({"collect-garbage", "", "",
                      "Delete objects whose owners are gone, as kube-controller-manager does."},
                     arguments.collects_garbage),
      number_setting({"history", "", "NUMBER",
                      "Changes of a resource that can still be watched; older ones are a 410."},
                     arguments.server.history_limit, kWhole),
  };
}

// The server's port: open until halt(), and again after resume().
class Port {
 public:
  // All references outlive it. Throws std::runtime_error if the address is taken.
  Port(runtime::Loop& loop, Server& server, const Arguments& arguments, runtime::Logger log)
      : loop_(loop),
        server_(server),
        accept_hosts_(arguments.accept_hosts),
        log_(std::move(log)),
        changed_(loop.time()) {
    open(arguments.address);
  }

  std::string url() const { return "http://" + address_; }

  runtime::Task<> serve() {
    while (true) {
      while (is_halted_) co_await changed_.wait();
      if (!listener_) open(address_);
      co_await serve_until_halt();
      listener_.reset();
    }
  }

  void halt() { set_halted(true); }
  void resume() {
    server_.compact_history();
    set_halted(false);
  }

 private:
  void open(const std::string& address) {
    auto listener = http::make_tcp_listener(loop_.executor(), loop_.time(), address, {});
    if (!listener) throw std::runtime_error(listener.error().message);
    listener_ = std::move(*listener);
    address_ = listener_->address();
  }

  void set_halted(bool is_halted) {
    is_halted_ = is_halted;
    changed_.notify_all();
  }

  runtime::Task<> serve_until_halt() {
    runtime::TaskGroup group(loop_.executor());
    group.spawn("serve", http::serve_open(*listener_, loop_.time(), front_options(), accept_hosts_,
                                          http_handler(server_, loop_.time()), log_));
    group.spawn("wait for a halt", cancel_at_halt(group));
    co_await group.join();
  }

  runtime::Task<> cancel_at_halt(runtime::TaskGroup& group) {
    while (!is_halted_) co_await changed_.wait();
    group.cancel();
  }

  runtime::Loop& loop_;
  Server& server_;
  std::vector<std::string> accept_hosts_;
  runtime::Logger log_;
  std::unique_ptr<http::Listener> listener_;
  std::string address_;
  bool is_halted_ = false;
  runtime::Condition changed_;
};

int run(const Arguments& arguments) {
  runtime::Loop loop;
  auto backend = std::make_shared<runtime::LogBackend>(loop.time(), runtime::LogFormat::text,
                                                       runtime::write_to_stderr());

  Server server(loop.time(), runtime::Rng::from_system(), arguments.server);
  Port port(loop, server, arguments, runtime::Logger(backend));
  write_kubeconfig(arguments.kubeconfig, port.url());
  GarbageCollector collector(server, loop.time());
  runtime::TaskGroup group(loop.executor());
  loop.on_signals({SIGINT, SIGTERM, SIGUSR1, SIGUSR2, SIGHUP}, [&](int signal) {
    if (signal == SIGUSR1) return port.halt();
    if (signal == SIGUSR2) return port.resume();
    if (signal == SIGHUP) return server.compact_history();
    group.cancel();
  });
  group.spawn("serve", port.serve());
  if (arguments.collects_garbage) group.spawn("garbage collector", collector.run());
  std::cout << "url: " << port.url() << "\nkubeconfig: " << arguments.kubeconfig << std::endl;
  loop.run(group.join());
  return 0;
}

}  // namespace
}  // namespace dcm::apiserver

int main(int argc, char** argv) {
  using namespace dcm;
  const options::Usage usage{.name = "dcm-test-apiserver",
                             .version = std::string(runtime::kVersion),
                             .summary = "An in-memory Kubernetes API server for tests."};
  apiserver::Arguments arguments;
  options::Settings table;
  options::add_group(table, "Server", apiserver::server_settings(arguments));
  options::add_group(table, "API", apiserver::served_settings(arguments));
  const auto read = options::read_arguments(usage, table, options::Strings(argv + 1, argv + argc));
  if (!read) return options::print(read.error());
  for (const std::string& kind : arguments.custom_kinds) {
    arguments.server.served.custom.push_back(*apiserver::custom_kind(kind));
  }
  try {
    return apiserver::run(arguments);
  } catch (const std::exception& error) {
    std::cerr << "dcm-test-apiserver: " << error.what() << "\n";
    return 1;
  }
}
