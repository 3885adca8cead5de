// No secret in any output of the manager: each case marks its secrets, runs the manager at -v=9
// with and without failures, and searches for the marks in all of its output: log, pages of both
// ports, events, leases.

#include <fmt/format.h>

#include "runtime/base64.hpp"
#include "test/conformance/credentials_case.hpp"
#include "test/support/blocking_client.hpp"
#include "test/support/certificates.hpp"
#include "test/support/paths.hpp"

namespace dcm::conformance {
namespace {

class Secrets : public CredentialsCase {
 protected:
  void SetUp() override {
    CredentialsCase::SetUp();
    if (IsSkipped()) return;
    const auto identity = authority_.issue({.addresses = {"127.0.0.1"}});
    certificate_ = write("tls.crt", identity.certificate_pem);
    key_ = write("tls.key", identity.key_pem);
    // A line of the key itself.
    marks_.push_back(identity.key_pem.substr(identity.key_pem.find('\n') + 20, 30));
  }

  // Everything open to everybody, so that all pages can be read.
  Names flags() const {
    return {"-v=9",
            fmt::format("--secure-port={}", port_),
            "--bind-address=127.0.0.1",
            "--tls-cert-file=" + certificate_,
            "--tls-private-key-file=" + key_,
            "--authorization-always-allow-paths=/*"};
  }

  void mark(const std::string& secret) {
    marks_.push_back(secret);
    marks_.push_back(runtime::encode_base64(secret));
  }

  // All output of a running manager.
  std::string everything(Manager& manager, const std::string& pod) {
    std::string all = manager.log();
    for (const char* page : {"/readyz?verbose", "/livez?verbose", "/metrics"}) {
      all += manager.status_page(page);
    }
    support::BlockingClient client(fmt::format("https://127.0.0.1:{}", port_), authority_.pem());
    for (const std::string& page :
         {std::string("/configz"), std::string("/flagz"), std::string("/statusz"),
          std::string("/metrics"), std::string("/readyz?verbose"), std::string("/debug/health"),
          "/debug/explain/pods/" + ns() + "/" + pod}) {
      const auto response = client.send({.target = page});
      EXPECT_TRUE(response) << page << response.error().message;
      if (response) all += response->body;
    }
    return all + kube().get("/api/v1/events").text;
  }

  void expect_none_shown(const std::string& all) {
    for (const std::string& secret : marks_) {
      const std::size_t place = all.find(secret);
      EXPECT_EQ(place, std::string::npos)
          << "shown: " << all.substr(place < 200 ? 0 : place - 200, 400);
    }
  }

  // Checks a manager with these credentials, once it reports `reason`; empty: once it is ready
  // and has worked.
  void run_and_look(const std::string& kubeconfig, const std::string& reason = {}) {
    auto manager = reason.empty() ? start_ready(kubeconfig, flags())
                                  : start_unready(kubeconfig, reason, flags());
    const std::string pod = fmt::format("trainer-{}", pods_++);
    if (reason.empty()) expect_work(pod);
    const std::string all = everything(*manager, pod);
    manager->stop();
    expect_none_shown(all + manager->log());
  }
  // A rejected kubeconfig: one line, exit status 2 (docs/operate.md).
  void refuse_and_look(const std::string& kubeconfig) {
    refuse_flag_and_look("--kubeconfig=" + kubeconfig);
  }
  void refuse_flag_and_look(const std::string& flag) {
    Names arguments = flags();
    arguments.insert(arguments.begin(), {support::binary("dra-controller-manager"), flag});
    const int status = support::Process::run({arguments, {}, file("refused.log")});
    EXPECT_EQ(status, 2);
    expect_none_shown(support::read_file(file("refused.log")));
  }

 private:
  test::CertificateAuthority authority_{"secrets"};
  const int port_ = support::free_port();
  std::string certificate_;
  std::string key_;
  Names marks_;
  int pods_ = 0;
};

TEST_F(Secrets, stay_hidden_in_accepted_token) {
  mark(secured().token);
  run_and_look(kubeconfig(fmt::format("token: \"{}\"", secured().token)));
}

TEST_F(Secrets, stay_hidden_in_refused_token_and_password) {
  if (!is_real()) GTEST_SKIP() << "this server takes any token";
  mark("marked-token-4711");
  run_and_look(kubeconfig("token: marked-token-4711"), "nauthorized");
  mark("ada:marked-password-4711");
  mark("marked-password-4711");
  run_and_look(kubeconfig("username: ada, password: marked-password-4711"), "system:anonymous");
}

TEST_F(Secrets, stay_hidden_in_file_without_token) {
  mark("marked-token-4711");
  const std::string lines = write("token", "marked-token-4711\nand more");
  refuse_and_look(kubeconfig(fmt::format("tokenFile: \"{}\"", lines)));
  // Sent unchanged, like client-go.
  const std::string words = write("words", "marked-token-4711 and more");
  if (is_real()) run_and_look(kubeconfig(fmt::format("tokenFile: \"{}\"", words)), "nauthorized");
}

TEST_F(Secrets, stay_hidden_in_client_key_and_its_substitutes) {
  const test::CertificateAuthority strangers("strangers");
  const auto identity = strangers.issue({.common_names = {"ada"}});
  mark(identity.key_pem.substr(identity.key_pem.find('\n') + 20, 30));
  const std::string user =
      fmt::format("client-certificate: \"{}\"", write("ada.crt", identity.certificate_pem));
  const std::string key = write("ada.key", identity.key_pem);
  if (is_real()) {
    run_and_look(kubeconfig(fmt::format("{}, client-key: \"{}\"", user, key)), "nauthorized");
  } else {
    run_and_look(kubeconfig(fmt::format("{}, client-key: \"{}\"", user, key)));
  }
  mark("marked-key-4711");
  refuse_and_look(kubeconfig(user + ", client-key-data: marked-key-4711"));
  refuse_and_look(
      kubeconfig(user + ", client-key-data: " + runtime::encode_base64("marked-key-4711")));
  refuse_and_look(kubeconfig("token: [marked-key-4711]"));
}

TEST_F(Secrets, stay_hidden_in_plugin_input_and_output) {
  for (const char* secret :
       {"marked-argument-4711", "marked-variable-4711", "marked-stderr-4711"}) {
    mark(secret);
  }
  mark(secured().token);
  const auto user = [&](const std::string& body) {
    return kubeconfig(fmt::format(
        "exec: {{apiVersion: client.authentication.k8s.io/v1, command: \"{}\", interactiveMode: "
        "Never, args: [marked-argument-4711], env: [{{name: A, value: marked-variable-4711}}]}}",
        script("login", "echo marked-stderr-4711 >&2\n" + body)));
  };
  run_and_look(user(fmt::format("echo '{}'\n", credential(secured().token))));
  run_and_look(user(fmt::format("echo '{}'\nexit 1\n", credential(secured().token))),
               "ended with status 1");
  run_and_look(user(fmt::format("echo '{}' | head -c 100\n", credential(secured().token))),
               "not a JSON object");
}

TEST_F(Secrets, stay_hidden_in_proxy_password) {
  mark("marked-password-4711");
  mark("ada:marked-password-4711");
  const std::string user = fmt::format("token: \"{}\"", secured().token);
  const std::string good =
      start_proxy("Basic " + runtime::encode_base64("ada:marked-password-4711"));
  run_and_look(
      kubeconfig(user, fmt::format("proxy-url: \"http://ada:marked-password-4711@{}\"", good)));
  const std::string other = start_proxy("Basic YTpi");
  run_and_look(
      kubeconfig(user, fmt::format("proxy-url: \"http://ada:marked-password-4711@{}\"", other)),
      "(407)");
  run_and_look(kubeconfig(user, "proxy-url: \"http://ada:marked-password-4711@127.0.0.1:1\""),
               "proxy 127.0.0.1:1");
  run_and_look(kubeconfig(user, "proxy-url: \"socks5://ada:marked-password-4711@127.0.0.1:1\""),
               "proxy 127.0.0.1:1");
  refuse_and_look(kubeconfig(user, "proxy-url: \"ftp://ada:marked-password-4711@127.0.0.1:1\""));
}

TEST_F(Secrets, stay_hidden_in_server_url) {
  mark("marked-password-4711");
  refuse_flag_and_look("--server=https://ada:marked-password-4711@127.0.0.1:1");
}

}  // namespace
}  // namespace dcm::conformance
