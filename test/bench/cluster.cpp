#include "test/bench/cluster.hpp"

#include <chrono>
#include <csignal>
#include <fstream>
#include <regex>
#include <sstream>
#include <stdexcept>

#include <fmt/format.h>
#include <unistd.h>

#include "test/support/paths.hpp"

namespace dcm::bench {
namespace {

using namespace std::chrono_literals;
using support::at;
using support::Process;
using support::text_at;

// The output of a command that must succeed, without the last line end.
std::string output_of(std::vector<std::string> command) {
  const std::string file = fmt::format("{}/bench-output-{}", support::log_dir(), getpid());
  std::remove(file.c_str());
  const int status = Process::run({command, {}, file});
  std::string text = support::read_file(file);
  if (status != 0) throw std::runtime_error(command[0] + ": " + text);
  while (text.ends_with('\n')) text.pop_back();
  return text;
}

std::string free_port() {
  return output_of({"python3", "-c",
                    "import socket; s = socket.socket(); s.bind(('127.0.0.1', 0)); "
                    "print(s.getsockname()[1])"});
}

json::value pod_body(const std::string& name, const std::string& node) {
  json::object spec{
      {"containers", json::array{json::object{{"name", "main"}, {"image", "example.com/main:1"}}}},
      {"resourceClaims",
       json::array{json::object{{"name", "accel"}, {"resourceClaimTemplateName", "gpus"}}}}};
  if (!node.empty()) spec["nodeName"] = node;
  return {{"apiVersion", "v1"}, {"kind", "Pod"}, {"metadata", {{"name", name}}}, {"spec", spec}};
}

}  // namespace

const char* name(Who who) {
  return who == Who::ours ? "ours" : "reference";
}

Cluster::Cluster() {
  static int counter = 0;
  name_ = fmt::format("bench-{}-{}", getpid(), ++counter);
  const std::string text = output_of({support::controlplane(), "up", "--name", name_});
  std::smatch match;
  if (!std::regex_search(text, match, std::regex("kubeconfig: (.*)"))) {
    throw std::runtime_error("no kubeconfig in: " + text);
  }
  kubeconfig_ = match[1];
}

Cluster::~Cluster() {
  Process::run({{support::controlplane(), "down", "--name", name_}, {}, {}});
}

RunningManager::RunningManager(Who who, const Cluster& cluster)
    : who_(who),
      output_(fmt::format("{}/bench-{}-{}.log", support::log_dir(), name(who), getpid())),
      port_(free_port()) {
  std::vector<std::string> command;
  if (who == Who::ours) {
    command = {support::binary("dra-controller-manager"),
               "--kubeconfig=" + cluster.kubeconfig(),
               "--context=manager",
               "--leader-elect=false",
               "--controllers=resourceclaim-controller",
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
               "--controllers=resourceclaim-controller",
               "--kube-api-qps=100000",
               "--kube-api-burst=100000"};
  }
  process_ = std::make_unique<Process>(Process::Command{command, {}, output_});
}

Usage RunningManager::usage() const {
  Usage usage;
  const std::string folder = fmt::format("/proc/{}/", process_->pid());
  const std::string stat = support::read_file(folder + "stat");
  std::istringstream fields(stat.substr(stat.rfind(')') + 2));
  std::string skipped;
  for (int field = 3; field < 14; ++field) fields >> skipped;
  double user = 0, system = 0;
  fields >> user >> system;
  usage.cpu_seconds = (user + system) / static_cast<double>(sysconf(_SC_CLK_TCK));
  std::smatch match;
  const std::string status = support::read_file(folder + "status");
  if (std::regex_search(status, match, std::regex("VmHWM:\\s+(\\d+) kB"))) {
    usage.peak_memory_mb = std::stod(match[1]) / 1024;
  }
  return usage;
}

std::string RunningManager::metrics() {
  const char* scheme = who_ == Who::ours ? "http" : "https";
  return output_of({"curl", "-sk", fmt::format("{}://127.0.0.1:{}/metrics", scheme, port_)});
}

double RunningManager::claim_creates() {
  double sum = 0;
  std::istringstream lines(metrics());
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with("dynamic_resource_allocation_resourceclaim_creates_total{")) {
      sum += std::stod(line.substr(line.rfind(' ')));
    }
  }
  return sum;
}

void RunningManager::stop() {
  process_->signal(SIGTERM);
  while (!process_->exit_status()) usleep(10'000);
}

bool has_reference() {
  return Process::run({{support::controlplane(), "path", "kube-controller-manager"}, {}, {}}) == 0;
}

double seconds(const std::function<void()>& work) {
  const auto start = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

void create_template(Kube& kube) {
  kube.must_post("/apis/resource.k8s.io/v1/namespaces/default/resourceclaimtemplates",
                 json::parse(R"({"apiVersion":"resource.k8s.io/v1","kind":"ResourceClaimTemplate",
      "metadata":{"name":"gpus"},"spec":{"spec":{"devices":{"requests":[
        {"name":"gpus","exactly":{"deviceClassName":"gpu.example.com"}}]}}}})"));
}

void create_pods(Kube& kube, const std::string& prefix, int count, const std::string& node) {
  std::vector<json::value> bodies;
  for (int i = 0; i < count; ++i) bodies.push_back(pod_body(prefix + std::to_string(i), node));
  kube.post_all("/api/v1/namespaces/default/pods", bodies, 16);
}

std::size_t count_claims(Kube& kube) {
  const json::value page = kube.must_get("/apis/resource.k8s.io/v1/resourceclaims?limit=1");
  const json::value& rest = at(page, "/metadata/remainingItemCount");
  return at(page, "/items").as_array().size() +
         (rest.is_int64() ? static_cast<std::size_t>(rest.as_int64()) : 0);
}

std::size_t count_served_pods(Kube& kube) {
  const json::value list = kube.must_get("/api/v1/pods");
  std::size_t served = 0;
  for (const json::value& pod : at(list, "/items").as_array()) {
    served += !text_at(pod, "/status/resourceClaimStatuses/0/resourceClaimName").empty();
  }
  return served;
}

}  // namespace dcm::bench
