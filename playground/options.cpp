#include "playground/options.hpp"

#include <algorithm>
#include <map>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "apiserver/kinds/runtime_config.hpp"
#include "manager/options/setting.hpp"
#include "playground/cluster/drivers.hpp"
#include "runtime/version.hpp"

namespace dcm::playground {
namespace {

using manager::Strings;

constexpr std::size_t kNodesMax = 5000;
const std::string kVersionText = "dra-playground " + std::string(runtime::kVersion);

// DeviceClasses and slices are named after drivers (DNS subdomains, RFC 1123).
std::string check_driver(const std::string& name) {
  const auto is_bad = [](char c) {
    return !(c >= 'a' && c <= 'z') && !(c >= '0' && c <= '9') && c != '-' && c != '.';
  };
  const bool is_edge_bad =
      name.empty() || name.find_first_of("-.") == 0 || name.find_last_of("-.") == name.size() - 1;
  if (!is_edge_bad && name.size() <= 63 && std::ranges::none_of(name, is_bad)) return {};
  return fmt::format("\"{}\" is no driver name such as gpu.example.com", name);
}

std::string check_program(const std::string& path) {
  return path.empty() ? "expected the path of a program" : "";
}

void add_flags(CLI::App& app, Options& options) {
  app.add_option("--nodes", options.size.nodes, "Hollow nodes.")
      ->capture_default_str()
      ->check(CLI::Range(std::size_t{1}, kNodesMax));
  app.add_option("--devices", options.size.devices, "Devices of each driver on each node.")
      ->capture_default_str()
      ->check(CLI::Range(std::size_t{0}, kDevicesMax));
  app.add_option("--drivers", options.size.drivers,
                 "DRA drivers; each has a DeviceClass of its name.")
      ->delimiter(',')
      ->capture_default_str()
      ->check(check_driver);
  auto* const port = app.add_option("--port", options.port,
                                    "Port on 127.0.0.1 for the API server; 0 takes a free one.")
                         ->capture_default_str();
  app.add_option("--accept-hosts", options.accept_hosts,
                 "Hosts that the API server answers to, beside loopback addresses and localhost, "
                 "and whose web pages may use it; *.DOMAIN is every name below one, * every host. "
                 "The API server asks for no credentials.")
      ->delimiter(',')
      ->option_text("HOST,...");
  auto* const versions = app.add_option_function<Strings>(
      "--runtime-config",
      [&options](const Strings& settings) {
        auto served = apiserver::served_versions(settings);
        if (!served) throw CLI::ValidationError("--runtime-config", served.error());
        options.served = *std::move(served);
      },
      "Versions of groups that the API server serves beside its own, as kube-apiserver's flag: "
      "resource.k8s.io/v1beta1=true, resource.k8s.io/v1beta2=true, …, api/all=true.");
  versions->delimiter(',')->option_text("GROUP/VERSION=BOOL,...");
  auto* const out = app.add_option("--kubeconfig-out", options.kubeconfig_out,
                                   "Where to write a kubeconfig; by default "
                                   "~/.local/state/dra-controller-manager/playground/kubeconfig.");
  app.add_option("--kubeconfig", options.kubeconfig,
                 "Run nodes, drivers, scheduler and garbage collector against this cluster, and "
                 "no API server.")
      ->check(CLI::ExistingFile)
      ->excludes(port)
      ->excludes(versions)
      ->excludes(out);
  auto* const own = app.add_option("--scheduler", options.scheduler,
                                   "Scheduler: small is the playground's own; none leaves pods to "
                                   "a kube-scheduler beside it.");
  own->transform(CLI::Transformer(std::map<std::string, OwnScheduler>{
                     {"small", OwnScheduler::runs}, {"none", OwnScheduler::none}}))
      ->option_text("small|none");
  auto* const scheduler = app.add_option_function<std::string>(
      "--kube-scheduler",
      [&options](const std::string& path) {
        options.programs.scheduler = path;
        options.scheduler = OwnScheduler::none;
      },
      "A kube-scheduler to run in place of the playground's own. Its log goes to "
      "kube-scheduler.log beside the kubeconfig.");
  scheduler->excludes(own)->check(check_program)->option_text("PATH");
  auto* const manager =
      app.add_option("--kube-controller-manager", options.programs.controller_manager,
                     "A kube-controller-manager to run for Deployments, Jobs and the like, without "
                     "its two controllers for devices. Its log goes to kube-controller-manager.log "
                     "beside the kubeconfig.");
  manager->check(check_program)->option_text("PATH");
  app.add_flag_callback(
         "--real",
         [&options] {
           auto found = find_programs();
           if (!found) throw CLI::ValidationError("--real", found.error().message);
           options.programs = *std::move(found);
           options.scheduler = OwnScheduler::none;
         },
         "Run the kube-scheduler and the kube-controller-manager that ./dev has built, or those in "
         "$KUBEBUILDER_ASSETS.")
      ->excludes(own)
      ->excludes(scheduler)
      ->excludes(manager);
  app.add_option("--real-drivers", options.real_drivers,
                 "Let drivers of your own serve node-0: they put their registration sockets into "
                 "DIR/plugins_registry, as on a kubelet whose root folder is DIR.")
      ->option_text("DIR");
  app.add_option("-v,--v", options.verbosity, "Verbosity of the log.")
      ->capture_default_str()
      ->check(CLI::Range(0, 10));
}

CLI::App& add_demo(CLI::App& app, DemoOptions& demo) {
  CLI::App& command =
      *app.add_subcommand("demo",
                          "Applies the examples to a cluster with playground and manager, shows "
                          "the progress, and checks the result. ./dev demo starts everything.");
  command.add_option("--kubeconfig", demo.kubeconfig, "The cluster.")
      ->required()
      ->check(CLI::ExistingFile);
  command.add_option("--context", demo.context, "Context of the kubeconfig to use.");
  command.add_option("--manifests", demo.manifests, "The folder with the examples.")
      ->default_str("manifests/examples")
      ->check(CLI::ExistingDirectory);
  return command;
}

// The arguments of `taint` as given; interpreted after parsing.
struct TaintArguments {
  TaintOptions options;
  std::string device;
  std::vector<std::string> taints;
  bool overwrite = false;
};

CLI::App& add_taint(CLI::App& app, TaintArguments& taint) {
  CLI::App& command =
      *app.add_subcommand("taint",
                          "Taints a device in the ResourceSlice that publishes it, as its driver "
                          "would, or removes taints. A driver that republishes its devices reverts "
                          "the change; the playground's drivers do not.");
  command.add_option("device", taint.device, "DRIVER/POOL/DEVICE")->required();
  command
      .add_option("taints", taint.taints,
                  "KEY=VALUE:EFFECT or KEY:EFFECT to add, KEY:EFFECT- or KEY- to remove. Effects: "
                  "None, NoSchedule, NoExecute.")
      ->required();
  command.add_flag("--overwrite", taint.overwrite,
                   "Let a taint take the place of one with the same key and effect.");
  command
      .add_option("--kubeconfig", taint.options.kubeconfig,
                  "The cluster; by default $KUBECONFIG, or ~/.kube/config.")
      ->check(CLI::ExistingFile);
  command.add_option("--context", taint.options.context, "Context of the kubeconfig to use.");
  command.footer(
      "For example: dra-playground taint gpu.example.com/node-1/dev-0 "
      "example.com/unhealthy=ecc:NoExecute");
  return command;
}

Result<TaintOptions> read(TaintArguments arguments) {
  auto device = parse_device(arguments.device);
  if (!device) return runtime::fail(device.error());
  auto changes = parse_taint_changes(arguments.taints);
  if (!changes) return runtime::fail(changes.error());
  arguments.options.device = std::move(*device);
  arguments.options.changes = std::move(*changes);
  if (arguments.overwrite) arguments.options.changes.overwrite = Overwrite::yes;
  return std::move(arguments.options);
}

Exit bad_flags(const std::string& why) {
  return {2, fmt::format("dra-playground: {}", why)};
}

// Every flag and command that is valid where `app` has been parsed to.
Strings known_words(const CLI::App& app) {
  Strings known;
  for (const CLI::Option* const option : app.get_options()) {
    for (const std::string& name : option->get_lnames()) known.push_back("--" + name);
  }
  for (const CLI::App* const command : app.get_subcommands({}))
    known.push_back(command->get_name());
  return known;
}

std::string unexpected_words(const CLI::App& app) {
  const CLI::App* at = &app;
  for (const CLI::App* const command : app.get_subcommands()) at = command;
  const Strings rest = app.remaining(true);
  const std::string word = rest.empty() ? "" : rest.front().substr(0, rest.front().find('='));
  const std::string meant = manager::closest(word, known_words(*at));
  return fmt::format(
      "unexpected argument \"{}\"; {}", word,
      meant.empty() ? "--help lists flags and commands" : fmt::format("did you mean {}?", meant));
}

}  // namespace

std::vector<std::string> as_cli11_takes_them(const std::vector<std::string>& arguments) {
  std::vector<std::string> taken;
  for (const std::string& argument : arguments) {
    const bool is_verbosity = argument.starts_with("-v=");
    taken.push_back(is_verbosity ? "--v" + argument.substr(2) : argument);
  }
  std::ranges::reverse(taken);
  return taken;
}

std::expected<Options, Exit> parse_options(const std::vector<std::string>& arguments) {
  Options options;
  CLI::App app(
      "A cluster for dynamic resource allocation in one process: an API server in memory, hollow "
      "nodes with devices, a scheduler and a garbage collector for claims.",
      "dra-playground");
  app.set_version_flag("--version", kVersionText);
  add_flags(app, options);
  const CLI::App& version_command = *app.add_subcommand("version", "Prints the version.");
  DemoOptions demo;
  const CLI::App& demo_command = add_demo(app, demo);
  TaintArguments taint;
  const CLI::App& taint_command = add_taint(app, taint);
  try {
    app.parse(as_cli11_takes_them(arguments));
  } catch (const CLI::CallForHelp&) {
    for (const CLI::App* command : {&demo_command, &taint_command}) {
      if (command->parsed()) return std::unexpected(Exit{0, command->help()});
    }
    return std::unexpected(Exit{0, app.help()});
  } catch (const CLI::CallForVersion& version) {
    return std::unexpected(Exit{0, std::string(version.what()) + "\n"});
  } catch (const CLI::ExtrasError&) {
    return std::unexpected(bad_flags(unexpected_words(app)));
  } catch (const CLI::ParseError& error) {
    return std::unexpected(bad_flags(error.what()));
  }
  if (version_command.parsed()) return std::unexpected(Exit{0, kVersionText + "\n"});
  if (demo_command.parsed()) options.demo = std::move(demo);
  if (taint_command.parsed()) {
    auto read_taint = read(std::move(taint));
    if (!read_taint) return std::unexpected(bad_flags(read_taint.error().message));
    options.taint = std::move(*read_taint);
  }
  return options;
}

}  // namespace dcm::playground
