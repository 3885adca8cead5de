#include "test/conformance/server.hpp"

#include <chrono>
#include <filesystem>
#include <fstream>
#include <stdexcept>

#include <unistd.h>

#include "test/support/paths.hpp"
#include "test/support/process.hpp"

namespace dcm::conformance {
namespace {

using support::Process;

// The value behind "kubeconfig: " in a program's output, or "".
std::string find_kubeconfig(const std::string& output_file) {
  constexpr std::string_view kKey = "kubeconfig: ";
  std::ifstream output(output_file);
  for (std::string line; std::getline(output, line);) {
    if (line.starts_with(kKey)) return line.substr(kKey.size());
  }
  return {};
}

class RealServer final : public ApiServer {
 public:
  RealServer() : name_("conformance-" + std::to_string(getpid())) {
    const std::string output = support::log_dir() + "/" + name_ + ".log";
    if (Process::run({{support::controlplane(), "up", "--name", name_}, {}, output}) != 0) {
      throw std::runtime_error("the control plane did not start, see " + output);
    }
    kubeconfig_ = find_kubeconfig(output);
  }
  ~RealServer() override {
    Process::run({{support::controlplane(), "down", "--name", name_}, {}, {}});
  }

  std::string kubeconfig() const override { return kubeconfig_; }

 private:
  std::string name_;
  std::string kubeconfig_;
};

class MemoryServer final : public ApiServer {
 public:
  MemoryServer()
      : output_(support::log_dir() + "/apiserver-" + std::to_string(getpid()) + ".log"),
        process_({{support::binary("dcm-test-apiserver")}, {}, output_}) {
    while (kubeconfig_.empty()) {
      if (process_.exit_status()) {
        throw std::runtime_error("the in-memory API server ended, see " + output_);
      }
      kubeconfig_ = find_kubeconfig(output_);
    }
  }

  std::string kubeconfig() const override { return kubeconfig_; }

 private:
  std::string output_;
  Process process_;
  std::string kubeconfig_;
};

}  // namespace

std::unique_ptr<ApiServer> start_server(ServerKind kind) {
  if (kind == ServerKind::memory) return std::make_unique<MemoryServer>();
  return std::make_unique<RealServer>();
}

}  // namespace dcm::conformance
