#include "node/driver_kit/program.hpp"

#include <filesystem>
#include <utility>

#include "manager/lifecycle.hpp"
#include "manager/options/standard.hpp"
#include "manager/own_process.hpp"
#include "manager/run.hpp"
#include "runtime/process.hpp"
#include "runtime/task_group.hpp"

namespace dcm::driver_kit {
namespace {

using runtime::Result;

options::Settings kit_settings(DriverProgram& program, std::string& plugins) {
  using options::text_setting;
  return {
      text_setting({"node-name", "", "NAME", "Name of this node; by default $NODE_NAME."},
                   program.node),
      text_setting({"pod-uid", "", "UID",
                    "UID of the driver's pod, for rolling updates; by default $POD_UID."},
                   program.plugin.pod_uid),
      text_setting({"kubelet-registrar-directory-path", "", "DIR",
                    "Where kubelet looks for the sockets of drivers."},
                   program.plugin.registry),
      text_setting({"kubelet-plugins-directory-path", "", "DIR",
                    "The folder in which each driver has a folder of its own."},
                   plugins),
      text_setting({"cdi-root", "", "DIR", "Where the container runtime looks for CDI specs."},
                   program.plugin.cdi),
  };
}

}  // namespace

std::optional<options::Exit> read_flags(int count, const char* const* arguments,
                                        options::Settings own, DriverProgram& program) {
  std::string plugins = kPluginsFolder;
  program.node = runtime::environment_variable("NODE_NAME");
  program.plugin.pod_uid = runtime::environment_variable("POD_UID");
  options::Settings table;
  options::add_group(table, "Driver", std::move(own));
  options::add_group(table, "Cluster", manager::cluster_settings(program.cluster));
  options::add_group(table, "Node", kit_settings(program, plugins));
  const options::Usage usage{.name = std::filesystem::path(arguments[0]).filename(),
                             .version = program.version,
                             .summary = "The DRA driver " + program.plugin.driver + "."};
  const auto read =
      read_arguments(usage, table, options::Strings(arguments + 1, arguments + count));
  if (!read) return read.error();
  if (program.node.empty())
    return options::refuse(usage.name, "--node-name: must be given").error();
  // A folder that the author has set stays, unless a flag names another.
  if (program.plugin.data.empty() || plugins != kPluginsFolder) {
    program.plugin.data = plugins + "/" + program.plugin.driver;
  }
  return std::nullopt;
}

DriverProcess::DriverProcess(runtime::LoopRef loop, client::RestClient& rest,
                             const DriverProgram& program, runtime::Logger log)
    : loop_(loop),
      rest_(rest),
      program_(program),
      log_(std::move(log)),
      claims_(rest),
      slices_(loop_.time(), rest, program.plugin.driver, program.node),
      publisher_(loop_.time(), slices_, program.plugin.driver, program.node, log_),
      status_(rest, program.plugin.driver) {}

Task<Result<>> DriverProcess::serve(Driver& driver, Listen listen) {
  plugin_ = std::make_unique<Plugin>(loop_, driver, claims_, program_.plugin, log_);
  if (auto opened = plugin_->open(listen); !opened) co_return opened;
  runtime::TaskGroup group(loop_.executor());
  group.spawn("plugin", plugin_->run());
  group.spawn("publisher", publisher_.run());
  group.spawn("slices", slices_.watch([this] { publisher_.observe_change(); }));
  group.spawn("driver", driver.run());
  co_await group.join();
  co_return Result<>();
}

namespace {

Task<> serve_on_files(DriverProcess& process, Driver& driver, runtime::LoopRef loop,
                      manager::Lifecycle& lifecycle, const std::string& name) {
  const Result<> served = co_await process.serve(driver, listen_on_files(loop));
  if (served) co_return;
  manager::refuse(name, served.error().message);
  lifecycle.request_stop(manager::ExitStatus::bad_configuration);
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
  manager::Lifecycle lifecycle({own.process(), cluster->rest(), cluster->connection->lease_rest()},
                               {.program = name});
  lifecycle.add_job("driver",
                    [&] { return serve_on_files(process, *driver, own.loop, lifecycle, name); });
  return manager::run_to_end(own, *cluster->connection, lifecycle);
}

}  // namespace dcm::driver_kit
