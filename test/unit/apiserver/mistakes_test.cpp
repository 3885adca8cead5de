// Mistakes that `./dev compare --mistakes all` generates, and the real server's answer to each.
#include "test/unit/apiserver/fixture.hpp"

namespace dcm::apiserver {
namespace {

constexpr std::string_view kClasses = "/apis/resource.k8s.io/v1/deviceclasses";

struct Row {
  std::string_view sentence;
  std::string_view path;
  std::string_view body;
  std::vector<std::string> fields;  // of the causes
};

std::vector<std::string> fields_of(const Answer& answer) {
  std::vector<std::string> fields;
  for (const Json& item : array_at(answer.body, {"details", "causes"})) {
    fields.emplace_back(text_at(item.get_object(), {"field"}));
  }
  return fields;
}

class Mistake : public Api, public ::testing::WithParamInterface<Row> {};

TEST_P(Mistake, is_refused) {
  const Answer answer = api.post(GetParam().path, std::string(GetParam().body));
  EXPECT_EQ(fields_of(answer), GetParam().fields) << serialize(answer.body);
}

INSTANTIATE_TEST_SUITE_P(
    Creates, Mistake,
    ::testing::Values(
        Row{"a selector that does not compile",
            kClasses,
            R"({"metadata":{"name":"c"},"spec":{"selectors":[{"cel":{"expression":"x"}}]}})",
            {"spec.selectors[0].cel.expression"}},
        Row{"a selector without an expression",
            kClasses,
            R"({"metadata":{"name":"c"},"spec":{"selectors":[{"cel":{}}]}})",
            {"spec.selectors[0].cel.expression"}},
        Row{"an extended resource without a domain",
            kClasses,
            R"({"metadata":{"name":"c"},"spec":{"extendedResourceName":"Bad Name!"}})",
            {"spec.extendedResourceName", "spec.extendedResourceName"}},
        Row{"a taint rule for a driver without a name",
            "/apis/resource.k8s.io/v1/devicetaintrules",
            R"({"metadata":{"name":"r"},"spec":{"deviceSelector":{"driver":""},)"
            R"("taint":{"key":"k","effect":"NoSchedule"}}})",
            {"spec.deviceSelector.driver"}},
        Row{"a taint twice",
            "/api/v1/nodes",
            R"({"metadata":{"name":"n"},"spec":{"taints":[{"key":"k","effect":"NoSchedule"},)"
            R"({"key":"k","effect":"NoSchedule"},{"key":"k","effect":"NoExecute"}]}})",
            {"metadata.taints[1]"}},
        Row{"a hostname and a subdomain that are no labels",
            kPods,
            R"({"metadata":{"name":"p"},"spec":{"hostname":"A_b","subdomain":"a.b",)"
            R"("containers":[{"name":"c","image":"i"}]}})",
            {"spec.hostname", "spec.subdomain"}},
        Row{"a probe that does nothing",
            kPods,
            R"({"metadata":{"name":"p"},"spec":{"containers":[{"name":"c","image":"i",)"
            R"("readinessProbe":{}}]}})",
            {"spec.containers[0].readinessProbe"}},
        Row{"a probe of no port",
            kPods,
            R"({"metadata":{"name":"p"},"spec":{"containers":[{"name":"c","image":"i",)"
            R"("livenessProbe":{"grpc":{}},"startupProbe":{"tcpSocket":{"port":"-"}}}]}})",
            {"spec.containers[0].livenessProbe.grpc.port",
             "spec.containers[0].startupProbe.tcpSocket.port",
             "spec.containers[0].startupProbe.tcpSocket.port"}},
        Row{"an end without a port",
            kPods,
            R"({"metadata":{"name":"p"},"spec":{"containers":[{"name":"c","image":"i",)"
            R"("lifecycle":{"preStop":{"httpGet":{}}}}]}})",
            {"spec.containers[0].lifecycle.preStop.httpGet.port"}},
        Row{"volumes of one name",
            kPods,
            R"({"metadata":{"name":"p"},"spec":{"containers":[{"name":"c","image":"i"}],)"
            R"("volumes":[{"name":"v"},{"name":"v"},{"name":"V"}]}})",
            {"spec.volumes[1].name", "spec.volumes[2].name"}},
        Row{"volumes of two kinds and of bad sources",
            kPods,
            R"({"metadata":{"name":"p"},"spec":{"containers":[{"name":"c","image":"i"}],)"
            R"("volumes":[{"name":"a","hostPath":{"path":"/x"},"configMap":{"name":"c"}},)"
            R"({"name":"b","configMap":{"name":"","defaultMode":-1}},)"
            R"({"name":"c","secret":{"items":[{"key":"","path":"../x"}]}},)"
            R"({"name":"d","hostPath":{"path":"/a/../b","type":"Bad"}},)"
            R"({"name":"e","nfs":{"server":"","path":"x"}},)"
            R"({"name":"f","persistentVolumeClaim":{"claimName":""}},)"
            R"({"name":"g","csi":{"driver":"-"}}]}})",
            {"spec.volumes[0].configMap", "spec.volumes[1].configMap.name",
             "spec.volumes[1].configMap.defaultMode", "spec.volumes[2].secret.secretName",
             "spec.volumes[2].secret.items[0].key", "spec.volumes[2].secret.items[0].path",
             "spec.volumes[3].hostPath.path", "spec.volumes[3].hostPath.type",
             "spec.volumes[4].nfs.server", "spec.volumes[4].nfs.path",
             "spec.volumes[5].persistentVolumeClaim.claimName", "spec.volumes[6].csi.driver"}},
        Row{"files about the pod without a field, of two, and of one that files do not show",
            kPods,
            R"({"metadata":{"name":"p"},"spec":{"containers":[{"name":"c","image":"i"}],)"
            R"("volumes":[{"name":"a","downwardAPI":{"items":[{"path":"p","fieldRef":{}}]}},)"
            R"({"name":"b","downwardAPI":{"items":[{"path":"p"}]}},)"
            R"({"name":"c","downwardAPI":{"items":[{"path":"p","fieldRef":{"fieldPath":)"
            R"("status.podIP"}}]}},{"name":"d","projected":{"sources":[{"downwardAPI":{"items":)"
            R"([{"path":"p","resourceFieldRef":{"resource":"limits.cpu"}}]}},)"
            R"({"configMap":{"name":"c","items":[{"key":"k","path":"p"}]}}]}}]}})",
            {"spec.volumes[0].downwardAPI.fieldRef.fieldPath", "spec.volumes[1].downwardAPI",
             "spec.volumes[2].downwardAPI.fieldRef.fieldPath",
             "spec.volumes[3].projected.sources[0].downwardAPI.resourceFieldRef.containerName",
             "spec.volumes[3].projected"}},
        Row{"an image of spaces, and claims of a container that are none",
            kPods,
            R"({"metadata":{"name":"p"},"spec":{"resourceClaims":[{"name":"x",)"
            R"("resourceClaimName":"x"}],"containers":[{"name":"c","image":" ","resources":)"
            R"({"claims":[{},{"name":"x"},{"name":"x","request":"r"},{"name":"y"}]}}]}})",
            {"spec.containers[0].resources.claims[0]", "spec.containers[0].resources.claims[2]",
             "spec.containers[0].resources.claims[3]", "spec.containers[0].image"}},
        Row{"a template whose claims would have a bad label",
            "/apis/resource.k8s.io/v1/namespaces/default/resourceclaimtemplates",
            R"({"metadata":{"name":"t"},"spec":{"metadata":{"labels":{"a":"x-"},)"
            R"("annotations":{"":"x"}},"spec":{}}})",
            {"spec.metadata.labels", "spec.metadata.annotations", "spec.metadata.annotations"}},
        Row{"a template whose claims would have a name and more",
            "/apis/resource.k8s.io/v1/namespaces/default/resourceclaimtemplates",
            R"({"metadata":{"name":"t"},"spec":{"metadata":{"name":"n","generateName":"","uid":"u",)"
            R"("generation":0,"creationTimestamp":null,"deletionGracePeriodSeconds":0,)"
            R"("finalizers":["a/b"],"labels":{"a":"b"}},"spec":{}}})",
            {"spec.metadata.name", "spec.metadata.uID", "spec.metadata.deletionGracePeriodSeconds",
             "spec.metadata.finalizers"}},
        Row{"a template of a volume whose claim would have a name",
            kPods,
            R"({"metadata":{"name":"p"},"spec":{"containers":[{"name":"c","image":"i"}],)"
            R"("volumes":[{"name":"v","ephemeral":{"volumeClaimTemplate":{"metadata":)"
            R"({"name":"n"}}}}]}})",
            {"spec.volumes[0].ephemeral.volumeClaimTemplate.metadata.name"}},
        Row{"an event of a negative generation",
            "/api/v1/namespaces/default/events",
            R"({"metadata":{"name":"e","generation":-1},"involvedObject":{"namespace":"default"}})",
            {"metadata.generation"}}),
    kBySentence);

TEST_F(Api, rejects_negative_status_generation_and_invalid_addresses) {
  make_pod();
  EXPECT_TRUE(api.patch(kPodStatus, kMerge, R"({"status":{"observedGeneration":-1}})")
                  .blames("status.observedGeneration"));
  EXPECT_TRUE(api.patch(kPodStatus, kMerge, R"({"status":{"hostIP":"x","hostIPs":[{"ip":"x"}]}})")
                  .blames("status.hostIPs[0]"));
}

TEST_F(Api, rejects_pod_conditions_without_name_and_three_addresses) {
  make_pod();
  const Answer bad = api.patch(
      kPodStatus, kMerge,
      R"({"status":{"conditions":[{"type":"Ready","status":"True"},{"type":"-","status":"True"}],)"
      R"("podIP":"10.0.0.1","podIPs":[{"ip":"10.0.0.1"},{"ip":"10.0.0.2"}],"hostIP":"10.0.0.1",)"
      R"("hostIPs":[{"ip":"10.0.0.1"},{"ip":"fd00::1"}]}})");
  EXPECT_EQ(fields_of(bad),
            (std::vector<std::string>{"status.conditions[1].Type", "status.podIPs"}))
      << serialize(bad.body);
}

TEST_F(Api, rejects_duplicate_node_address) {
  api.post("/api/v1/nodes", R"({"metadata":{"name":"n"}})");
  constexpr std::string_view kTwice =
      R"({"status":{"addresses":[{"type":"Hostname","address":"a"},{"type":"InternalDNS",)"
      R"("address":"a"},{"type":"Hostname","address":"a"}]}})";
  const Answer bad = api.put("/api/v1/nodes/n/status",
                             R"({"metadata":{"name":"n"},)" + std::string(kTwice.substr(1)));
  EXPECT_EQ(fields_of(bad), std::vector<std::string>{"status.addresses[2]"});
}

TEST_F(Api, clears_claim_statuses_only_by_empty_list) {
  make_pod("node-a");
  const auto put = [&](std::string_view status) {
    Json pod = api.get(kPod).body;
    std::string problem;
    pod.get_object()["status"] = *parse(status, problem);
    return api.put(kPodStatus, serialize(pod));
  };
  const auto count = [](const Answer& pod) {
    return array_at(pod.body, {"status", "resourceClaimStatuses"}).size();
  };
  EXPECT_EQ(count(put(R"({"resourceClaimStatuses":[{"name":"gpus"}]})")), 1);
  EXPECT_EQ(count(put(R"({"phase":"Running"})")), 1);
  EXPECT_EQ(count(put(R"({"resourceClaimStatuses":[]})")), 0);
}

TEST_F(Api, keeps_condition_time_that_binding_does_not_change) {
  make_pod();
  constexpr std::string_view kTime = "2019-05-04T03:02:01Z";
  api.patch(kPodStatus, kMerge,
            R"({"status":{"conditions":[{"type":"PodScheduled","status":"True",)"
            R"("lastTransitionTime":")" +
                std::string(kTime) + R"("}]}})");
  api.post(std::string(kPod) + "/binding",
           R"({"metadata":{"name":"trainer-0"},"target":{"kind":"Node","name":"n"}})");
  const Answer pod = api.get(kPod);
  const JsonObject& condition = as_object(array_at(pod.body, {"status", "conditions"}).front());
  EXPECT_EQ(text_at(condition, {"lastTransitionTime"}), kTime);
}

TEST_F(Api, merges_string_lists_without_duplicates) {
  constexpr std::string_view kMap = "/api/v1/namespaces/default/configmaps/m";
  api.post("/api/v1/namespaces/default/configmaps",
           R"({"metadata":{"name":"m","finalizers":["a/b","a/b"]}})");
  const Answer map = api.patch(kMap, kStrategic, R"({"metadata":{"finalizers":["c/d","a/b"]}})");
  EXPECT_EQ(array_at(map.body, {"metadata", "finalizers"}).size(), 2);
}

// If each item were compared with each other, this would take minutes.
TEST_F(Api, merges_long_lists) {
  constexpr std::string_view kMap = "/api/v1/namespaces/default/configmaps/m";
  constexpr std::size_t kCount = 8'000;
  const auto metadata = [](std::string_view prefix) {
    JsonArray finalizers;
    JsonArray owners;
    for (std::size_t i = 0; i < kCount; ++i) {
      const std::string name = std::string(prefix) + std::to_string(i);
      finalizers.push_back(Json("a/" + name));
      if (i % 4 != 0) continue;
      owners.push_back(
          JsonObject{{"apiVersion", "v1"}, {"kind", "P"}, {"name", name}, {"uid", name}});
    }
    return R"({"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"m","finalizers":)" +
           serialize(Json(finalizers)) + R"(,"ownerReferences":)" + serialize(Json(owners)) + "}}";
  };
  const auto count = [](const Answer& map) {
    return array_at(map.body, {"metadata", "finalizers"}).size();
  };
  ASSERT_EQ(api.post("/api/v1/namespaces/default/configmaps", metadata("x")).status, 201);
  EXPECT_EQ(count(api.patch(kMap, kStrategic, metadata("y"))), 2 * kCount);
  const std::string apply = std::string(kMap) + "?fieldManager=alice";
  EXPECT_EQ(count(api.patch(apply, kApply, metadata("z"))), 3 * kCount);
  EXPECT_EQ(count(api.patch(apply, kApply, metadata("y"))), 2 * kCount);
}

TEST_F(Api, names_no_device_of_oversized_slice) {
  std::string devices;
  for (int i = 0; i < 129; ++i) devices += R"({"name":""},)";
  devices.pop_back();
  const Answer slice =
      api.post("/apis/resource.k8s.io/v1/resourceslices",
               R"({"metadata":{"name":"s"},"spec":{"driver":"d","nodeName":"n","pool":{"name":"p",)"
               R"("resourceSliceCount":1},"devices":[)" +
                   devices + "]}}");
  EXPECT_EQ(fields_of(slice), std::vector<std::string>{"spec.devices"});
}

TEST_F(Api, omits_empty_event_strings_and_writes_empty_projection) {
  const Answer event = api.post(
      "/api/v1/namespaces/default/events",
      R"({"metadata":{"name":"e"},"type":"","involvedObject":{"namespace":"default","uid":""}})");
  EXPECT_FALSE(has(event.body, {"type"}));
  EXPECT_FALSE(has(event.body, {"involvedObject", "uid"}));
  const Answer pod =
      api.post(kPods, R"({"metadata":{"name":"p"},"spec":{"containers":[{"name":"c","image":"i"}],)"
                      R"("volumes":[{"name":"v","projected":{}}]}})");
  const JsonObject& volume = as_object(array_at(pod.body, {"spec", "volumes"}).front());
  EXPECT_TRUE(object_at(volume, {"projected"}).contains("sources"));
}

TEST_F(Api, omits_empty_strings_of_tolerations_and_nodes) {
  const Answer pod =
      api.post(kPods, R"({"metadata":{"name":"p"},"spec":{"containers":[{"name":"c","image":"i"}],)"
                      R"("tolerations":[{"key":"","operator":"Exists","effect":""}]}})");
  EXPECT_EQ(serialize(array_at(pod.body, {"spec", "tolerations"}).front()),
            R"({"operator":"Exists"})");
  const Answer node =
      api.post("/api/v1/nodes", R"({"metadata":{"name":"n"},"spec":{"providerID":""}})");
  EXPECT_FALSE(has(node.body, {"spec", "providerID"}));
}

TEST_F(Api, writes_capacity_without_value_as_empty) {
  const Answer slice =
      api.post("/apis/resource.k8s.io/v1/resourceslices",
               R"({"metadata":{"name":"s"},"spec":{"driver":"d","nodeName":"n","pool":{"name":"p",)"
               R"("resourceSliceCount":1},"devices":[{"name":"g","capacity":{"memory":{}}}]}})");
  const JsonObject& device = as_object(array_at(slice.body, {"spec", "devices"}).front());
  EXPECT_EQ(text_at(device, {"capacity", "memory", "value"}), "0");
}

TEST_F(Api, treats_empty_string_like_go) {
  const Answer pod = api.post(kPods, R"({"metadata":{"name":"p"},"spec":{"restartPolicy":"",)"
                                     R"("containers":[{"name":"c","image":"i"}]}})");
  EXPECT_EQ(pod.text({"spec", "restartPolicy"}), "Always");
  const Answer node =
      api.post("/api/v1/nodes", R"({"metadata":{"name":"n"},"spec":{"unschedulable":false},)"
                                R"("status":{"addresses":[{"type":"Hostname"}]}})");
  EXPECT_FALSE(has(node.body, {"spec", "unschedulable"}));
  EXPECT_TRUE(has(as_object(array_at(node.body, {"status", "addresses"}).front()), {"address"}));
}

TEST_F(Api, stops_validation_at_immutable_deadline) {
  make_pod();
  api.patch(kPod, kMerge, R"({"spec":{"activeDeadlineSeconds":60}})");
  EXPECT_EQ(fields_of(api.patch(kPod, kMerge,
                                R"({"spec":{"activeDeadlineSeconds":90,"hostNetwork":true}})")),
            std::vector<std::string>{"spec.activeDeadlineSeconds"});
}

TEST_F(Api, omits_empty_maps) {
  const Answer pod = api.post(
      kPods, R"({"metadata":{"name":"p"},"spec":{"nodeSelector":{},"containers":[{"name":"c",)"
             R"("image":"i","resources":{"limits":{}}}],"volumes":[{"name":"v","emptyDir":{}}]}})");
  ASSERT_EQ(pod.status, 201) << serialize(pod.body);
  EXPECT_FALSE(has(pod.body, {"spec", "nodeSelector"}));
  const JsonObject& container = as_object(array_at(pod.body, {"spec", "containers"}).front());
  EXPECT_FALSE(has(container, {"resources", "limits"}));
  EXPECT_TRUE(has(container, {"resources"}));
  EXPECT_TRUE(has(as_object(array_at(pod.body, {"spec", "volumes"}).front()), {"emptyDir"}));
}

TEST_F(Api, writes_canonical_quantities) {
  const Answer pod = api.post(
      kPods, R"({"metadata":{"name":"p"},"spec":{"containers":[{"name":"c","image":"i",)"
             R"("resources":{"limits":{"cpu":"1000m","memory":"1024Mi","example.com/gpu":2}}}]}})");
  const JsonObject& container = as_object(array_at(pod.body, {"spec", "containers"}).front());
  EXPECT_EQ(serialize(object_at(container, {"resources", "limits"})),
            R"({"cpu":"1","memory":"1Gi","example.com/gpu":"2"})");
}

TEST_F(Api, sums_container_requests) {
  const Answer pod = api.post(
      kPods,
      R"({"metadata":{"name":"p"},"spec":{"resources":{"limits":{"cpu":"4","memory":"1Gi"}},)"
      R"("initContainers":[{"name":"s","image":"i","restartPolicy":"Always","resources":)"
      R"({"requests":{"cpu":"500m"}}},{"name":"i","image":"i","resources":{"requests":)"
      R"({"cpu":"2"}}}],"containers":[{"name":"c","image":"i","resources":{"requests":)"
      R"({"cpu":"1"}}}]}})");
  EXPECT_EQ(serialize(object_at(pod.body, {"spec", "resources", "requests"})),
            R"({"cpu":"2500m","memory":"1Gi"})");
}

TEST_F(Api, opens_host_ports_on_host_network) {
  const Answer pod = api.post(
      kPods, R"({"metadata":{"name":"p"},"spec":{"hostNetwork":true,"containers":[{"name":"c",)"
             R"("image":"i","ports":[{"containerPort":80}]}]}})");
  const JsonObject& container = as_object(array_at(pod.body, {"spec", "containers"}).front());
  EXPECT_EQ(integer_at(as_object(array_at(container, {"ports"}).front()), {"hostPort"}), 80);
}

TEST_F(Api, pulls_latest_images_always) {
  struct Image {
    std::string_view name, policy;
  };
  const std::string too_long(254, 'i');
  for (const auto& [name, policy] : {Image{"i", "Always"},
                                     {"r.example.com:5000/a/b", "Always"},
                                     {"a__b/c-d:latest", "Always"},
                                     {"i:1", "IfNotPresent"},
                                     {"Bad_Name!", "IfNotPresent"},
                                     {too_long, "IfNotPresent"},
                                     {"dot..dot", "IfNotPresent"},
                                     {"i@sha256:0", "IfNotPresent"}}) {
    const Answer pod = api.post(std::string(kPods) + "?dryRun=All",
                                R"({"metadata":{"name":"p"},"spec":{"containers":[{"name":"c",)"
                                R"("image":")" +
                                    std::string(name) + R"("}]}})");
    EXPECT_EQ(
        text_at(as_object(array_at(pod.body, {"spec", "containers"}).front()), {"imagePullPolicy"}),
        policy)
        << name;
  }
}

}  // namespace
}  // namespace dcm::apiserver
