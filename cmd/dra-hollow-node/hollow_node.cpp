#include "cmd/dra-hollow-node/hollow_node.hpp"

#include <csignal>
#include <iostream>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <unistd.h>

#include "manager/pages.hpp"
#include "node/checkpoint/store.hpp"
#include "playground/cluster/heartbeats.hpp"
#include "playground/cluster/hollow_nodes.hpp"
#include "playground/process.hpp"
#include "runtime/http/open_port.hpp"
#include "runtime/memory.hpp"
#include "runtime/task_group.hpp"

namespace dcm::hollow_node {
namespace {

using playground::PartContext;
using playground::Pod;
using runtime::Result;
using runtime::Task;

constexpr std::string_view kProgram = "dra-hollow-node";

// Held by the process that uses the node's folder, so that no two of them write its checkpoint.
class FolderLock {
 public:
  explicit FolderLock(const std::string& folder)
      : path_(folder + "/dra_hollow_node.lock"),
        file_(::open(path_.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600)) {}
  ~FolderLock() {
    if (file_ >= 0) ::close(file_);
  }
  FolderLock(const FolderLock&) = delete;
  FolderLock& operator=(const FolderLock&) = delete;

  Result<> take() const {
    if (file_ >= 0 && ::flock(file_, LOCK_EX | LOCK_NB) == 0) return {};
    return runtime::fail(
        runtime::Reason::configuration,
        errno == EWOULDBLOCK
            ? fmt::format("{}: another dra-hollow-node runs with this folder", path_)
            : fmt::format("{}: {}", path_, std::generic_category().message(errno)));
  }

 private:
  std::string path_;
  int file_;
};

// The enabled node features that kube-scheduler considers (KEP-5328).
std::vector<std::string> declared_features(const Options& options) {
  if (options.devices.agent.claims.rules.skip_gate == node::SkipGate::off) return {};
  return {"DRAOptionalNodeOperations"};
}

// The node, its pods and its drivers.
class HollowNode {
 public:
  HollowNode(const PartContext& context, client::RestClient& rest, const Options& options)
      : context_(context),
        options_(options),
        api_(rest),
        pods_(rest, playground::pods(), playground::make_pod_decoder(),
              {context.time, context.rng, context.log, context.metrics},
              "spec.nodeName=" + options.devices.agent.node),
        nodes_(context, api_, pods_,
               {.names = {options.devices.agent.node},
                .declared_features = declared_features(options),
                .booted = options.booted},
               [this](const api::InternedString&) -> playground::PodDevices& { return devices_; }),
        known_(rest, playground::nodes(), playground::make_node_decoder(),
               {context.time, context.rng, context.log, context.metrics},
               "metadata.name=" + options.devices.agent.node),
        heartbeats_(context, api_, known_, {options.devices.agent.node},
                    declared_features(options)),
        devices_(context, api_, rest, pods_, options.devices,
                 [this](const api::NamespacedName& pod) { nodes_.wake(pod); }) {}

  Result<> open() { return devices_.open(); }

  // Ends by cancellation, or with an error of the API server.
  Task<Result<>> run() {
    if (options_.register_node == RegisterNode::yes) {
      Result<> published = co_await nodes_.publish();
      if (!published) co_return published;
    }
    std::cout << fmt::format("node {} with drivers in {}", options_.devices.agent.node,
                             options_.devices.agent.registry)
              << std::endl;
    runtime::TaskGroup group(context_.executor);
    group.spawn("pods", pods_.informer.run());
    group.spawn("devices", devices_.run());
    if (options_.register_node == RegisterNode::yes) {
      group.spawn("node", known_.informer.run());
      group.spawn("heartbeats", beat());
    }
    group.spawn("life of pods", live());
    co_await group.join();
    co_return Result<>();
  }

 private:
  Task<> beat() {
    co_await informers::wait_for_sync({&known_.informer.sync()}, {});
    co_await heartbeats_.run();
  }
  Task<> live() {
    co_await informers::wait_for_sync({&pods_.informer.sync()}, {});
    co_await nodes_.run();
  }

  PartContext context_;
  const Options& options_;
  playground::Api api_;
  playground::Cache<Pod> pods_;
  playground::HollowNodes nodes_;
  playground::Cache<playground::Node> known_;
  playground::Heartbeats heartbeats_;
  playground::RealDevices devices_;
};

Task<> run_node(HollowNode& node, runtime::TaskGroup& group, int& status) {
  const Result<> done = co_await node.run();
  if (!done) status = playground::report_failure(done.error(), kProgram);
  group.cancel();
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
    return runtime::fail(runtime::Reason::configuration,
                         fmt::format("no entry of ResourceClaim {}/{} in {}", options.forget->first,
                                     options.forget->second, options.root));
  }
  return store.write(*entries);
}

}  // namespace

int run(const Options& options) {
  playground::Process process;
  const PartContext context = process.context(options.verbosity);
  const auto cluster = playground::Cluster::open(options.cluster, context);
  if (!cluster) return playground::report_failure(cluster.error(), kProgram);
  HollowNode node(context, (*cluster)->rest(), options);
  if (const auto made = playground::make_folders(options.devices); !made) {
    return playground::report_failure(made.error(), kProgram);
  }
  const FolderLock lock(options.root);
  if (const auto taken = lock.take(); !taken) {
    return playground::report_failure(taken.error(), kProgram);
  }
  if (const auto opened = node.open(); !opened) {
    return playground::report_failure(opened.error(), kProgram);
  }
  const manager::Health always_healthy;  // as long as it answers
  manager::Pages pages;
  manager::add_health_pages(pages, always_healthy, manager::Reasons::whole);
  manager::add_metrics_page(pages, process.metrics);
  runtime::TaskGroup group(context.executor);
  std::unique_ptr<http::Listener> metrics_port;
  const runtime::Refresh process_metrics = runtime::register_process_metrics(process.metrics);
  if (!options.metrics_address.empty()) {
    auto listening = http::make_tcp_listener(context.executor, context.time,
                                             options.metrics_address, std::nullopt);
    if (!listening) return playground::report_failure(listening.error(), kProgram);
    metrics_port = *std::move(listening);
    std::cout << "metrics: http://" << metrics_port->address() << "/metrics" << std::endl;
    group.spawn("metrics", http::serve_open(*metrics_port, context.time,
                                            manager::open_server_options(), options.accept_hosts,
                                            manager::make_open_handler(pages), context.log));
  }
  group.spawn("memory", runtime::keep_returning_free_memory(context.time));
  int status = 0;
  process.loop.on_signals({SIGINT, SIGTERM}, [&group](int) { group.cancel(); });
  group.spawn("node", run_node(node, group, status));
  process.loop.run(group.join());
  return status;
}

int forget(const Options& options) {
  const FolderLock lock(options.root);
  Result<> done = lock.take();
  if (done) done = drop_entry(options);
  return done ? 0 : playground::report_failure(done.error(), kProgram);
}

}  // namespace dcm::hollow_node
