#include "test/conformance/neighbour.hpp"

#include "test/conformance/kube_controller_manager.hpp"
#include "test/conformance/run.hpp"
#include "test/conformance/server.hpp"

namespace dcm::conformance {
namespace {

// The same for all cases.
const std::string& program() {
  static const std::string path = controlplane_program(run(), "kube-controller-manager");
  return path;
}

}  // namespace

std::string why_no_neighbours() {
  if (run().server == ServerKind::memory) return "the in-memory API server has no such controller";
  return program().empty() ? "there is no kube-controller-manager" : "";
}

std::unique_ptr<support::Process> start_neighbour(const std::string& controller,
                                                  const std::string& prefix) {
  const std::string kubeconfig = prefix + ".kubeconfig";
  support::write_kubeconfig(kubeconfig, run().admin);
  support::Process::Command command = kube_controller_manager(program(), kubeconfig);
  command.arguments.push_back("--controllers=" + controller);
  command.output = prefix + ".log";
  return std::make_unique<support::Process>(command);
}

std::unique_ptr<support::Process> start_scheduler(const std::string& prefix) {
  const std::string path = controlplane_program(run(), "kube-scheduler");
  if (path.empty()) return nullptr;
  const std::string kubeconfig = prefix + ".kubeconfig";
  support::write_kubeconfig(kubeconfig, run().admin);
  support::Process::Command command;
  command.arguments = {path, "--kubeconfig=" + kubeconfig, "--leader-elect=false",
                       "--secure-port=0"};
  command.output = prefix + ".log";
  return std::make_unique<support::Process>(command);
}

}  // namespace dcm::conformance
