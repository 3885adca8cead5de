#include "playground/options.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "apiserver/kinds/runtime_config.hpp"
#include "manager/options/standard.hpp"
#include "playground/cluster/drivers.hpp"
#include "runtime/dns_names.hpp"
#include "runtime/version.hpp"

namespace dcm::playground {
namespace {

using namespace options;

constexpr Bounds kNodes = {1, 5000, "a whole number from 1 to 5000"};
static_assert(kDevicesMax == 128);
constexpr Bounds kDevices = {0, kDevicesMax, "a whole number from 0 to 128"};

std::string check_driver(const std::string& name) {
  if (runtime::is_driver_name(name)) return {};
  return fmt::format("\"{}\" is not a driver name such as gpu.example.com", name);
}

Settings cluster_settings(Options& options) {
  return {
      number_setting({"nodes", "", "NUMBER", "Hollow nodes."}, options.size.nodes, kNodes),
      number_setting({"devices", "", "NUMBER", "Devices of each driver on each node."},
                     options.size.devices, kDevices),
      checked(
          list_setting({"drivers", "", "LIST", "DRA drivers; each has a DeviceClass of its name."},
                       options.size.drivers),
          check_driver),
      text_setting({"real-drivers", "", "DIR",
                    "Let drivers of your own serve node-0: they put their registration sockets "
                    "into DIR/plugins_registry, as on a kubelet whose root folder is DIR."},
                   options.real_drivers),
      excluding(
          checked(text_setting({"kubeconfig", "", "FILE",
                                "Run nodes, drivers, scheduler and garbage collectors against "
                                "this cluster, and no API server."},
                               options.kubeconfig),
                  why_no_file),
          {"port", "runtime-config", "kubeconfig-out"}),
  };
}

Setting runtime_config_setting(apiserver::ServedVersions& target) {
  return {.text = {"runtime-config", "", "GROUP/VERSION=BOOL,...",
                   "Versions of groups that the API server serves as well, as with "
                   "kube-apiserver's flag: resource.k8s.io/v1beta1=true, "
                   "resource.k8s.io/v1beta2=true, …, api/all=true."},
          .expected = "GROUP/VERSION=true",
          .by_default = Strings(),
          .apply = [&target](const Value& value) -> std::string {
            auto served = apiserver::served_versions(std::get<Strings>(value));
            if (!served) return served.error();
            target = *std::move(served);
            return {};
          }};
}

Settings server_settings(Options& options) {
  return {
      number_setting(
          {"port", "", "PORT", "Port on 127.0.0.1 for the API server; 0 takes a free one."},
          options.port, manager::kPort),
      checked(
          list_setting({"accept-hosts", "", "HOST,...",
                        "Hosts that the API server answers to besides loopback addresses and "
                        "localhost, and whose web pages may use it; *.DOMAIN is every name below "
                        "one, * every host. The API server asks for no credentials."},
                       options.accept_hosts),
          [](const std::string& host) {
            return host == "*" ? "" : manager::why_no_accepted_host(host);
          }),
      runtime_config_setting(options.served),
      text_setting({"kubeconfig-out", "", "FILE",
                    "Where to write a kubeconfig; by default "
                    "dra-controller-manager/playground/kubeconfig in $XDG_STATE_HOME, or "
                    "in ~/.local/state."},
                   options.kubeconfig_out),
  };
}

Settings control_plane_settings(Options& options, bool& is_real) {
  return {
      choice_setting<OwnScheduler>({"scheduler", "", "small|none",
                                    "Scheduler: small is the playground's own; none leaves pods to "
                                    "a kube-scheduler beside it."},
                                   options.scheduler,
                                   {{"small", OwnScheduler::runs}, {"none", OwnScheduler::none}}),
      excluding(name_setting({"kube-scheduler", "", "PATH",
                              "A kube-scheduler to run in place of the playground's own. Its log "
                              "goes to kube-scheduler.log beside the kubeconfig."},
                             options.programs.scheduler),
                {"scheduler"}),
      name_setting({"kube-controller-manager", "", "PATH",
                    "A kube-controller-manager to run for Deployments, Jobs and the like, without "
                    "its two controllers for devices. Its log goes to kube-controller-manager.log "
                    "beside the kubeconfig."},
                   options.programs.controller_manager),
      excluding(switch_setting({"real", "", "",
                                "Run the kube-scheduler and the kube-controller-manager that ./dev "
                                "has built, or those in $KUBEBUILDER_ASSETS."},
                               is_real),
                {"scheduler", "kube-scheduler", "kube-controller-manager"}),
  };
}

const std::vector<CommandText>& commands() {
  static const std::vector<CommandText> kCommands = {
      {"demo", "",
       "Applies the examples to a cluster with playground and manager, shows the progress, and "
       "checks the result. ./dev demo starts everything."},
      {"taint", "DRIVER/POOL/DEVICE TAINT…",
       "Taints a device in the ResourceSlice that publishes it, as its driver would, or removes "
       "taints: KEY=VALUE:EFFECT or KEY:EFFECT to add, KEY:EFFECT- or KEY- to remove. Effects: "
       "None, NoSchedule, NoExecute. A driver that republishes its devices reverts the change; the "
       "playground's drivers do not."},
      {"version", "", "Prints the version."},
  };
  return kCommands;
}

Usage usage_of(const CommandText& command) {
  return {.name = fmt::format("{} {}", kProgram, command.name),
          .summary = command.help,
          .synopsis = command.synopsis};
}

std::expected<Options, Exit> read_demo(const Usage& usage, const Strings& arguments) {
  DemoOptions demo;
  Settings table = kubeconfig_settings(demo.kubeconfig, demo.context);
  table.front() = required(checked(
      text_setting({"kubeconfig", "", "FILE", "The cluster."}, demo.kubeconfig), why_no_file));
  table.push_back(checked(
      text_setting({"manifests", "", "DIR", "The folder with the examples."}, demo.manifests),
      why_no_folder));
  const auto read = read_arguments(usage, table, arguments);
  if (!read) return std::unexpected(read.error());
  Options options;
  options.demo = std::move(demo);
  return options;
}

std::expected<Options, Exit> read_taint(Usage usage, const Strings& arguments) {
  usage.notes =
      "\nFor example: dra-playground taint gpu.example.com/node-1/dev-0 "
      "example.com/unhealthy=ecc:NoExecute\n";
  TaintOptions taint;
  bool overwrites = false;
  Settings table = kubeconfig_settings(taint.kubeconfig, taint.context);
  table.push_back(switch_setting(
      {"overwrite", "", "", "Let a taint take the place of one with the same key and effect."},
      overwrites));
  const auto read = read_arguments(usage, table, arguments);
  if (!read) return std::unexpected(read.error());
  const Strings& words = read->line.words;
  if (words.size() < 2) return options::refuse(usage.name, "expected a device and its taints");
  auto device = parse_device(words.front());
  if (!device) return options::refuse(usage.name, device.error().message);
  auto changes = parse_taint_changes({words.begin() + 1, words.end()});
  if (!changes) return options::refuse(usage.name, changes.error().message);
  taint.device = *std::move(device);
  taint.changes = *std::move(changes);
  taint.changes.overwrite = overwrites ? Overwrite::yes : Overwrite::no;
  Options options;
  options.taint = std::move(taint);
  return options;
}

std::expected<Options, Exit> read_command(const CommandText& command, const Strings& arguments) {
  const Usage usage = usage_of(command);
  if (command.name == "demo") return read_demo(usage, arguments);
  if (command.name == "taint") return read_taint(usage, arguments);
  const auto read = read_arguments(usage, {}, arguments);
  return std::unexpected(read ? Exit{0, fmt::format("{} {}\n", kProgram, runtime::kVersion)}
                              : read.error());
}

}  // namespace

Settings kubeconfig_settings(std::string& kubeconfig, std::string& context) {
  return {
      checked(text_setting({"kubeconfig", "", "FILE",
                            "The cluster; by default $KUBECONFIG, or ~/.kube/config."},
                           kubeconfig),
              why_no_file),
      text_setting({"context", "", "NAME", "Context of the kubeconfig to use."}, context),
  };
}

std::expected<Options, Exit> parse_options(const Strings& arguments) {
  const auto command =
      std::ranges::find(commands(), arguments.empty() ? "" : arguments.front(), &CommandText::name);
  if (command != commands().end()) {
    return read_command(*command, {arguments.begin() + 1, arguments.end()});
  }
  const Usage usage{.name = std::string(kProgram),
                    .version = std::string(runtime::kVersion),
                    .summary =
                        "A cluster for dynamic resource allocation in one process: an API "
                        "server in memory, hollow nodes with devices, a scheduler and "
                        "garbage collectors.",
                    .commands = commands()};
  Options options;
  bool is_real = false;
  Settings table;
  add_group(table, "Cluster", cluster_settings(options));
  add_group(table, "API server", server_settings(options));
  add_group(table, "Control plane", control_plane_settings(options, is_real));
  add_group(table, "Process", {manager::verbosity_setting(options.verbosity)});
  const auto read = read_arguments(usage, table, arguments);
  if (!read) return std::unexpected(read.error());
  if (!read->line.words.empty())
    return options::refuse(kProgram, "a command goes before all flags");
  if (is_real) {
    auto found = find_programs();
    if (!found) return options::refuse(kProgram, "--real: " + found.error().message);
    options.programs = *std::move(found);
  }
  if (!options.programs.scheduler.empty()) options.scheduler = OwnScheduler::none;
  return options;
}

}  // namespace dcm::playground
