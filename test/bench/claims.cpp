// Figures of the resource claim controller next to kube-controller-manager, on a real control
// plane.
//
//   bench_claims [waiting|known|finished|churn] [--before=FILE] [--no-reference]   default: all
//
// Prints figures and ratios; it never fails on speed. Everything (API server, etcd, managers, this
// program) shares the machine, so the ratios say more than the absolute figures.
#include <cstdlib>
#include <map>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include <fmt/format.h>

#include "test/bench/cluster.hpp"
#include "test/bench/report.hpp"
#include "test/bench/workload.hpp"
#include "test/support/blocking_client.hpp"

namespace dcm::bench {
namespace {

using namespace std::chrono_literals;

constexpr int kWaitingPods = 5'000;
constexpr int kFinishedPods = 3'000;
constexpr int kChurnPods = 10'000;
constexpr int kChurnRate = 100;  // a second
constexpr int kChurnSeconds = 180;
constexpr int kPodSeconds = 20;  // from a pod's creation to its end

// Of "known": $DCM_BENCH_PODS, to see how memory grows with them.
int known_pods() {
  const char* given = std::getenv("DCM_BENCH_PODS");
  return given != nullptr ? std::stoi(given) : 30'000;
}

constexpr const char* kController = "resourceclaim-controller";
constexpr const char* kCreates = "dynamic_resource_allocation_resourceclaim_creates_total";

// Pods that wait for their claims when the manager starts; each manager on a cluster of its own.
void measure_waiting() {
  std::map<Who, double> cpu, server, wall, memory, traffic, wakeups;
  for (const Who who : everybody()) {
    Cluster cluster;
    Kube kube(cluster.kubeconfig());
    create_template(kube);
    create_pods(kube, "pod-", kWaitingPods);
    const double server_before = cluster.cpu_seconds();
    RunningManager manager(who, cluster, kController);
    wall[who] = seconds([&] {
      must(support::eventually([&] { return count_claims(kube) >= kWaitingPods; }, 10min, 100ms),
           "the claims were not made within 10 minutes");
      must(support::eventually([&] { return count_served_pods(kube) >= kWaitingPods; }, 10min,
                               250ms),
           "the names were not written within 10 minutes");
    });
    cpu[who] = manager.usage().cpu_seconds / (kWaitingPods / 1000.0);
    server[who] = (cluster.cpu_seconds() - server_before) / (kWaitingPods / 1000.0);
    memory[who] = manager.usage().peak_memory_mb;
    wakeups[who] = manager.usage().wakeups / (kWaitingPods / 1000.0);
    traffic[who] = manager.traffic_mb();
    manager.stop();
  }
  print_row(fmt::format("claims for {} waiting pods: CPU per 1,000", kWaitingPods), cpu, "s");
  print_row("  CPU of the API server per 1,000", server, "s");
  print_row("  from the start until all names are written", wall, "s");
  print_row("  wake-ups per 1,000", wakeups, "times");
  print_row("  bytes to and from the API server", traffic, "MB");
  print_row("  peak resident memory", memory, "MB");
}

// A cluster full of pods that have their claims; one pod more waits when the manager starts.
void measure_known() {
  std::map<Who, double> memory, first_write, cpu, server;
  const int pods = known_pods();
  auto claims = static_cast<std::size_t>(pods);
  Cluster cluster;
  Kube kube(cluster.kubeconfig());
  create_template(kube);
  fmt::print("(making {} pods and their claims first)\n", pods);
  {
    RunningManager maker(Who::ours, cluster, kController);
    create_pods(kube, "pod-", pods);
    must(support::eventually([&] { return count_claims(kube) >= claims; }, 20min, 500ms),
         "the claims were not made within 20 minutes");
    must(support::eventually([&] { return count_served_pods(kube) >= claims; }, 5min, 1s),
         "the names were not written within 5 minutes");
    maker.stop();
  }
  for (const Who who : everybody()) {
    create_pods(kube, fmt::format("late-{}-", name(who)), 1);
    std::unique_ptr<RunningManager> manager;
    const double server_before = cluster.cpu_seconds();
    first_write[who] = seconds([&] {
      manager = std::make_unique<RunningManager>(who, cluster, kController);
      must(support::eventually([&] { return count_claims(kube) > claims; }, 5min, 5ms),
           "the late pod was not served within 5 minutes");
    });
    ++claims;
    // The work of the start ends before memory is read.
    support::eventually([] { return false; }, 10s, 1s);
    memory[who] = manager->usage().peak_memory_mb;
    cpu[who] = manager->usage().cpu_seconds;
    server[who] = cluster.cpu_seconds() - server_before;
    manager->stop();
  }
  print_row(fmt::format("{} pods and claims known: peak resident memory", pods), memory, "MB");
  print_row("  from the start until the first useful write", first_write, "s");
  print_row("  CPU of the start and 10 s more", cpu, "s");
  print_row("  CPU of the API server meanwhile", server, "s");
}

// One second of churn: as many pods come as finish, and as finished a while ago and go.
void churn(Kube& kube, int second) {
  const auto deadline = std::chrono::steady_clock::now() + 1s;
  create_pods(kube, fmt::format("churn-{}-", second), kChurnRate, "node-a");
  const auto each_of = [](int then, const char* suffix, const json::value& body) {
    std::vector<Kube::Call> calls;
    for (int i = 0; then >= 0 && i < kChurnRate; ++i) {
      calls.push_back(
          {fmt::format("/api/v1/namespaces/default/pods/churn-{}-{}{}", then, i, suffix), body});
    }
    return calls;
  };
  kube.patch_all(Kube::Patch::merge,
                 each_of(second - kPodSeconds, "/status", {{"status", {{"phase", "Succeeded"}}}}),
                 16);
  kube.remove_all(each_of(second - 2 * kPodSeconds, "", {{"gracePeriodSeconds", 0}}), 16);
  std::this_thread::sleep_until(deadline);
}

// Pods that come and go on a cluster with others.
void measure_churn() {
  std::map<Who, double> cores, server, wakeups, memory, rate;
  for (const Who who : everybody()) {
    Cluster cluster;
    Kube kube(cluster.kubeconfig());
    create_template(kube);
    RunningManager manager(who, cluster, kController);
    create_pods(kube, "pod-", kChurnPods, "node-a");
    must(support::eventually([&] { return count_claims(kube) >= kChurnPods; }, 10min, 250ms),
         "the claims were not made within 10 minutes");
    manager.wait_until_idle();
    const Usage before = manager.usage();
    const double server_before = cluster.cpu_seconds();
    const double took = seconds([&] {
      for (int second = 0; second < kChurnSeconds; ++second) churn(kube, second);
    });
    cores[who] = (manager.usage().cpu_seconds - before.cpu_seconds) / took;
    wakeups[who] = (manager.usage().wakeups - before.wakeups) / took;
    server[who] = (cluster.cpu_seconds() - server_before) / took;
    memory[who] = manager.usage().peak_memory_mb;
    rate[who] = kChurnRate * kChurnSeconds / took;
    manager.stop();
  }
  print_row(fmt::format("{} pods, others come and go for {} s: CPU", kChurnPods, kChurnSeconds),
            cores, "cores");
  print_row("  CPU of the API server, our requests included", server, "cores");
  print_row("  wake-ups", wakeups, "a second");
  print_row("  pods that came", rate, "a second");
  print_row("  peak resident memory", memory, "MB");
}

// Pods that have finished: nobody needs their claims any more.
void measure_finished() {
  std::map<Who, double> again;
  for (const Who who : everybody()) {
    Cluster cluster;
    Kube kube(cluster.kubeconfig());
    create_template(kube);
    RunningManager manager(who, cluster, kController);
    create_pods(kube, "pod-", kFinishedPods, "node-a");
    must(support::eventually([&] { return count_claims(kube) >= kFinishedPods; }, 5min, 100ms),
         "the claims were not made within 5 minutes");
    must(support::eventually([&] { return count_served_pods(kube) >= kFinishedPods; }, 5min, 500ms),
         "the names were not written within 5 minutes");
    const double creates = manager.metric(kCreates);
    std::vector<Kube::Call> finish;
    for (int i = 0; i < kFinishedPods; ++i) {
      finish.push_back({fmt::format("/api/v1/namespaces/default/pods/pod-{}/status", i),
                        {{"status", {{"phase", "Succeeded"}}}}});
    }
    kube.patch_all(Kube::Patch::merge, finish, 16);
    support::eventually([&] { return count_claims(kube) == 0; }, 40s, 200ms);
    // Time to make them again, for who does.
    support::eventually([] { return false; }, 20s, 1s);
    again[who] = manager.metric(kCreates) - creates;
    manager.stop();
  }
  print_row(fmt::format("{} pods that finish: claims made again within a minute", kFinishedPods),
            again, "creates");
}

}  // namespace
}  // namespace dcm::bench

int main(int argc, char** argv) {
  using namespace dcm::bench;
  return run("bench_claims",
             {{"waiting", measure_waiting},
              {"known", measure_known},
              {"finished", measure_finished},
              {"churn", measure_churn}},
             argc, argv);
}
