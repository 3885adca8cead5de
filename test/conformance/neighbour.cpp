#include "test/conformance/neighbour.hpp"

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
  const support::Process::Command command{
      {program(), "--kubeconfig=" + kubeconfig, "--authentication-kubeconfig=" + kubeconfig,
       "--authorization-kubeconfig=" + kubeconfig, "--leader-elect=false", "--secure-port=0",
       "--controllers=" + controller, "--kube-api-qps=100000", "--kube-api-burst=100000"},
      {},
      prefix + ".log"};
  return std::make_unique<support::Process>(command);
}

}  // namespace dcm::conformance
