// Why a pod makes no progress: explained by the running manager's page, and by the command that
// reads the cluster itself. Both must give the same answer about the same cluster.
#include <fstream>

#include <fmt/format.h>

#include "test/conformance/eviction_case.hpp"
#include "test/support/paths.hpp"

namespace dcm::conformance {
namespace {

struct Ended {
  int status = 0;
  std::string output;
};

// More tools for these cases: the command, and a manager to ask.
template <class Base>
class Explaining : public Base {
 protected:
  void SetUp() override {
    if (run().manager == ManagerKind::reference) GTEST_SKIP() << "this is about our own binary";
    support::write_kubeconfig(this->file("reader"), run().admin);
  }

  void start(const std::vector<std::string>& flags = {}) { this->start_manager(answering(flags)); }
  // Everybody may ask it: the in-memory server has no users.
  std::vector<std::string> answering(std::vector<std::string> flags) const {
    flags.push_back(fmt::format("--secure-port={}", port_));
    flags.emplace_back("--bind-address=127.0.0.1");
    flags.emplace_back("--authorization-always-allow-paths=/debug/explain/*");
    return flags;
  }

  // The command, run to its end.
  Ended explain(std::vector<std::string> arguments) {
    const std::string output = this->file(fmt::format("explain-{}.out", ++runs_));
    arguments.insert(arguments.begin(), {support::binary("dra-controller-manager"), "explain"});
    const int status = support::Process::run({std::move(arguments), {}, output});
    return {status, support::read_file(output)};
  }
  Ended read(const std::string& type, const std::string& name,
             const std::vector<std::string>& more = {}) {
    std::vector<std::string> arguments{type, name, "--namespace=" + this->ns(),
                                       "--kubeconfig=" + this->file("reader")};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return explain(std::move(arguments));
  }
  Ended ask(const std::string& type, const std::string& name,
            const std::vector<std::string>& more = {}) {
    std::vector<std::string> arguments{type, name, "--namespace=" + this->ns(),
                                       "--insecure-skip-tls-verify",
                                       fmt::format("--server=https://127.0.0.1:{}", port_)};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return explain(std::move(arguments));
  }

  // "stuck ClaimMissing: There is no …", a line each.
  static std::string findings_of(const Ended& ended) {
    if (ended.status != 0 && ended.status != 5) return ended.output;
    std::string text;
    const json::value told = json::parse(ended.output);
    for (const json::value& topic : at(told, "/topics").as_array()) {
      for (const json::value& finding : at(topic, "/findings").as_array()) {
        text += fmt::format("{} {}: {}\n", text_at(finding, "/outlook"),
                            text_at(finding, "/reason"), text_at(finding, "/text"));
      }
    }
    return text;
  }
  void told_by_manager(const std::string& type, const std::string& name, const std::string& what) {
    std::string told;
    EXPECT_TRUE(this->soon("the manager says: " + what, [&] {
      told = findings_of(ask(type, name, {"-o", "json"}));
      return told.find(what) != told.npos;
    })) << told;
  }
  void told_by_reader(const std::string& type, const std::string& name, const std::string& what) {
    const std::string told = findings_of(read(type, name, {"-o", "json"}));
    EXPECT_NE(told.find(what), told.npos) << what << "\nin\n" << told;
  }
  void told_by_both(const std::string& type, const std::string& name, const std::string& what) {
    told_by_manager(type, name, what);
    told_by_reader(type, name, what);
  }

  int port_ = support::free_port();

 private:
  int runs_ = 0;
};

class Explain : public Explaining<Case> {
 protected:
  // From now on no claim can be created.
  void refuse_creates() {
    faults().add(
        {.method = "POST",
         .target = kClaims,
         .times = 1'000'000,
         .fault = {.kind = FaultKind::answer,
                   .answer = {.status = 403,
                              .headers = {{"Content-Type", "application/json"}},
                              .body = R"({"kind":"Status","apiVersion":"v1","status":"Failure",
                                  "message":"exceeded quota: gpus","reason":"Forbidden","code":403})"}}});
  }
};

// ---- five broken pods ---------------------------------------------------------------------------

TEST_F(Explain, names_missing_template) {
  start();
  create_pod({.name = "p", .templates = {{"accel", "nowhere"}}});
  told_by_both(
      "pod", "p",
      "stuck TemplateMissing: There is no ResourceClaimTemplate \"nowhere\" in namespace \"" +
          ns() + "\"");
  told_by_manager("pod", "p", "stuck LastProblem: The last attempt, at ");
  told_by_manager("pod", "p", "The next attempt is at ");
  create_template("nowhere");
  told_by_both("pod", "p", "waiting NotAllocated: ");
}

TEST_F(Explain, names_missing_claim) {
  start();
  create_pod({.name = "p", .claims = {{"accel", "nowhere"}}});
  told_by_both("pod", "p", "stuck ClaimMissing: There is no ResourceClaim \"nowhere\"");
}

TEST_F(Explain, names_foreign_claim_in_pod_status) {
  refuse_creates();
  start();
  create_template("gpus");
  create_claim("others");
  own("others", create_pod({.name = "other"}), "accel");
  create_pod({.name = "p", .templates = {{"accel", "gpus"}}});
  kube().must_patch(
      path("pods", "p") + "/status", Kube::Patch::merge,
      {{"status",
        {{"resourceClaimStatuses",
          json::array{json::object{{"name", "accel"}, {"resourceClaimName", "others"}}}}}}});
  told_by_both("pod", "p",
               "note ForeignClaim: The pod's status names ResourceClaim \"others\", which was not "
               "made for this pod");
  told_by_both("pod", "p", "belongs to pod \"other\"");
  told_by_manager("pod", "p", "failed: PodResourceClaim accel: create ResourceClaim p-accel-");
  told_by_manager("pod", "p", ": exceeded quota: gpus");
}

TEST_F(Explain, names_scheduler_as_next_actor) {
  start();
  create_claim("shared");
  create_pod({.name = "p", .claims = {{"accel", "shared"}}});
  told_by_both("pod", "p", "waiting NotAllocated: ResourceClaim \"shared\" exists");
  const json::value user =
      create_pod({.name = "q", .claims = {{"accel", "shared"}}, .node = "node-a"});
  allocate("shared", {reservation_of(user)});
  told_by_both("pod", "p",
               "waiting NotReserved: ResourceClaim \"shared\" is allocated "
               "(gpu.example.com/node-a/gpu-0), and reserved for pod \"q\", not for this pod.");
  told_by_both("pod", "q", "fine Reserved: ");
}

TEST_F(Explain, names_claim_in_deletion_held_by_another_pod) {
  start();
  create_claim("shared");
  const json::value user =
      create_pod({.name = "q", .claims = {{"accel", "shared"}}, .node = "node-a"});
  allocate("shared", {reservation_of(user)});
  create_pod({.name = "p", .claims = {{"accel", "shared"}}});
  kube().remove(path("resourceclaims", "shared"));
  told_by_both("pod", "p", "stuck ClaimBeingDeleted: ResourceClaim \"shared\" is being deleted");
  told_by_both("pod", "p",
               "waiting DeletionHeldByConsumers: ResourceClaim \"shared\" is being deleted, and "
               "remains until its consumers have ended: pod \"q\"");
  told_by_both("resourceclaim", "shared", "note ReservedForPod: Pod \"q\"");
  set_phase("q", "Succeeded");
  told_by_both("pod", "q", "note Finished: ");
  told_by_both("pod", "p", "stuck ClaimMissing: ");
}

// ---- what others decide next --------------------------------------------------------------------

TEST_F(Explain, quotes_scheduler_condition) {
  start();
  create_claim("shared");
  create_pod({.name = "p", .claims = {{"accel", "shared"}}});
  told_by_both("pod", "p", "waiting NotSeenByScheduler: No scheduler has reported on the pod yet.");
  kube().must_patch(
      path("pods", "p") + "/status", Kube::Patch::strategic,
      {{"status",
        {{"conditions",
          json::array{json::object{
              {"type", "PodScheduled"},
              {"status", "False"},
              {"reason", "Unschedulable"},
              {"lastTransitionTime", "2026-01-02T03:04:05Z"},
              {"message", "0/1 nodes are available: 1 cannot allocate all claims."}}}}}}});
  told_by_both("pod", "p",
               "(Unschedulable): \"0/1 nodes are available: 1 cannot allocate all claims.\".");
}

TEST_F(Explain, names_claim_in_deletion_held_by_unscheduled_pod) {
  start();
  create_claim("shared");
  const json::value pod = create_pod({.name = "p", .claims = {{"accel", "shared"}}});
  allocate("shared", {reservation_of(pod)});
  kube().remove(path("resourceclaims", "shared"));
  told_by_both("pod", "p", "stuck ReservedWhileDeleted: ResourceClaim \"shared\" is being deleted");
  // As advised.
  delete_pod("p");
  EXPECT_TRUE(soon("the claim is gone", [&] { return !exists("resourceclaims", "shared"); }));
}

TEST_F(Explain, finds_claim_created_after_failed_attempt) {
  refuse_creates();
  start();
  create_template("gpus");
  const json::value pod = create_pod({.name = "p", .templates = {{"accel", "gpus"}}});
  told_by_manager("pod", "p", "stuck LastProblem: The last attempt, at ");
  create_claim("others");
  own("others", pod, "accel");
  told_by_manager("pod", "p", "waiting NotAllocated: ResourceClaim \"others\"");
  // Other findings are about the cluster: without nodes it is stuck for that reason.
  const std::string told = findings_of(ask("pod", "p", {"-o", "json"}));
  EXPECT_EQ(told.find("LastProblem"), std::string::npos) << told;
}

// ---- nobody works -------------------------------------------------------------------------------

TEST_F(Explain, says_that_no_manager_works) {
  patience();  // a candidate waits for 15 s before it takes the lease
  create_template("gpus");
  create_pod({.name = "p", .templates = {{"accel", "gpus"}}});
  const auto told = [&] {
    return read("pod", "p", {"-o", "json", "--leader-elect-resource-name=" + ns()});
  };
  const Ended without_lease = told();
  EXPECT_EQ(without_lease.status, 5) << without_lease.output;
  EXPECT_NE(findings_of(without_lease).find("unknown WorkerUnknown: There is no Lease"),
            std::string::npos)
      << findings_of(without_lease);
  const std::string leases = "/apis/coordination.k8s.io/v1/namespaces/kube-system/leases";
  kube().must_post(leases, {{"apiVersion", "coordination.k8s.io/v1"},
                            {"kind", "Lease"},
                            {"metadata", {{"name", ns()}}},
                            {"spec",
                             {{"holderIdentity", "gone"},
                              {"leaseDurationSeconds", 15},
                              {"renewTime", "2026-01-02T03:04:05.000000Z"}}}});
  const Ended expired = told();
  EXPECT_EQ(expired.status, 0) << expired.output;
  EXPECT_NE(findings_of(expired).find("stuck NobodyWorks: The holder of Lease kube-system/" + ns() +
                                      ", gone, last renewed it"),
            std::string::npos)
      << findings_of(expired);
  EXPECT_EQ(findings_of(expired).find("acting"), std::string::npos) << findings_of(expired);
  // As advised.
  support::write_kubeconfig(file("admin"), run().admin);
  const auto leader = another_manager(
      file("admin"), {"--leader-elect=true", "--leader-elect-resource-name=" + ns()});
  EXPECT_FALSE(wait_for_claim_of("p", "accel").empty());
  leader->kill();
  kube().remove(leases + "/" + ns());
}

// ---- refusals, on a server that refuses ---------------------------------------------------------

class ExplainRefusal : public Explain {
 protected:
  void SetUp() override {
    Explain::SetUp();
    if (run().server != ServerKind::real) GTEST_SKIP() << "this server has no quotas and users";
  }
};

TEST_F(ExplainRefusal, quotes_exceeded_quota) {
  const std::string limit = "count/resourceclaims.resource.k8s.io";
  kube().must_post(path("resourcequotas"), {{"apiVersion", "v1"},
                                            {"kind", "ResourceQuota"},
                                            {"metadata", {{"name", "gpus"}}},
                                            {"spec", {{"hard", {{limit, "0"}}}}}});
  // In place of the quota controller.
  kube().must_patch(path("resourcequotas", "gpus") + "/status", Kube::Patch::merge,
                    {{"status", {{"hard", {{limit, "0"}}}, {"used", {{limit, "0"}}}}}});
  start();
  create_template("gpus");
  create_pod({.name = "p", .templates = {{"accel", "gpus"}}});
  told_by_manager("pod", "p", "exceeded quota: gpus");
  EXPECT_TRUE(soon("an event tells it", [&] {
    return has_warning("p", "FailedResourceClaimCreation", "exceeded quota");
  }));
  told_by_reader("pod", "p", "stuck CreateRefused: ");
  told_by_reader("pod", "p", "Raise the quota, or delete claims");
  told_by_reader("pod", "p", "stuck QuotaExhausted: ResourceQuota \"gpus\": 0 of 0 used");
  // As advised.
  kube().remove(path("resourcequotas", "gpus"));
  patience();
  EXPECT_FALSE(wait_for_claim_of("p", "accel").empty());
}

// A tenant with the usual permissions in one namespace, and none for the cluster.
class ExplainTenant : public ExplainRefusal {
 protected:
  void SetUp() override {
    ExplainRefusal::SetUp();
    if (IsSkipped()) return;
    kube().must_post(
        path("serviceaccounts"),
        {{"apiVersion", "v1"}, {"kind", "ServiceAccount"}, {"metadata", {{"name", "tenant"}}}});
    const std::string rbac = "/apis/rbac.authorization.k8s.io/v1/namespaces/" + ns();
    kube().must_post(rbac + "/roles",
                     {{"apiVersion", "rbac.authorization.k8s.io/v1"},
                      {"kind", "Role"},
                      {"metadata", {{"name", "tenant"}}},
                      {"rules", json::array{json::object{
                                    {"apiGroups", json::array{"", "resource.k8s.io"}},
                                    {"resources", json::array{"pods", "events", "resourceclaims",
                                                              "resourceclaimtemplates"}},
                                    {"verbs", json::array{"get", "list", "watch"}}}}}});
    kube().must_post(
        rbac + "/rolebindings",
        {{"apiVersion", "rbac.authorization.k8s.io/v1"},
         {"kind", "RoleBinding"},
         {"metadata", {{"name", "tenant"}}},
         {"roleRef",
          {{"apiGroup", "rbac.authorization.k8s.io"}, {"kind", "Role"}, {"name", "tenant"}}},
         {"subjects", json::array{json::object{
                          {"kind", "ServiceAccount"}, {"name", "tenant"}, {"namespace", ns()}}}}});
    const json::value token = kube().must_post(path("serviceaccounts", "tenant") + "/token",
                                               {{"apiVersion", "authentication.k8s.io/v1"},
                                                {"kind", "TokenRequest"},
                                                {"spec", json::object{}}});
    tenant_ = run().admin;
    tenant_.token = text_at(token, "/status/token");
    ASSERT_TRUE(may_soon(tenant_, {{"namespace", ns()}, {"verb", "list"}, {"resource", "pods"}}));
    support::write_kubeconfig(file("tenant"), tenant_);
    std::ofstream(file("token")) << tenant_.token;
  }

  support::Access tenant_;
};

TEST_F(ExplainTenant, hides_taints_that_it_may_not_read) {
  create_claim("shared");
  const json::value pod =
      create_pod({.name = "p", .claims = {{"accel", "shared"}}, .node = "node-a"});
  allocate("shared", {reservation_of(pod)});
  set_phase("p", "Running");
  const Ended ended =
      explain({"pod", "p", "--namespace=" + ns(), "--kubeconfig=" + file("tenant"), "-o", "json"});
  EXPECT_EQ(ended.status, 5) << ended.output;
  const std::string told = findings_of(ended);
  EXPECT_NE(told.find("unknown NotRead: DeviceTaintRules could not be read: "), told.npos) << told;
  EXPECT_NE(told.find("unknown NotRead: ResourceSlices could not be read: "), told.npos) << told;
  EXPECT_EQ(told.find("fine NoTaint"), told.npos) << told;
  EXPECT_EQ(text_at(json::parse(ended.output), "/outlook"), "unknown");
}

TEST_F(ExplainTenant, shows_page_of_own_objects) {
  start_manager({fmt::format("--secure-port={}", port_), "--bind-address=127.0.0.1"});
  create_pod({.name = "p", .claims = {{"accel", "nowhere"}}});
  const std::vector<std::string> token{"--token-file=" + file("token")};
  EXPECT_TRUE(soon("an answer", [&] {
    return ask("pod", "p", token).output.contains("There is no ResourceClaim");
  })) << ask("pod", "p", token).output;
  const Ended of_others = explain({"pod", "kube-system/p", "--insecure-skip-tls-verify", token[0],
                                   fmt::format("--server=https://127.0.0.1:{}", port_)});
  EXPECT_EQ(of_others.status, 4);
  EXPECT_NE(of_others.output.find("status 403"), std::string::npos) << of_others.output;
  const Ended rule = ask("devicetaintrule", "r", token);
  EXPECT_NE(rule.output.find("status 403"), std::string::npos) << rule.output;
}

// ---- devices that break -------------------------------------------------------------------------

class ExplainEviction : public Explaining<EvictionCase> {
 protected:
  Ended read_pools(std::vector<std::string> words) {
    words.insert(words.begin(), "pool");
    words.push_back("--kubeconfig=" + file("reader"));
    return explain(std::move(words));
  }
};

TEST_F(ExplainEviction, counts_devices_of_pools) {
  publish("a", {.pool = "node-a", .taints = {taint("broken", "NoSchedule")}});
  publish("b", {.pool = "node-b"});
  create_user("p", {{.pool = "node-b"}});
  const Ended ended = read_pools({driver(), "-o", "json"});
  ASSERT_EQ(ended.status, 0) << ended.output;
  const json::value told = json::parse(ended.output);
  const auto pool = [&](const char* index) { return std::string("/pools/") + index; };
  EXPECT_EQ(text_at(told, pool("0") + "/poolName"), "node-a");
  EXPECT_EQ(at(told, pool("0") + "/unavailableDevices"), json::value(1));
  EXPECT_EQ(at(told, pool("1") + "/allocatedDevices"), json::value(1));
  EXPECT_EQ(at(told, pool("1") + "/availableDevices"), json::value(0));
}

TEST_F(ExplainEviction, counts_devices_of_one_pool) {
  publish("a", {.pool = "node-a"});
  publish("b", {.pool = "node-b", .slices_in_pool = 2});
  const Ended ended = read_pools({driver() + "/node-b", "-o", "json"});
  EXPECT_EQ(ended.status, 0) << ended.output;
  EXPECT_NE(ended.output.find("observed 1/2 slices"), std::string::npos) << ended.output;
  EXPECT_EQ(ended.output.find("node-a"), std::string::npos) << ended.output;
  EXPECT_EQ(read_pools({driver() + "/nowhere"}).status, 3);
  EXPECT_EQ(read_pools({"a", "b"}).status, 2);
}

TEST_F(ExplainEviction, shows_time_left_by_toleration) {
  start({"--controllers=*"});
  create_user("p", {{.tolerations = {tolerates("broken", 3600)}}});
  publish("slice", {.taints = {taint("broken")}});
  told_by_both("pod", "p", "waiting EvictionDue: The pod will be evicted at ");
  told_by_both("pod", "p",
               "note Tainted: Its driver taints device " + driver() + "/node-a/gpu-0 with broken");
  create_rule("rule");
  const std::string rule = ns() + "-rule";
  told_by_both("devicetaintrule", rule, "note PodPending: Pod " + ns() + "/p ");
  told_by_both("devicetaintrule", rule,
               "note Selects: It selects the devices of driver " + driver());
}

TEST_F(ExplainEviction, needs_no_pool_status_requests) {
  if (served_version("resource.k8s.io", "resourcepoolstatusrequests").empty()) {
    GTEST_SKIP() << "this server does not serve them";
  }
  faults().add({.method = "GET",
                .target = "/resourcepoolstatusrequests",
                .times = 1'000'000,
                .fault = {.kind = FaultKind::answer, .answer = {.status = 403}}});
  create_user("p");
  publish("slice", {});
  const auto manager =
      another_manager(answering({"--controllers=*", "--feature-gates=DRAResourcePoolStatus=true"}));
  EXPECT_TRUE(soon("the list of requests is refused", [&] {
    return manager->log().contains("\"resourcepoolstatusrequests\" error=\"forbidden");
  })) << manager->log();
  told_by_manager("pod", "p", "fine NoTaint");
}

// ---- who is asked -------------------------------------------------------------------------------

TEST_F(Explain, answers_in_sentences) {
  start();
  create_pod({.name = "p", .templates = {{"accel", "nowhere"}}});
  std::string told;
  EXPECT_TRUE(soon("a text", [&] {
    told = ask("pod", "p").output;
    return told.find("It cannot make progress on its own:") != told.npos;
  })) << told;
  EXPECT_TRUE(told.starts_with("Pod " + ns() + "/p (UID ")) << told;
  EXPECT_NE(told.find("by the active dra-controller-manager."), told.npos) << told;
  const Ended read_once = read("po", ns() + "/p");
  // No lease says that the manager runs.
  EXPECT_EQ(read_once.status, 5) << read_once.output;
  EXPECT_NE(read_once.output.find("which does not watch the cluster"), std::string::npos)
      << read_once.output;
}

TEST_F(Explain, names_leader_on_standby) {
  const std::vector<std::string> lease{"--leader-elect=true",
                                       "--leader-elect-resource-name=" + ns()};
  // The restricted account's Role covers only one lease name.
  support::write_kubeconfig(file("admin"), run().admin);
  const auto leader = another_manager(file("admin"), lease);
  ASSERT_TRUE(leader->is_ready_soon()) << leader->log();
  ASSERT_TRUE(soon("it leads", [&] {
    return leader->metric("leader_election_master_status{name=\"" + ns() + "\"}") == 1;
  })) << leader->log();
  std::vector<std::string> flags = lease;
  flags.push_back(fmt::format("--secure-port={}", port_));
  flags.emplace_back("--bind-address=127.0.0.1");
  flags.emplace_back("--authorization-always-allow-paths=/debug/explain/*");
  const auto standby = another_manager(file("admin"), flags);
  ASSERT_TRUE(standby->is_ready_soon()) << standby->log();
  create_pod({.name = "p", .claims = {{"accel", "nowhere"}}});
  json::value told;
  EXPECT_TRUE(soon("the standby knows the pod and who leads", [&] {
    const Ended asked = ask("pod", "p", {"-o", "json"});
    if (asked.status != 0) return false;
    told = json::parse(asked.output);
    return !text_at(told, "/toldBy/leader").empty();
  }));
  const std::string holder =
      text_at(kube().must_get("/apis/coordination.k8s.io/v1/namespaces/kube-system/leases/" + ns()),
              "/spec/holderIdentity");
  EXPECT_EQ(text_at(told, "/toldBy/role"), "standsBy");
  EXPECT_EQ(text_at(told, "/toldBy/leader"), holder);
  EXPECT_EQ(text_at(told, "/outlook"), "stuck");
  standby->kill();
  leader->kill();
  kube().remove("/apis/coordination.k8s.io/v1/namespaces/kube-system/leases/" + ns());
}

TEST_F(Explain, serves_only_authorized_callers) {
  if (!run().admin.server.starts_with("https")) GTEST_SKIP() << "this server reviews no tokens";
  start_manager({fmt::format("--secure-port={}", port_), "--bind-address=127.0.0.1"});
  create_pod({.name = "p", .claims = {{"accel", "nowhere"}}});
  const auto with_token = [&](const std::string& token) {
    std::ofstream(file("token")) << token;
    return ask("pod", "p", {"--token-file=" + file("token")});
  };
  EXPECT_TRUE(soon("an answer", [&] { return with_token(run().admin.token).status == 0; }));
  for (const Ended& told : {with_token(run().admin.token), read("pod", "p", {"-o", "json"})}) {
    EXPECT_EQ(told.output.find(run().admin.token), std::string::npos);
    EXPECT_EQ(told.output.find(run().restricted.token), std::string::npos);
  }
  const Ended nobody = ask("pod", "p");
  EXPECT_EQ(nobody.status, 4);
  EXPECT_NE(nobody.output.find("status 401"), std::string::npos) << nobody.output;
  // The manager's own account may get every pod, and so read why it waits; a rule's page names pods
  // of all namespaces.
  EXPECT_EQ(with_token(run().restricted.token).status, 0);
  const Ended forbidden = ask("devicetaintrule", "r", {"--token-file=" + file("token")});
  EXPECT_EQ(forbidden.status, 4);
  EXPECT_NE(forbidden.output.find("may not get the non-resource URL \"/debug/explain/dev"),
            std::string::npos)
      << forbidden.output;
  EXPECT_EQ(forbidden.output.find(run().restricted.token), std::string::npos);
}

TEST_F(Explain, exits_with_status_for_each_failure) {
  start();
  EXPECT_TRUE(soon("the manager answers", [&] { return ask("pod", "nobody").status == 3; }));
  const Ended not_there = read("pod", "nobody");
  EXPECT_EQ(not_there.status, 3);
  EXPECT_NE(not_there.output.find("Pod " + ns() + "/nobody is not in the cluster"),
            std::string::npos)
      << not_there.output;
  EXPECT_EQ(read("node", "a").status, 2);
  EXPECT_EQ(explain({"pod"}).status, 2);
  EXPECT_EQ(explain({"pod", "a", "--unknown"}).status, 2);
  EXPECT_EQ(explain({"pod", "a", "--kubeconfig=" + file("nowhere")}).status, 2);
  EXPECT_EQ(explain({"pod", "a", "--server=https://127.0.0.1:1", "--timeout=5s"}).status, 4);
  support::write_kubeconfig(file("wrong"), {.server = "http://127.0.0.1:1"});
  const Ended nobody_there = explain({"pod", "a", "--timeout=1s", "--kubeconfig=" + file("wrong")});
  EXPECT_EQ(nobody_there.status, 4);
  EXPECT_NE(nobody_there.output.find("http://127.0.0.1:1"), std::string::npos)
      << nobody_there.output;
}

}  // namespace
}  // namespace dcm::conformance
