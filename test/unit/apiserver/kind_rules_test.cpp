// The kinds whose rules are rows: server-side fields that other controllers rely on.
#include "test/unit/apiserver/fixture.hpp"

namespace dcm::apiserver {
namespace {

constexpr std::string_view kDeployments = "/apis/apps/v1/namespaces/default/deployments";

constexpr std::string_view kWeb =
    R"({"metadata":{"name":"web"},"spec":{"selector":{"matchLabels":)"
    R"({"a":"b"}},"template":{"metadata":{"labels":{"a":"b"}},"spec":{"containers":[)"
    R"({"name":"c","image":"i:1"}]}}}})";

TEST_F(Api, sets_defaults_of_deployment_and_its_pods) {
  const Answer made = api.send("POST", kDeployments, kJson, std::string(kWeb));
  ASSERT_EQ(made.status, 201) << serialize(made.body);
  EXPECT_EQ(integer_at(made.body, {"spec", "replicas"}), 1);
  EXPECT_EQ(made.text({"spec", "strategy", "rollingUpdate", "maxSurge"}), "25%");
  EXPECT_EQ(made.text({"spec", "template", "spec", "dnsPolicy"}), "ClusterFirst");
  EXPECT_EQ(integer_at(made.body, {"metadata", "generation"}), 1);
}

TEST_F(Api, counts_generations_of_deployment_without_status) {
  api.send("POST", kDeployments, kJson, std::string(kWeb));
  const std::string web = std::string(kDeployments) + "/web";
  const Answer status = api.send("PATCH", web + "/status", kMerge,
                                 R"({"status":{"replicas":3},"spec":{"replicas":9}})");
  EXPECT_EQ(integer_at(status.body, {"metadata", "generation"}), 1);
  EXPECT_EQ(integer_at(status.body, {"spec", "replicas"}), 1) << "the spec is not its business";
  const Answer spec = api.send("PATCH", web, kMerge, R"({"spec":{"replicas":2}})");
  EXPECT_EQ(integer_at(spec.body, {"metadata", "generation"}), 2);
  EXPECT_EQ(integer_at(spec.body, {"status", "replicas"}), 3);
}

TEST_F(Api, counts_template_generations_of_daemon_sets_in_an_annotation) {
  constexpr std::string_view kSets = "/apis/apps/v1/namespaces/default/daemonsets";
  const auto count = [](const Answer& answer) {
    return answer.text({"metadata", "annotations", "deprecated.daemonset.template.generation"});
  };
  const std::string web = std::string(kSets) + "/web";
  EXPECT_EQ(count(api.send("POST", kSets, kJson, std::string(kWeb))), "1");
  EXPECT_EQ(count(api.patch(web, kMerge, R"({"spec":{"minReadySeconds":3}})")), "1");
  EXPECT_EQ(count(api.patch(web, kMerge,
                            R"({"metadata":{"annotations":{)"
                            R"("deprecated.daemonset.template.generation":"7"}}})")),
            "1");
  EXPECT_EQ(count(api.patch(web, kMerge, R"({"spec":{"template":{"spec":{"hostNetwork":true}}}})")),
            "2");
}

// What a chart leaves out or writes in full.
TEST_F(Api, writes_templates_and_roles_as_go) {
  const Answer made = api.send(
      "POST", kDeployments, kJson,
      R"({"metadata":{"name":"web"},"spec":{"selector":{"matchLabels":{"a":"b"}},"template":{)"
      R"("metadata":{"labels":{"a":"b"}},"spec":{"containers":[{"name":"c","image":"i:1","env":[)"
      R"({"name":"CPU","valueFrom":{"resourceFieldRef":{"resource":"limits.cpu"}}}],)"
      R"("volumeMounts":[{"name":"v","mountPath":"/v","readOnly":false}]}],)"
      R"("volumes":[{"name":"v","emptyDir":{}}]}}}})");
  const JsonObject& container =
      array_at(made.body, {"spec", "template", "spec", "containers"}).at(0).as_object();
  EXPECT_EQ(text_at(array_at(container, {"env"}).at(0).as_object(),
                    {"valueFrom", "resourceFieldRef", "divisor"}),
            "0");
  EXPECT_FALSE(array_at(container, {"volumeMounts"}).at(0).as_object().contains("readOnly"));
  const Answer role = api.send("POST", "/apis/rbac.authorization.k8s.io/v1/clusterroles", kJson,
                               R"({"metadata":{"name":"r"},"aggregationRule":{}})");
  ASSERT_TRUE(role.body.contains("rules")) << serialize(role.body);
  EXPECT_TRUE(role.body.at("rules").is_null());
  const Answer job = api.send(
      "POST", "/apis/batch/v1/namespaces/default/cronjobs", kJson,
      R"({"metadata":{"name":"j"},"spec":{"schedule":"@hourly","jobTemplate":{"spec":{"template":{)"
      R"("spec":{"restartPolicy":"Never","containers":[{"name":"c","image":"i"}]}}}}}})");
  EXPECT_TRUE(has(job.body, {"spec", "jobTemplate", "spec", "template", "metadata"}));
}

// Even an empty object of the kind has these parents.
TEST_F(Api, gives_the_maker_of_a_template_no_parents_that_go_always_writes) {
  std::string probed(kWeb);
  probed.replace(probed.find(R"("image":"i:1")"), 13,
                 R"("image":"i:1","livenessProbe":{"httpGet":{"port":80}})");
  const Answer made = api.send("POST", kDeployments, kJson, probed);
  const JsonObject& fields =
      object_at(array_at(made.body, {"metadata", "managedFields"}).at(0).as_object(), {"fieldsV1"});
  EXPECT_FALSE(has(fields, {"f:spec", "."})) << serialize(Json(fields));
  EXPECT_FALSE(has(fields, {"f:spec", "f:template", "f:spec", "f:containers", "."}));
  EXPECT_TRUE(has(fields, {"f:spec", "f:template", "f:metadata", "f:labels", "."}));
  EXPECT_TRUE(has(fields, {"f:spec", "f:template", "f:spec", "f:containers", R"(k:{"name":"c"})",
                           "f:resources"}));
  EXPECT_TRUE(has(fields, {"f:spec", "f:template", "f:spec", "f:containers", R"(k:{"name":"c"})",
                           "f:livenessProbe", "f:httpGet", "."}));
}

TEST_F(Api, rejects_selector_that_does_not_match_template) {
  std::string other(kWeb);
  other.replace(other.find(R"("labels":{"a")"), 13, R"("labels":{"x")");
  const Answer refused = api.send("POST", kDeployments, kJson, other);
  EXPECT_EQ(refused.status, 422);
  EXPECT_NE(refused.text({"message"}).find("`selector` does not match template `labels`"),
            std::string_view::npos);
}

TEST_F(Api, merges_template_containers_by_name) {
  api.send("POST", kDeployments, kJson, std::string(kWeb));
  const Answer patched =
      api.send("PATCH", std::string(kDeployments) + "/web", kStrategic,
               R"({"spec":{"template":{"spec":{"containers":[{"name":"d","image":"j:1"}]}}}})");
  EXPECT_EQ(array_at(patched.body, {"spec", "template", "spec", "containers"}).size(), 2U);
}

TEST_F(Api, gives_node_capacity_as_allocatable) {
  api.send("POST", "/api/v1/nodes", kJson, R"({"metadata":{"name":"n"}})");
  const Answer node = api.send("PATCH", "/api/v1/nodes/n/status", kMerge,
                               R"({"status":{"capacity":{"pods":"100"}}})");
  EXPECT_EQ(node.text({"status", "allocatable", "pods"}), "100");
  const Answer less = api.send("PATCH", "/api/v1/nodes/n/status", kMerge,
                               R"({"status":{"allocatable":{"pods":"90"}}})");
  EXPECT_EQ(less.text({"status", "allocatable", "pods"}), "90");
}

TEST_F(Api, selects_job_pods_by_uid) {
  const Answer made =
      api.send("POST", "/apis/batch/v1/namespaces/default/jobs", kJson,
               R"({"metadata":{"name":"j"},"spec":{"template":{"spec":{)"
               R"("restartPolicy":"Never","containers":[{"name":"c","image":"i"}]}}}})");
  ASSERT_EQ(made.status, 201) << serialize(made.body);
  EXPECT_EQ(
      made.text({"spec", "template", "metadata", "labels", "batch.kubernetes.io/controller-uid"}),
      made.text({"metadata", "uid"}));
  EXPECT_EQ(made.text({"spec", "selector", "matchLabels", "batch.kubernetes.io/controller-uid"}),
            made.text({"metadata", "uid"}));
  EXPECT_EQ(integer_at(made.body, {"spec", "parallelism"}), 1);
}

TEST_F(Api, encodes_secret_strings_as_bytes) {
  const Answer made = api.send("POST", "/api/v1/namespaces/default/secrets", kJson,
                               R"({"metadata":{"name":"s"},"stringData":{"k":"v?"}})");
  EXPECT_EQ(made.text({"data", "k"}), "dj8=");
  EXPECT_EQ(made.text({"type"}), "Opaque");
  EXPECT_FALSE(made.body.contains("stringData"));
}

TEST_F(Api, assigns_stable_service_address) {
  constexpr std::string_view kServices = "/api/v1/namespaces/default/services";
  const Answer made = api.send("POST", kServices, kJson,
                               R"({"metadata":{"name":"s"},"spec":{"ports":[{"port":80}]}})");
  const std::string address(made.text({"spec", "clusterIP"}));
  EXPECT_TRUE(address.starts_with("10.96.")) << serialize(made.body);
  const Answer replaced = api.send("PUT", std::string(kServices) + "/s", kJson,
                                   R"({"metadata":{"name":"s"},"spec":{"ports":[{"port":81}]}})");
  EXPECT_EQ(replaced.text({"spec", "clusterIP"}), address);
}

TEST_F(Api, shows_event_in_both_groups) {
  const Answer made =
      api.send("POST", "/apis/events.k8s.io/v1/namespaces/default/events", kJson,
               R"({"metadata":{"name":"e"},"note":"hello","regarding":{"kind":"Pod",)"
               R"("namespace":"default","name":"p"},"reportingController":"me"})");
  ASSERT_EQ(made.status, 201) << serialize(made.body);
  EXPECT_EQ(made.text({"note"}), "hello");
  const Answer core = api.get("/api/v1/namespaces/default/events/e");
  EXPECT_EQ(core.text({"message"}), "hello");
  EXPECT_EQ(core.text({"involvedObject", "name"}), "p");
  EXPECT_EQ(core.text({"reportingComponent"}), "me");
}

TEST_F(Api, allows_every_access_review) {
  const Answer may = api.send(
      "POST", "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews", kJson,
      R"({"apiVersion":"authorization.k8s.io/v1","kind":"SelfSubjectAccessReview","spec":{}})");
  EXPECT_EQ(may.status, 201);
  EXPECT_EQ(may.body.at("status").at("allowed"), Json(true));
  EXPECT_EQ(api.get("/apis/authorization.k8s.io/v1/selfsubjectaccessreviews").status, 405);
}

TEST_F(Api, defaults_container_limits) {
  const Answer made =
      api.post("/api/v1/namespaces/default/limitranges",
               R"({"metadata":{"name":"l"},"spec":{"limits":[{"type":"Container",)"
               R"("max":{"cpu":"2"},"min":{"memory":"1Gi","cpu":"1"},)"
               R"("default":{"memory":"2Gi"}},{"type":"Pod","max":{"cpu":"4"}}]}})");
  ASSERT_EQ(made.status, 201) << serialize(made.body);
  const JsonArray& limits = array_at(made.body, {"spec", "limits"});
  EXPECT_EQ(as_object(limits[0]).at("default"), (JsonObject{{"memory", "2Gi"}, {"cpu", "2"}}));
  EXPECT_EQ(as_object(limits[0]).at("defaultRequest"),
            (JsonObject{{"memory", "2Gi"}, {"cpu", "2"}}));
  EXPECT_FALSE(as_object(limits[1]).contains("default"));
}

TEST_F(Api, keeps_workload_revisions) {
  constexpr std::string_view kRevisions = "/apis/apps/v1/namespaces/default/controllerrevisions";
  const Answer made = api.post(kRevisions, R"({"metadata":{"name":"r"},"revision":3,)"
                                           R"("data":{"spec":{"template":{"a":[1,"x"]}}}})");
  ASSERT_EQ(made.status, 201) << serialize(made.body);
  const Answer kept = api.get(std::string(kRevisions) + "/r");
  EXPECT_EQ(integer_at(kept.body, {"revision"}), 3);
  EXPECT_EQ(serialize(kept.body.at("data")), R"({"spec":{"template":{"a":[1,"x"]}}})");
}

TEST_F(Api, warns_that_webhooks_are_not_called) {
  constexpr std::string_view kWebhooks =
      "/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations";
  const Answer made =
      api.send("POST", kWebhooks, kJson,
               R"({"metadata":{"name":"w"},"webhooks":[{"name":"w.example.com"}]})");
  ASSERT_EQ(made.status, 201) << serialize(made.body);
  EXPECT_EQ(integer_at(made.body, {"metadata", "generation"}), 1);
  EXPECT_EQ(
      made.header("Warning"),
      std::vector<std::string>{
          R"(299 - "this API server stores objects of this kind, but does not enforce them")"});
  EXPECT_TRUE(api.get(std::string(kWebhooks) + "/w").header("Warning").empty());
}

TEST_F(Api, sets_defaults_of_admission_policy) {
  const Answer made = api.send(
      "POST", "/apis/admissionregistration.k8s.io/v1/validatingadmissionpolicies", kJson,
      R"({"metadata":{"name":"p"},"spec":{"matchConstraints":{"resourceRules":[{)"
      R"("apiGroups":[""],"apiVersions":["v1"],"operations":["*"],"resources":["pods"]}]},)"
      R"("validations":[{"expression":"false"}]}})");
  ASSERT_EQ(made.status, 201) << serialize(made.body);
  EXPECT_EQ(made.text({"spec", "failurePolicy"}), "Fail");
  EXPECT_EQ(made.text({"spec", "matchConstraints", "matchPolicy"}), "Equivalent");
  EXPECT_EQ(integer_at(made.body, {"metadata", "generation"}), 1);
  EXPECT_TRUE(made.header("Warning").empty());
}

TEST_F(Api, sets_defaults_of_jobs_daemon_sets_and_services) {
  const Answer job = api.post(
      "/apis/batch/v1/namespaces/default/jobs",
      R"({"metadata":{"name":"j"},"spec":{"backoffLimitPerIndex":1,"completionMode":"Indexed",)"
      R"("completions":1,"podFailurePolicy":{"rules":[]},"template":{"metadata":{"labels":)"
      R"({"a":"b"}},"spec":{"restartPolicy":"Never","containers":[{"name":"c","image":"i"}]}}}})");
  ASSERT_EQ(job.status, 201) << serialize(job.body);
  EXPECT_EQ(integer_at(job.body, {"spec", "backoffLimit"}), 2'147'483'647);
  EXPECT_EQ(job.text({"spec", "podReplacementPolicy"}), "Failed");
  EXPECT_EQ(object_at(job.body, {"metadata", "labels"}),
            object_at(job.body, {"spec", "template", "metadata", "labels"}));
  const Answer set = api.post(
      "/apis/apps/v1/namespaces/default/daemonsets",
      R"({"metadata":{"name":"d"},"spec":{"selector":{"matchLabels":{"a":"b"}},"updateStrategy":)"
      R"({"type":"RollingUpdate"},"template":{"metadata":{"labels":{"a":"b"}},"spec":)"
      R"({"containers":[{"name":"c","image":"i"}]}}}})");
  EXPECT_EQ(serialize(object_at(set.body, {"spec", "updateStrategy", "rollingUpdate"})),
            R"({"maxUnavailable":1,"maxSurge":0})");
  const Answer service = api.post("/api/v1/namespaces/default/services",
                                  R"({"metadata":{"name":"s"},"spec":{"type":"LoadBalancer",)"
                                  R"("ports":[{"port":80}]}})");
  EXPECT_EQ(service.text({"spec", "externalTrafficPolicy"}), "Cluster");
  EXPECT_TRUE(has(service.body, {"status", "loadBalancer"}));
}

TEST_F(Api, derives_types_of_network_policy) {
  constexpr std::string_view kPolicies =
      "/apis/networking.k8s.io/v1/namespaces/default/networkpolicies";
  const Answer made = api.send("POST", kPolicies, kJson,
                               R"({"metadata":{"name":"p"},"spec":{"podSelector":{},"egress":[)"
                               R"({"ports":[{"port":53}]}]}})");
  ASSERT_EQ(made.status, 201) << serialize(made.body);
  EXPECT_EQ(serialize(Json(array_at(made.body, {"spec", "policyTypes"}))),
            R"(["Ingress","Egress"])");
}

// As accepted and rejected by a real server (1.37).
TEST_F(Api, supports_field_selectors_of_kind) {
  struct Row {
    std::string_view path;
    std::string_view fields;
    int status;
  };
  constexpr Row kRows[] = {
      {"/api/v1/secrets", "type=x", 200},
      {"/api/v1/services", "spec.type=ClusterIP,spec.clusterIP=x", 200},
      {"/api/v1/replicationcontrollers", "status.replicas=1", 200},
      {"/apis/batch/v1/jobs", "status.successful=1", 200},
      {"/apis/apps/v1/replicasets", "status.replicas=1", 400},
      {"/api/v1/pods", "spec.hostNetwork=true", 200},
      {"/api/v1/events", "involvedObject.name=x,source=x,reportingComponent=x", 200},
      {"/api/v1/events", "regarding.name=x", 400},
      {"/apis/events.k8s.io/v1/events", "regarding.name=x,reportingController=x,type=Normal", 200},
      {"/apis/events.k8s.io/v1/events", "involvedObject.name=x", 400},
      {"/apis/events.k8s.io/v1/events", "source=x", 400},
  };
  for (const Row& row : kRows) {
    const std::string path = std::string(row.path) + "?fieldSelector=" + std::string(row.fields);
    EXPECT_EQ(api.get(path).status, row.status) << path;
  }
}

struct Priorities : Api {
  Answer pod(const std::string& name, const std::string& spec) {
    return api.post(kPods, R"({"metadata":{"name":")" + name +
                               R"("},"spec":{"containers":[{"name":"c","image":"i"}])" + spec +
                               "}}");
  }
  Answer make_class(const std::string& name, const std::string& rest) {
    return api.send("POST", "/apis/scheduling.k8s.io/v1/priorityclasses", kJson,
                    R"({"metadata":{"name":")" + name + R"("},"value":)" + rest + "}");
  }
  static std::string of(const Answer& pod) {
    const auto priority = integer_at(pod.body, {"spec", "priority"});
    return std::to_string(priority.value_or(-1)) + " " +
           std::string(text_at(pod.body, {"spec", "preemptionPolicy"})) + " " +
           std::string(text_at(pod.body, {"spec", "priorityClassName"}));
  }
};

TEST_F(Priorities, come_from_priority_class) {
  EXPECT_EQ(of(pod("none", "")), "0 PreemptLowerPriority ");
  EXPECT_EQ(of(pod("system", R"(,"priorityClassName":"system-node-critical")")),
            "2000001000 PreemptLowerPriority system-node-critical");
  make_class("high", R"(1000,"preemptionPolicy":"Never")");
  make_class("usual", R"(7,"globalDefault":true)");
  EXPECT_EQ(of(pod("high", R"(,"priorityClassName":"high")")), "1000 Never high");
  EXPECT_EQ(of(pod("usual", "")), "7 PreemptLowerPriority usual");
}

TEST_F(Priorities, are_rejected_if_set_by_pod) {
  const Answer unknown = pod("a", R"(,"priorityClassName":"high")");
  EXPECT_EQ(unknown.status, 403);
  EXPECT_EQ(unknown.text({"message"}),
            R"(pods "a" is forbidden: no PriorityClass with name high was found)");
  const Answer own = pod("b", R"(,"priority":5)");
  EXPECT_EQ(own.status, 403);
  EXPECT_EQ(own.text({"message"}),
            R"(pods "b" is forbidden: the integer value of priority (5) must not be provided in )"
            "pod spec; priority admission controller computed 0 from the given PriorityClass name");
  EXPECT_EQ(pod("c", R"(,"preemptionPolicy":"Never")").status, 403);
}

TEST_F(Priorities, have_one_default) {
  make_class("usual", R"(7,"globalDefault":true)");
  const Answer second = make_class("other", R"(3,"globalDefault":true)");
  EXPECT_EQ(second.status, 403);
  EXPECT_EQ(second.text({"message"}),
            R"(priorityclasses.scheduling.k8s.io "other" is forbidden: PriorityClass usual is )"
            "already marked as default. Only one default can exist");
}

TEST_F(Api, allows_only_change_of_toleration_seconds) {
  api.post(kPods,
           R"({"metadata":{"name":"trainer-0"},"spec":{"containers":[{"name":"c","image":"i"}],
      "tolerations":[{"key":"k","operator":"Exists","effect":"NoExecute","tolerationSeconds":300}]}})");
  const auto change = [&](const std::string& operation) {
    return api.send("PATCH", kPod, "application/json-patch+json", "[" + operation + "]").status;
  };
  EXPECT_EQ(change(R"({"op":"replace","path":"/spec/tolerations/0/tolerationSeconds","value":60})"),
            200);
  EXPECT_EQ(change(R"({"op":"remove","path":"/spec/tolerations/0/tolerationSeconds"})"), 200);
  EXPECT_EQ(change(R"({"op":"replace","path":"/spec/tolerations/0/key","value":"j"})"), 422);
}

// A client of an earlier process has versions that mean nothing here.
TEST(FirstRevision, makes_earlier_versions_too_old) {
  runtime::VirtualTime time;
  Server server(time, runtime::Rng(1), {.first_revision = 1000});
  Direct api(server);
  EXPECT_EQ(api.get("/api/v1/pods?resourceVersion=500&resourceVersionMatch=Exact").status, 410);
  const auto watch = api.watch("/api/v1/pods?watch=true&resourceVersion=500");
  ASSERT_TRUE(watch);
  EXPECT_EQ(summary(drain(**watch)), std::vector<std::string>{"ERROR Expired"});
}

}  // namespace
}  // namespace dcm::apiserver
