#include "test/conformance/manager.hpp"

#include <algorithm>
#include <csignal>
#include <regex>

#include <fmt/format.h>

#include "test/conformance/kube_controller_manager.hpp"
#include "test/conformance/run.hpp"
#include "test/support/blocking_client.hpp"
#include "test/support/paths.hpp"

namespace dcm::conformance {
namespace {

using support::Process;

Process::Command ours(const std::string& kubeconfig, const std::vector<std::string>& flags) {
  Process::Command command;
  command.arguments = {support::binary("dra-controller-manager"), "--kubeconfig=" + kubeconfig,
                       "--metrics-bind-address=127.0.0.1:0", "--kube-api-qps=0"};
  const auto has = [&](const char* flag) {
    return std::ranges::any_of(flags, [&](const std::string& it) { return it.starts_with(flag); });
  };
  if (!has("--leader-elect=")) command.arguments.emplace_back("--leader-elect=false");
  if (!has("--secure-port=")) command.arguments.emplace_back("--secure-port=0");
  if (!run().format.empty() && !has("--kube-api-content-type=")) {
    const std::string type = run().format == "json" ? "json" : "vnd.kubernetes.protobuf";
    command.arguments.push_back("--kube-api-content-type=application/" + type);
  }
  if (!run().http.empty() && !has("--kube-api-http2")) {
    command.arguments.emplace_back(run().http == "2" ? "--kube-api-http2"
                                                     : "--kube-api-http2=false");
  }
  if (!has("-v=")) command.arguments.emplace_back("-v=4");
  command.arguments.insert(command.arguments.end(), flags.begin(), flags.end());
  return command;
}

constexpr std::string_view kControllers = "--controllers=";

// The line of the reference's log after which the controllers of these flags work.
std::string_view ready_line(const std::vector<std::string>& flags) {
  const auto runs_alone = [&](std::string_view controller) {
    return std::ranges::find(flags, fmt::format("{}{}", kControllers, controller)) != flags.end();
  };
  if (runs_alone("device-taint-eviction-controller")) {
    return "\"Underlying informers have synced\"";
  }
  if (runs_alone("resourcepoolstatusrequest-controller")) {
    return "\"Starting ResourcePoolStatusRequest controller\"";
  }
  return "\"Caches are synced\"";
}

// In JSON, so that the proxy can insert events into its watches.
Process::Command reference(const std::string& kubeconfig, const std::vector<std::string>& flags) {
  Process::Command command = kube_controller_manager(run().reference, kubeconfig);
  command.arguments.insert(command.arguments.end(),
                           {"--kube-api-content-type=application/json", "-v=4"});
  std::string controllers = std::string(kControllers) + "resourceclaim-controller";
  for (const std::string& flag : flags) {
    if (flag.starts_with(kControllers)) controllers = flag;
    if (flag.starts_with("--feature-gates=")) command.arguments.push_back(flag);
  }
  command.arguments.push_back(std::move(controllers));
  return command;
}

Process::Command command_for(const std::string& log_file, const std::string& kubeconfig,
                             const std::vector<std::string>& flags,
                             const std::map<std::string, std::string>& environment) {
  const bool is_ours = run().manager == ManagerKind::ours;
  Process::Command command = is_ours ? ours(kubeconfig, flags) : reference(kubeconfig, flags);
  command.output = log_file;
  command.environment = environment;
  return command;
}

}  // namespace

Manager::Manager(std::string log_file, const std::string& kubeconfig,
                 std::vector<std::string> flags,
                 const std::map<std::string, std::string>& environment)
    : log_file_(std::move(log_file)),
      ready_(ready_line(flags)),
      process_(command_for(log_file_, kubeconfig, flags, environment)) {}

bool Manager::is_ready_soon() {
  const bool is_ours = run().manager == ManagerKind::ours;
  const auto is_ready = [&] {
    return is_ours ? status_page("/readyz") == "ok" : log().contains(ready_);
  };
  return support::eventually([&] { return exit_status() || is_ready(); }) && !exit_status();
}

int Manager::stop() {
  terminate();
  return await_end();
}

int Manager::await_end() {
  if (!support::eventually([this] { return exit_status().has_value(); })) kill();
  return exit_status().value_or(-1);
}

void Manager::pause() {
  process_.signal(SIGSTOP);
}

void Manager::resume() {
  process_.signal(SIGCONT);
}

void Manager::kill() {
  process_.signal(SIGKILL);
  support::eventually([this] { return exit_status().has_value(); });
}

std::string Manager::status_page(const std::string& path) {
  // The log names its port.
  static const std::regex address_line(R"re("Serving plain HTTP".* address="([^"]+)")re");
  if (status_address_.empty()) {
    const std::string text = log();
    std::smatch match;
    if (!std::regex_search(text, match, address_line)) return {};
    status_address_ = match[1];
  }
  support::BlockingClient http("http://" + status_address_);
  const auto response = http.send({.target = path});
  return response ? response->body : std::string();
}

bool Manager::is_unready(const std::string& reason) {
  const std::string page = status_page("/readyz");
  if (page.empty() || page == "ok") return false;
  std::string text = log();
  std::erase(text, '\\');  // before quotes
  return page.contains(reason) || text.contains(reason);
}

double Manager::metric(const std::string& series) {
  const std::string page = "\n" + status_page("/metrics");
  const std::size_t line = page.find("\n" + series + " ");
  return line == page.npos ? 0 : std::stod(page.substr(line + series.size() + 2));
}

double Manager::peak_memory() const {
  const std::string status = support::read_file(fmt::format("/proc/{}/status", process_.pid()));
  const std::string_view name = "VmHWM:";
  const std::size_t line = status.find(name);
  return line == status.npos ? 0 : std::stod(status.substr(line + name.size())) * 1024;
}

std::string Manager::log() const {
  return support::read_file(log_file_);
}

}  // namespace dcm::conformance
