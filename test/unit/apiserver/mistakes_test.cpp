// Mistakes that `./dev compare --mistakes all` draws, and what the real server says of each.
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
        Row{"an event of a negative generation",
            "/api/v1/namespaces/default/events",
            R"({"metadata":{"name":"e","generation":-1},"involvedObject":{"namespace":"default"}})",
            {"metadata.generation"}}),
    kBySentence);

TEST_F(Api, refuses_a_status_of_a_negative_generation_and_addresses_that_are_none) {
  make_pod();
  EXPECT_TRUE(api.patch(kPodStatus, kMerge, R"({"status":{"observedGeneration":-1}})")
                  .blames("status.observedGeneration"));
  EXPECT_TRUE(api.patch(kPodStatus, kMerge, R"({"status":{"hostIP":"x","hostIPs":[{"ip":"x"}]}})")
                  .blames("status.hostIPs[0]"));
}

TEST_F(Api, takes_an_empty_text_for_none_where_go_does) {
  const Answer pod = api.post(kPods, R"({"metadata":{"name":"p"},"spec":{"restartPolicy":"",)"
                                     R"("containers":[{"name":"c","image":"i"}]}})");
  EXPECT_EQ(pod.text({"spec", "restartPolicy"}), "Always");
  const Answer node =
      api.post("/api/v1/nodes", R"({"metadata":{"name":"n"},"spec":{"unschedulable":false},)"
                                R"("status":{"addresses":[{"type":"Hostname"}]}})");
  EXPECT_FALSE(has(node.body, {"spec", "unschedulable"}));
  EXPECT_TRUE(has(as_object(array_at(node.body, {"status", "addresses"}).front()), {"address"}));
}

TEST_F(Api, looks_no_further_than_a_deadline_that_may_not_change_so) {
  make_pod();
  api.patch(kPod, kMerge, R"({"spec":{"activeDeadlineSeconds":60}})");
  EXPECT_EQ(fields_of(api.patch(kPod, kMerge,
                                R"({"spec":{"activeDeadlineSeconds":90,"hostNetwork":true}})")),
            std::vector<std::string>{"spec.activeDeadlineSeconds"});
}

TEST_F(Api, leaves_out_maps_without_entries) {
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

TEST_F(Api, writes_quantities_in_their_canonical_form) {
  const Answer pod = api.post(
      kPods, R"({"metadata":{"name":"p"},"spec":{"containers":[{"name":"c","image":"i",)"
             R"("resources":{"limits":{"cpu":"1000m","memory":"1024Mi","example.com/gpu":2}}}]}})");
  const JsonObject& container = as_object(array_at(pod.body, {"spec", "containers"}).front());
  EXPECT_EQ(serialize(object_at(container, {"resources", "limits"})),
            R"({"cpu":"1","memory":"1Gi","example.com/gpu":"2"})");
}

TEST_F(Api, requests_as_a_whole_what_containers_request_together) {
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

TEST_F(Api, opens_the_ports_of_the_node_on_its_network) {
  const Answer pod = api.post(
      kPods, R"({"metadata":{"name":"p"},"spec":{"hostNetwork":true,"containers":[{"name":"c",)"
             R"("image":"i","ports":[{"containerPort":80}]}]}})");
  const JsonObject& container = as_object(array_at(pod.body, {"spec", "containers"}).front());
  EXPECT_EQ(integer_at(as_object(array_at(container, {"ports"}).front()), {"hostPort"}), 80);
}

TEST_F(Api, pulls_images_each_time_if_they_are_the_latest) {
  struct Image {
    std::string_view name, policy;
  };
  for (const auto& [name, policy] : {Image{"i", "Always"},
                                     {"r.example.com:5000/a/b", "Always"},
                                     {"a__b/c-d:latest", "Always"},
                                     {"i:1", "IfNotPresent"},
                                     {"Bad_Name!", "IfNotPresent"},
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
