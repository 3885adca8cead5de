// Warnings for clients that create objects on the playground.
#include "playground/advice.hpp"

#include <gmock/gmock.h>

#include "apiserver/front/direct.hpp"
#include "runtime/virtual_time.hpp"

namespace dcm::playground {
namespace {

using apiserver::Direct;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using By = Attended::By;

constexpr std::string_view kPods = "/api/v1/namespaces/default/pods";
constexpr std::string_view kJobs = "/apis/batch/v1/namespaces/default/jobs";
constexpr std::string_view kApps = "/apis/apps/v1/namespaces/default/";

const std::string kContainers = R"("containers":[{"name":"c","image":"i"}])";

std::string job(std::string_view name, std::string_view metadata = "{}") {
  return R"({"metadata":{"name":")" + std::string(name) + R"("},"spec":{"template":{"metadata":)" +
         std::string(metadata) + R"(,"spec":{"restartPolicy":"Never",)" + kContainers + "}}}}";
}

std::string workload(std::string_view more = "") {
  return R"({"metadata":{"name":"w")" + std::string(more) +
         R"(},"spec":{"selector":{"matchLabels":{"a":"b"}},)"
         R"("template":{"metadata":{"labels":{"a":"b"}},"spec":{)" +
         kContainers + "}}}}";
}

std::string pod(std::string_view name, std::string_view more = "") {
  return R"({"metadata":{"name":")" + std::string(name) + R"("},"spec":{)" + kContainers +
         std::string(more) + "}}";
}

struct Scene {
  explicit Scene(Attended attended = {})
      : server(time, runtime::Rng(1), {.advice = [attended](const apiserver::ObjectWrite& made) {
                 return advise(attended, made);
               }}) {}

  std::vector<std::string> warnings(std::string_view target, const std::string& body) {
    const apiserver::Answer answer = Direct(server).post(target, body);
    EXPECT_EQ(answer.status, 201) << apiserver::serialize(answer.body);
    return answer.header("Warning");
  }
  std::unique_ptr<apiserver::Watch> watch(std::string_view user_agent, std::string_view target) {
    auto opened = Direct(server, std::string(user_agent)).watch(std::string(target) + "?watch=1");
    EXPECT_TRUE(opened);
    return opened ? std::move(*opened) : nullptr;
  }

  runtime::VirtualTime time;
  apiserver::Server server;
};

TEST(Advice, warns_of_job_without_controller_manager) {
  Scene scene;
  EXPECT_THAT(scene.warnings(kJobs, job("a")),
              ElementsAre(HasSubstr("no pods will be made from this Job")));
  {
    const auto kubectl = scene.watch("kubectl/v1.37.2", "/apis/batch/v1/jobs");
    const auto collector =
        scene.watch("kube-controller-manager/v1.37.2 (linux/amd64) kubernetes/1/metadata-informers",
                    "/apis/batch/v1/jobs");
    EXPECT_THAT(scene.warnings(kJobs, job("b")),
                ElementsAre(HasSubstr("no pods will be made from this Job")));
    const auto controller =
        scene.watch("kube-controller-manager/v1.37.2 (linux/amd64) kubernetes/1/shared-informers",
                    "/apis/batch/v1/jobs");
    EXPECT_THAT(scene.warnings(kJobs, job("c")), ElementsAre(HasSubstr("end only if")));
  }
  EXPECT_THAT(scene.warnings(kJobs, job("d")),
              ElementsAre(HasSubstr("no pods will be made from this Job")));
}

TEST(Advice, skips_job_whose_pods_declare_their_end) {
  Scene scene({.workloads = By::playground});
  const std::string annotations =
      R"({"annotations":{"playground.dra-controller-manager.dev/run-for":"1s"}})";
  EXPECT_THAT(scene.warnings(kJobs, job("a", annotations)), IsEmpty());
}

TEST(Advice, warns_that_hollow_nodes_run_no_program_of_daemon_set) {
  Scene scene({.workloads = By::playground});
  EXPECT_THAT(scene.warnings(std::string(kApps) + "daemonsets", workload()),
              ElementsAre(HasSubstr("start the program of this DaemonSet yourself")));
}

TEST(Advice, skips_objects_created_by_controllers) {
  Scene scene;
  const std::string owned =
      R"(,"ownerReferences":[{"apiVersion":"apps/v1","kind":"Deployment","name":"d","uid":"u",)"
      R"("controller":true}])";
  EXPECT_THAT(scene.warnings(std::string(kApps) + "replicasets", workload(owned)), IsEmpty());
}

TEST(Advice, warns_of_claim_template_without_manager) {
  Scene scene;
  const std::string claims = R"(,"resourceClaims":[{"name":"c","resourceClaimTemplateName":"t"}])";
  EXPECT_THAT(
      scene.warnings(kPods, pod("a", claims)),
      ElementsAre(HasSubstr("no claims will be made from the claim templates of this Pod")));
  const auto manager = scene.watch("dra-controller-manager/v0.1.0",
                                   "/apis/resource.k8s.io/v1/resourceclaimtemplates");
  EXPECT_THAT(scene.warnings(kPods, pod("b", claims)), IsEmpty());
}

// Its kube-scheduler is silent about pods whose claims are not made yet.
TEST(Advice, warns_of_workload_claim_template_without_manager) {
  Scene scene({.workloads = By::playground});
  const auto collector =
      scene.watch("kube-controller-manager/v1.37.2 kubernetes/1/shared-informers",
                  "/apis/resource.k8s.io/v1/resourceclaimtemplates");
  const std::string deployment =
      R"({"metadata":{"name":"d"},"spec":{"selector":{"matchLabels":{"a":"b"}},"template":{)"
      R"("metadata":{"labels":{"a":"b"}},"spec":{"resourceClaims":[{"name":"c",)"
      R"("resourceClaimTemplateName":"t"}],)" +
      kContainers + "}}}}";
  EXPECT_THAT(
      scene.warnings(std::string(kApps) + "deployments", deployment),
      ElementsAre(HasSubstr("no claims will be made from the claim templates of this Deployment"),
                  HasSubstr("hollow nodes run no containers")));
}

TEST(Advice, warns_of_pod_without_scheduler) {
  Scene with_own;
  EXPECT_THAT(with_own.warnings(kPods, pod("a")), IsEmpty());
  EXPECT_THAT(with_own.warnings(kPods, pod("b", R"(,"schedulerName":"mine")")),
              ElementsAre(HasSubstr("could place this pod (schedulerName \\\"mine\\\")")));
  Scene without({.scheduling = By::others});
  EXPECT_THAT(without.warnings(kPods, pod("a")), ElementsAre(HasSubstr("no scheduler")));
  EXPECT_THAT(without.warnings(kPods, pod("b", R"(,"nodeName":"n")")), IsEmpty());
  const auto scheduler = without.watch("kube-scheduler/v1.37.2 (linux/amd64)", "/api/v1/pods");
  EXPECT_THAT(without.warnings(kPods, pod("c")), IsEmpty());
}

TEST(Advice, names_feature_gates_that_slice_relies_on) {
  Scene scene;
  const auto slice = [](std::string_view name, std::string_view more) {
    return R"({"metadata":{"name":")" + std::string(name) +
           R"("},"spec":{"driver":"d.example.com","pool":{"name":"p","generation":1,)"
           R"("resourceSliceCount":1},"allNodes":true,)" +
           std::string(more) + "}}";
  };
  constexpr std::string_view kSlices = "/apis/resource.k8s.io/v1/resourceslices";
  EXPECT_THAT(scene.warnings(kSlices, slice("a", R"("devices":[{"name":"g","attributes":{)"
                                                 R"("x":{"string":"s"}}}])")),
              IsEmpty());
  // Drivers' helpers make the Node the controller of their slices.
  std::string owned = slice("c", R"("skipNodeOperations":["*"],"devices":[{"name":"g"}])");
  owned.insert(owned.find(R"("name")"),
               R"("ownerReferences":[{"apiVersion":"v1","kind":"Node","name":"n","uid":"u",)"
               R"("controller":true}],)");
  EXPECT_THAT(scene.warnings(kSlices, owned),
              ElementsAre(HasSubstr("feature gate DRAOptionalNodeOperations is on")));
  EXPECT_THAT(
      scene.warnings(
          kSlices, slice("b", R"("skipNodeOperations":["*"],"devices":[{"name":"g","attributes":{)"
                              R"("x":{"strings":["s"]},"y":{"ints":[1]}},"consumesCounters":[{)"
                              R"("counterSet":"c","counters":{"m":{"value":"1"}},)"
                              R"("compatibilityGroups":["a"]}]}])")),
      ElementsAre(HasSubstr("its feature gate DRADeviceCompatibilityGroups is on"),
                  HasSubstr("feature gate DRAListTypeAttributes is on"),
                  HasSubstr("skipNodeOperations is an alpha field: a server drops it unless its "
                            "feature gate DRAOptionalNodeOperations is on")));
}

TEST(Advice, names_feature_gates_of_fields_that_update_adds) {
  Scene scene;
  const auto slice = [](std::string_view more, std::string_view attribute) {
    return R"({"apiVersion":"resource.k8s.io/v1","kind":"ResourceSlice","metadata":{"name":"a"},)"
           R"("spec":{"driver":"d.example.com","pool":{"name":"p","generation":1,)"
           R"("resourceSliceCount":1},"allNodes":true,"devices":[{"name":"g","attributes":{"x":{)" +
           std::string(attribute) + "}}}]" + std::string(more) + "}}";
  };
  constexpr std::string_view kSlices = "/apis/resource.k8s.io/v1/resourceslices";
  const std::string path = std::string(kSlices) + "/a";
  EXPECT_THAT(scene.warnings(kSlices, slice("", R"("string":"s")")), IsEmpty());
  apiserver::Direct api(scene.server);
  const auto is_of_lists = ElementsAre(HasSubstr("feature gate DRAListTypeAttributes is on"));
  EXPECT_THAT(api.put(path, slice("", R"("strings":["s"])")).header("Warning"), is_of_lists);
  EXPECT_THAT(api.put(path, slice("", R"("ints":[1])")).header("Warning"), IsEmpty())
      << "it has relied on that gate before";
  EXPECT_THAT(api.patch(path, apiserver::kMerge, R"({"spec":{"skipNodeOperations":["*"]}})")
                  .header("Warning"),
              ElementsAre(HasSubstr("feature gate DRAOptionalNodeOperations is on")));
  EXPECT_THAT(api.put(path, slice("", R"("string":"s")")).header("Warning"), IsEmpty());
  EXPECT_THAT(api.patch(path + "?fieldManager=m&force=true", apiserver::kApply,
                        slice("", R"("strings":["s"])"))
                  .header("Warning"),
              is_of_lists);
}

TEST(Advice, names_group_dropped_from_pod) {
  Scene scene;
  EXPECT_THAT(scene.warnings(kPods, pod("a", R"(,"schedulingGroup":{"podGroupName":"g"})")),
              ElementsAre(HasSubstr("schedulingGroup is dropped")));
}

std::string webhooks(std::string_view webhook) {
  return R"({"metadata":{"name":"w"},"webhooks":[{"name":"hook.example.com","sideEffects":"None",)"
         R"("admissionReviewVersions":["v1"],"clientConfig":{"url":"https://localhost/"},)" +
         std::string(webhook) + "}]}";
}

TEST(Advice, names_uncalled_webhook_in_affected_writes) {
  Scene scene;
  const std::string_view configurations =
      "/apis/admissionregistration.k8s.io/v1/mutatingwebhookconfigurations";
  const std::string rules =
      R"("rules":[{"operations":["CREATE"],"apiGroups":[""],"apiVersions":["v1"],)"
      R"("resources":["pods"]}],"objectSelector":{"matchLabels":{"a":"b"}})";
  EXPECT_THAT(scene.warnings(configurations, webhooks(rules)),
              ElementsAre(HasSubstr("does not enforce them")));
  EXPECT_THAT(scene.warnings(kPods, pod("a")), IsEmpty());
  EXPECT_THAT(scene.warnings(kPods, R"({"metadata":{"name":"b","labels":{"a":"b"}},"spec":{)" +
                                        kContainers + "}}"),
              ElementsAre(HasSubstr("the webhook hook.example.com of "
                                    "MutatingWebhookConfiguration w is about this write")));
  EXPECT_THAT(scene.warnings("/api/v1/namespaces/default/configmaps",
                             R"({"metadata":{"name":"c","labels":{"a":"b"}}})"),
              IsEmpty());
}

struct Row {
  std::string target;
  std::string body;
  std::string says;
};

class Unattended : public testing::TestWithParam<Row> {};

TEST_P(Unattended, is_reported_on_create) {
  Scene scene;
  EXPECT_THAT(scene.warnings(GetParam().target, GetParam().body),
              ElementsAre(HasSubstr(GetParam().says)));
}

const std::string kMetadata = R"("metadata":{"name":"o"})";

INSTANTIATE_TEST_SUITE_P(
    Rows, Unattended,
    testing::Values(
        Row{std::string(kApps) + "deployments", workload(),
            "no pods will be made from this Deployment"},
        Row{"/apis/batch/v1/namespaces/default/cronjobs",
            R"({"metadata":{"name":"c"},"spec":{"schedule":"* * * * *","jobTemplate":{"spec":)"
            R"({"template":{"spec":{"restartPolicy":"Never",)" +
                kContainers + "}}}}}}",
            "no jobs will be made from this CronJob"},
        Row{"/apis/policy/v1/namespaces/default/poddisruptionbudgets",
            "{" + kMetadata + R"(,"spec":{"minAvailable":1}})", "allows no eviction"},
        Row{"/api/v1/namespaces/default/persistentvolumeclaims",
            "{" + kMetadata +
                R"(,"spec":{"accessModes":["ReadWriteOnce"],"resources":{"requests":{"storage":"1Gi"}}}})",
            "nothing binds"},
        Row{"/api/v1/namespaces/default/services",
            "{" + kMetadata + R"(,"spec":{"ports":[{"port":80}]}})", "leads nowhere"},
        Row{"/apis/networking.k8s.io/v1/namespaces/default/networkpolicies",
            "{" + kMetadata + R"(,"spec":{"podSelector":{}}})", "holds nothing up"},
        Row{"/apis/rbac.authorization.k8s.io/v1/namespaces/default/rolebindings",
            "{" + kMetadata + R"(,"roleRef":{"kind":"Role","name":"r"}})", "no authorization"}));

}  // namespace
}  // namespace dcm::playground
