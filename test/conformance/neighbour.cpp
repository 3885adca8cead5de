#include "test/conformance/neighbour.hpp"

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "test/conformance/run.hpp"
#include "test/conformance/server.hpp"
#include "test/support/paths.hpp"

namespace dcm::conformance {
namespace {

// The same for all cases.
const std::string& program() {
  static const std::string path = controlplane_program(run(), "kube-controller-manager");
  return path;
}

// Those that the API server of this version is told.
std::vector<std::string> feature_gates() {
  std::vector<std::string> flags;
  if (run().version.empty()) return flags;
  const std::filesystem::path folder = std::filesystem::path(support::controlplane()).parent_path();
  std::ifstream file(folder / ("v" + run().version) / "apiserver_flags");
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with("--feature-gates=")) flags.push_back(line);
  }
  return flags;
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
  support::Process::Command command{
      {program(), "--kubeconfig=" + kubeconfig, "--authentication-kubeconfig=" + kubeconfig,
       "--authorization-kubeconfig=" + kubeconfig, "--leader-elect=false", "--secure-port=0",
       "--controllers=" + controller, "--kube-api-qps=100000", "--kube-api-burst=100000"},
      {},
      prefix + ".log"};
  for (std::string& gates : feature_gates()) command.arguments.push_back(std::move(gates));
  return std::make_unique<support::Process>(command);
}

}  // namespace dcm::conformance
