#include "cmd/dra-hollow-node/options.hpp"

#include <fmt/format.h>

#include "manager/options/standard.hpp"
#include "runtime/http/tcp.hpp"
#include "runtime/version.hpp"

namespace dcm::hollow_node {
namespace {

using namespace options;
using playground::PrepareRetry;

// Kubelet's gates by name; others may only be off.
Setting gates_setting(node::LookRules& rules) {
  return {.text = {"feature-gates", "", "GATE=true,…",
                   "Kubelet's gates that matter here: DRAOptionalNodeOperations, "
                   "DRAWorkloadResourceClaims."},
          .expected = "GATE=true or GATE=false",
          .by_default = Switches(),
          .apply = [&rules](const Value& value) {
            for (const auto& [gate, on] : std::get<Switches>(value)) {
              if (gate == "DRAOptionalNodeOperations") {
                rules.skip_gate = on ? node::SkipGate::on : node::SkipGate::off;
              } else if (gate == "DRAWorkloadResourceClaims") {
                rules.groups = on ? common::GroupClaims::shared : common::GroupClaims::refused;
              } else if (on) {
                return fmt::format("\"{}\" is not a gate of this program", gate);
              }
            }
            return std::string();
          }};
}

Settings node_settings(Options& options, bool& has_booted) {
  return {
      text_setting({"node-name", "", "NAME", "Name of the node in the API; by default the host's."},
                   options.devices.agent.node),
      required(text_setting({"root-dir", "", "DIR",
                             "The folder that drivers expect to be kubelet's: they put their "
                             "registration sockets into DIR/plugins_registry. The checkpoint is in "
                             "it, too."},
                            options.root)),
      choice_setting<RegisterNode>(
          {"register-node", "", "true|false", "Make the Node object, and report it as ready."},
          options.register_node, {{"true", RegisterNode::yes}, {"false", RegisterNode::no}}),
      switch_setting({"booted", "", "",
                      "The machine has just been started: the containers of pods that were running "
                      "are gone. Their claims are prepared again, and they are restarted, or fail "
                      "if they are never restarted."},
                     has_booted),
  };
}

Settings device_settings(playground::RealDevicesOptions& devices) {
  return {
      text_setting({"show-devices", "", "DIR",
                    "Write into DIR/POD UID/CONTAINER.json which CDI devices each container would "
                    "get; by default into `devices` in the root folder."},
                   devices.show_devices),
      list_setting({"cdi-dir", "", "DIR",
                    "A folder with CDI specs, for example /var/run/cdi: a pod starts only if its "
                    "devices are described there, as with a container runtime. May be repeated; by "
                    "default nothing is checked."},
                   devices.cdi_folders),
      choice_setting<PrepareRetry>(
          {"prepare-retry", "", "backoff|kubelet",
           "When a pod is tried again whose claims could not be prepared: as kubelet after 60 s to "
           "90 s, or after 1 s, 2 s, … and at once when a driver connects."},
          devices.prepare_retry,
          {{"kubelet", PrepareRetry::as_kubelet}, {"backoff", PrepareRetry::backoff}}),
  };
}

Settings kubelet_settings(node::AgentOptions& agent) {
  return {
      choice_setting<node::FirstWipe>(
          {"wipe", "", "at-start|late",
           "Which ResourceSlices of the node are deleted at start: as kubelet all of them at once, "
           "or after 30 s those of drivers that are not connected by then."},
          agent.first_wipe,
          {{"at-start", node::FirstWipe::at_start}, {"late", node::FirstWipe::late}}),
      choice_setting<node::ServiceChoice>(
          {"service-choice", "", "first|newest",
           "Which DRA service of a driver is called: as kubelet the first that the driver names, "
           "or the newest."},
          agent.service_choice,
          {{"first", node::ServiceChoice::first_named}, {"newest", node::ServiceChoice::newest}}),
      choice_setting<node::OnCorruptState>(
          {"on-corrupt-state", "", "rebuild|refuse",
           "What happens if the checkpoint cannot be used: as kubelet the node does not start, or "
           "it keeps the file under another name and makes entries from running pods."},
          agent.on_corrupt,
          {{"refuse", node::OnCorruptState::refuse}, {"rebuild", node::OnCorruptState::rebuild}}),
      choice_setting<node::UnknownClaims>(
          {"unprepare-unknown", "", "true|false",
           "At the end of a pod, unprepare claims that the checkpoint does not have but that are "
           "reserved for the pod, as when the checkpoint was removed; kubelet leaves them."},
          agent.claims.unknown,
          {{"true", node::UnknownClaims::unprepare}, {"false", node::UnknownClaims::leave}}),
      gates_setting(agent.claims.rules),
  };
}

Settings process_settings(Options& options) {
  return {
      checked(
          text_setting({"metrics-bind-address", "", "HOST:PORT",
                        "Where /metrics and /healthz are served, for example 127.0.0.1:8080; by "
                        "default nowhere."},
                       options.metrics_address),
          manager::why_no_plain_address),
      checked(list_setting({"metrics-accept-hosts", "", "HOST,...",
                            "Host names that it answers to besides localhost and IP addresses; "
                            "*.DOMAIN is every name below one."},
                           options.accept_hosts),
              manager::why_no_accepted_host),
      manager::verbosity_setting(options.verbosity),
  };
}

Settings make_settings(Options& options, bool& has_booted) {
  client::ConfigOverrides& cluster = options.cluster;
  Settings table;
  add_group(table, "Cluster", playground::kubeconfig_settings(cluster.kubeconfig, cluster.context));
  add_group(table, "Node", node_settings(options, has_booted));
  add_group(table, "Device", device_settings(options.devices));
  add_group(table, "Kubelet", kubelet_settings(options.devices.agent));
  add_group(table, "Process", process_settings(options));
  return table;
}

std::optional<api::NamespacedName> parse_claim(const std::string& text) {
  const std::size_t slash = text.find('/');
  if (slash == std::string::npos || slash == 0 || slash + 1 == text.size()) return std::nullopt;
  if (text.find('/', slash + 1) != std::string::npos) return std::nullopt;
  return api::NamespacedName{text.substr(0, slash), text.substr(slash + 1)};
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

Usage make_usage() {
  return {.name = "dra-hollow-node",
          .version = std::string(runtime::kVersion),
          .summary =
              "A node for dynamic resource allocation without kubelet, container runtime or "
              "containers: drivers register over their sockets, and are asked to prepare "
              "and unprepare the claims of the pods that are bound to it.",
          .commands = {{"forget", "NAMESPACE/NAME",
                        "Drops the entry of a claim whose driver never comes back, so that its pod "
                        "can go. The node must be stopped."}}};
}

// "forget", and the claim. Returns why they are wrong.
std::string read_words(const Strings& words, Options& options) {
  if (words.empty()) return {};
  if (words.size() != 2) return "forget: expected a claim, NAMESPACE/NAME";
  options.forget = parse_claim(words.back());
  return options.forget ? "" : fmt::format("\"{}\" is not NAMESPACE/NAME", words.back());
}

}  // namespace

std::expected<Options, Exit> parse_options(const Strings& arguments) {
  const Usage usage = make_usage();
  Options options;
  bool has_booted = false;
  const Settings table = make_settings(options, has_booted);
  const auto read = read_arguments(usage, table, arguments);
  if (!read) return std::unexpected(read.error());
  if (options.root.empty()) return refuse(usage.name, "--root-dir: must not be empty");
  if (std::string why = read_words(read->line.words, options); !why.empty()) {
    return refuse(usage.name, why);
  }
  options.booted = has_booted ? playground::Booted::yes : playground::Booted::no;
  complete(options);
  return options;
}

}  // namespace dcm::hollow_node
