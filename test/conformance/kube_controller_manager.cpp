#include "test/conformance/kube_controller_manager.hpp"

#include <filesystem>
#include <fstream>

#include "test/conformance/run.hpp"
#include "test/support/paths.hpp"

namespace dcm::conformance {

support::Process::Command kube_controller_manager(const std::string& program,
                                                  const std::string& kubeconfig) {
  support::Process::Command command;
  command.arguments = {program,
                       "--kubeconfig=" + kubeconfig,
                       "--authentication-kubeconfig=" + kubeconfig,
                       "--authorization-kubeconfig=" + kubeconfig,
                       "--leader-elect=false",
                       "--secure-port=0",
                       "--kube-api-qps=100000",
                       "--kube-api-burst=100000"};
  if (run().version.empty()) return command;
  const std::filesystem::path folder = std::filesystem::path(support::controlplane()).parent_path();
  std::ifstream file(folder / ("v" + run().version) / "apiserver_flags");
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with("--feature-gates=")) command.arguments.push_back(line);
  }
  return command;
}

}  // namespace dcm::conformance
