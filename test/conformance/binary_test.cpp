// The process itself: exit status, health, metrics, and its messages about bad input.
#include <algorithm>
#include <fstream>

#include <fmt/format.h>

#include "test/conformance/case.hpp"
#include "test/support/paths.hpp"

namespace dcm::conformance {
namespace {

using support::Access;

class Binary : public Case {
 protected:
  void SetUp() override {
    if (run().manager == ManagerKind::reference) GTEST_SKIP() << "this is about our own binary";
  }

  struct Ended {
    int status;
    std::string output;
  };

  // Runs the manager to its end.
  Ended run_to_end(std::vector<std::string> flags,
                   std::map<std::string, std::string> environment = {}) {
    const std::string output = file(fmt::format("run-{}.log", ++runs_));
    flags.insert(flags.begin(), support::binary("dra-controller-manager"));
    const int status = support::Process::run({flags, std::move(environment), output});
    return {status, support::read_file(output)};
  }

  std::string write_file(const std::string& name, const std::string& text) {
    std::ofstream(file(name)) << text;
    return file(name);
  }

  std::string kubeconfig_for(const Access& access) {
    support::write_kubeconfig(file("special.kubeconfig"), access);
    return file("special.kubeconfig");
  }

  static bool is_https() { return run().admin.server.starts_with("https"); }

  static std::ptrdiff_t lines(const std::string& text) { return std::ranges::count(text, '\n'); }

  // Starts a manager that cannot become ready, and waits until it reports this reason.
  std::unique_ptr<Manager> start_unready(const std::string& kubeconfig, const std::string& reason,
                                         std::vector<std::string> flags = {}) {
    auto unready = another_manager(kubeconfig, std::move(flags));
    EXPECT_TRUE(soon("it is not ready: " + reason, [&] { return unready->is_unready(reason); }))
        << unready->status_page("/readyz") << unready->log();
    EXPECT_EQ(unready->status_page("/livez"), "ok");
    return unready;
  }

 private:
  int runs_ = 0;
};

TEST_F(Binary, rejects_unknown_flag_in_one_line_with_status_2) {
  const Ended ended = run_to_end({"--kubecofnig=x"});
  EXPECT_EQ(ended.status, 2);
  EXPECT_EQ(lines(ended.output), 1) << ended.output;
  EXPECT_NE(ended.output.find("--kubecofnig"), std::string::npos) << ended.output;
}

TEST_F(Binary, rejects_flag_out_of_range_in_one_line_with_status_2) {
  for (const char* flag :
       {"--concurrent-resourceclaim-syncs=0", "--concurrent-resourceclaim-syncs=10001",
        "--max-inflight-requests=0", "--controllers=nonsense", "--feature-gates=DRANonsense=true",
        "--logging-format=xml"}) {
    const Ended ended = run_to_end({"--leader-elect=false", flag});
    EXPECT_EQ(ended.status, 2) << flag;
    EXPECT_EQ(lines(ended.output), 1) << flag << ": " << ended.output;
  }
}

TEST_F(Binary, prints_help_and_version_with_status_0) {
  EXPECT_EQ(run_to_end({"--help"}).status, 0);
  const Ended version = run_to_end({"--version"});
  EXPECT_EQ(version.status, 0);
  EXPECT_TRUE(version.output.starts_with("dra-controller-manager ")) << version.output;
}

TEST_F(Binary, rejects_broken_kubeconfig_with_file_line_and_status_2) {
  const std::string broken = write_file("broken", "clusters:\n  - name: a\n   server: [\n");
  const Ended ended = run_to_end({"--leader-elect=false", "--kubeconfig=" + broken});
  EXPECT_EQ(ended.status, 2);
  EXPECT_EQ(lines(ended.output), 1) << ended.output;
  EXPECT_NE(ended.output.find(broken + ":3"), std::string::npos) << ended.output;
}

TEST_F(Binary, says_where_it_looked_for_configuration_and_exits_with_status_2) {
  const Ended ended =
      run_to_end({"--leader-elect=false"}, {{"HOME", "/nonexistent"}, {"KUBECONFIG", ""}});
  EXPECT_EQ(ended.status, 2);
  EXPECT_EQ(lines(ended.output), 1) << ended.output;
  EXPECT_NE(ended.output.find("KUBECONFIG"), std::string::npos) << ended.output;
}

TEST_F(Binary, stays_unready_while_server_is_missing) {
  const auto manager =
      start_unready(kubeconfig_for({.server = "http://127.0.0.1:1"}), "127.0.0.1:1");
  EXPECT_EQ(manager->stop(), 0);
}

TEST_F(Binary, accepts_command_line_of_control_plane_and_names_ignored_flags_once) {
  const auto manager =
      start_unready(kubeconfig_for({.server = "http://127.0.0.1:1"}), "127.0.0.1:1",
                    {"--feature-gates=DRAExtendedResource=true", "--cluster-cidr=10.0.0.0/8"});
  EXPECT_EQ(manager->stop(), 0);
  const std::string log = manager->log();
  EXPECT_NE(log.find("without effect\" names=\"--cluster-cidr DRAExtendedResource\""),
            std::string::npos)
      << log;
}

TEST_F(Binary, warns_of_unknown_feature_gates_and_names_a_similar_one_if_there_is_one) {
  const auto manager =
      start_unready(kubeconfig_for({.server = "http://127.0.0.1:1"}), "127.0.0.1:1",
                    {"--feature-gates=DRADeviceTaintRule=true,Foo=true"});
  EXPECT_EQ(manager->stop(), 0);
  const std::string log = manager->log();
  for (const std::string_view fields :
       {R"(gate="DRADeviceTaintRule" nearest="DRADeviceTaintRules")", R"(gate="Foo")"}) {
    EXPECT_NE(log.find(fmt::format("{}\n", fields)), std::string::npos) << fields << '\n' << log;
  }
}

TEST_F(Binary, stays_unready_if_server_does_not_speak_json) {
  faults().add({.method = "GET",
                .target = "^/apis",
                .times = 1'000'000,
                .fault = {.kind = FaultKind::answer,
                          .answer = {.status = 200,
                                     .headers = {{"Content-Type", "application/json"}},
                                     .body = "<html>Welcome to nginx</html>"}}});
  const auto manager = start_unready(faults().kubeconfig(), "/apis");
  EXPECT_EQ(manager->stop(), 0);
}

TEST_F(Binary, stays_unready_without_resource_claims) {
  faults().add({.method = "GET",
                .target = "resource.k8s.io",
                .times = 1'000'000,
                .fault = {.kind = FaultKind::answer,
                          .answer = {.status = 404, .body = "404 page not found\n"}}});
  const auto manager = start_unready(faults().kubeconfig(), "resource.k8s.io");
  EXPECT_EQ(manager->stop(), 0);
}

TEST_F(Binary, stays_unready_with_wrong_ca) {
  if (!is_https()) GTEST_SKIP() << "this server speaks plain HTTP";
  Access access = run().restricted;
  access.ca_file.clear();
  EXPECT_EQ(start_unready(kubeconfig_for(access), "certificate")->stop(), 0);
}

TEST_F(Binary, stays_unready_with_expired_token_and_never_logs_it) {
  if (!is_https()) GTEST_SKIP() << "this server takes any token";
  Access access = run().restricted;
  access.token = "expired-secret-token";
  const auto manager = start_unready(kubeconfig_for(access), "nauthorized", {"-v=9"});
  EXPECT_EQ(manager->stop(), 0);
  EXPECT_EQ(manager->log().find("expired-secret-token"), std::string::npos);
}

TEST_F(Binary, exits_with_status_0_on_sigterm) {
  start_manager();
  EXPECT_EQ(manager().status_page("/livez"), "ok");
  EXPECT_EQ(manager().status_page("/healthz"), "ok");
  EXPECT_EQ(manager().stop(), 0);
}

TEST_F(Binary, names_metrics_like_the_reference) {
  start_manager();
  create_template("gpus");
  create_pod({.name = "trainer-0", .templates = {{"accel", "gpus"}}});
  wait_for_claim_of("trainer-0", "accel");
  EXPECT_EQ(manager().metric("dynamic_resource_allocation_resourceclaim_creates_total{"
                             "admin_access=\"false\",owner_api_group=\"\",owner_api_kind=\"Pod\","
                             "status=\"success\"}"),
            1);
  EXPECT_GE(manager().metric("workqueue_adds_total{name=\"resource_claim\"}"), 1);
}

TEST_F(Binary, counts_claims_by_state) {
  start_manager();
  create_template("gpus");
  create_claim("mine");
  allocate("mine");
  create_pod({.name = "trainer-0", .templates = {{"accel", "gpus"}}});
  wait_for_claim_of("trainer-0", "accel");
  const auto claims = [&](const char* allocated, const char* source) {
    return manager().metric(
        fmt::format("dynamic_resource_allocation_resource_claims{{admin_access=\"false\","
                    "allocated=\"{}\",source=\"{}\"}}",
                    allocated, source));
  };
  EXPECT_TRUE(soon("one of each", [&] {
    return claims("true", "") == 1 && claims("false", "resource_claim_template") == 1;
  })) << manager().status_page("/metrics");
}

}  // namespace
}  // namespace dcm::conformance
