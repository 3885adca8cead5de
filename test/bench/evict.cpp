// Figures of the device taint eviction controller next to kube-controller-manager, on a real
// control plane: thousands of pods that one DeviceTaintRule drives out.
//
// Prints figures and ratios; it never fails on speed. Everything (API server, etcd, managers, this
// program) shares the machine, so the ratios say more than the absolute figures. Requests and times
// are from the API server's audit log, CPU is the process's, events included.
#include <cstdio>
#include <map>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "test/bench/audit.hpp"
#include "test/bench/cluster.hpp"
#include "test/bench/costs.hpp"
#include "test/bench/report.hpp"
#include "test/bench/workload.hpp"
#include "test/support/blocking_client.hpp"
#include "test/support/paths.hpp"

namespace dcm::bench {
namespace {

using namespace std::chrono_literals;

constexpr int kPods = 5'000;
// As many as the controllers have workers.
constexpr std::size_t kAtATime = 8;
constexpr const char* kEvictions = "device_taint_eviction_controller_pod_deletions_total";

struct Figures {
  Costs costs;
  std::map<Who, double> requests, events, wall;

  void read(Who who, const std::string& audit) {
    const PodRequests sent = read_pod_requests(audit, "controller-manager/");
    must(sent.deletes == kPods, "not every pod was evicted once");
    requests[who] = static_cast<double>(sent.all) / kPods;
    events[who] = static_cast<double>(sent.events) / kPods;
    wall[who] = sent.last - read_rule_creation(audit);
  }
};

std::string audit_file(const char* whose) {
  const std::string file = fmt::format("{}/bench-evict-{}.audit", support::log_dir(), whose);
  std::remove(file.c_str());
  return file;
}

void measure(Who who, Figures& figures) {
  const std::string audit = audit_file(name(who));
  {
    Cluster cluster(audit);
    Kube kube(cluster.kubeconfig());
    create_pods_with_devices(kube, kPods);
    RunningManager manager(who, cluster, "device-taint-eviction-controller");
    manager.wait_until_idle();
    const Usage before = manager.usage();
    create_rule(kube, "retire");
    must(support::eventually([&] { return manager.metric(kEvictions) >= kPods; }, 5min, 500ms),
         "the pods were not evicted within 5 minutes");
    manager.wait_until_idle();  // events still to be written
    figures.costs.add(who, before, manager.usage(), kPods / 1000.0);
    manager.stop();
  }
  figures.read(who, audit);
}

// The two writes of an eviction, by themselves: the best that the API server allows.
double measure_plain_loop() {
  Cluster cluster(audit_file("plain"));
  Kube kube(cluster.kubeconfig());
  const std::vector<std::string> uids = create_pods_with_devices(kube, kPods);
  std::vector<Kube::Call> marks, removals;
  for (int i = 0; i < kPods; ++i) {
    const std::string path = fmt::format("/api/v1/namespaces/default/pods/pod-{}", i);
    const std::string& uid = uids[static_cast<std::size_t>(i)];
    marks.push_back({path + "/status", disruption_target_of(uid)});
    removals.push_back({path, delete_options_of(uid)});
  }
  return seconds([&] {
    kube.patch_all(Kube::Patch::strategic, marks, kAtATime);
    kube.remove_all(removals, kAtATime);
  });
}

void measure_rule() {
  Figures figures;
  for (const Who who : everybody()) measure(who, figures);
  print_heading(fmt::format("{} pods evicted by a rule", kPods));
  print_row("requests per pod", figures.requests, "");
  print_row("events written per pod, besides", figures.events, "", Drawn::no);
  print_row("from the rule to the last DELETE", figures.wall, "s");
  fmt::print("{:<58} {:>10.3f} {:>26}\n", "  a plain loop of the two writes, without events",
             measure_plain_loop(), "s");
  figures.costs.print(" per 1,000");
}

}  // namespace
}  // namespace dcm::bench

int main(int argc, char** argv) {
  return dcm::bench::run("bench_evict", {{"rule", dcm::bench::measure_rule}}, argc, argv);
}
