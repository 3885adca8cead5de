#include "test/bench/cluster.hpp"

#include <chrono>
#include <csignal>
#include <cstdio>
#include <filesystem>
#include <regex>
#include <sstream>
#include <stdexcept>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <unistd.h>

#include "test/support/blocking_client.hpp"
#include "test/support/kube.hpp"
#include "test/support/paths.hpp"
#include "test/support/process.hpp"

namespace dcm::bench {
namespace {

using namespace std::chrono_literals;
using support::Process;

// The output of a command that must succeed, without the trailing newline.
std::string output_of(std::vector<std::string> command) {
  const std::string file = fmt::format("{}/bench-output-{}", support::log_dir(), getpid());
  std::remove(file.c_str());
  const int status = Process::run({command, {}, file});
  std::string text = support::read_file(file);
  if (status != 0) throw std::runtime_error(command[0] + ": " + text);
  while (text.ends_with('\n')) text.pop_back();
  return text;
}

double cpu_seconds_of(pid_t pid) {
  const std::string stat = support::read_file(fmt::format("/proc/{}/stat", pid));
  std::istringstream fields(stat.substr(stat.rfind(')') + 2));
  std::string skipped;
  for (int field = 3; field < 14; ++field) fields >> skipped;
  double user = 0, system = 0;
  fields >> user >> system;
  return (user + system) / static_cast<double>(sysconf(_SC_CLK_TCK));
}

double peak_memory_mb_of(pid_t pid) {
  std::smatch match;
  const std::string status = support::read_file(fmt::format("/proc/{}/status", pid));
  const bool is_there = std::regex_search(status, match, std::regex("VmHWM:\\s+(\\d+) kB"));
  return is_there ? std::stod(match[1]) / 1024 : 0;
}

double wakeups_of(pid_t pid) {
  static const std::regex counter("\nvoluntary_ctxt_switches:\\s+(\\d+)");
  double sum = 0;
  std::smatch match;
  for (const auto& thread :
       std::filesystem::directory_iterator(fmt::format("/proc/{}/task", pid))) {
    const std::string status = support::read_file(thread.path() / "status");
    if (std::regex_search(status, match, counter)) sum += std::stod(match[1]);
  }
  return sum;
}

// The traffic of its open TCP connections.
double traffic_mb_of(pid_t pid) {
  // A socket is a line with its process, followed by an indented one with its figures.
  static const std::regex counter("bytes_(sent|received):(\\d+)");
  const std::string mine = fmt::format("pid={},", pid);
  std::istringstream lines(output_of({"ss", "-Htinp", "state", "established"}));
  double bytes = 0;
  bool is_mine = false;
  for (std::string line; std::getline(lines, line);) {
    if (!line.starts_with('\t')) is_mine = line.find(mine) != line.npos;
    if (!is_mine) continue;
    for (std::sregex_iterator it(line.begin(), line.end(), counter), end; it != end; ++it) {
      bytes += std::stod((*it)[2]);
    }
  }
  return bytes / 1e6;
}

// The sum of all series of a metric.
double sum_of(const std::string& exposition, const std::string& metric) {
  double sum = 0;
  std::istringstream lines(exposition);
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with(metric + "{") || line.starts_with(metric + " ")) {
      sum += std::stod(line.substr(line.rfind(' ')));
    }
  }
  return sum;
}

bool has_reference() {
  return Process::run({{support::controlplane(), "path", "kube-controller-manager"}, {}, {}}) == 0;
}

}  // namespace

Cluster::Cluster(const std::string& audit_file) {
  static int counter = 0;
  name_ = fmt::format("bench-{}-{}", getpid(), ++counter);
  std::vector<std::string> command = {support::controlplane(), "up", "--name", name_};
  if (!audit_file.empty()) {
    const std::string folder = std::filesystem::path(support::controlplane()).parent_path();
    for (const std::string& argument :
         {std::string("--"), "--audit-policy-file=" + folder + "/audit_policy.yaml",
          "--audit-log-path=" + audit_file, std::string("--audit-log-mode=batch")}) {
      command.push_back(argument);
    }
  }
  const std::string text = output_of(std::move(command));
  std::smatch match;
  if (!std::regex_search(text, match, std::regex("kubeconfig: (.*)"))) {
    throw std::runtime_error("no kubeconfig in: " + text);
  }
  kubeconfig_ = match[1];
}

Cluster::~Cluster() {
  Process::run({{support::controlplane(), "down", "--name", name_}, {}, {}});
}

double Cluster::cpu_seconds() const {
  const auto folder = std::filesystem::path(kubeconfig_).parent_path();
  return cpu_seconds_of(std::stoi(support::read_file(folder / "kube-apiserver.pid")));
}

double Cluster::ended_watches() const {
  return sum_of(support::Kube(kubeconfig_).get("/metrics").text,
                "apiserver_terminated_watchers_total");
}

RunningManager::RunningManager(Who who, const Cluster& cluster, const std::string& controller)
    : who_(who),
      cluster_(cluster),
      server_cpu_at_start_(cluster.cpu_seconds()),
      output_(fmt::format("{}/bench-{}-{}.log", support::log_dir(), name(who), getpid())),
      port_(std::to_string(support::free_port())) {
  std::vector<std::string> command;
  if (who != Who::reference) {
    command = {who == Who::ours ? support::binary("dra-controller-manager") : wanted().before,
               "--kubeconfig=" + cluster.kubeconfig(),
               "--context=manager",
               "--leader-elect=false",
               "--secure-port=0",
               "--controllers=" + controller,
               "--kube-api-qps=0",
               "--metrics-bind-address=127.0.0.1:" + port_};
  } else {
    const std::string& config = cluster.kubeconfig();
    command = {output_of({support::controlplane(), "path", "kube-controller-manager"}),
               "--kubeconfig=" + config,
               "--authentication-kubeconfig=" + config,
               "--authorization-kubeconfig=" + config,
               "--leader-elect=false",
               "--bind-address=127.0.0.1",
               "--secure-port=" + port_,
               "--authorization-always-allow-paths=/metrics",
               "--controllers=" + controller,
               "--kube-api-qps=100000",
               "--kube-api-burst=100000"};
  }
  process_ = std::make_unique<Process>(Process::Command{command, {}, output_});
  syscalls_ = std::make_unique<SyscallCounter>(process_->pid());
}

Usage RunningManager::usage() const {
  const pid_t pid = process_->pid();
  return {.cpu_seconds = cpu_seconds_of(pid),
          .server_cpu_seconds = cluster_.cpu_seconds() - server_cpu_at_start_,
          .ended_watches = cluster_.ended_watches(),
          .peak_memory_mb = peak_memory_mb_of(pid),
          .wakeups = wakeups_of(pid),
          .traffic_mb = traffic_mb_of(pid),
          .syscalls = syscalls_->count()};
}

double RunningManager::metric(const std::string& metric) {
  const char* scheme = who_ != Who::reference ? "http" : "https";
  const Process::Command ask{
      {"curl", "-sk", fmt::format("{}://127.0.0.1:{}/metrics", scheme, port_)},
      {},
      output_ + ".metrics"};
  std::remove(ask.output.c_str());
  if (Process::run(ask) != 0) return 0;
  return sum_of(support::read_file(ask.output), metric);
}

void RunningManager::wait_until_idle() {
  constexpr double kHardlyAny = 0.02;
  double before = -1;
  const bool is_idle = support::eventually(
      [&] {
        const double now = cpu_seconds_of(process_->pid());
        const bool is_quiet = now - std::exchange(before, now) <= kHardlyAny;
        return is_quiet && metric("process_start_time_seconds") > 0;
      },
      2min, 1s);
  must(is_idle, "the manager does not come to rest");
}

void RunningManager::stop() {
  process_->signal(SIGTERM);
  while (!process_->exit_status()) usleep(10'000);
}

std::vector<Who> everybody() {
  std::vector<Who> all = {Who::ours};
  if (!wanted().before.empty()) all.push_back(Who::before);
  if (!wanted().reference) return all;
  if (has_reference()) {
    all.push_back(Who::reference);
  } else {
    fmt::print("no kube-controller-manager here: it is not measured\n");
  }
  return all;
}

}  // namespace dcm::bench
