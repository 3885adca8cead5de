#include "cmd/dra-hollow-node/options.hpp"

#include <map>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "runtime/http/tcp.hpp"
#include "runtime/version.hpp"

namespace dcm::hollow_node {
namespace {

using playground::Exit;
using playground::PrepareRetry;

const std::string kVersionText = "dra-hollow-node " + std::string(runtime::kVersion);

// A flag with a few words, each with its meaning.
template <class T>
void add_choice(CLI::App& app, const std::string& name, T& value, const std::string& help,
                std::map<std::string, T> words) {
  std::string all;
  for (const auto& [word, meaning] : words) all += (all.empty() ? "" : "|") + word;
  app.add_option(name, value, help)
      ->transform(CLI::Transformer(std::move(words)))
      ->option_text(all);
}

void add_gates(CLI::App& app, node::LookRules& rules) {
  app.add_option_function<std::vector<std::string>>(
         "--feature-gates",
         [&rules](const std::vector<std::string>& gates) {
           for (const std::string& gate : gates) {
             if (gate == "DRAOptionalNodeOperations=true") {
               rules.skip_gate = node::SkipGate::on;
             } else if (gate == "DRAWorkloadResourceClaims=true") {
               rules.groups = common::GroupClaims::shared;
             } else if (!gate.ends_with("=false")) {
               throw CLI::ValidationError("--feature-gates",
                                          fmt::format("\"{}\" is no gate of this program", gate));
             }
           }
         },
         "Kubelet's gates that matter here: DRAOptionalNodeOperations, DRAWorkloadResourceClaims.")
      ->delimiter(',')
      ->option_text("GATE=true,…");
}

void add_flags(CLI::App& app, Options& options) {
  node::AgentOptions& agent = options.devices.agent;
  app.add_option("--kubeconfig", options.cluster.kubeconfig,
                 "The cluster; by default $KUBECONFIG, or ~/.kube/config.")
      ->check(CLI::ExistingFile);
  app.add_option("--context", options.cluster.context, "Context of the kubeconfig to use.");
  app.add_option("--node-name", agent.node, "Name of the node in the API; by default the host's.");
  app.add_option("--root-dir", options.root,
                 "The folder that drivers expect to be kubelet's: they put their registration "
                 "sockets into DIR/plugins_registry. The checkpoint is in it, too.")
      ->required()
      ->option_text("DIR");
  add_choice<RegisterNode>(app, "--register-node", options.register_node,
                           "Make the Node object, and say that it is ready. By default true.",
                           {{"true", RegisterNode::yes}, {"false", RegisterNode::no}});
  app.add_flag_callback(
      "--booted", [&options] { options.booted = playground::Booted::yes; },
      "The machine has just been started: the containers of pods that were running are gone. Their "
      "claims are prepared again, and they are restarted, or fail if they are never restarted.");
  app.add_option("--show-devices", options.devices.show_devices,
                 "Write into DIR/POD UID/CONTAINER.json which CDI devices each container would "
                 "get; by default into `devices` in the root folder.")
      ->option_text("DIR");
  add_choice<PrepareRetry>(
      app, "--prepare-retry", options.devices.prepare_retry,
      "When a pod is tried again whose claims could not be prepared: as kubelet after 60 s to 90 "
      "s, or after 1 s, 2 s, … and at once when a driver connects. By default kubelet.",
      {{"kubelet", PrepareRetry::as_kubelet}, {"backoff", PrepareRetry::backoff}});
  add_choice<node::FirstWipe>(
      app, "--wipe", agent.first_wipe,
      "Which ResourceSlices of the node go when it starts: as kubelet all of them at once, or "
      "after "
      "30 s those of drivers that are not connected by then. By default at-start.",
      {{"at-start", node::FirstWipe::at_start}, {"late", node::FirstWipe::late}});
  add_choice<node::ServiceChoice>(
      app, "--service-choice", agent.service_choice,
      "Which DRA service of a driver is called: as kubelet the first that the driver names, or the "
      "newest. By default first.",
      {{"first", node::ServiceChoice::first_named}, {"newest", node::ServiceChoice::newest}});
  add_choice<node::OnCorruptState>(
      app, "--on-corrupt-state", agent.on_corrupt,
      "What happens if the checkpoint cannot be used: as kubelet the node does not start, or it "
      "keeps the file under another name and makes entries from the pods that run. By default "
      "refuse.",
      {{"refuse", node::OnCorruptState::refuse}, {"rebuild", node::OnCorruptState::rebuild}});
  add_choice<node::UnknownClaims>(
      app, "--unprepare-unknown", agent.claims.unknown,
      "At the end of a pod, unprepare claims that the checkpoint does not have but that are "
      "reserved for the pod, as when the checkpoint was removed; kubelet leaves them. By default "
      "false.",
      {{"true", node::UnknownClaims::unprepare}, {"false", node::UnknownClaims::leave}});
  app.add_option("--cdi-dir", options.devices.cdi_folders,
                 "A folder with CDI specs, for example /var/run/cdi: a pod starts only if its "
                 "devices are described there, as with a container runtime. May be repeated; by "
                 "default nobody looks.")
      ->option_text("DIR");
  add_gates(app, agent.claims.rules);
  app.add_option("--metrics-bind-address", options.metrics_address,
                 "Where /metrics and /healthz are served, for example 127.0.0.1:8080; by default "
                 "nowhere.")
      ->option_text("HOST:PORT");
  app.add_option("--metrics-accept-hosts", options.accept_hosts,
                 "Host names that it answers to, beside localhost and IP addresses; *.DOMAIN is "
                 "every name below one.")
      ->delimiter(',')
      ->option_text("HOST,...");
  app.add_option("-v,--v", options.verbosity, "Verbosity of the log.")
      ->capture_default_str()
      ->check(CLI::Range(0, 10));
}

std::optional<node::ClaimKey> parse_claim(const std::string& text) {
  const std::size_t slash = text.find('/');
  if (slash == std::string::npos || slash == 0 || slash + 1 == text.size()) return std::nullopt;
  if (text.find('/', slash + 1) != std::string::npos) return std::nullopt;
  return node::ClaimKey{text.substr(0, slash), text.substr(slash + 1)};
}

// Fills in the values that follow from the root folder and the host.
void complete(Options& options) {
  node::AgentOptions& agent = options.devices.agent;
  if (agent.node.empty()) agent.node = http::host_name();
  node::AgentOptions laid_out = playground::agent_options(agent.node, options.root);
  agent.state = std::move(laid_out.state);
  agent.registry = std::move(laid_out.registry);
  if (options.devices.show_devices.empty())
    options.devices.show_devices = options.root + "/devices";
  options.devices.pod_resources = options.root + "/pod-resources/kubelet.sock";
}

Exit bad_flags(const std::string& why) {
  return {2, fmt::format("dra-hollow-node: {}", why)};
}

}  // namespace

std::expected<Options, Exit> parse_options(const std::vector<std::string>& arguments) {
  Options options;
  CLI::App app(
      "A node for dynamic resource allocation without kubelet, container runtime or containers: "
      "drivers register over their sockets, and are asked to prepare and unprepare the claims of "
      "the pods that are bound to it.",
      "dra-hollow-node");
  app.set_version_flag("--version", kVersionText);
  add_flags(app, options);
  std::string claim;
  CLI::App& forget = *app.add_subcommand(
      "forget",
      "Drops the entry of a claim whose driver never comes back, so that its pod can go. The node "
      "must be stopped.");
  forget.add_option("claim", claim, "NAMESPACE/NAME")->required();
  forget.fallthrough();
  try {
    app.parse(playground::as_cli11_takes_them(arguments));
  } catch (const CLI::CallForHelp&) {
    return std::unexpected(Exit{0, forget.parsed() ? forget.help() : app.help()});
  } catch (const CLI::CallForVersion& version) {
    return std::unexpected(Exit{0, std::string(version.what()) + "\n"});
  } catch (const CLI::ParseError& error) {
    return std::unexpected(bad_flags(error.what()));
  }
  if (forget.parsed()) {
    options.forget = parse_claim(claim);
    if (!options.forget) {
      return std::unexpected(bad_flags(fmt::format("\"{}\" is not NAMESPACE/NAME", claim)));
    }
  }
  complete(options);
  return options;
}

}  // namespace dcm::hollow_node
