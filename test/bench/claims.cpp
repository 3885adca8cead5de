// Figures of the resource claim controller next to kube-controller-manager, on a real control
// plane.
//
//   bench_claims [waiting|known|finished|churn] [--pods=N] [--before=FILE] [--no-reference]
//                [--json=FILE]
//   default: all
//
// Prints figures and ratios; it never fails on speed. Everything (API server, etcd, managers, this
// program) shares the machine, so the ratios say more than the absolute figures.
#include <map>
#include <memory>
#include <thread>
#include <vector>

#include <fmt/format.h>

#include "test/bench/cluster.hpp"
#include "test/bench/costs.hpp"
#include "test/bench/report.hpp"
#include "test/bench/workload.hpp"
#include "test/support/blocking_client.hpp"

namespace dcm::bench {
namespace {

using namespace std::chrono_literals;

constexpr int kWaitingPods = 5'000;
constexpr int kKnownPods = 30'000;
constexpr int kFinishedPods = 3'000;
constexpr int kChurnPods = 10'000;
constexpr int kChurnRate = 100;  // a second
constexpr int kChurnSeconds = 180;
constexpr int kPodSeconds = 20;  // from a pod's creation to its end

constexpr const char* kController = "resourceclaim-controller";
constexpr const char* kCreates = "dynamic_resource_allocation_resourceclaim_creates_total";

// Pods that wait for their claims when the manager starts; each manager on a cluster of its own.
void measure_waiting() {
  Costs costs;
  std::map<Who, double> wall;
  const int pods = wanted().pods.value_or(kWaitingPods);
  const auto claims = static_cast<std::size_t>(pods);
  for (const Who who : everybody()) {
    Cluster cluster;
    Kube kube(cluster.kubeconfig());
    create_template(kube);
    create_pods(kube, "pod-", pods);
    RunningManager manager(who, cluster, kController);
    wall[who] = seconds([&] {
      must(support::eventually([&] { return count_claims(kube) >= claims; }, 10min, 100ms),
           "the claims were not made within 10 minutes");
      must(support::eventually([&] { return count_served_pods(kube) >= claims; }, 10min, 250ms),
           "the names were not written within 10 minutes");
    });
    costs.add(who, {}, manager.usage(), pods / 1000.0);
    manager.stop();
  }
  print_heading(fmt::format("claims for {} waiting pods", pods));
  print_row("from the start until all names are written", wall, "s");
  costs.print(" per 1,000");
}

// A cluster full of pods that have their claims; one pod more waits when the manager starts.
void measure_known() {
  Costs costs;
  std::map<Who, double> first_write;
  const int pods = wanted().pods.value_or(kKnownPods);
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
    first_write[who] = seconds([&] {
      manager = std::make_unique<RunningManager>(who, cluster, kController);
      must(support::eventually([&] { return count_claims(kube) > claims; }, 5min, 5ms),
           "the late pod was not served within 5 minutes");
    });
    ++claims;
    // The work of the start ends before its costs are read.
    support::eventually([] { return false; }, 10s, 1s);
    costs.add(who, {}, manager->usage(), 1);
    manager->stop();
  }
  print_heading(fmt::format("a start with {} pods and claims, and 10 s more", pods));
  print_row("from the start until the first useful write", first_write, "s");
  costs.print("");
}

// One second of churn: equal numbers of pods are created, finish, and are deleted some time after
// finishing.
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
  Costs costs;
  std::map<Who, double> rate;
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
    const double took = seconds([&] {
      for (int second = 0; second < kChurnSeconds; ++second) churn(kube, second);
    });
    costs.add(who, before, manager.usage(), took);
    rate[who] = kChurnRate * kChurnSeconds / took;
    manager.stop();
  }
  print_heading(fmt::format("{} pods, and {} more a second come and go for {} s", kChurnPods,
                            kChurnRate, kChurnSeconds));
  print_row("pods that came", rate, "a second", Drawn::no);
  costs.print(" a second");
}

// Finished pods: nobody needs their claims any longer.
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
    // Time to recreate them, for managers that do.
    support::eventually([] { return false; }, 20s, 1s);
    again[who] = manager.metric(kCreates) - creates;
    manager.stop();
  }
  print_heading(fmt::format("{} pods that finish", kFinishedPods));
  print_row("claims made again within a minute", again, "");
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
