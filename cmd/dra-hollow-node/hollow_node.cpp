#include "cmd/dra-hollow-node/hollow_node.hpp"

#include <iostream>

#include <fmt/format.h>

#include "manager/lifecycle.hpp"
#include "manager/pages.hpp"
#include "manager/run.hpp"
#include "node/checkpoint/store.hpp"
#include "playground/cluster/folder_lock.hpp"
#include "playground/cluster/heartbeats.hpp"
#include "playground/cluster/hollow_nodes.hpp"
#include "playground/part.hpp"
#include "runtime/http/open_port.hpp"

namespace dcm::hollow_node {
namespace {

using manager::Process;
using playground::Pod;
using runtime::Result;
using runtime::Task;

constexpr std::string_view kProgram = "dra-hollow-node";

// The enabled node features that kube-scheduler considers (KEP-5328).
std::vector<std::string> declared_features(const Options& options) {
  if (options.devices.agent.claims.rules.skip_gate == node::SkipGate::off) return {};
  return {"DRAOptionalNodeOperations"};
}

// The node, its pods and its drivers.
class HollowNode {
 public:
  HollowNode(const Process& process, client::RestClient& rest, const Options& options)
      : options_(options),
        api_(rest),
        pods_(rest, playground::pods(), playground::make_pod_decoder(), process,
              {.select = {.field_selector = "spec.nodeName=" + options.devices.agent.node}}),
        nodes_(process, api_, pods_,
               {.names = {options.devices.agent.node},
                .declared_features = declared_features(options),
                .booted = options.booted},
               [this](const api::InternedString&) -> playground::PodDevices& { return devices_; }),
        known_(rest, playground::nodes(), playground::make_node_decoder(), process,
               {.select = {.field_selector = "metadata.name=" + options.devices.agent.node}}),
        heartbeats_(process, api_, known_, {options.devices.agent.node},
                    declared_features(options)),
        devices_(process, api_, rest, pods_, options.devices,
                 [this](const api::NamespacedName& pod) { nodes_.wake(pod); }) {}

  Result<> open() { return devices_.open(); }

  // Creates the node, if that is our task. Errors: why the API server refuses it.
  Task<Result<>> publish() {
    if (options_.register_node == RegisterNode::yes) {
      Result<> published = co_await nodes_.publish();
      if (!published) co_return published;
    }
    std::cout << fmt::format("node {} with drivers in {}", options_.devices.agent.node,
                             options_.devices.agent.registry)
              << std::endl;
    co_return Result<>();
  }

  void fill(manager::Epoch& epoch) {
    epoch.add_cache(manager::any_cache(pods_));
    epoch.add({.name = "devices", .run = [this] { return devices_.run(); }});
    if (options_.register_node == RegisterNode::yes) {
      epoch.add_cache(manager::any_cache(known_));
      epoch.add({.name = "heartbeats", .caches = {&known_.sync()}, .run = [this] {
                   return heartbeats_.run();
                 }});
    }
    epoch.add({.name = "life of pods", .caches = {&pods_.sync()}, .run = [this] {
                 return nodes_.run();
               }});
  }

 private:
  const Options& options_;
  playground::Api api_;
  manager::Cache<Pod> pods_;
  playground::HollowNodes nodes_;
  manager::Cache<playground::Node> known_;
  playground::Heartbeats heartbeats_;
  playground::RealDevices devices_;
};

int report_failure(const runtime::Error& error) {
  return playground::report_failure(error, kProgram);
}

// Publishes the node; if that fails, the program stops.
Task<> publish(HollowNode& node, manager::Lifecycle& lifecycle) {
  const Result<> done = co_await node.publish();
  if (done) co_return;
  report_failure(done.error());
  lifecycle.request_stop(manager::ExitStatus::unusable);
}

Result<> drop_entry(const Options& options) {
  node::PosixFiles files;
  node::CheckpointStore store(files, options.root, runtime::Rng::from_system());
  auto entries = store.open();
  if (!entries) return runtime::fail(entries.error());
  const auto is_it = [&](const node::Entry& entry) {
    return node::key_of(entry) == *options.forget;
  };
  if (std::erase_if(*entries, is_it) == 0) {
    return runtime::fail(
        runtime::Reason::configuration,
        fmt::format("no entry of ResourceClaim {} in {}", options.forget->str(), options.root));
  }
  return store.write(*entries);
}

// Serves the pages as a part of the lifecycle. Null if no address is set.
Result<std::unique_ptr<http::TcpListener>> open_metrics_port(const Options& options,
                                                             const Process& process,
                                                             const manager::Pages& pages,
                                                             manager::Lifecycle& lifecycle) {
  if (options.metrics_address.empty()) return nullptr;
  auto port = http::make_tcp_listener(process.loop.executor(), process.loop.time(),
                                      options.metrics_address, std::nullopt);
  if (!port) return port;
  std::cout << "metrics: http://" << (*port)->address() << "/metrics" << std::endl;
  lifecycle.add_foundation("metrics", [&, &listener = **port] {
    return http::serve_open(listener, process.loop.time(), manager::open_server_options(),
                            options.accept_hosts, manager::make_open_handler(pages), process.log);
  });
  return port;
}

}  // namespace

int run(const Options& options) {
  manager::OwnProcess own(std::string(kProgram), options.verbosity);
  const Process process = own.process();
  const auto cluster = playground::open_cluster(options.cluster, process, kProgram);
  if (!cluster) return report_failure(cluster.error());
  HollowNode node(process, cluster->rest(), options);
  Result<> opened = playground::make_folders(options.devices);
  if (opened) opened = node.open();
  if (!opened) return report_failure(opened.error());
  const manager::Health always_healthy;  // as long as it answers
  manager::Pages pages;
  manager::add_health_pages(pages, always_healthy);
  manager::add_metrics_page(pages, process.metrics);
  manager::Lifecycle lifecycle({process, cluster->rest(), cluster->connection->lease_rest()},
                               {.program = std::string(kProgram)});
  const auto metrics_port = open_metrics_port(options, process, pages, lifecycle);
  if (!metrics_port) return report_failure(metrics_port.error());
  lifecycle.use({.fill = [&node](manager::Epoch& epoch) { node.fill(epoch); },
                 .before = [&] { return publish(node, lifecycle); }});
  manager::end_process(manager::run_to_end(own, *cluster->connection, lifecycle));
}

int forget(const Options& options) {
  const auto lock = playground::lock_folder(options.root);
  if (!lock) return report_failure(lock.error());
  const Result<> done = drop_entry(options);
  return done ? 0 : report_failure(done.error());
}

}  // namespace dcm::hollow_node
