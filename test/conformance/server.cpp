#include "test/conformance/server.hpp"

#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <stdexcept>

#include <fmt/format.h>
#include <unistd.h>

#include "test/support/blocking_client.hpp"
#include "test/support/paths.hpp"
#include "test/support/process.hpp"

namespace dcm::conformance {
namespace {

using support::Access;
using support::Process;

// The value after "kubeconfig: " in a program's output, or "".
std::string find_kubeconfig(const std::string& output_file) {
  constexpr std::string_view kKey = "kubeconfig: ";
  std::ifstream output(output_file);
  for (std::string line; std::getline(output, line);) {
    if (line.starts_with(kKey)) return line.substr(kKey.size());
  }
  return {};
}

std::string log_file(const std::string& name) {
  return fmt::format("{}/{}-{}.log", support::log_dir(), name, getpid());
}

std::vector<std::string> controlplane(const Run& run, std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), support::controlplane());
  if (!run.version.empty()) {
    arguments.insert(arguments.end(), {"--version", run.version});
  }
  return arguments;
}

class RealServer final : public ApiServer {
 public:
  explicit RealServer(const Run& run) : name_(fmt::format("conformance-{}", getpid())) {
    const std::string output = log_file("controlplane");
    std::vector<std::string> command = controlplane(run, {"up", "--name", name_});
    // Betas of claims are off unless requested; `v1` remains preferred.
    command.insert(command.end(), {"--", "--runtime-config=resource.k8s.io/v1beta1=true",
                                   "--runtime-config=resource.k8s.io/v1beta2=true"});
    // The newest one knows pod groups with claims and the status of pools, where it is asked to.
    if (run.version.empty()) {
      command.insert(command.end(),
                     {"--runtime-config=scheduling.k8s.io/v1beta1=true",
                      "--runtime-config=resource.k8s.io/v1alpha3=true",
                      "--feature-gates=GenericWorkload=true,DRAWorkloadResourceClaims=true,"
                      "DRAResourcePoolStatus=true"});
    }
    command.insert(command.end(), run.server_flags.begin(), run.server_flags.end());
    if (Process::run({command, {}, output}) != 0) {
      throw std::runtime_error("the control plane did not start, see " + output);
    }
    kubeconfig_ = find_kubeconfig(output);
  }
  ~RealServer() override {
    Process::run({{support::controlplane(), "down", "--name", name_}, {}, {}});
  }

  Access admin() const override { return support::read_access(kubeconfig_, "admin"); }
  Access restricted() const override { return support::read_access(kubeconfig_, "manager"); }
  std::string log() const override {
    return std::filesystem::path(kubeconfig_).parent_path() / "kube-apiserver.log";
  }
  void halt(Ending ending) override { tell(ending == Ending::in_order ? "halt" : "kill"); }
  void resume() override { tell("resume"); }
  void compact() override { tell("compact"); }

 private:
  void tell(const std::string& command) {
    const std::string output = log_file("controlplane");
    if (Process::run({{support::controlplane(), command, "--name", name_}, {}, output}) != 0) {
      throw std::runtime_error("controlplane " + command + " failed, see " + output);
    }
  }

  std::string name_;
  std::string kubeconfig_;
};

class MemoryServer final : public ApiServer {
 public:
  MemoryServer()
      : output_(log_file("apiserver")),
        process_({{support::binary("dcm-test-apiserver"), "--kubeconfig=" + output_ + ".kubeconfig",
                   "--resource-versions=v1,v1beta2,v1beta1", "--pod-group-versions=v1beta1",
                   "--pool-status-request-versions=v1alpha3"},
                  {},
                  output_}) {
    support::eventually([this] {
      kubeconfig_ = find_kubeconfig(output_);
      return !kubeconfig_.empty() || process_.exit_status();
    });
    if (kubeconfig_.empty()) {
      throw std::runtime_error("the in-memory API server did not start, see " + output_);
    }
  }

  Access admin() const override { return support::read_access(kubeconfig_); }
  Access restricted() const override { return admin(); }
  std::string log() const override { return output_; }
  void halt(Ending) override {
    signal_until(SIGUSR1, [this] { return !answers(); });
  }
  void resume() override {
    signal_until(SIGUSR2, [this] { return answers(); });
  }
  void compact() override { process_.signal(SIGHUP); }

 private:
  bool answers() const {
    return support::BlockingClient(admin().server).send({.target = "/version"}).has_value();
  }
  void signal_until(int signal, const std::function<bool()>& is_done) {
    process_.signal(signal);
    if (!support::eventually(is_done)) throw std::runtime_error("the in-memory server is stuck");
  }

  std::string output_;
  Process process_;
  std::string kubeconfig_;
};

// A running server, which this run must not stop.
class GivenServer final : public ApiServer {
 public:
  explicit GivenServer(std::string kubeconfig) : kubeconfig_(std::move(kubeconfig)) {}

  Access admin() const override { return support::read_access(kubeconfig_, "admin"); }
  Access restricted() const override { return support::read_access(kubeconfig_, "manager"); }
  std::string log() const override { return {}; }
  void halt(Ending) override { refuse(); }
  void resume() override { refuse(); }
  void compact() override { refuse(); }

 private:
  [[noreturn]] static void refuse() {
    throw std::runtime_error("the server of $DCM_API_SERVER is not stopped or compacted");
  }

  std::string kubeconfig_;
};

}  // namespace

std::unique_ptr<ApiServer> start_server(const Run& run) {
  if (const char* given = std::getenv("DCM_API_SERVER"))
    return std::make_unique<GivenServer>(given);
  if (run.server == ServerKind::memory) return std::make_unique<MemoryServer>();
  return std::make_unique<RealServer>(run);
}

std::string controlplane_program(const Run& run, const std::string& program) {
  const std::string output = log_file("path-" + program);
  if (Process::run({controlplane(run, {"path", program}), {}, output}) != 0) return {};
  std::string path;
  std::ifstream file(output);
  std::getline(file, path);
  return path;
}

}  // namespace dcm::conformance
