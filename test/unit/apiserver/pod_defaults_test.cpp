// What a server adds to pods, and to the pods in workloads' templates, for unset fields.
#include "apiserver/rules/quality_of_service.hpp"
#include "test/unit/apiserver/fixture.hpp"

namespace dcm::apiserver {
namespace {

struct QosRow {
  std::string_view sentence;
  std::string_view spec;
  std::string_view qos;
};

TEST(QosClass, depends_only_on_cpu_and_memory) {
  const QosRow rows[] = {
      {"nothing asked for", R"({"containers":[{}]})", "BestEffort"},
      {"an extended resource only",
       R"({"containers":[{"resources":{"requests":{"a.b/gpu":"1"},"limits":{"a.b/gpu":"1"}}}]})",
       "BestEffort"},
      {"all asked for and limited",
       R"({"containers":[{"resources":{"requests":{"cpu":"1","memory":"1Gi"},)"
       R"("limits":{"cpu":"1","memory":"1Gi"}}}]})",
       "Guaranteed"},
      {"the same quantities in other words",
       R"({"containers":[{"resources":{"requests":{"cpu":"1000m","memory":"1024Mi"},)"
       R"("limits":{"cpu":1,"memory":"1Gi"}}}]})",
       "Guaranteed"},
      {"guaranteed but for an extended resource",
       R"({"containers":[{"resources":{"requests":{"cpu":"1","memory":"1Gi"},)"
       R"("limits":{"cpu":"1","memory":"1Gi","a.b/gpu":"1"}}}]})",
       "Guaranteed"},
      {"cpu alone",
       R"({"containers":[{"resources":{"requests":{"cpu":"1"},"limits":{"cpu":"1"}}}]})",
       "Burstable"},
      {"one container of two",
       R"({"containers":[{"resources":{"requests":{"cpu":"1","memory":"1Gi"},)"
       R"("limits":{"cpu":"1","memory":"1Gi"}}},{}]})",
       "Burstable"},
      {"zero is nothing", R"({"containers":[{"resources":{"requests":{"cpu":"0"}}}]})",
       "BestEffort"},
      {"the pod as a whole",
       R"({"resources":{"requests":{"cpu":"1","memory":"1Gi"},"limits":{"cpu":"1","memory":"1Gi"}},)"
       R"("containers":[{"resources":{"requests":{"cpu":"500m"}}}]})",
       "Guaranteed"},
      {"the pod as a whole, without limits",
       R"({"resources":{"requests":{"cpu":"1"}},"containers":[{}]})", "Burstable"},
  };
  for (const QosRow& row : rows) EXPECT_EQ(qos_class(object_of(row.spec)), row.qos) << row.sentence;
}

constexpr std::string_view kJobs = "/apis/batch/v1/namespaces/default/jobs";

std::string job_of(std::string_view spec) {
  return R"({"metadata":{"name":"j"},"spec":{"template":{"spec":)" + std::string(spec) + "}}}";
}

std::string pod_of(std::string_view spec) {
  return R"({"metadata":{"name":"trainer-0"},"spec":)" + std::string(spec) + "}";
}

constexpr std::string_view kSpec =
    R"({"restartPolicy":"Never","schedulingGroup":{"podGroupName":"g"},"serviceAccount":"robot",)"
    R"("volumes":[{"name":"a","configMap":{"name":"c"}},{"name":"b","hostPath":{"path":"/"}},)"
    R"({"name":"c"}],"containers":[{"name":"c","image":"i","env":[{"name":"E","value":""},)"
    R"({"name":"F","valueFrom":{"fieldRef":{"fieldPath":"metadata.name"}}}],)"
    R"("resources":{"limits":{"cpu":"1"}},)"
    R"("readinessProbe":{"httpGet":{"port":80},"periodSeconds":0}}]})";

void expect_common_defaults(const JsonObject& spec) {
  const JsonArray& volumes = array_at(spec, {"volumes"});
  EXPECT_EQ(integer_at(as_object(volumes[0]), {"configMap", "defaultMode"}), 420);
  EXPECT_EQ(*find(as_object(volumes[1]), {"hostPath", "type"}), Json(""));
  EXPECT_TRUE(has(as_object(volumes[2]), {"emptyDir"}));
  EXPECT_EQ(text_at(spec, {"serviceAccountName"}), "robot");
  EXPECT_FALSE(has(spec, {"schedulingGroup"})) << "dropped while no groups are served";
  const JsonObject& container = as_object(array_at(spec, {"containers"})[0]);
  const JsonObject& probe = object_at(container, {"readinessProbe"});
  EXPECT_EQ(serialize(probe),
            R"({"httpGet":{"port":80,"path":"/","scheme":"HTTP"},"timeoutSeconds":1,)"
            R"("periodSeconds":10,"successThreshold":1,"failureThreshold":3})");
  const JsonArray& env = array_at(container, {"env"});
  EXPECT_FALSE(has(as_object(env[0]), {"value"}));
  EXPECT_EQ(text_at(as_object(env[1]), {"valueFrom", "fieldRef", "apiVersion"}), "v1");
}

TEST_F(Api, sets_defaults_of_pods) {
  const Answer made = api.post(kPods, pod_of(kSpec));
  ASSERT_EQ(made.status, 201) << serialize(made.body);
  const JsonObject& spec = object_at(made.body, {"spec"});
  expect_common_defaults(spec);
  EXPECT_TRUE(has(spec, {"enableServiceLinks"}));
  EXPECT_EQ(text_at(as_object(array_at(spec, {"containers"})[0]), {"resources", "requests", "cpu"}),
            "1");
}

TEST_F(Api, sets_pod_defaults_of_templates) {
  const Answer made = api.post(kJobs, job_of(kSpec));
  ASSERT_EQ(made.status, 201) << serialize(made.body);
  const JsonObject& spec = object_at(made.body, {"spec", "template", "spec"});
  expect_common_defaults(spec);
  EXPECT_FALSE(has(spec, {"enableServiceLinks"}));
  EXPECT_FALSE(has(as_object(array_at(spec, {"containers"})[0]), {"resources", "requests"}));
}

TEST_F(Api, defaults_pull_policy_for_invalid_image_name) {
  const Answer made = api.post(
      kPods, pod_of(R"({"containers":[{"name":"c","image":")" + std::string(256, 'i') + R"("}]})"));
  EXPECT_EQ(text_at(as_object(array_at(made.body, {"spec", "containers"})[0]), {"imagePullPolicy"}),
            "IfNotPresent");
}

TEST_F(Api, rejects_node_taints_that_no_pod_could_tolerate) {
  const Answer refused = api.post(
      "/api/v1/nodes",
      R"({"metadata":{"name":"n"},"spec":{"taints":[{"key":"k","effect":"Never"},{"key":"k"}]}})");
  EXPECT_EQ(refused.status, 422);
  const JsonArray& causes = array_at(refused.body, {"details", "causes"});
  ASSERT_EQ(causes.size(), 2U);
  EXPECT_EQ(text_at(as_object(causes[0]), {"field"}), "metadata.taints[0].effect");
  EXPECT_EQ(text_at(as_object(causes[1]), {"field"}), "metadata.taints[1].effect");
}

}  // namespace
}  // namespace dcm::apiserver
