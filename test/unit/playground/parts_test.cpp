// Nodes, drivers, scheduler and garbage collector together, against the in-memory API server, on
// virtual time.
#include "playground/parts.hpp"

#include <set>

#include "apiserver/front/direct.hpp"
#include "playground/embedded_server.hpp"
#include "playground/taint/taint.hpp"
#include "runtime/task_group.hpp"
#include "runtime/timestamp.hpp"
#include "test/support/co_test.hpp"

namespace dcm::playground {
namespace {

using namespace std::chrono_literals;
using apiserver::Answer;
using apiserver::array_at;
using apiserver::Json;
using apiserver::JsonObject;
using apiserver::serialize;
using apiserver::text_at;
using runtime::sleep_for;

const std::string kPods = "/api/v1/namespaces/default/pods";
const std::string kClaims = "/apis/resource.k8s.io/v1/namespaces/default/resourceclaims";
constexpr const char* kGpu = "gpu.example.com";

// A cluster without the controllers of dra-controller-manager: the test does their work.
struct Cluster {
  explicit Cluster(runtime::VirtualLoop& virtual_loop, Size size = {},
                   apiserver::ServedVersions served = {})
      : loop(virtual_loop),
        process{loop, metrics, rng, {}},
        server(process, std::move(served)),
        connection(server.connect()),
        parts(process, connection->rest(), size),
        api(server.server()),
        group(loop.executor()) {}

  runtime::Task<> start() {
    group.spawn("server", server.run());
    const Result<> published = co_await parts.publish();
    EXPECT_TRUE(published) << (published ? "" : published.error().message);
    group.spawn("parts", manager::run_epoch("test", process, connection->rest(),
                                            [this](manager::Epoch& epoch) { parts.fill(epoch); }));
    co_await settle();
  }
  runtime::Task<> settle() { return sleep_for(loop.time(), 100ms); }
  runtime::Task<> stop() {
    group.cancel();
    return group.join();
  }

  void make_claim(const std::string& name, const std::string& exactly,
                  const std::string& more = "") {
    const Answer made =
        api.post(kClaims, R"({"metadata":{"name":")" + name + "\"" + more +
                              R"(},"spec":{"devices":{"requests":[{"name":"r","exactly":{)" +
                              R"("deviceClassName":"gpu.example.com")" + exactly + "}}]}}}");
    EXPECT_EQ(made.status, 201) << serialize(made.body);
  }
  // `more`: further fields of the claim's status.
  void allocate_on_missing_node(const std::string& claim, const std::string& more = "") {
    api.patch(kClaims + "/" + claim + "/status", apiserver::kMerge,
              R"({"status":{"allocation":{"devices":{"results":[{"request":"r",)"
              R"("driver":"gpu.example.com","pool":"gone","device":"dev-0"}]},)"
              R"("nodeSelector":{"nodeSelectorTerms":[{"matchFields":[{)"
              R"("key":"metadata.name","operator":"In","values":["gone"]}]}]}})" +
                  more + "}}");
  }
  // A pod that uses that claim; "" for none.
  void make_pod(const std::string& name, const std::string& claim,
                const std::string& annotations = "") {
    const std::string claims =
        claim.empty() ? "" : R"({"name":"c","resourceClaimName":")" + claim + R"("})";
    const Answer made =
        api.post(kPods, R"({"metadata":{"name":")" + name + R"(","annotations":{)" + annotations +
                            R"(}},"spec":{"containers":[{"name":"c","image":"i"}],)" +
                            R"("resourceClaims":[)" + claims + "]}}");
    EXPECT_EQ(made.status, 201) << serialize(made.body);
  }
  // Like the claim controller when nobody needs the devices any longer.
  void deallocate(const std::string& claim) {
    api.patch(kClaims + "/" + claim + "/status", apiserver::kMerge,
              R"({"status":{"allocation":null,"reservedFor":null}})");
    api.patch(kClaims + "/" + claim, apiserver::kMerge, R"({"metadata":{"finalizers":null}})");
  }

  std::string pod(const std::string& name, apiserver::Path path) {
    return std::string(api.get(kPods + "/" + name).text(path));
  }
  std::string phase(const std::string& name) { return pod(name, {"status", "phase"}); }
  std::string node(const std::string& name) { return pod(name, {"spec", "nodeName"}); }
  // The condition PodScheduled; empty: there is none.
  JsonObject scheduled(const std::string& name) {
    const Answer answer = api.get(kPods + "/" + name);
    for (const Json& item : array_at(answer.body, {"status", "conditions"})) {
      if (text_at(item.get_object(), {"type"}) == "PodScheduled") return item.get_object();
    }
    return {};
  }
  std::string complaint(const std::string& name) {
    return std::string(text_at(scheduled(name), {"message"}));
  }
  std::size_t in_phase(const std::string& wanted) {
    std::size_t count = 0;
    const Answer pods = api.get(kPods);
    for (const Json& item : array_at(pods.body, {"items"})) {
      if (text_at(item.get_object(), {"status", "phase"}) == wanted) ++count;
    }
    return count;
  }
  Answer claim(const std::string& name) { return api.get(kClaims + "/" + name); }
  // "pool/device" of all claims; each may occur once.
  std::multiset<std::string> devices() {
    std::multiset<std::string> all;
    const Answer claims = api.get(kClaims);
    for (const Json& item : array_at(claims.body, {"items"})) {
      for (const Json& result :
           array_at(item.get_object(), {"status", "allocation", "devices", "results"})) {
        const JsonObject& device = result.get_object();
        all.insert(std::string(text_at(device, {"pool"})) + "/" +
                   std::string(text_at(device, {"device"})));
      }
    }
    return all;
  }

  runtime::VirtualLoop& loop;
  runtime::MetricsRegistry metrics;
  runtime::Rng rng{1};
  Process process;
  EmbeddedServer server;
  std::unique_ptr<Connection> connection;
  Parts parts;
  apiserver::Direct api;
  runtime::TaskGroup group;
};

std::string run_for(const std::string& time) {
  return R"("playground.dra-controller-manager.dev/run-for":")" + time + "\"";
}

CO_TEST(Parts, publish_nodes_classes_and_slices_again_after_restart) {
  Cluster cluster(loop, {.nodes = 3, .devices = 2, .drivers = {kGpu}});
  co_await cluster.start();
  const Result<> again = co_await cluster.parts.publish();
  EXPECT_TRUE(again);
  EXPECT_EQ(array_at(cluster.api.get("/api/v1/nodes").body, {"items"}).size(), 3U);
  const Answer slices = cluster.api.get("/apis/resource.k8s.io/v1/resourceslices");
  EXPECT_EQ(array_at(slices.body, {"items"}).size(), 3U);
  EXPECT_EQ(cluster.api.get("/apis/resource.k8s.io/v1/deviceclasses/gpu.example.com").status, 200);
  EXPECT_EQ(cluster.parts.scheduler().devices().published(), 6U);
  co_await cluster.stop();
}

CO_TEST(Parts, keep_taint_when_drivers_restart) {
  Cluster cluster(loop, {.nodes = 1, .devices = 2, .drivers = {kGpu}});
  co_await cluster.start();
  Api api(cluster.connection->rest());
  const TaintChanges changes{.add = {{"broken", "ecc", "NoExecute"}}};
  const auto done = co_await taint_device(api, {kGpu, "node-0", "dev-1"}, changes);
  EXPECT_EQ(done, "tainted");
  const Result<> again = co_await cluster.parts.publish();
  EXPECT_TRUE(again);
  const Answer slice =
      cluster.api.get("/apis/resource.k8s.io/v1/resourceslices/node-0-gpu.example.com");
  const auto& devices = array_at(slice.body, {"spec", "devices"});
  CO_ASSERT_EQ(devices.size(), 2U);
  EXPECT_TRUE(array_at(devices[0].get_object(), {"taints"}).empty());
  const auto& taints = array_at(devices[1].get_object(), {"taints"});
  CO_ASSERT_EQ(taints.size(), 1U);
  EXPECT_EQ(text_at(taints[0].get_object(), {"key"}), "broken");
  EXPECT_NE(text_at(taints[0].get_object(), {"timeAdded"}), "");
  co_await cluster.stop();
}

CO_TEST(Parts, report_taint_that_cannot_be_set) {
  Cluster cluster(loop, {.nodes = 1, .devices = 1, .drivers = {kGpu}});
  co_await cluster.start();
  Api api(cluster.connection->rest());
  const auto done = co_await taint_device(api, {kGpu, "node-9", "dev-0"}, {});
  CO_ASSERT_TRUE(!done);
  EXPECT_EQ(done.error().message, "driver gpu.example.com has no pool node-9; it has: node-0");
  co_await cluster.stop();
}

CO_TEST(Parts, copy_tolerations_of_request_to_allocated_device) {
  Cluster cluster(loop);
  co_await cluster.start();
  cluster.make_claim("gpus", R"(,"tolerations":[{"key":"a","operator":"Exists",)"
                             R"("effect":"NoExecute","tolerationSeconds":30}])");
  cluster.make_pod("trainer", "gpus");
  co_await cluster.settle();
  const Answer claim = cluster.claim("gpus");
  const auto& results = array_at(claim.body, {"status", "allocation", "devices", "results"});
  CO_ASSERT_EQ(results.size(), 1U);
  EXPECT_EQ(
      results[0].get_object().at("tolerations"),
      array_at(claim.body, {"spec", "devices", "requests"})[0].at("exactly").at("tolerations"));
  co_await cluster.stop();
}

CO_TEST(Parts, copy_configuration_of_class_and_claim_to_allocation) {
  Cluster cluster(loop);
  co_await cluster.start();
  cluster.api.patch("/apis/resource.k8s.io/v1/deviceclasses/gpu.example.com", apiserver::kMerge,
                    R"({"spec":{"config":[{"opaque":{"driver":"gpu.example.com",)"
                    R"("parameters":{"a":1}}}]}})");
  co_await cluster.settle();
  const Answer made = cluster.api.post(
      kClaims,
      R"({"metadata":{"name":"gpus"},"spec":{"devices":{"requests":[)"
      R"({"name":"r","exactly":{"deviceClassName":"gpu.example.com"}},)"
      R"({"name":"s","exactly":{"deviceClassName":"gpu.example.com"}}],"config":[)"
      R"({"requests":["s"],"opaque":{"driver":"gpu.example.com","parameters":{"b":2}}}]}}})");
  EXPECT_EQ(made.status, 201) << serialize(made.body);
  cluster.make_pod("trainer", "gpus");
  co_await cluster.settle();
  EXPECT_EQ(serialize(array_at(cluster.claim("gpus").body,
                               {"status", "allocation", "devices", "config"})),
            R"([{"source":"FromClass","opaque":{"driver":"gpu.example.com","parameters":{"a":1}}},)"
            R"({"source":"FromClaim","requests":["s"],"opaque":{"driver":"gpu.example.com",)"
            R"("parameters":{"b":2}}}])");
  co_await cluster.stop();
}

CO_TEST(Parts, wait_for_incomplete_pool) {
  Cluster cluster(loop, {.nodes = 1, .devices = 1, .drivers = {kGpu}});
  co_await cluster.start();
  cluster.api.patch("/apis/resource.k8s.io/v1/resourceslices/node-0-gpu.example.com",
                    apiserver::kMerge, R"({"spec":{"pool":{"resourceSliceCount":2}}})");
  cluster.make_claim("all", R"(,"allocationMode":"All")");
  cluster.make_pod("all", "all");
  co_await cluster.settle();
  EXPECT_EQ(
      cluster.complaint("all"),
      "running \"DynamicResources\" filter plugin: claim default/all, request r: asks for all "
      "devices, but resource pool gpu.example.com/node-0 is currently being updated");
  const Answer rest = cluster.api.post(
      "/apis/resource.k8s.io/v1/resourceslices",
      R"({"metadata":{"name":"rest"},"spec":{"driver":"gpu.example.com","nodeName":"node-0",)"
      R"("pool":{"name":"node-0","generation":1,"resourceSliceCount":2},)"
      R"("devices":[{"name":"dev-7"}]}})");
  EXPECT_EQ(rest.status, 201) << serialize(rest.body);
  co_await cluster.settle();
  EXPECT_EQ(cluster.devices(), (std::multiset<std::string>{"node-0/dev-0", "node-0/dev-7"}));
  co_await cluster.stop();
}

CO_TEST(Parts, remove_not_ready_taint_from_ready_node) {
  Cluster cluster(loop, {.nodes = 1});
  cluster.api.post("/api/v1/nodes", R"({"metadata":{"name":"node-0"},"spec":{"taints":[)"
                                    R"({"key":"mine","effect":"PreferNoSchedule"}]}})");
  co_await cluster.start();
  const Answer node = cluster.api.get("/api/v1/nodes/node-0");
  const auto& taints = array_at(node.body, {"spec", "taints"});
  CO_ASSERT_EQ(taints.size(), 1U);
  EXPECT_EQ(text_at(taints[0].get_object(), {"key"}), "mine");
  co_await cluster.stop();
}

CO_TEST(Parts, renew_node_leases_and_status) {
  Cluster cluster(loop, {.nodes = 25});
  co_await cluster.start();
  const auto lease = [&cluster](const std::string& node) {
    return cluster.api.get("/apis/coordination.k8s.io/v1/namespaces/kube-node-lease/leases/" +
                           node);
  };
  const auto ready = [&cluster](apiserver::Path field) {
    const Answer node = cluster.api.get("/api/v1/nodes/node-24");
    for (const Json& item : array_at(node.body, {"status", "conditions"})) {
      const JsonObject& condition = item.get_object();
      if (text_at(condition, {"type"}) == "Ready") return std::string(text_at(condition, field));
    }
    return std::string();
  };
  const std::string since = ready({"lastTransitionTime"});
  const std::string beat = ready({"lastHeartbeatTime"});
  co_await sleep_for(loop.time(), 11s);
  const std::string first(lease("node-24").text({"spec", "renewTime"}));
  EXPECT_NE(first, "");
  co_await sleep_for(loop.time(), 10s);
  EXPECT_GT(lease("node-24").text({"spec", "renewTime"}), first);
  cluster.api.patch("/api/v1/nodes/node-24/status", apiserver::kStrategic,
                    R"({"status":{"conditions":[{"type":"Ready","status":"Unknown"}]}})");
  co_await sleep_for(loop.time(), 11s);
  EXPECT_EQ(ready({"status"}), "True");
  cluster.api.remove("/api/v1/nodes/node-3");
  co_await sleep_for(loop.time(), 1s);
  cluster.api.remove("/apis/coordination.k8s.io/v1/namespaces/kube-node-lease/leases/node-3");
  co_await sleep_for(loop.time(), 5min);
  EXPECT_GT(ready({"lastHeartbeatTime"}), beat);
  EXPECT_NE(ready({"lastTransitionTime"}), "");
  EXPECT_EQ(cluster.api.get("/api/v1/nodes/node-3").status, 404);
  EXPECT_EQ(lease("node-3").status, 404);
  EXPECT_NE(since, "");
  co_await cluster.stop();
}

CO_TEST(Parts, delete_namespace_with_its_content) {
  Cluster cluster(loop);
  co_await cluster.start();
  const std::string lab = "/api/v1/namespaces/lab";
  cluster.api.post("/api/v1/namespaces", R"({"metadata":{"name":"lab"}})");
  cluster.api.post(lab + "/configmaps", R"({"metadata":{"name":"m"}})");
  cluster.api.post(lab + "/pods", R"({"metadata":{"name":"slow","annotations":{)"
                                  R"("playground.dra-controller-manager.dev/stop-after":"5s"}},)"
                                  R"("spec":{"containers":[{"name":"c","image":"i"}]}})");
  cluster.api.post("/apis/resource.k8s.io/v1/namespaces/lab/resourceclaims",
                   R"({"metadata":{"name":"c","finalizers":["example.com/mine"]}})");
  co_await cluster.settle();
  cluster.api.remove(lab);
  co_await cluster.settle();
  EXPECT_EQ(cluster.api.get(lab).text({"status", "phase"}), "Terminating");
  EXPECT_EQ(cluster.api.get(lab + "/configmaps/m").status, 404);
  EXPECT_EQ(cluster.api.get(lab + "/pods/slow").status, 200);
  co_await sleep_for(loop.time(), 6s);
  EXPECT_EQ(cluster.api.get(lab + "/pods/slow").status, 404);
  EXPECT_EQ(cluster.api.get(lab).status, 200);
  cluster.api.patch("/apis/resource.k8s.io/v1/namespaces/lab/resourceclaims/c", apiserver::kMerge,
                    R"({"metadata":{"finalizers":null}})");
  co_await sleep_for(loop.time(), 2s);
  EXPECT_EQ(cluster.api.get(lab).status, 404);
  co_await cluster.stop();
}

CO_TEST(Parts, empty_namespace_of_kinds_in_all_versions_of_their_groups) {
  Cluster cluster(loop, {}, {.pod_groups = {"v1beta1"}});
  const std::string lab = "/namespaces/lab";
  cluster.api.post("/api/v1/namespaces", R"({"metadata":{"name":"lab"}})");
  for (const auto* const row : {"v1 stables", "v1alpha1 news"}) {
    const std::string version(row, std::string_view(row).find(' '));
    const std::string plural(row + version.size() + 1);
    cluster.api.post("/apis/apiextensions.k8s.io/v1/customresourcedefinitions",
                     R"({"metadata":{"name":")" + plural + R"(.example.com"},"spec":{"group":)" +
                         R"("example.com","scope":"Namespaced","names":{"plural":")" + plural +
                         R"(","kind":")" + plural + R"("},"versions":[{"name":")" + version +
                         R"(","served":true,"storage":true,"schema":{"openAPIV3Schema":)" +
                         R"({"type":"object"}}}]}})");
    const Answer made =
        cluster.api.post("/apis/example.com/" + version + lab + "/" + plural,
                         R"({"apiVersion":"example.com/)" + version + R"(","kind":")" + plural +
                             R"(","metadata":{"name":"a"}})");
    EXPECT_EQ(made.status, 201) << serialize(made.body);
  }
  const std::string groups = "/apis/scheduling.k8s.io/v1beta1" + lab + "/podgroups";
  EXPECT_EQ(cluster.api
                .post(groups, R"({"metadata":{"name":"g"},"spec":{"schedulingPolicy":)"
                              R"({"basic":{}}}})")
                .status,
            201);
  cluster.api.patch(groups + "/g", apiserver::kMerge, R"({"metadata":{"finalizers":null}})");
  co_await cluster.start();
  cluster.api.remove("/api/v1" + lab);
  co_await sleep_for(loop.time(), 2s);
  EXPECT_EQ(cluster.api.get("/api/v1" + lab).status, 404);
  EXPECT_EQ(cluster.api.get("/apis/example.com/v1" + lab + "/stables/a").status, 404);
  EXPECT_EQ(cluster.api.get("/apis/example.com/v1alpha1" + lab + "/news/a").status, 404);
  EXPECT_EQ(cluster.api.get(groups + "/g").status, 404);
  co_await cluster.stop();
}

CO_TEST(Parts, allocate_devices_under_taint_rule_to_tolerating_pods_only) {
  Cluster cluster(loop, {.nodes = 1, .devices = 1, .drivers = {kGpu}});
  const std::string rules = "/apis/resource.k8s.io/v1/devicetaintrules";
  cluster.api.post(rules, R"({"metadata":{"name":"retire"},"spec":{"deviceSelector":{"driver":)"
                          R"("gpu.example.com"},"taint":{"key":"old","effect":"NoSchedule"}}})");
  co_await cluster.start();
  cluster.make_claim("plain", "");
  cluster.make_pod("plain", "plain");
  co_await cluster.settle();
  EXPECT_EQ(cluster.node("plain"), "");
  cluster.make_claim("brave", R"(,"tolerations":[{"key":"old","operator":"Exists"}])");
  cluster.make_pod("brave", "brave", run_for("1s"));
  co_await cluster.settle();
  EXPECT_EQ(cluster.node("brave"), "node-0");
  co_await sleep_for(loop.time(), 2s);
  cluster.deallocate("brave");
  co_await cluster.settle();
  EXPECT_EQ(cluster.node("plain"), "");
  cluster.api.remove(rules + "/retire");
  co_await cluster.settle();
  EXPECT_EQ(cluster.node("plain"), "node-0");
  co_await cluster.stop();
}

CO_TEST(Parts, run_pod_without_claims_for_its_time) {
  Cluster cluster(loop);
  co_await cluster.start();
  cluster.make_pod("plain", "", run_for("2s"));
  co_await cluster.settle();
  EXPECT_EQ(cluster.phase("plain"), "Running");
  co_await sleep_for(loop.time(), 1800ms);
  EXPECT_EQ(cluster.phase("plain"), "Running");
  co_await sleep_for(loop.time(), 200ms);
  EXPECT_EQ(cluster.phase("plain"), "Succeeded");
  co_await cluster.stop();
}

CO_TEST(Parts, count_run_time_from_start_in_earlier_process) {
  Cluster cluster(loop, {.nodes = 1});
  cluster.api.post(kPods, R"({"metadata":{"name":"old","annotations":{)" + run_for("10s") +
                              R"(}},"spec":{"nodeName":"node-0",)"
                              R"("containers":[{"name":"c","image":"i"}]}})");
  const std::string start = runtime::timestamp(loop.time().wall_now() - 8s);
  cluster.api.patch(kPods + "/old/status", apiserver::kMerge,
                    R"({"status":{"phase":"Running","startTime":")" + start + R"("}})");
  co_await cluster.start();
  EXPECT_EQ(cluster.phase("old"), "Running");
  co_await sleep_for(loop.time(), 2s);
  EXPECT_EQ(cluster.phase("old"), "Succeeded");
  co_await cluster.stop();
}

CO_TEST(Parts, protect_allocate_and_reserve_claim_before_running_pod) {
  Cluster cluster(loop);
  co_await cluster.start();
  cluster.make_claim("gpus", R"(,"count":2)");
  cluster.make_pod("trainer", "gpus");
  co_await cluster.settle();
  EXPECT_EQ(cluster.phase("trainer"), "Running");
  const Answer claim = cluster.claim("gpus");
  const auto& finalizers = array_at(claim.body, {"metadata", "finalizers"});
  CO_ASSERT_EQ(finalizers.size(), 1U);
  EXPECT_EQ(finalizers[0].get_string(), "resource.kubernetes.io/delete-protection");
  const auto& reserved = array_at(claim.body, {"status", "reservedFor"});
  CO_ASSERT_EQ(reserved.size(), 1U);
  EXPECT_EQ(text_at(reserved[0].get_object(), {"uid"}),
            cluster.pod("trainer", {"metadata", "uid"}));
  const auto devices = cluster.devices();
  CO_ASSERT_EQ(devices.size(), 2U);
  EXPECT_TRUE(devices.begin()->starts_with(cluster.node("trainer") + "/"));
  co_await cluster.stop();
}

CO_TEST(Parts, start_bound_pod_only_when_claim_is_reserved) {
  Cluster cluster(loop);
  co_await cluster.start();
  cluster.make_claim("gpus", "");
  cluster.api.post(kPods, R"({"metadata":{"name":"early"},"spec":{"nodeName":"node-1",)"
                          R"("containers":[{"name":"c","image":"i"}],)"
                          R"("resourceClaims":[{"name":"c","resourceClaimName":"gpus"}]}})");
  co_await cluster.settle();
  EXPECT_EQ(cluster.phase("early"), "Pending");
  const std::string uid = cluster.pod("early", {"metadata", "uid"});
  cluster.api.patch(kClaims + "/gpus/status", apiserver::kMerge,
                    R"({"status":{"allocation":{"devices":{"results":[{"request":"r",)"
                    R"("driver":"gpu.example.com","pool":"node-1","device":"dev-0"}]}},)"
                    R"("reservedFor":[{"resource":"pods","name":"early","uid":")" +
                        uid + R"("}]}})");
  co_await cluster.settle();
  EXPECT_EQ(cluster.phase("early"), "Running");
  co_await cluster.stop();
}

CO_TEST(Parts, share_claim_among_256_pods_on_its_node) {
  Cluster cluster(loop);
  co_await cluster.start();
  cluster.make_claim("shared", "");
  for (int i = 0; i < 258; ++i) cluster.make_pod("p" + std::to_string(i), "shared");
  co_await sleep_for(loop.time(), 5s);
  EXPECT_EQ(cluster.in_phase("Running"), 256U);
  EXPECT_EQ(cluster.devices().size(), 1U);
  EXPECT_EQ(array_at(cluster.claim("shared").body, {"status", "reservedFor"}).size(), 256U);
  std::set<std::string> nodes;
  for (int i = 0; i < 258; ++i) nodes.insert(cluster.node("p" + std::to_string(i)));
  EXPECT_EQ(nodes.size(), 2U) << "one node, and none for the two that wait";
  co_await cluster.stop();
}

CO_TEST(Parts, allocate_freed_devices_to_waiting_pods) {
  Cluster cluster(loop, {.nodes = 2, .devices = 2, .drivers = {kGpu}});
  co_await cluster.start();
  for (int i = 0; i < 6; ++i) {
    cluster.make_claim("c" + std::to_string(i), "");
    cluster.make_pod("p" + std::to_string(i), "c" + std::to_string(i));
  }
  co_await cluster.settle();
  EXPECT_EQ(cluster.in_phase("Running"), 4U);
  EXPECT_EQ(cluster.parts.scheduler().waiting(), 2U);
  EXPECT_EQ(cluster.complaint("p5"),
            "0/2 nodes are available: 2 cannot allocate all claims. preemption: 0/2 nodes are "
            "available: 2 Preemption is not helpful for scheduling.");
  for (const auto* name : {"0", "1"}) {
    cluster.api.remove(kPods + "/p" + name);
    cluster.deallocate(std::string("c") + name);
  }
  co_await cluster.settle();
  EXPECT_EQ(cluster.in_phase("Running"), 4U);
  EXPECT_EQ(cluster.complaint("p5"), "");
  EXPECT_EQ(cluster.parts.scheduler().waiting(), 0U);
  const auto devices = cluster.devices();
  EXPECT_EQ(std::set(devices.begin(), devices.end()).size(), devices.size()) << "given out twice";
  co_await cluster.stop();
}

CO_TEST(Parts, allocate_all_devices_of_node_to_one_claim) {
  Cluster cluster(loop, {.nodes = 2, .devices = 3, .drivers = {kGpu}});
  co_await cluster.start();
  cluster.make_claim("one", "");
  cluster.make_pod("one", "one");
  co_await cluster.settle();
  cluster.make_claim("all", R"(,"allocationMode":"All")");
  cluster.make_pod("all", "all");
  cluster.make_claim("more", R"(,"allocationMode":"All")");
  cluster.make_pod("more", "more");
  co_await cluster.settle();
  EXPECT_EQ(cluster.phase("all"), "Running");
  EXPECT_NE(cluster.node("all"), cluster.node("one"));
  EXPECT_EQ(cluster.devices().size(), 4U);
  EXPECT_EQ(cluster.phase("more"), "Pending");
  co_await cluster.stop();
}

CO_TEST(Parts, delete_pod_and_its_generated_claim) {
  Cluster cluster(loop);
  co_await cluster.start();
  cluster.make_pod("trainer", "");
  const std::string owner =
      R"(,"ownerReferences":[{"apiVersion":"v1","kind":"Pod","name":"trainer",)"
      R"("controller":true,"uid":")" +
      cluster.pod("trainer", {"metadata", "uid"}) + R"("}])";
  cluster.make_claim("generated", "", owner);
  cluster.make_claim("shared", "");
  co_await cluster.settle();
  EXPECT_EQ(cluster.claim("generated").status, 200);
  cluster.api.remove(kPods + "/trainer");
  co_await cluster.settle();
  EXPECT_EQ(cluster.api.get(kPods + "/trainer").status, 404);
  EXPECT_EQ(cluster.claim("generated").status, 404);
  EXPECT_EQ(cluster.claim("shared").status, 200);
  co_await cluster.stop();
}

CO_TEST(Parts, delete_claim_of_replaced_pod) {
  Cluster cluster(loop);
  co_await cluster.start();
  cluster.make_pod("trainer", "");
  cluster.make_claim("generated", "",
                     R"(,"ownerReferences":[{"apiVersion":"v1","kind":"Pod","name":"trainer",)"
                     R"("controller":true,"uid":"5b0c7c1e-94a5-4a55-8f5c-6f2f3c0d9a11"}])");
  co_await cluster.settle();
  EXPECT_EQ(cluster.claim("generated").status, 404);
  EXPECT_EQ(cluster.phase("trainer"), "Running");
  co_await cluster.stop();
}

CO_TEST(Parts, end_pod_by_annotation_after_its_stop_time) {
  Cluster cluster(loop);
  co_await cluster.start();
  cluster.make_pod("told", "");
  cluster.make_pod("slow", "", R"("playground.dra-controller-manager.dev/stop-after":"5s")");
  co_await cluster.settle();
  cluster.api.patch(kPods + "/told", apiserver::kMerge,
                    R"({"metadata":{"annotations":)"
                    R"({"playground.dra-controller-manager.dev/finish":"Failed"}}})");
  cluster.api.remove(kPods + "/slow");
  co_await sleep_for(loop.time(), 4s);
  EXPECT_EQ(cluster.phase("told"), "Failed");
  EXPECT_EQ(cluster.phase("slow"), "Running");
  co_await sleep_for(loop.time(), 2s);
  EXPECT_EQ(cluster.api.get(kPods + "/slow").status, 404);
  co_await cluster.stop();
}

// A Job that replaces only failed pods waits for this.
CO_TEST(Parts, keep_deleted_pod_with_finalizer_in_final_phase) {
  Cluster cluster(loop);
  co_await cluster.start();
  for (const auto* const name : {"quick", "slow", "waits"}) {
    const std::string annotations =
        std::string_view(name) == "slow"
            ? R"("playground.dra-controller-manager.dev/stop-after":"99s")"
            : "";
    cluster.make_pod(name, std::string_view(name) == "waits" ? "missing" : "", annotations);
    cluster.api.patch(kPods + "/" + name, apiserver::kMerge,
                      R"({"metadata":{"finalizers":["batch.kubernetes.io/job-tracking"]}})");
  }
  cluster.api.post(kPods + "/waits/binding",
                   R"({"metadata":{"name":"waits"},"target":{"name":"node-0"}})");
  co_await cluster.settle();
  for (const auto* const name : {"quick", "slow", "waits"}) cluster.api.remove(kPods + "/" + name);
  co_await cluster.settle();
  const auto exit_code = [&](const std::string& name) {
    const Answer pod = cluster.api.get(kPods + "/" + name);
    const auto& statuses = array_at(pod.body, {"status", "containerStatuses"});
    if (statuses.empty()) return std::string();
    const Json* const state = statuses[0].get_object().if_contains("state");
    return state == nullptr ? std::string() : serialize(*state);
  };
  EXPECT_EQ(cluster.phase("quick"), "Failed");
  EXPECT_NE(exit_code("quick").find(R"("exitCode":143)"), std::string::npos) << exit_code("quick");
  EXPECT_EQ(cluster.phase("waits"), "Failed");
  EXPECT_EQ(cluster.phase("slow"), "Running");
  co_await sleep_for(loop.time(), 31s);
  EXPECT_EQ(cluster.phase("slow"), "Failed");
  EXPECT_NE(exit_code("slow").find(R"("exitCode":137)"), std::string::npos) << exit_code("slow");
  const std::string version = cluster.pod("slow", {"metadata", "resourceVersion"});
  co_await sleep_for(loop.time(), 60s);
  EXPECT_EQ(cluster.pod("slow", {"metadata", "resourceVersion"}), version) << "and nothing follows";
  cluster.api.patch(kPods + "/slow", apiserver::kMerge, R"({"metadata":{"finalizers":null}})");
  co_await cluster.settle();
  EXPECT_EQ(cluster.api.get(kPods + "/slow").status, 404);
  co_await cluster.stop();
}

CO_TEST(Parts, restart_crashing_containers_with_backoff) {
  Cluster cluster(loop);
  co_await cluster.start();
  cluster.make_pod("crashes", "", R"("playground.dra-controller-manager.dev/crash-after":"4s")");
  co_await cluster.settle();
  const auto first = [&] {
    const Answer pod = cluster.api.get(kPods + "/crashes");
    const auto& statuses = array_at(pod.body, {"status", "containerStatuses"});
    return statuses.empty() ? std::string() : serialize(statuses[0]);
  };
  EXPECT_NE(first().find(R"("restartCount":0)"), std::string::npos) << first();
  co_await sleep_for(loop.time(), 5s);
  EXPECT_NE(first().find(R"("restartCount":1)"), std::string::npos) << first();
  co_await sleep_for(loop.time(), 5s);
  EXPECT_NE(first().find("back-off 10s"), std::string::npos) << first();
  co_await sleep_for(loop.time(), 9s);
  EXPECT_NE(first().find(R"("restartCount":2)"), std::string::npos) << first();
  EXPECT_EQ(cluster.phase("crashes"), "Running");
  co_await cluster.stop();
}

CO_TEST(Parts, report_invalid_annotation) {
  Cluster cluster(loop);
  co_await cluster.start();
  // On its node from the start: an event of the scheduler, at the same virtual time, would have the
  // same name.
  cluster.api.post(kPods,
                   R"({"metadata":{"name":"typo","annotations":{)"
                   R"("playground.dra-controller-manager.dev/run-for":"2 seconds"}},"spec":{)"
                   R"("nodeName":"node-0","containers":[{"name":"c","image":"i"}]}})");
  co_await sleep_for(loop.time(), 2s);
  const Answer events = cluster.api.get("/api/v1/namespaces/default/events");
  EXPECT_NE(serialize(events.body).find("is ignored: expected a duration such as 90s or 1m30s"),
            std::string::npos)
      << serialize(events.body);
  EXPECT_EQ(cluster.phase("typo"), "Running");
  co_await cluster.stop();
}

CO_TEST(Parts, create_claim_for_extended_resources) {
  Cluster cluster(loop, {.nodes = 1, .devices = 2, .drivers = {kGpu}});
  co_await cluster.start();
  const std::string amounts = R"({"deviceclass.resource.kubernetes.io/gpu.example.com":"2"})";
  cluster.api.post(kPods, R"({"metadata":{"name":"p"},"spec":{"containers":[{"name":"c",)"
                          R"("image":"i","resources":{"requests":)" +
                              amounts + R"(,"limits":)" + amounts + "}}]}}");
  co_await cluster.settle();
  EXPECT_EQ(cluster.node("p"), "node-0");
  EXPECT_EQ(cluster.devices().size(), 2U);
  const std::string name =
      cluster.pod("p", {"status", "extendedResourceClaimStatus", "resourceClaimName"});
  EXPECT_TRUE(name.starts_with("p-extended-resources-")) << name;
  EXPECT_EQ(array_at(cluster.claim(name).body, {"status", "reservedFor"}).size(), 1U);
  co_await cluster.stop();
}

// A driver "late.example.com" whose only device must become ready, and a pod that requests it by
// its extended resource.
void make_late(Cluster& cluster) {
  cluster.api.post("/apis/resource.k8s.io/v1/deviceclasses",
                   R"({"metadata":{"name":"late"},"spec":{"selectors":[{"cel":{"expression":)"
                   R"("device.driver == 'late.example.com'"}}]}})");
  cluster.api.post("/apis/resource.k8s.io/v1/resourceslices",
                   R"({"metadata":{"name":"late"},"spec":{"driver":"late.example.com","nodeName":)"
                   R"("node-0","pool":{"name":"late","generation":1,"resourceSliceCount":1},)"
                   R"("devices":[{"name":"dev-0","bindingConditions":["example.com/ready"],)"
                   R"("bindingFailureConditions":["example.com/failed"]}]}})");
  const std::string amounts = R"({"deviceclass.resource.kubernetes.io/late":"1"})";
  cluster.api.post(kPods, R"({"metadata":{"name":"p"},"spec":{"containers":[{"name":"c",)"
                          R"("image":"i","resources":{"requests":)" +
                              amounts + R"(,"limits":)" + amounts + "}}]}}");
}

CO_TEST(Parts, delete_extended_resource_claim_if_device_is_not_ready) {
  Cluster cluster(loop, {.nodes = 1, .devices = 0, .drivers = {}});
  co_await cluster.start();
  make_late(cluster);
  co_await cluster.settle();
  const apiserver::Path name = {"status", "extendedResourceClaimStatus", "resourceClaimName"};
  const std::string first = cluster.pod("p", name);
  cluster.api.patch(kClaims + "/" + first + "/status", apiserver::kMerge,
                    R"({"status":{"devices":[{"driver":"late.example.com","pool":"late",)"
                    R"("device":"dev-0","conditions":[{"type":"example.com/failed","status":)"
                    R"("True","reason":"r","message":"","lastTransitionTime":)"
                    R"("2026-01-01T00:00:00Z"}]}]}})");
  co_await sleep_for(loop.time(), 20s);
  EXPECT_EQ(cluster.claim(first).status, 404);
  EXPECT_NE(cluster.pod("p", name), first);
  const std::string events = serialize(cluster.api.get("/api/v1/namespaces/default/events").body);
  EXPECT_NE(events.find("device binding failed: claim=" + first), std::string::npos) << events;
  EXPECT_EQ(events.find("cannot schedule extended resource claim"), std::string::npos) << events;
  co_await cluster.stop();
}

// As in kube-scheduler's isPodReadyForBinding.
CO_TEST(Parts, look_at_no_claim_behind_one_whose_device_is_not_ready) {
  Cluster cluster(loop, {.nodes = 1, .devices = 1, .drivers = {kGpu}});
  co_await cluster.start();
  const auto set = [&](const std::string& claim, const std::string& condition) {
    cluster.api.patch(kClaims + "/" + claim + "/status", apiserver::kMerge,
                      R"({"status":{"devices":[{"driver":"d.example.com","pool":"p","device":")" +
                          claim + R"(","conditions":[{"type":"example.com/)" + condition +
                          R"(","status":"True","reason":"r","message":"","lastTransitionTime":)" +
                          R"("2026-01-01T00:00:00Z"}]}]}})");
  };
  for (const std::string claim : {"a", "b"}) {
    cluster.make_claim(claim, "");
    cluster.api.patch(kClaims + "/" + claim + "/status", apiserver::kMerge,
                      R"({"status":{"allocation":{"devices":{"results":[{"request":"r","driver":)"
                      R"("d.example.com","pool":"p","device":")" +
                          claim + R"(","bindingConditions":["example.com/ready"],)" +
                          R"("bindingFailureConditions":["example.com/failed"]}]}}}})");
  }
  cluster.api.post(kPods, R"({"metadata":{"name":"p"},"spec":{"containers":[{"name":"c",)"
                          R"("image":"i"}],"resourceClaims":[{"name":"a","resourceClaimName":"a"},)"
                          R"({"name":"b","resourceClaimName":"b"}]}})");
  co_await cluster.settle();
  const auto has_failed = [&] {
    return serialize(cluster.api.get("/api/v1/namespaces/default/events").body)
        .contains("device binding failed: claim=b");
  };
  set("b", "failed");
  co_await sleep_for(loop.time(), 20s);
  EXPECT_FALSE(has_failed());
  set("a", "ready");
  co_await sleep_for(loop.time(), 20s);
  EXPECT_TRUE(has_failed());
  co_await cluster.stop();
}

// A server refuses to add the time to an allocation without one.
CO_TEST(Parts, wait_for_conditions_of_claim_without_allocation_time) {
  Cluster cluster(loop, {.nodes = 1, .devices = 1, .drivers = {kGpu}});
  co_await cluster.start();
  cluster.make_claim("c", "");
  const auto allocate = [&](const std::string& time) {
    return cluster.api
        .patch(kClaims + "/c/status", apiserver::kMerge,
               R"({"status":{"allocation":{)" + time +
                   R"("devices":{"results":[{"request":"r","driver":"d.example.com","pool":"p",)"
                   R"("device":"d","bindingConditions":["example.com/ready"],)"
                   R"("bindingFailureConditions":["example.com/failed"]}]}}}})")
        .status;
  };
  EXPECT_EQ(allocate(""), 200);
  EXPECT_EQ(allocate(R"("allocationTimestamp":"2026-01-01T00:00:00Z",)"), 422);
  cluster.make_pod("p", "c");
  const auto has_ended = [&] {
    return serialize(cluster.api.get("/api/v1/namespaces/default/events").body)
        .contains("device binding timeout: claim=c");
  };
  co_await sleep_for(loop.time(), 9min);
  EXPECT_FALSE(has_ended());
  co_await sleep_for(loop.time(), 2min);
  EXPECT_TRUE(has_ended());
  EXPECT_EQ(cluster.node("p"), "");
  // It is tried again with the same devices: nobody knows since when they are not ready.
  cluster.api.patch(kClaims + "/c/status", apiserver::kMerge,
                    R"({"status":{"devices":[{"driver":"d.example.com","pool":"p","device":"d",)"
                    R"("conditions":[{"type":"example.com/ready","status":"True","reason":"r",)"
                    R"("message":"","lastTransitionTime":"2026-01-01T00:00:00Z"}]}]}})");
  co_await sleep_for(loop.time(), 20s);
  EXPECT_EQ(cluster.node("p"), "node-0");
  co_await cluster.stop();
}

// kube-scheduler: isClaimTimeout, then PostFilter.
CO_TEST(Parts, give_up_devices_that_do_not_become_ready_in_time) {
  Cluster cluster(loop, {.nodes = 1, .devices = 0, .drivers = {}});
  co_await cluster.start();
  make_late(cluster);
  cluster.api.post(kClaims, R"({"metadata":{"name":"c"},"spec":{"devices":{"requests":[{)"
                            R"("name":"r","exactly":{"deviceClassName":"late"}}]}}})");
  cluster.api.remove(kPods + "/p", "");
  cluster.make_pod("q", "c");
  const auto events = [&] {
    return serialize(cluster.api.get("/api/v1/namespaces/default/events").body);
  };
  co_await sleep_for(loop.time(), 9min);
  EXPECT_FALSE(events().contains("device binding timeout: claim=c"));
  co_await sleep_for(loop.time(), 2min);
  EXPECT_TRUE(events().contains("device binding timeout: claim=c"));
  EXPECT_TRUE(events().contains("deallocation of ResourceClaim completed"));
  co_await cluster.stop();
}

// As kube-scheduler does: handleSchedulingFailure in pkg/scheduler/schedule_one.go.
CO_TEST(Parts, tell_generation_of_pod_without_place) {
  Cluster cluster(loop, {.nodes = 1, .devices = 1, .drivers = {kGpu}});
  co_await cluster.start();
  cluster.make_claim("c", R"(,"selectors":[{"cel":{"expression":"false"}}])");
  cluster.make_pod("p", "c");
  co_await cluster.settle();
  const JsonObject condition = cluster.scheduled("p");
  EXPECT_EQ(text_at(condition, {"reason"}), "Unschedulable");
  EXPECT_EQ(apiserver::integer_at(condition, {"observedGeneration"}), 1) << serialize(condition);
  co_await cluster.stop();
}

CO_TEST(Parts, retry_error_without_event) {
  Cluster cluster(loop, {.nodes = 1, .devices = 1, .drivers = {kGpu}});
  co_await cluster.start();
  cluster.make_claim("c",
                     R"(,"selectors":[{"cel":{"expression":"device.attributes['a'].b == 1"}}])");
  cluster.make_pod("p", "c");
  co_await cluster.settle();
  const std::string error = cluster.complaint("p");
  EXPECT_NE(error.find("no such key: b"), std::string::npos) << error;
  cluster.api.patch(kPods + "/p/status", apiserver::kStrategic,
                    R"({"status":{"conditions":[{"type":"PodScheduled","message":"another"}]}})");
  co_await sleep_for(loop.time(), 11s);
  EXPECT_EQ(cluster.complaint("p"), error);
  co_await cluster.stop();
}

CO_TEST(Parts, reallocate_claim_that_fits_no_node) {
  Cluster cluster(loop, {.nodes = 1, .devices = 1, .drivers = {kGpu}});
  co_await cluster.start();
  cluster.make_claim("c", "");
  cluster.allocate_on_missing_node("c");
  cluster.make_pod("p", "c");
  co_await sleep_for(loop.time(), 2s);
  EXPECT_EQ(cluster.node("p"), "node-0");
  EXPECT_EQ(cluster.devices(), (std::multiset<std::string>{"node-0/dev-0"}));
  co_await cluster.stop();
}

// It is released by a consumer that is no pod: nothing else happens then.
// Whoever may change a claim may mark it so.
CO_TEST(Parts, keep_claim_that_bears_mark_of_extended_resources) {
  Cluster cluster(loop, {.nodes = 1, .devices = 1, .drivers = {kGpu}});
  co_await cluster.start();
  cluster.make_claim("c", "",
                     R"(,"annotations":{"resource.kubernetes.io/extended-resource-claim":"true"})");
  const std::string uid(cluster.claim("c").uid());
  cluster.allocate_on_missing_node("c");
  cluster.make_pod("p", "c");
  co_await sleep_for(loop.time(), 2s);
  EXPECT_EQ(cluster.node("p"), "node-0");
  EXPECT_EQ(cluster.claim("c").uid(), uid);
  co_await cluster.stop();
}

CO_TEST(Parts, reallocate_claim_when_its_consumer_releases_it) {
  Cluster cluster(loop, {.nodes = 1, .devices = 1, .drivers = {kGpu}});
  co_await cluster.start();
  cluster.make_claim("c", "");
  cluster.allocate_on_missing_node(
      "c", R"(,"reservedFor":[{"apiGroup":"example.com","resource":"things","name":"t",)"
           R"("uid":"t"}])");
  cluster.make_pod("p", "c");
  co_await sleep_for(loop.time(), 2s);
  EXPECT_EQ(cluster.node("p"), "");
  cluster.api.patch(kClaims + "/c/status", apiserver::kMerge, R"({"status":{"reservedFor":null}})");
  co_await sleep_for(loop.time(), 2s);
  EXPECT_EQ(cluster.node("p"), "node-0");
  co_await cluster.stop();
}

CO_TEST(Parts, report_fields_unknown_to_scheduler) {
  Cluster cluster(loop);
  co_await cluster.start();
  cluster.api.post(kPods, R"({"metadata":{"name":"picky"},"spec":{"containers":[{"name":"c",)"
                          R"("image":"i","ports":[{"containerPort":1,"hostPort":1}]}]}})");
  cluster.make_claim("plain", "");
  cluster.make_pod("plain", "plain");
  co_await sleep_for(loop.time(), 2s);
  const std::string why = "the scheduler of dra-playground does not know hostPort";
  EXPECT_EQ(cluster.complaint("picky"), why);
  EXPECT_EQ(cluster.phase("picky"), "Pending");
  EXPECT_EQ(cluster.phase("plain"), "Running");
  const std::string events = serialize(cluster.api.get("/api/v1/namespaces/default/events").body);
  EXPECT_NE(events.find(R"("reason":"FailedScheduling","message":")" + why), std::string::npos)
      << events;
  co_await cluster.stop();
}

CO_TEST(Parts, do_not_repeat_allocation_after_lost_answer) {
  Cluster cluster(loop, {.nodes = 1, .devices = 2, .drivers = {kGpu}});
  co_await cluster.start();
  int lost = 0;
  cluster.server.server().after(
      [&lost](const apiserver::LoggedRequest& request, apiserver::Response& response) {
        const bool is_allocation = request.verb == "patch" && request.subresource == "status" &&
                                   request.resource == "resourceclaims";
        if (is_allocation && lost++ == 0) response.reset_after = 0;
      });
  cluster.make_claim("first", "");
  cluster.make_pod("first", "first");
  cluster.make_claim("second", "");
  cluster.make_pod("second", "second");
  co_await sleep_for(loop.time(), 10s);
  EXPECT_GT(lost, 0);
  EXPECT_EQ(cluster.phase("first"), "Running");
  EXPECT_EQ(cluster.phase("second"), "Running");
  EXPECT_EQ(cluster.devices(), (std::multiset<std::string>{"node-0/dev-0", "node-0/dev-1"}));
  EXPECT_EQ(cluster.parts.scheduler().devices().in_use(), 2U);
  co_await cluster.stop();
}

CO_TEST(Parts, return_devices_of_refused_allocation) {
  Cluster cluster(loop, {.nodes = 1, .devices = 1, .drivers = {kGpu}});
  co_await cluster.start();
  cluster.server.server().before(
      [](const apiserver::LoggedRequest& request) -> std::optional<apiserver::Response> {
        const bool is_refused =
            request.verb == "patch" && request.subresource == "status" && request.name == "refused";
        if (!is_refused) return std::nullopt;
        return apiserver::Response{.status = 422,
                                   .body = R"({"kind":"Status","reason":"Invalid"})"};
      });
  cluster.make_claim("refused", "");
  cluster.make_pod("refused", "refused");
  co_await cluster.settle();
  cluster.make_claim("other", "");
  cluster.make_pod("other", "other");
  co_await sleep_for(loop.time(), 10s);
  EXPECT_EQ(cluster.phase("refused"), "Pending");
  EXPECT_EQ(cluster.phase("other"), "Running");
  co_await cluster.stop();
}

CO_TEST(Parts, retry_pod_when_it_tolerates_more) {
  Cluster cluster(loop, {.nodes = 1, .devices = 1, .drivers = {kGpu}});
  co_await cluster.start();
  cluster.api.patch("/api/v1/nodes/node-0", apiserver::kMerge,
                    R"({"spec":{"taints":[{"key":"mine","effect":"NoSchedule"}]}})");
  co_await cluster.settle();
  cluster.make_pod("p", "");
  co_await cluster.settle();
  EXPECT_EQ(cluster.node("p"), "");
  cluster.api.patch(kPods + "/p", apiserver::kStrategic,
                    R"({"spec":{"tolerations":[{"key":"mine","operator":"Exists"}]}})");
  co_await cluster.settle();
  EXPECT_EQ(cluster.node("p"), "node-0");
  co_await cluster.stop();
}

CO_TEST(Parts, give_freed_device_to_pod_with_highest_priority) {
  Cluster cluster(loop, {.nodes = 1, .devices = 1, .drivers = {kGpu}});
  co_await cluster.start();
  cluster.api.post("/apis/scheduling.k8s.io/v1/priorityclasses",
                   R"({"metadata":{"name":"urgent"},"value":1000})");
  cluster.make_claim("first", "");
  cluster.make_pod("first", "first");
  co_await cluster.settle();
  for (const auto* name : {"early", "urgent"}) cluster.make_claim(name, "");
  cluster.make_pod("early", "early");
  co_await cluster.settle();
  cluster.api.post(kPods, R"({"metadata":{"name":"urgent"},"spec":{"priorityClassName":"urgent",)"
                          R"("containers":[{"name":"c","image":"i"}],)"
                          R"("resourceClaims":[{"name":"c","resourceClaimName":"urgent"}]}})");
  co_await cluster.settle();
  cluster.api.remove(kPods + "/first");
  co_await sleep_for(loop.time(), 60s);
  cluster.deallocate("first");
  co_await cluster.settle();
  EXPECT_EQ(cluster.node("urgent"), "node-0");
  EXPECT_EQ(cluster.node("early"), "");
  co_await cluster.stop();
}

CO_TEST(Parts, report_node_of_placed_pod) {
  Cluster cluster(loop, {.nodes = 1, .devices = 1, .drivers = {kGpu}});
  co_await cluster.start();
  cluster.make_pod("p", "");
  co_await cluster.settle();
  const std::string events = serialize(cluster.api.get("/api/v1/namespaces/default/events").body);
  EXPECT_NE(events.find(R"("reason":"Scheduled","message":"Successfully assigned default/p to )"
                        R"(node-0")"),
            std::string::npos)
      << events;
  co_await cluster.stop();
}

CO_TEST(Parts, schedule_no_pods_to_cordoned_node) {
  Cluster cluster(loop, {.nodes = 2, .devices = 1, .drivers = {kGpu}});
  co_await cluster.start();
  cluster.api.patch("/api/v1/nodes/node-0", apiserver::kMerge,
                    R"({"spec":{"unschedulable":true}})");
  co_await cluster.settle();
  for (const auto* name : {"a", "b", "c"}) cluster.make_pod(name, "");
  co_await cluster.settle();
  for (const auto* name : {"a", "b", "c"}) EXPECT_EQ(cluster.node(name), "node-1");
  co_await cluster.stop();
}

}  // namespace
}  // namespace dcm::playground
