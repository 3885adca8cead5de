#include "node/driver_kit/program.hpp"

#include <cstdlib>
#include <utility>

#include "manager/own_process.hpp"
#include "runtime/task_group.hpp"

namespace dcm::driver_kit {
namespace {

using runtime::Result;

std::string of_environment(const char* name) {
  const char* const value = std::getenv(name);
  return value != nullptr ? value : "";
}

// The kit's flags, and where their values are stored. The folder of plugins has a subfolder per
// driver.
std::map<std::string, std::string*, std::less<>> places(DriverProgram& program,
                                                        std::string& kubeconfig,
                                                        std::string& plugins) {
  return {{"kubeconfig", &kubeconfig},
          {"node-name", &program.node},
          {"pod-uid", &program.plugin.pod_uid},
          {"kubelet-registrar-directory-path", &program.plugin.registry},
          {"kubelet-plugins-directory-path", &plugins},
          {"cdi-root", &program.plugin.cdi}};
}

}  // namespace

Result<DriverFlags> read_flags(int count, const char* const* arguments, const DriverFlags& own,
                               DriverProgram& program) {
  const auto bad = [](std::string why) {
    return runtime::fail(runtime::Reason::configuration, std::move(why));
  };
  DriverFlags found = own;
  std::string kubeconfig;
  std::string plugins;
  program.node = of_environment("NODE_NAME");
  program.plugin.pod_uid = of_environment("POD_UID");
  const auto kits = places(program, kubeconfig, plugins);
  for (int i = 1; i < count; ++i) {
    std::string name(arguments[i]);
    if (!name.starts_with("--")) return bad(name + ": expected a flag");
    name.erase(0, 2);
    const auto equals = name.find('=');
    if (equals == std::string::npos && i + 1 == count) return bad("--" + name + " needs a value");
    std::string value = equals == std::string::npos ? arguments[++i] : name.substr(equals + 1);
    name = name.substr(0, equals);
    const auto kit = kits.find(name);
    if (kit == kits.end() && !found.contains(name)) return bad("--" + name + " is no flag");
    (kit != kits.end() ? *kit->second : found[name]) = std::move(value);
  }
  if (program.node.empty()) return bad("--node-name is missing");
  if (!kubeconfig.empty()) program.cluster.kubeconfig = kubeconfig;
  if (!plugins.empty()) program.plugin.data = plugins + "/" + program.plugin.driver;
  return found;
}

DriverProcess::DriverProcess(runtime::Loop& loop, client::RestClient& rest,
                             const DriverProgram& program, runtime::Logger log)
    : loop_(loop),
      program_(program),
      log_(std::move(log)),
      claims_(rest),
      slices_(loop_.time(), rest, program.plugin.driver, program.node),
      publisher_(loop_.time(), slices_, program.plugin.driver, program.node, log_),
      status_(rest, program.plugin.driver) {}

Task<Result<>> DriverProcess::serve(Driver& driver) {
  plugin_ = std::make_unique<Plugin>(loop_, driver, claims_, program_.plugin, log_);
  if (auto opened = plugin_->open(listen_on_files(loop_)); !opened) co_return opened;
  runtime::TaskGroup group(loop_.executor());
  manager::stop_on_signals(loop_, [&group] { group.cancel(); });
  group.spawn("plugin", plugin_->run());
  group.spawn("publisher", publisher_.run());
  group.spawn("slices", slices_.watch([this] { publisher_.observe_change(); }));
  group.spawn("driver", driver.run());
  co_await group.join();
  co_return Result<>();
}

namespace {

Task<> serve_all(manager::Connection& connection, DriverProcess& process, Driver& driver,
                 runtime::Executor executor, Result<>& ended) {
  runtime::TaskGroup below(executor);
  below.spawn("HTTP/2", connection.speak_http2());
  below.spawn("TLS files", connection.watch_files());
  below.spawn("credentials", connection.keep_credentials_fresh());
  ended = co_await process.serve(driver);
  below.cancel();
  co_await below.join();
}

}  // namespace

int run_driver(const DriverProgram& program,
               const std::function<std::unique_ptr<Driver>(DriverProcess&)>& make) {
  const std::string& name = program.plugin.driver;
  manager::OwnProcess own(name);
  const auto cluster = manager::open_cluster(
      program.cluster, {.user_agent = client::make_user_agent(name, program.version)},
      own.process());
  if (!cluster) return manager::refuse(name, cluster.error().message);
  DriverProcess process(own.loop, cluster->rest(), program, own.process().log);
  const std::unique_ptr<Driver> driver = make(process);
  Result<> ended;
  own.loop.run(serve_all(*cluster->connection, process, *driver, own.loop.executor(), ended));
  return ended ? 0 : manager::refuse(name, ended.error().message);
}

}  // namespace dcm::driver_kit
