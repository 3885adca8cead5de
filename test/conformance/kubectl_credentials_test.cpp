// The same kubeconfig for kubectl and for the manager: both must accept or reject it alike. Each
// case runs the real kubectl of the control plane.
#include <fmt/format.h>

#include "test/conformance/credentials_case.hpp"
#include "test/conformance/server.hpp"
#include "test/support/paths.hpp"

namespace dcm::conformance {
namespace {

class BesideKubectl : public CredentialsCase {
 protected:
  void SetUp() override {
    CredentialsCase::SetUp();
    if (IsSkipped()) return;
    kubectl_ = controlplane_program(run(), "kubectl");
    if (kubectl_.empty()) GTEST_SKIP() << "there is no kubectl";
  }

  void expect_both_work(const std::string& kubeconfig) {
    EXPECT_EQ(ask_kubectl(kubeconfig), 0) << support::read_file(file("kubectl.log"));
    const auto manager = start_ready(kubeconfig);
    EXPECT_EQ(manager->stop(), 0);
  }
  // The manager keeps waiting, and says why.
  void expect_both_fail(const std::string& kubeconfig, const std::string& reason) {
    EXPECT_NE(ask_kubectl(kubeconfig), 0);
    const auto manager = start_unready(kubeconfig, reason);
    EXPECT_EQ(manager->stop(), 0);
  }
  // The manager does not even start.
  void expect_both_refuse(const std::string& kubeconfig, const std::string& reason) {
    EXPECT_NE(ask_kubectl(kubeconfig), 0);
    const std::string log = file("refused.log");
    const support::Process::Command start{
        .arguments = {support::binary("dra-controller-manager"), "--kubeconfig=" + kubeconfig},
        .environment = {},
        .output = log};
    EXPECT_EQ(support::Process::run(start), 2);
    EXPECT_NE(support::read_file(log).find(reason), std::string::npos) << support::read_file(log);
  }

  std::string plugin(const std::string& credential,
                     const std::string& version = "client.authentication.k8s.io/v1") {
    return fmt::format("exec: {{apiVersion: {}, command: \"{}\", interactiveMode: IfAvailable}}",
                       version, script("login", fmt::format("echo '{}'\n", credential)));
  }
  std::string token(const std::string& token) { return fmt::format("token: \"{}\"", token); }

 private:
  int ask_kubectl(const std::string& kubeconfig) {
    return support::Process::run(
        {.arguments = {kubectl_, "--kubeconfig=" + kubeconfig, "--cache-dir=" + file("cache"),
                       "--request-timeout=10s", "get", "--raw",
                       "/apis/resource.k8s.io/v1/resourceclaims?limit=1"},
         .environment = {},
         .output = file("kubectl.log")});
  }

  std::string kubectl_;
};

TEST_F(BesideKubectl, accepts_token) {
  expect_both_work(kubeconfig(token(secured().token)));
}

TEST_F(BesideKubectl, accepts_token_that_looks_expired_while_server_does) {
  expect_both_work(kubeconfig(
      plugin(credential(secured().token, R"(,"expirationTimestamp":"2019-05-04T03:02:01Z")"))));
}

TEST_F(BesideKubectl, accepts_beta_plugin) {
  std::string beta = credential(secured().token);
  beta.replace(beta.find("io/v1"), 5, "io/v1beta1");
  expect_both_work(kubeconfig(plugin(beta, "client.authentication.k8s.io/v1beta1")));
}

TEST_F(BesideKubectl, rejects_plugin_output_of_other_version) {
  expect_both_fail(
      kubeconfig(plugin(credential(secured().token), "client.authentication.k8s.io/v1beta1")),
      "client.authentication.k8s.io/v1");
}

TEST_F(BesideKubectl, prefers_token_file_to_token) {
  const std::string good = write("token", secured().token + "\n");
  expect_both_work(kubeconfig(fmt::format("token: refused, tokenFile: \"{}\"", good)));
}

TEST_F(BesideKubectl, ignores_unknown_keys) {
  expect_both_work(
      kubeconfig(token(secured().token) + ", colour: blue", "flavour: {sweet: [1, 2]}"));
}

TEST_F(BesideKubectl, accepts_given_server_name) {
  expect_both_work(kubeconfig(token(secured().token), "tls-server-name: localhost"));
}

TEST_F(BesideKubectl, rejects_certificate_of_other_name) {
  expect_both_fail(kubeconfig(token(secured().token), "tls-server-name: other.example.com"),
                   "hostname mismatch");
}

TEST_F(BesideKubectl, authenticates_to_proxy) {
  const std::string proxy = start_proxy("Basic YWRhOnB3");  // ada:pw
  expect_both_work(
      kubeconfig(token(secured().token), fmt::format("proxy-url: \"http://ada:pw@{}\"", proxy)));
  EXPECT_NE(proxy_log().find(" 200"), std::string::npos) << proxy_log();
}

TEST_F(BesideKubectl, rejects_unknown_proxy_scheme) {
  expect_both_refuse(kubeconfig(token(secured().token), "proxy-url: \"ftp://127.0.0.1:2121\""),
                     "proxy-url");
}

TEST_F(BesideKubectl, rejects_ca_with_verification_off) {
  expect_both_refuse(kubeconfig(token(secured().token), "insecure-skip-tls-verify: true"),
                     "insecure-skip-tls-verify");
}

TEST_F(BesideKubectl, rejects_client_certificate_without_base64) {
  expect_both_refuse(kubeconfig("client-certificate-data: \"%%%\", client-key-data: \"%%%\""),
                     "client-certificate-data");
}

TEST_F(BesideKubectl, fails_with_refused_token) {
  if (!is_real()) GTEST_SKIP() << "this server takes any token";
  expect_both_fail(kubeconfig(token("refused")), "nauthorized");
}

TEST_F(BesideKubectl, leaves_impersonation_to_server) {
  if (!is_real()) GTEST_SKIP() << "this server has no users";
  expect_both_fail(kubeconfig(token(run().admin.token) + ", as: nobody-in-particular"),
                   "User \"nobody-in-particular\" cannot");
}

}  // namespace
}  // namespace dcm::conformance
