// A dry run beside a working manager, or alone; and a manager that detects another one.
//
// The working manager is kube-controller-manager on a real server, else ours.

#include <fmt/format.h>

#include "test/conformance/eviction_case.hpp"
#include "test/conformance/neighbour.hpp"
#include "test/support/manifest.hpp"

namespace dcm::conformance {
namespace {

constexpr const char* kShadow = "dra-controller-manager-shadow";
constexpr const char* kLeases = "/apis/coordination.k8s.io/v1/namespaces/kube-system/leases";

class Shadow : public EvictionCase {
 protected:
  void SetUp() override {
    if (run().manager == ManagerKind::reference) GTEST_SKIP() << "the reference has no dry run";
    patience(std::chrono::seconds(60));
  }
  ~Shadow() override {
    if (worker_) worker_->kill();
  }

  // The dry run uses the proxy; the working manager does not.
  Manager& start_dry_run(const std::string& timeout, std::vector<std::string> flags = {}) {
    faults();
    flags.insert(flags.end(), {"--dry-run", "--dry-run-timeout=" + timeout});
    return EvictionCase::start_manager(std::move(flags));
  }
  void start_worker() {
    if (why_no_neighbours().empty()) {
      neighbour_ = start_neighbour("resourceclaim-controller,device-taint-eviction-controller",
                                   file("worker"));
      return;
    }
    support::write_kubeconfig(file("worker.kubeconfig"), run().restricted);
    worker_ = another_manager(file("worker.kubeconfig"), {});
    ASSERT_TRUE(worker_->is_ready_soon());
  }
  // The sum over all kinds of writes.
  double sum(const std::string& metric) {
    const std::string page = "\n" + manager().status_page("/metrics");
    const std::string series = "\ndra_controller_manager_dry_run_" + metric + "{";
    double sum = 0;
    for (std::size_t at = page.find(series); at != page.npos; at = page.find(series, at + 1)) {
      sum += std::stod(page.substr(page.find("} ", at) + 2));
    }
    return sum;
  }
  static std::string series(const std::string& metric, const std::string& verb,
                            const std::string& resource,
                            const std::string& controller = "resourceclaim-controller") {
    return fmt::format(
        "dra_controller_manager_dry_run_{}{{controller=\"{}\",resource=\"{}\",verb=\"{}\"}}",
        metric, controller, resource, verb);
  }
  bool logged(const std::string& text) { return manager().log().contains(text); }
  void expect_it_only_reads() {
    for (const auto& request : faults().requests()) {
      const bool is_review = request.target.contains("reviews");
      EXPECT_TRUE(request.method == "GET" || is_review) << request.method << " " << request.target;
    }
  }

  // Claims are created, reserved and freed, a pod is evicted.
  void lives_of_pods() {
    create_pods(5, "gpus");
    for (int i = 0; i < 5; ++i) {
      const std::string pod = fmt::format("pod-{}", i);
      const std::string claim = wait_for_claim_of(pod, "accel");
      allocate(claim, {reservation_of(get("pods", pod))});
      set_phase(pod, "Succeeded");
      EXPECT_TRUE(soon("the claim is gone", [&] { return !exists("resourceclaims", claim); }));
    }
    create_claim("shared");
    allocate("shared");
    const json::value bound =
        create_pod({.name = "bound", .claims = {{"accel", "shared"}}, .node = "node-a"});
    EXPECT_TRUE(soon("it is reserved", [&] { return reserved_for("shared") == uids({bound}); }));
    delete_pod("bound");
    EXPECT_TRUE(soon("it is free", [&] { return is_free("shared"); }));
    create_user("on-it");
    publish("slice", {.taints = {taint("broken")}});
    EXPECT_TRUE(goes_soon("on-it"));
  }

  std::unique_ptr<Manager> worker_;

 private:
  std::unique_ptr<support::Process> neighbour_;
};

TEST_F(Shadow, writes_nothing_takes_no_lease_and_names_missing_writes) {
  start_dry_run("1s", {"--leader-elect=true", "--leader-elect-resource-name=shadow"});
  create_template("gpus");
  create_pod({.name = "trainer-0", .templates = {{"accel", "gpus"}}});
  create_user("on-it");
  publish("slice", {.taints = {taint("broken")}});
  const std::string create = series("disagreements_total", "create", "resourceclaims");
  EXPECT_TRUE(soon("the missing claim is named", [&] { return manager().metric(create) == 1; }));
  const std::string evict =
      series("disagreements_total", "delete", "pods", "device-taint-eviction-controller");
  EXPECT_TRUE(soon("the missing eviction is named", [&] { return manager().metric(evict) == 1; }));
  EXPECT_TRUE(logged(fmt::format(
      "object=\"{}/trainer-0\" what=\"a claim for pod claim accel, from template gpus\" "
      "shown=\"the pod owns no claim for it\"",
      ns())));
  EXPECT_EQ(manager().metric(series("writes_total", "create", "resourceclaims")), 1);
  EXPECT_EQ(claim_of("trainer-0", "accel"), "");
  EXPECT_FALSE(is_going("on-it"));
  EXPECT_EQ(kube().get(std::string(kLeases) + "/shadow").status, 404U);
  EXPECT_EQ(manager().status_page("/readyz"), "ok");
  expect_it_only_reads();
  EXPECT_EQ(manager().stop(), 0);
}

TEST_F(Shadow, agrees_with_working_manager) {
  start_dry_run("120s");  // the working manager has to start meanwhile
  create_template("gpus");
  start_worker();
  lives_of_pods();
  EXPECT_TRUE(soon("all is as it would have been", [&] { return sum("awaited") == 0; }))
      << manager().log();
  EXPECT_EQ(sum("disagreements_total"), 0) << manager().log();
  EXPECT_GT(sum("writes_total"), 0);
  expect_it_only_reads();
}

TEST_F(Shadow, disagrees_until_a_manager_works) {
  start_dry_run("1s");
  create_template("gpus");
  create_pod({.name = "trainer-0", .templates = {{"accel", "gpus"}}});
  create_user("on-it");
  publish("slice", {});  // Kubernetes 1.34 evicts from published devices only
  create_rule("rule");
  EXPECT_TRUE(soon("disagreements on both", [&] {
    return manager().metric(series("open_disagreements", "create", "resourceclaims")) == 1 &&
           manager().metric(series("open_disagreements", "delete", "pods",
                                   "device-taint-eviction-controller")) == 1;
  }));
  start_worker();
  wait_for_claim_of("trainer-0", "accel");
  EXPECT_TRUE(goes_soon("on-it"));
  EXPECT_TRUE(soon("none is open", [&] { return sum("open_disagreements") == 0; }))
      << manager().log();
  expect_it_only_reads();
}

// The permissions of its manifest suffice, and allow no writes.
TEST_F(Shadow, needs_only_permissions_of_its_manifest) {
  if (run().server == ServerKind::memory) GTEST_SKIP() << "the in-memory API server has no RBAC";
  const std::map<std::string, std::string> collections{
      {"ServiceAccount", "/api/v1/namespaces/kube-system/serviceaccounts"},
      {"ClusterRole", "/apis/rbac.authorization.k8s.io/v1/clusterroles"},
      {"ClusterRoleBinding", "/apis/rbac.authorization.k8s.io/v1/clusterrolebindings"},
      {"Role", "/apis/rbac.authorization.k8s.io/v1/namespaces/kube-system/roles"},
      {"RoleBinding", "/apis/rbac.authorization.k8s.io/v1/namespaces/kube-system/rolebindings"}};
  for (const json::value& object : support::read_manifests("manifests/shadow/rbac.yaml")) {
    kube().must_post(collections.at(text_at(object, "/kind")), object);
  }
  const json::value token = kube().must_post(
      collections.at("ServiceAccount") + "/" + kShadow + "/token",
      {{"apiVersion", "authentication.k8s.io/v1"}, {"kind", "TokenRequest"}, {"spec", {}}});
  support::Access access = run().admin;
  access.token = text_at(token, "/status/token");
  ASSERT_TRUE(may_soon(access, {{"verb", "list"}, {"resource", "pods"}}));
  ASSERT_TRUE(may_soon(access, {{"namespace", "kube-system"},
                                {"verb", "get"},
                                {"resource", "configmaps"},
                                {"name", "extension-apiserver-authentication"}}));
  Faults shadow_faults(access, file("shadow-proxy"));
  auto shadow = another_manager(shadow_faults.kubeconfig(),
                                {"--dry-run", "--dry-run-timeout=1s", "--secure-port=0"});
  ASSERT_TRUE(shadow->is_ready_soon()) << shadow->log();
  create_template("gpus");
  create_pod({.name = "trainer-0", .templates = {{"accel", "gpus"}}});
  EXPECT_TRUE(soon("the missing claim is named", [&] {
    return shadow->metric(series("disagreements_total", "create", "resourceclaims")) == 1;
  }));
  for (const auto& request : shadow_faults.requests()) {
    EXPECT_NE(request.status, 403) << request.method << " " << request.target;
  }
  shadow->kill();
  for (const auto& [kind, collection] : collections) kube().remove(collection + "/" + kShadow);
}

TEST_F(Shadow, reports_second_manager) {
  clock();
  EvictionCase::start_manager();
  create_template("gpus");
  const std::string foreign = "dra_controller_manager_foreign_claims_total";
  create_pods(20, "gpus");
  ASSERT_TRUE(soon("every pod has its claim", [&] { return every_pod_has_its_claim(); }));
  // An earlier leader's last writes may appear for a minute.
  clock().sleep(std::chrono::minutes(2));
  settle();
  EXPECT_EQ(manager().metric(foreign), 0);
  // Like kube-controller-manager: under a name generated by the API server.
  create_pod({.name = "theirs", .templates = {{"accel", "gpus"}}});
  json::value claim = get("resourceclaims", wait_for_claim_of("theirs", "accel"));
  claim.at("metadata").as_object() = {
      {"generateName", "theirs-accel-"},
      {"annotations", claim.at("metadata").at("annotations")},
      {"ownerReferences", claim.at("metadata").at("ownerReferences")}};
  claim.as_object().erase("status");
  const json::value made = kube().must_post(path("resourceclaims"), claim);
  settle();
  EXPECT_EQ(manager().metric(foreign), 0) << "users may make such a claim as well";
  kube().must_patch(
      path("pods", "theirs") + "/status", Kube::Patch::merge,
      {{"status",
        {{"resourceClaimStatuses",
          json::array{{{"name", "accel"}, {"resourceClaimName", at(made, "/metadata/name")}}}}}}});
  EXPECT_TRUE(
      soon("somebody else's claim is noticed", [&] { return manager().metric(foreign) == 1; }));
  EXPECT_TRUE(logged("Another manager makes claims for pods too"));
}

// By hand, from a backup, from kubectl's output: in as many namespaces as a user may use.
TEST_F(Shadow, is_not_delayed_by_forged_foreign_claims) {
  clock();
  EvictionCase::start_manager();
  create_template("gpus");
  clock().sleep(std::chrono::minutes(2));
  settle();
  Names made;
  for (int i = 0; i < 3; ++i) {
    const std::string tenant = fmt::format("{}-tenant-{}", ns(), i);
    kube().must_post(
        "/api/v1/namespaces",
        {{"apiVersion", "v1"}, {"kind", "Namespace"}, {"metadata", {{"name", tenant}}}});
    const std::string claims = "/apis/resource.k8s.io/v1/namespaces/" + tenant + "/resourceclaims";
    const std::string uid = fmt::format("6f9619ff-8b86-d011-b42d-{:012}", i);
    const json::value claim = kube().must_post(
        claims, {{"apiVersion", "resource.k8s.io/v1"},
                 {"kind", "ResourceClaim"},
                 {"metadata",
                  {{"generateName", "web-0-accel-"},
                   {"annotations", {{"resource.kubernetes.io/pod-claim-name", "accel"}}},
                   {"ownerReferences", json::array{{{"apiVersion", "v1"},
                                                    {"kind", "Pod"},
                                                    {"name", "web-0"},
                                                    {"uid", uid},
                                                    {"controller", true}}}}}},
                 {"spec", json::object()}});
    made.push_back(claims + "/" + text_at(claim, "/metadata/name"));
    made.push_back("/api/v1/namespaces/" + tenant);
  }
  settle();
  create_pod({.name = "victim", .templates = {{"accel", "gpus"}}});
  wait_for_claim_of("victim", "accel");
  EXPECT_EQ(manager().metric("dra_controller_manager_creates_held_back"), 0);
  EXPECT_EQ(manager().metric("dra_controller_manager_foreign_claims_total"), 0);
  for (const std::string& object : made) kube().remove(object);
}

}  // namespace
}  // namespace dcm::conformance
