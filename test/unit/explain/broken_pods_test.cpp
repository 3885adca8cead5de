// Pods that hang because of their claims, explained twice: by a running manager's page, and from a
// cluster that was read once.
#include <string>
#include <vector>

#include <boost/json/parse.hpp>
#include <boost/json/value.hpp>
#include <fmt/format.h>

#include "apiserver/front/direct.hpp"
#include "apiserver/front/http_front.hpp"
#include "explain/ask_manager.hpp"
#include "explain/page.hpp"
#include "explain/read_cluster.hpp"
#include "runtime/http/pipe.hpp"
#include "runtime/task_group.hpp"
#include "test/support/co_test.hpp"
#include "test/unit/herd/whole_manager.hpp"

namespace dcm::explain {
namespace {

using namespace manager;

using namespace std::chrono_literals;
namespace json = boost::json;
using runtime::Deadline;
using runtime::sleep_for;
using runtime::Task;

const http::Endpoint kManager{http::Security::plain, "manager", 80};

Subject pod(const std::string& name) {
  return {Subject::Kind::pod, {"default", name}};
}

// "stuck ClaimMissing: There is no …", one line each.
std::string findings_of(const ExplainOutcome& outcome) {
  if (!outcome.text.starts_with("{")) return outcome.text;
  std::string text;
  for (const json::value& topic : json::parse(outcome.text).at("topics").as_array()) {
    for (const json::value& finding : topic.at("findings").as_array()) {
      text += fmt::format("{} {}: {}\n", finding.at("outlook").as_string().c_str(),
                          finding.at("reason").as_string().c_str(),
                          finding.at("text").as_string().c_str());
    }
  }
  return text;
}

// A cluster with a manager in it.
class Scene {
 public:
  explicit Scene(runtime::VirtualLoop& virtual_loop,
                 apiserver::ServedVersions served = {.pod_groups = {"v1beta1"}})
      : loop(virtual_loop),
        server(loop.time(), runtime::Rng(2), {.log_limit = 0, .served = std::move(served)}),
        network(loop.time()),
        listener(network.listen("server", 80)),
        manager_listener(network.listen(kManager.host, kManager.port)),
        http(http::make_client(network, loop.time(), {.origin = kManager})),
        manager(loop, network),
        group(loop.executor()) {
    pages.add(make_explain_page(
        loop.time(), {.source = [this] { return source(); }, .teller = [] { return Teller{}; }}));
    group.spawn("server", http::serve(*listener, loop.time(), apiserver::front_options(),
                                      apiserver::http_handler(server, loop.time()), {}));
    group.spawn("pages",
                http::serve(*manager_listener, loop.time(), {}, make_open_handler(pages), {}));
  }

  void post(const std::string& collection, const std::string& body) {
    const apiserver::Answer answer = direct.post(path_of_collection(collection), body);
    EXPECT_TRUE(answer.ok()) << collection << apiserver::serialize(answer.body);
    last_uid = std::string(answer.uid());
  }
  void patch(const std::string& object, const std::string& body) {
    const apiserver::Answer answer =
        direct.patch(path_of_collection(object), apiserver::kMerge, body);
    EXPECT_TRUE(answer.ok()) << object << apiserver::serialize(answer.body);
  }
  void remove(const std::string& object) {
    EXPECT_TRUE(direct.remove(path_of_collection(object)).ok());
  }
  // A pod with one pod claim "accel", given as JSON.
  void add_pod(const std::string& name, const std::string& source_of_claim,
               const std::string& more = "") {
    post("pods",
         fmt::format(R"({{"metadata":{{"name":"{}"}},"spec":{{{}"containers":[)"
                     R"({{"name":"c","image":"i"}}],"resourceClaims":[{{"name":"accel",{}}}]}}}})",
                     name, more, source_of_claim));
  }
  void add_claim(const std::string& name, const std::string& metadata = "") {
    post("resourceclaims",
         fmt::format(R"({{"metadata":{{{}"name":"{}"}},"spec":{{"devices":{{"requests":[{{)"
                     R"("name":"r","exactly":{{"deviceClassName":"gpu"}}}}]}}}}}})",
                     metadata, name));
  }
  // Allocated to gpu-0, with a toleration for an hour, and reserved for these pods.
  void allocate(const std::string& claim, const std::string& reserved_for) {
    patch("resourceclaims/" + claim,
          R"({"metadata":{"finalizers":["resource.kubernetes.io/delete-protection"]}})");
    patch("resourceclaims/" + claim + "/status",
          fmt::format(
              R"({{"status":{{"allocation":{{"devices":{{"results":[{{"request":"r",)"
              R"("driver":"gpu.example.com","pool":"p","device":"gpu-0","tolerations":[{{)"
              R"("operator":"Exists","effect":"NoExecute","tolerationSeconds":3600}}]}}]}}}},)"
              R"("reservedFor":[{}]}}}})",
              reserved_for));
  }
  std::string as_consumer(const std::string& name) const {
    return fmt::format(R"({{"resource":"pods","name":"{}","uid":"{}"}})", name, last_uid);
  }

  void post_group(const std::string& name) {
    const apiserver::Answer answer = direct.post(
        "/apis/scheduling.k8s.io/v1beta1/namespaces/default/podgroups",
        fmt::format(
            R"({{"metadata":{{"name":"{}"}},"spec":{{"schedulingPolicy":{{"basic":{{}}}}}}}})",
            name));
    EXPECT_TRUE(answer.ok()) << apiserver::serialize(answer.body);
  }
  void post_lease(const std::string& holder, const std::string& renewed) {
    const apiserver::Answer answer = direct.post(
        "/apis/coordination.k8s.io/v1/namespaces/kube-system/leases",
        fmt::format(R"({{"metadata":{{"name":"dra-controller-manager"}},"spec":{{"holderIdentity":)"
                    R"("{}","leaseDurationSeconds":15,"renewTime":"{}"}}}})",
                    holder, renewed));
    EXPECT_TRUE(answer.ok()) << apiserver::serialize(answer.body);
  }

  // Asks the manager's page.
  Task<ExplainOutcome> ask(Subject subject) {
    co_return co_await ask_manager(
        *http, *credentials,
        {.subject = std::move(subject), .format = Format::json, .server = "manager"});
  }
  // Reads the cluster, as the command does.
  Task<ExplainOutcome> read(Subject subject) {
    co_return co_await read_cluster(manager.connection->rest(), loop.time(),
                                    {.subject = std::move(subject), .format = Format::json});
  }
  const ExplanationSource* source() const { return manager.explanations.source; }
  Task<> stop() {
    co_await manager.stop();
    http->close_idle();
    group.cancel();
    co_await group.join();
  }

  runtime::VirtualLoop& loop;
  apiserver::Server server;
  http::PipeNetwork network;
  std::unique_ptr<http::Listener> listener;
  std::unique_ptr<http::Listener> manager_listener;
  std::unique_ptr<http::Client> http;
  std::unique_ptr<client::Credentials> credentials = client::make_credentials({}, {loop.time()});
  WholeManager manager;
  Pages pages;
  runtime::TaskGroup group;
  std::string last_uid;  // of the newest object

 private:
  static std::string path_of_collection(const std::string& what) {
    if (what.starts_with("devicetaintrules")) return "/apis/resource.k8s.io/v1/" + what;
    return (what.starts_with("pods") ? "/api/v1" : "/apis/resource.k8s.io/v1") +
           std::string("/namespaces/default/") + what;
  }
  apiserver::Direct direct{server, "scene"};
};

struct Row {
  const char* pod;
  const char* told;  // what both say
};

CO_TEST(ExplainBrokenPods, gives_same_answer_in_process_and_by_command) {
  Scene scene(loop);
  co_await scene.manager.start();
  scene.add_pod("no-template", R"("resourceClaimTemplateName":"nowhere")");
  scene.add_pod("no-claim", R"("resourceClaimName":"nowhere")");
  scene.add_claim("waits");
  scene.add_pod("not-scheduled", R"("resourceClaimName":"waits")");
  // Another pod's claim, named by this pod's status.
  scene.add_claim("stolen", R"("ownerReferences":[{"apiVersion":"v1","kind":"Pod","name":"owner",)"
                            R"("uid":"11111111-1111-1111-1111-111111111111","controller":true}],)");
  scene.post("pods",
             R"({"metadata":{"name":"robbed"},"spec":{"containers":[{"name":"c",)"
             R"("image":"i","resources":{"requests":{"x.y/z":"1"},"limits":{"x.y/z":"1"}}}],)"
             R"("resourceClaims":[{"name":"accel","resourceClaimName":"waits"}]}})");
  scene.patch("pods/robbed/status",
              R"({"status":{"extendedResourceClaimStatus":{"resourceClaimName":"stolen",)"
              R"("requestMappings":[{"containerName":"c","resourceName":"x.y/z",)"
              R"("requestName":"r"}]}}})");
  // Shared: one pod has it, another waits, and then it is deleted.
  scene.add_claim("shared");
  scene.add_pod("user", R"("resourceClaimName":"shared")", R"("nodeName":"n",)");
  scene.allocate("shared", scene.as_consumer("user"));
  scene.add_pod("second", R"("resourceClaimName":"shared")");
  scene.add_claim("doomed");
  scene.add_pod("first", R"("resourceClaimName":"doomed")", R"("nodeName":"n",)");
  scene.allocate("doomed", scene.as_consumer("first"));
  scene.add_pod("too-late", R"("resourceClaimName":"doomed")");
  scene.remove("resourceclaims/doomed");
  // A device that breaks.
  scene.post("devicetaintrules", R"({"metadata":{"name":"burnt"},"spec":{"deviceSelector":{},)"
                                 R"("taint":{"key":"burnt","effect":"NoExecute"}}})");
  co_await sleep_for(loop.time(), 30s);

  for (const Row& row : std::vector<Row>{
           {"no-template", "stuck TemplateMissing: There is no ResourceClaimTemplate \"nowhere\""},
           {"no-claim", "stuck ClaimMissing: There is no ResourceClaim \"nowhere\""},
           {"not-scheduled", "waiting NotAllocated: ResourceClaim \"waits\" exists"},
           {"robbed", "stuck ForeignClaim: The pod's status names ResourceClaim \"stolen\""},
           {"second",
            "waiting NotReserved: ResourceClaim \"shared\" is allocated (gpu.example.com/p/gpu-0), "
            "and reserved for pod \"user\""},
           {"too-late", "stuck ClaimBeingDeleted: ResourceClaim \"doomed\" is being deleted"},
           {"too-late",
            "waiting DeletionHeldByConsumers: ResourceClaim \"doomed\" is being deleted, and "
            "remains until its consumers have ended: pod \"first\""},
           {"user", "fine Reserved: "},
           {"user", "waiting EvictionDue: The pod will be evicted at "},
           {"user", "note Tainted: DeviceTaintRule \"burnt\" taints device"},
       }) {
    const ExplainOutcome asked = co_await scene.ask(pod(row.pod));
    EXPECT_NE(findings_of(asked).find(row.told), std::string::npos) << "asked: " << row.pod << "\n"
                                                                    << findings_of(asked);
    const ExplainOutcome read = co_await scene.read(pod(row.pod));
    EXPECT_NE(findings_of(read).find(row.told), std::string::npos) << "read: " << row.pod << "\n"
                                                                   << findings_of(read);
  }
  // Facts that only a working manager can know.
  const ExplainOutcome of_manager = co_await scene.ask(pod("no-template"));
  const std::string asked = findings_of(of_manager);
  EXPECT_NE(asked.find("stuck LastProblem: The last attempt, at "), std::string::npos) << asked;
  EXPECT_NE(asked.find("The next attempt is at "), std::string::npos) << asked;
  co_await scene.stop();
}

// A cluster of 100,000 nodes must not fill the memory of the manager that is asked.
CO_TEST(ExplainBrokenPods, reads_no_more_than_its_bytes) {
  Scene scene(loop);
  co_await scene.manager.start();
  scene.add_claim("waits");
  scene.add_pod("not-scheduled", R"("resourceClaimName":"waits")");
  co_await sleep_for(loop.time(), 30s);
  const Page page = make_explain_page(loop.time(), {.source = [&] { return scene.source(); },
                                                    .teller = [] { return Teller{}; },
                                                    .rest = &scene.manager.connection->rest(),
                                                    .devices = {.list_bytes_max = 100}});
  http::Request request{.target = path_of(pod("not-scheduled")) + "?output=text"};
  const http::Response answer =
      co_await page.answer_later(std::move(request), Audience::own_object);
  EXPECT_TRUE(answer.body.contains("DeviceClass objects: the list has more than")) << answer.body;
  EXPECT_FALSE(answer.body.contains("The cluster has no nodes.")) << answer.body;
  co_await scene.stop();
}

// A page that may read devices, and a command: both read them only for a pod that waits for some.
CO_TEST(ExplainBrokenPods, names_reason_for_missing_device) {
  Scene scene(loop);
  co_await scene.manager.start();
  scene.add_claim("waits");
  scene.add_pod("not-scheduled", R"("resourceClaimName":"waits")");
  scene.add_pod("no-template", R"("resourceClaimTemplateName":"nowhere")");
  co_await sleep_for(loop.time(), 30s);
  const Page page = make_explain_page(loop.time(), {.source = [&] { return scene.source(); },
                                                    .teller = [] { return Teller{}; },
                                                    .rest = &scene.manager.connection->rest()});
  for (const auto& [name, told] :
       std::vector<std::pair<std::string, bool>>{{"not-scheduled", true}, {"no-template", false}}) {
    http::Request request{.target = path_of(pod(name)) + "?output=json"};
    const http::Response answer =
        co_await page.answer_later(std::move(request), Audience::own_object);
    EXPECT_EQ(answer.body.contains("The cluster has no nodes."), told) << answer.body;
    const ExplainOutcome read = co_await scene.read(pod(name));
    EXPECT_EQ(read.text.contains("The cluster has no nodes."), told) << read.text;
  }
  co_await scene.stop();
}

CO_TEST(ExplainBrokenPods, quotes_kubelet_from_pod_status) {
  Scene scene(loop);
  co_await scene.manager.start();
  scene.add_claim("shared");
  const char* const kUses = R"("resourceClaimName":"shared")";
  for (const char* name : {"no-image", "unprepares", "ancient", "held"}) {
    scene.add_pod(name, kUses, R"("nodeName":"n",)");
  }
  scene.patch("pods/no-image/status",
              R"({"status":{"phase":"Pending","containerStatuses":[{"name":"main","state":)"
              R"({"waiting":{"reason":"ErrImagePull","message":"no such image"}}}]}})");
  scene.patch("pods/unprepares/status",
              R"({"status":{"phase":"Running","containerStatuses":[{"name":"main","state":)"
              R"({"terminated":{"exitCode":0,"finishedAt":"2020-01-02T03:04:05Z"}}}]}})");
  scene.patch("pods/ancient/status",
              R"({"status":{"phase":"Running","containerStatuses":[{"name":"main","state":)"
              R"({"terminated":{"exitCode":0,"finishedAt":"0001-01-01T00:00:01Z"}}}]}})");
  scene.patch("pods/held", R"({"metadata":{"finalizers":["example.com/hold"]}})");
  scene.patch("pods/held/status", R"({"status":{"phase":"Failed"}})");
  scene.remove("pods/unprepares");
  scene.remove("pods/ancient");
  scene.remove("pods/held");
  co_await sleep_for(loop.time(), 1s);
  for (const auto& [name, expected] : std::vector<std::pair<std::string, std::string>>{
           {"no-image",
            "stuck ContainerWaits: Container \"main\" does not start: \"ErrImagePull\""},
           {"unprepares",
            "stuck NotUnprepared: The pod's containers ended at 2020-01-02T03:04:05Z"},
           {"ancient", "stuck NotUnprepared: The pod's containers ended"},
           {"held",
            "stuck HeldByFinalizers: The pod has ended, and its finalizers keep it: "
            "example.com/hold."}}) {
    const std::string told = findings_of(co_await scene.read(pod(name)));
    EXPECT_NE(told.find(expected), told.npos) << name << "\n" << told;
  }
  co_await scene.stop();
}

CO_TEST(ExplainBrokenPods, explains_claim_and_rule) {
  Scene scene(loop);
  co_await scene.manager.start();
  scene.add_claim("shared");
  scene.add_pod("user", R"("resourceClaimName":"shared")", R"("nodeName":"n",)");
  scene.allocate("shared", scene.as_consumer("user"));
  scene.post("devicetaintrules", R"({"metadata":{"name":"burnt"},"spec":{"deviceSelector":{},)"
                                 R"("taint":{"key":"burnt","effect":"NoExecute"}}})");
  co_await sleep_for(loop.time(), 30s);
  const Subject claim{Subject::Kind::claim, {"default", "shared"}};
  const Subject rule{Subject::Kind::rule, {{}, "burnt"}};
  for (const bool asks : {true, false}) {
    auto about_claim = asks ? scene.ask(claim) : scene.read(claim);
    const ExplainOutcome claim_told = co_await std::move(about_claim);
    const std::string of_claim = findings_of(claim_told);
    EXPECT_NE(of_claim.find("note ReservedForPod: Pod \"user\""), of_claim.npos) << of_claim;
    auto about_rule = asks ? scene.ask(rule) : scene.read(rule);
    const ExplainOutcome rule_told = co_await std::move(about_rule);
    const std::string of_rule = findings_of(rule_told);
    EXPECT_NE(of_rule.find("waiting PodsPendingEviction: 1 pod must leave"), of_rule.npos)
        << of_rule;
    EXPECT_NE(of_rule.find("note PodPending: Pod default/user is due at "), of_rule.npos)
        << of_rule;
  }
  co_await scene.stop();
}

CO_TEST(ExplainBrokenPods, reports_missing_object) {
  Scene scene(loop);
  co_await scene.manager.start();
  for (const Subject& subject : {pod("nobody"), Subject{Subject::Kind::claim, {"default", "x"}},
                                 Subject{Subject::Kind::rule, {{}, "x"}}}) {
    const ExplainOutcome asked = co_await scene.ask(subject);
    EXPECT_EQ(asked.status, ExplainStatus::no_such_object) << asked.text;
    const ExplainOutcome read = co_await scene.read(subject);
    EXPECT_EQ(read.status, ExplainStatus::no_such_object) << read.text;
  }
  co_await scene.stop();
}

// Refuses to list one resource.
void forbid(apiserver::Server& server, const std::string& resource) {
  server.before(
      [resource](const apiserver::LoggedRequest& request) -> std::optional<apiserver::Response> {
        if (request.resource != resource) return std::nullopt;
        return apiserver::Response{
            403,
            {},
            R"({"kind":"Status","status":"Failure","message":"you may not list them",)"
            R"("reason":"Forbidden","code":403})"};
      });
}

CO_TEST(ExplainBrokenPods, concludes_nothing_from_unreadable_objects) {
  Scene scene(loop);
  scene.add_claim("shared");
  scene.add_pod("user", R"("resourceClaimName":"shared")", R"("nodeName":"n",)");
  scene.allocate("shared", scene.as_consumer("user"));
  scene.add_pod("from-template", R"("resourceClaimTemplateName":"nowhere")");
  struct Case {
    const char* forbidden;
    const char* pod;
    const char* never;  // the expected text
    const char* told;
  };
  for (const Case& row : std::vector<Case>{
           {"devicetaintrules", "user", "NoTaint", "unknown NotRead: DeviceTaintRules could not"},
           {"resourceslices", "user", "NoTaint", "unknown NotRead: ResourceSlices could not"},
           {"resourceclaimtemplates", "from-template", "TemplateMissing",
            "unknown NotRead: ResourceClaimTemplates could not"},
           {"resourceclaims", "user", "ClaimMissing", "unknown NotRead: ResourceClaims could not"},
       }) {
    forbid(scene.server, row.forbidden);
    const ExplainOutcome outcome = co_await scene.read(pod(row.pod));
    EXPECT_EQ(outcome.status, ExplainStatus::explained_in_part) << row.forbidden;
    const std::string told = findings_of(outcome);
    EXPECT_EQ(told.find(row.never), told.npos) << row.forbidden << "\n" << told;
    EXPECT_NE(told.find(row.told), told.npos) << row.forbidden << "\n" << told;
    EXPECT_NE(told.find("you may not list them"), told.npos) << told;
  }
  forbid(scene.server, "pods");
  const ExplainOutcome nothing = co_await scene.read(pod("user"));
  EXPECT_EQ(nothing.status, ExplainStatus::not_answered);
  EXPECT_NE(nothing.text.find("Pods could not be read: "), std::string::npos) << nothing.text;
  co_await scene.stop();
}

CO_TEST(ExplainBrokenPods, tells_kind_that_is_not_served_from_missing_object) {
  Scene scene(loop);
  const Subject group{Subject::Kind::group, {"default", "trainers"}};
  const ExplainOutcome missing = co_await scene.read(group);
  EXPECT_EQ(missing.status, ExplainStatus::no_such_object) << missing.text;
  Scene without(loop, {.device_taint_rules = {}});
  for (const Subject& subject : {group, Subject{Subject::Kind::rule, {"", "burnt"}}}) {
    const ExplainOutcome outcome = co_await without.read(subject);
    EXPECT_EQ(outcome.status, ExplainStatus::not_answered) << outcome.text;
    EXPECT_NE(outcome.text.find("in no version"), std::string::npos) << outcome.text;
  }
  co_await without.stop();
  co_await scene.stop();
}

CO_TEST(ExplainBrokenPods, names_absent_manager_beside_missing_template) {
  Scene scene(loop);
  scene.add_pod("no-template", R"("resourceClaimTemplateName":"nowhere")");
  scene.post_lease("", "2026-01-01T00:00:00.000000Z");
  const std::string told = findings_of(co_await scene.read(pod("no-template")));
  EXPECT_NE(told.find("stuck NobodyWorks: "), std::string::npos) << told;
  EXPECT_NE(told.find("stuck TemplateMissing: "), std::string::npos) << told;
  co_await scene.stop();
}

CO_TEST(ExplainBrokenPods, ignores_kinds_that_cannot_matter) {
  Scene scene(loop);
  scene.add_pod("no-claim", R"("resourceClaimName":"nowhere")");
  forbid(scene.server, "resourceslices");
  const ExplainOutcome outcome = co_await scene.read(pod("no-claim"));
  EXPECT_EQ(outcome.status, ExplainStatus::explained) << outcome.text;
  co_await scene.stop();
}

CO_TEST(ExplainBrokenPods, detects_deadlock_of_claim_in_deletion_and_its_consumer) {
  Scene scene(loop);
  co_await scene.manager.start();
  scene.add_claim("shared");
  scene.add_pod("p", R"("resourceClaimName":"shared")");
  scene.allocate("shared", scene.as_consumer("p"));
  scene.remove("resourceclaims/shared");
  co_await sleep_for(loop.time(), 1s);
  for (const bool asks : {true, false}) {
    auto question = asks ? scene.ask(pod("p")) : scene.read(pod("p"));
    const ExplainOutcome outcome = co_await std::move(question);
    const std::string told = findings_of(outcome);
    EXPECT_NE(told.find("stuck ReservedWhileDeleted: "), told.npos) << told;
  }
  co_await scene.stop();
}

CO_TEST(ExplainBrokenPods, mentions_gate_that_manager_may_have_off) {
  Scene scene(loop);
  scene.post_group("trainers");
  const Subject group{Subject::Kind::group, {"default", "trainers"}};
  const ExplainOutcome assumed = co_await scene.read(group);
  EXPECT_EQ(assumed.status, ExplainStatus::explained_in_part) << assumed.text;
  const std::string told = findings_of(assumed);
  EXPECT_NE(told.find("unknown FeatureDisabled: With the default feature gates: "), told.npos)
      << told;
  co_await scene.stop();
}

// The lease that the command checks, and its statement about the next step.
CO_TEST(ExplainBrokenPods, names_step_that_nobody_takes) {
  Scene scene(loop);
  scene.post("resourceclaimtemplates",
             R"({"metadata":{"name":"gpus"},"spec":{"spec":{"devices":{"requests":[{"name":"r",)"
             R"("exactly":{"deviceClassName":"gpu"}}]}}}})");
  scene.add_pod("p", R"("resourceClaimTemplateName":"gpus")");
  const ExplainOutcome unknown = co_await scene.read(pod("p"));
  EXPECT_EQ(unknown.status, ExplainStatus::explained_in_part);
  EXPECT_NE(findings_of(unknown).find("unknown WorkerUnknown: There is no Lease kube-system/dra"),
            std::string::npos)
      << findings_of(unknown);
  scene.post_lease("gone", "2020-01-02T03:04:05.000000Z");
  const ExplainOutcome nobody = co_await scene.read(pod("p"));
  EXPECT_EQ(nobody.status, ExplainStatus::explained);
  EXPECT_NE(findings_of(nobody).find("stuck NobodyWorks: The holder of Lease"), std::string::npos)
      << findings_of(nobody);
  EXPECT_EQ(findings_of(nobody).find("acting"), std::string::npos);
  co_await scene.stop();
}

}  // namespace
}  // namespace dcm::explain
