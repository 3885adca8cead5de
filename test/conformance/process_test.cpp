// The process itself: exit status, health, and what it says about bad input.
#include <algorithm>
#include <filesystem>
#include <fstream>

#include <fmt/format.h>
#include <unistd.h>

#include "test/conformance/case.hpp"
#include "test/support/paths.hpp"

namespace dcm::conformance {
namespace {

class Binary : public Case {
 protected:
  struct Ended {
    int status;
    std::string output;
  };

  // Runs the manager to its end.
  static Ended run(std::vector<std::string> flags,
                   std::map<std::string, std::string> environment = {}) {
    const std::string output = fmt::format("{}/binary-{}.log", support::log_dir(), getpid());
    std::filesystem::remove(output);
    flags.insert(flags.begin(), support::binary("dra-controller-manager"));
    const int status = support::Process::run({flags, std::move(environment), output});
    return {status, support::read_file(output)};
  }

  static std::string write_file(const std::string& name, const std::string& text) {
    const std::string path = fmt::format("{}/{}-{}", support::log_dir(), getpid(), name);
    std::ofstream(path) << text;
    return path;
  }

  // A kubeconfig for this server, or parts of it replaced.
  std::string kubeconfig_with(const std::string& server, const std::string& cluster_more,
                              const std::string& token) {
    return write_file("kubeconfig", fmt::format(R"(apiVersion: v1
kind: Config
current-context: test
clusters: [{{name: test, cluster: {{server: "{}"{}}}}}]
users: [{{name: test, user: {{token: "{}"}}}}]
contexts: [{{name: test, context: {{cluster: test, user: test}}}}]
)",
                                                server, cluster_more, token));
  }

  bool is_https() { return kube().server_url().starts_with("https"); }

  static std::size_t lines(const std::string& text) {
    return static_cast<std::size_t>(std::ranges::count(text, '\n'));
  }

  // Starts a manager that cannot get ready, and waits until /readyz says so with this text.
  Manager& start_unready(const std::string& config, const std::string& reason,
                         std::vector<std::string> flags = {}) {
    unready_ = std::make_unique<Manager>("unready", std::move(flags), config);
    EXPECT_TRUE(
        soon("/readyz says: " + reason,
             [&] { return unready_->status_page("/readyz").find(reason) != std::string::npos; }))
        << unready_->status_page("/readyz") << unready_->log();
    return *unready_;
  }

  std::unique_ptr<Manager> unready_;
};

TEST_F(Binary, an_unknown_flag_is_one_line_and_status_2) {
  const Ended ended = run({"--kubecofnig=x"});
  EXPECT_EQ(ended.status, 2);
  EXPECT_EQ(lines(ended.output), 1U) << ended.output;
  EXPECT_NE(ended.output.find("--kubecofnig"), std::string::npos) << ended.output;
}

TEST_F(Binary, a_flag_out_of_range_is_one_line_and_status_2) {
  for (const char* flag :
       {"--concurrent-resourceclaim-syncs=0", "--kube-api-qps=-1", "--controllers=nonsense",
        "--feature-gates=DRAAdminAccess=false", "--logging-format=xml", "--leader-elect=true"}) {
    const Ended ended = run({"--leader-elect=false", flag});
    EXPECT_EQ(ended.status, 2) << flag;
    EXPECT_EQ(lines(ended.output), 1U) << flag << ": " << ended.output;
  }
}

TEST_F(Binary, help_and_version_are_status_0) {
  EXPECT_EQ(run({"--help"}).status, 0);
  const Ended version = run({"--version"});
  EXPECT_EQ(version.status, 0);
  EXPECT_TRUE(version.output.starts_with("dra-controller-manager ")) << version.output;
}

TEST_F(Binary, a_broken_kubeconfig_is_one_line_with_file_and_line_and_status_1) {
  const std::string file = write_file("broken", "clusters:\n  - name: a\n   server: [\n");
  const Ended ended = run({"--leader-elect=false", "--kubeconfig=" + file});
  EXPECT_EQ(ended.status, 1);
  EXPECT_EQ(lines(ended.output), 1U) << ended.output;
  EXPECT_NE(ended.output.find(file), std::string::npos) << ended.output;
  EXPECT_NE(ended.output.find(":3"), std::string::npos) << ended.output;
}

TEST_F(Binary, without_any_configuration_it_says_where_it_looked_and_status_1) {
  const Ended ended = run({"--leader-elect=false"}, {{"HOME", "/nonexistent"}, {"KUBECONFIG", ""}});
  EXPECT_EQ(ended.status, 1);
  EXPECT_EQ(lines(ended.output), 1U) << ended.output;
  EXPECT_NE(ended.output.find("KUBECONFIG"), std::string::npos) << ended.output;
}

TEST_F(Binary, a_server_that_is_not_there_is_a_reason_not_to_be_ready_and_no_end) {
  Manager& manager = start_unready(kubeconfig_with("http://127.0.0.1:1", "", "x"), "127.0.0.1:1");
  EXPECT_EQ(manager.status_page("/healthz"), "ok");
  EXPECT_EQ(manager.stop(), 0);
}

TEST_F(Binary, a_server_that_does_not_speak_json_is_a_reason_not_to_be_ready) {
  // Its own status port answers every API path with "not found", in plain text.
  start_manager();
  const std::string log = manager().log();
  const std::size_t at = log.find("address=\"") + 9;
  const std::string address = log.substr(at, log.find('"', at) - at);
  Manager& other = start_unready(kubeconfig_with("http://" + address, "", "x"), "resource.k8s.io");
  EXPECT_EQ(other.stop(), 0);
}

TEST_F(Binary, a_wrong_ca_is_a_reason_not_to_be_ready) {
  if (!is_https()) GTEST_SKIP() << "this server speaks plain HTTP";
  Manager& manager =
      start_unready(kubeconfig_with(kube().server_url(), "", kube().token()), "certificate");
  EXPECT_EQ(manager.stop(), 0);
}

TEST_F(Binary, an_expired_token_is_a_reason_not_to_be_ready_and_is_never_logged) {
  if (!is_https()) GTEST_SKIP() << "this server takes any token";
  Manager& manager =
      start_unready(kubeconfig_with(kube().server_url(), ", insecure-skip-tls-verify: true",
                                    "expired-secret-token"),
                    "nauthorized", {"-v=9"});
  EXPECT_NE(manager.log().find("insecure-skip-tls-verify"), std::string::npos);
  EXPECT_EQ(manager.stop(), 0);
  EXPECT_EQ(manager.log().find("expired-secret-token"), std::string::npos);
}

TEST_F(Binary, sigterm_ends_it_with_status_0) {
  start_manager();
  EXPECT_EQ(manager().status_page("/livez"), "ok");
  EXPECT_EQ(manager().stop(), 0);
}

TEST_F(Binary, its_metrics_have_the_names_of_the_reference) {
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

}  // namespace
}  // namespace dcm::conformance
