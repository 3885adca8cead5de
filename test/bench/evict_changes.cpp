// Measures what a change of a rule or a slice costs the device taint eviction controller, in a
// cluster of 10,000 and of 100,000 allocated claims.
//
// A component benchmark: API server in memory, client, informers and controller in one thread on
// virtual time, joined by pipes. It counts the thread's CPU for everything but the change's own
// write: the watch on both sides, decoding, deciding, and, for a rule, its condition with the API
// server's part in that. Prints figures; it never fails on speed.
#include <ctime>
#include <memory>
#include <string>

#include <fmt/format.h>

#include "apiserver/front/direct.hpp"
#include "controllers/api/decoders.hpp"
#include "controllers/api/resources.hpp"
#include "controllers/device_taint_eviction/api/api_client.hpp"
#include "controllers/device_taint_eviction/controller.hpp"
#include "manager/cache.hpp"
#include "playground/embedded_server.hpp"
#include "runtime/loop.hpp"
#include "runtime/task_group.hpp"
#include "test/bench/report.hpp"

namespace dcm::bench {
namespace {

using namespace std::chrono_literals;
using manager::Cache;
using manager::Connection;
using manager::Process;

constexpr int kChanges = 2'000;
constexpr int kDevicesPerPool = 8;
// On virtual time that is long enough for all consequences of the change.
constexpr runtime::Duration kSettled = 1ms;

const std::string kPods = "/api/v1/namespaces/default/pods";
const std::string kClaims = "/apis/resource.k8s.io/v1/namespaces/default/resourceclaims";
const std::string kSlices = "/apis/resource.k8s.io/v1/resourceslices";
const std::string kRules = "/apis/resource.k8s.io/v1/devicetaintrules";

double cpu_milliseconds() {
  timespec used{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &used);
  return static_cast<double>(used.tv_sec) * 1e3 + static_cast<double>(used.tv_nsec) / 1e6;
}

class NoEvents final : public api::EventSink {
 public:
  void report(const api::ObjectReference&, api::EventType, std::string_view, std::string_view,
              std::string_view) override {}
};

// The controller with its caches, as a process has them.
struct Controller {
  Controller(const Process& process, client::RestClient& rest)
      : pods(rest, {&api::kPods, "v1"}, api::make_json_pod_decoder(), process),
        claims(rest, {&api::kResourceClaims, "v1"}, api::make_json_claim_decoder("v1"), process),
        slices(rest, {&api::kResourceSlices, "v1"}, api::make_json_slice_decoder("v1"), process),
        rules(rest, {&api::kDeviceTaintRules, "v1"}, api::make_json_rule_decoder(), process),
        client(rest, pods.resource()),
        controller({.lookup = {pods.reader(), claims.reader()},
                    .api = client,
                    .events = events,
                    .time = process.loop.time(),
                    .rng = process.rng.fork(),
                    .metrics = process.metrics,
                    .log = process.log},
                   {}) {
    client.use_rules(rules.resource());
    controller.observe(pods.informer(), claims.informer(), slices.informer());
    controller.observe_rules(rules.informer(), device_taint_eviction::RuleStatus::served);
  }

  void start(runtime::TaskGroup& group) {
    group.spawn("pods", pods.informer().run());
    group.spawn("claims", claims.informer().run());
    group.spawn("slices", slices.informer().run());
    group.spawn("rules", rules.informer().run());
    group.spawn("controller", run());
  }

  runtime::Task<> run() {
    co_await informers::wait_for_sync(
        {&pods.sync(), &claims.sync(), &slices.sync(), &rules.sync()});
    co_await controller.run();
  }

  NoEvents events;
  Cache<api::Pod> pods;
  Cache<api::ResourceClaim> claims;
  Cache<api::ResourceSlice> slices;
  Cache<api::DeviceTaintRule> rules;
  device_taint_eviction::ApiClient client;
  device_taint_eviction::Controller controller;
};

class Scene {
 public:
  explicit Scene(int claims)
      : process_{loop_, metrics_, rng_, {}},
        server_(process_),
        connection_(server_.connect()),
        api_(server_.server()),
        controller_(process_, connection_->rest()),
        group_(loop_.executor()) {
    for (int i = 0; i < claims; ++i) add_pod(i);
    for (int i = 0; i <= claims / kDevicesPerPool; ++i) add_pool(fmt::format("pool-{}", i));
    add_pool("spare");
    must_succeed(api_.post(kRules,
                           R"({"metadata":{"name":"rule"},"spec":{"deviceSelector":)"
                           R"({"pool":"nowhere"},"taint":{"key":"k","effect":"NoExecute"}}})"));
    group_.spawn("server", server_.run());
    controller_.start(group_);
    loop_.run_for(1min);
    must(controller_.claims.reader().size() == static_cast<std::size_t>(claims),
         "the caches are not complete");
  }
  ~Scene() {
    group_.cancel();
    loop_.run(group_.join());
  }

  // CPU milliseconds for each of many changes, which alternate between two states of one object.
  double measure(const std::string& object, const std::string& one, const std::string& other) {
    double own_writes = 0;
    apiserver::Answer changed;
    const double start = cpu_milliseconds();
    for (int i = 0; i < kChanges; ++i) {
      const double before = cpu_milliseconds();
      changed = api_.patch(object, apiserver::kMerge, i % 2 == 0 ? one : other);
      must_succeed(changed);
      own_writes += cpu_milliseconds() - before;
      loop_.run_for(kSettled);
    }
    const double used = cpu_milliseconds() - start - own_writes;
    must(has_seen(changed), "the controller has not seen all changes");
    return used / kChanges;
  }

 private:
  // The slice has been seen as written; or the rule's condition describes this state.
  bool has_seen(const apiserver::Answer& changed) const {
    const api::NamespacedName name{{}, std::string(changed.name())};
    if (const auto slice = controller_.slices.reader().get(name)) {
      return slice->meta.resource_version.str() == changed.resource_version();
    }
    const auto rule = controller_.rules.reader().get(name);
    return rule && rule->condition &&
           rule->condition->observed_generation ==
               apiserver::integer_at(changed.body, {"metadata", "generation"});
  }

  static void must_succeed(const apiserver::Answer& answer) {
    must(answer.ok(), apiserver::serialize(answer.body).c_str());
  }

  void add_pod(int number) {
    const std::string pod = fmt::format("pod-{}", number);
    const std::string claim = fmt::format("claim-{}", number);
    must_succeed(
        api_.post(kClaims, R"({"metadata":{"name":")" + claim +
                               R"("},"spec":{"devices":{"requests":[{"name":"gpu","exactly":)"
                               R"({"deviceClassName":"gpu.example.com"}}]}}})"));
    const apiserver::Answer made = api_.post(
        kPods, R"({"metadata":{"name":")" + pod + R"("},"spec":{"nodeName":"node",)" +
                   R"("containers":[{"name":"c","image":"i"}],"resourceClaims":[{"name":"gpu",)" +
                   R"("resourceClaimName":")" + claim + R"("}]}})");
    must_succeed(made);
    must_succeed(api_.patch(
        kClaims + "/" + claim + "/status", apiserver::kMerge,
        fmt::format(R"({{"status":{{"allocation":{{"devices":{{"results":[{{"request":"gpu",)"
                    R"("driver":"gpu.example.com","pool":"pool-{}","device":"gpu-{}"}}]}}}},)"
                    R"("reservedFor":[{{"resource":"pods","name":"{}","uid":"{}"}}]}}}})",
                    number / kDevicesPerPool, number % kDevicesPerPool, pod, made.uid())));
  }

  void add_pool(const std::string& pool) {
    must_succeed(api_.post(kSlices, R"({"metadata":{"name":")" + pool + R"("},"spec":{)" +
                                        R"("driver":"gpu.example.com","nodeName":"node",)" +
                                        R"("pool":{"name":")" + pool +
                                        R"(","generation":1,"resourceSliceCount":1},"devices":)" +
                                        devices("") + "}}"));
  }

 public:
  // The devices of a pool, the first of them with a taint of that effect.
  static std::string devices(const std::string& effect) {
    std::string list;
    for (int i = 0; i < kDevicesPerPool; ++i) {
      list += fmt::format(R"({}{{"name":"gpu-{}")", i == 0 ? "" : ",", i);
      if (i == 0 && !effect.empty()) {
        list += fmt::format(R"(,"taints":[{{"key":"k","effect":"{}"}}])", effect);
      }
      list += "}";
    }
    return "[" + list + "]";
  }

 private:
  runtime::VirtualLoop loop_;
  runtime::MetricsRegistry metrics_;
  runtime::Rng rng_{1};
  Process process_;
  playground::EmbeddedServer server_;
  std::unique_ptr<Connection> connection_;
  apiserver::Direct api_;
  Controller controller_;
  runtime::TaskGroup group_;
};

std::string with_selector(const std::string& pool) {
  return R"({"spec":{"deviceSelector":{"pool":")" + pool + R"("}}})";
}

std::string with_devices(const std::string& effect) {
  return R"({"spec":{"devices":)" + Scene::devices(effect) + "}}";
}

struct Costs {
  double rule, no_schedule, unrelated;
};

Costs measure(int claims) {
  Scene scene(claims);
  Costs costs{};
  costs.rule = scene.measure(kRules + "/rule", with_selector("nobody"), with_selector("nowhere"));
  costs.no_schedule =
      scene.measure(kSlices + "/pool-0", with_devices("NoSchedule"), with_devices(""));
  costs.unrelated = scene.measure(kSlices + "/spare", with_devices("NoExecute"), with_devices(""));
  return costs;
}

void print(const char* what, double few, double many) {
  fmt::print("{:<58} {:>10.3f} {:>10.3f} {:>7.3f}  ms\n", what, few, many, many / few);
}

void measure_both() {
  fmt::print("{:<58} {:>10} {:>10} {:>7}\n", fmt::format("CPU per change, over {} each", kChanges),
             "10,000", "100,000", "ratio");
  const Costs few = measure(10'000);
  const Costs many = measure(100'000);
  print("a rule changes that hits nothing, its condition written", few.rule, many.rule);
  print("NoSchedule set and taken away on a device that is in use", few.no_schedule,
        many.no_schedule);
  print("NoExecute set and taken away in a pool that nobody uses", few.unrelated, many.unrelated);
}

}  // namespace
}  // namespace dcm::bench

int main() {
  try {
    dcm::bench::measure_both();
  } catch (const std::exception& error) {
    fmt::print(stderr, "bench_evict_changes: {}\n", error.what());
    return 1;
  }
}
