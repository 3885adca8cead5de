// The configuration file and what is derived from the table of settings, with the real binary.
#include <fstream>

#include <fmt/format.h>

#include "test/conformance/case.hpp"
#include "test/support/blocking_client.hpp"
#include "test/support/certificates.hpp"
#include "test/support/paths.hpp"

namespace dcm::conformance {
namespace {

class Configuration : public Case {
 protected:
  void SetUp() override {
    if (run().manager == ManagerKind::reference) GTEST_SKIP() << "this is about our own binary";
  }

  struct Ended {
    int status;
    std::string output;
  };
  Ended run_to_end(Names arguments) {
    const std::string output = file(fmt::format("run-{}.log", ++runs_));
    arguments.insert(arguments.begin(), support::binary("dra-controller-manager"));
    const int status = support::Process::run({arguments, {}, output});
    return {status, support::read_file(output)};
  }
  std::string write(const std::string& name, const std::string& text) {
    std::ofstream(file(name)) << text;
    return file(name);
  }
  std::string write_config(const std::string& text) {
    return write("manager.yaml",
                 "apiVersion: dra-controller-manager.dev/v1alpha1\n"
                 "kind: ControllerManagerConfiguration\n" +
                     text);
  }

 private:
  int runs_ = 0;
};

TEST_F(Configuration, reports_typo_with_its_place_and_status_2) {
  const std::string config = write_config("clientConnection:\n  qsp: 50\n");
  const Ended ended = run_to_end({"--config=" + config});
  EXPECT_EQ(ended.status, 2);
  EXPECT_EQ(ended.output,
            fmt::format("dra-controller-manager: {}:4:3: clientConnection.qsp: unknown "
                        "key; did you mean clientConnection.qps?\n",
                        config));
}

TEST_F(Configuration, shows_file_and_overriding_flags_in_configz) {
  const test::CertificateAuthority authority("configz");
  const auto identity = authority.issue({.addresses = {"127.0.0.1"}});
  const int port = support::free_port();
  const std::string config = write_config(
      fmt::format("resourceClaimController: {{concurrentSyncs: 7}}\n"
                  "logging: {{verbosity: 2}}\n"
                  "serving:\n  bindAddress: 127.0.0.1\n"
                  "  tlsCertFile: \"{}\"\n  tlsPrivateKeyFile: \"{}\"\n"
                  "  authorizationAlwaysAllowPaths: [/configz, /livez]\n",
                  write("tls.crt", identity.certificate_pem), write("tls.key", identity.key_pem)));
  start_manager({"--config=" + config, "-v=3", fmt::format("--secure-port={}", port)});
  support::BlockingClient client(fmt::format("https://127.0.0.1:{}", port), authority.pem());
  const auto response = client.send({.target = "/configz"});
  ASSERT_TRUE(response) << response.error().message;
  EXPECT_EQ(response->status, 200);
  const json::value configz = json::parse(response->body);
  const std::string root = "/dra-controller-manager.dev";
  EXPECT_EQ(text_at(configz, root + "/kind"), "ControllerManagerConfiguration");
  EXPECT_EQ(at(configz, root + "/resourceClaimController/concurrentSyncs"), 7);
  EXPECT_EQ(at(configz, root + "/logging/verbosity"), 3);
  EXPECT_EQ(at(configz, root + "/clientConnection/qps"), 0) << "a flag of every case";
  EXPECT_EQ(at(configz, root + "/leaderElection/leaderElect"), false);
  // The shown configuration is itself a valid file.
  const json::value again = configz.as_object().begin()->value();
  const std::string shown = write("shown.json", json::serialize(again));
  EXPECT_EQ(run_to_end({"--config=" + shown, "--version"}).status, 0);
}

TEST_F(Configuration, rejects_keys_that_a_command_does_not_take) {
  EXPECT_EQ(run_to_end({"version", "--help"}).status, 0);
  EXPECT_EQ(run_to_end({"version", "short"}).status, 2);
  EXPECT_EQ(run_to_end({"version", "--short"}).status, 2);
}

}  // namespace
}  // namespace dcm::conformance
