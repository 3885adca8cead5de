// The input of credential plugins, and their output.
#include "client/auth/exec_plugin.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "test/unit/client_config/files.hpp"

namespace dcm::client {
namespace {

using testing::HasSubstr;
using testing::Not;

const std::string kV1(kExecV1);

TEST(ExecInfo, describes_cluster_only_on_request) {
  const ExecPlugin plugin{.api_version = kV1, .command = "login"};
  EXPECT_EQ(encode_exec_info(plugin, nullptr),
            R"({"kind":"ExecCredential","apiVersion":"client.authentication.k8s.io/v1",)"
            R"("spec":{"interactive":false}})");
  const ExecCluster cluster{.server = "https://h:6443/prefix",
                            .tls_server_name = "api",
                            .insecure_skip_tls_verify = true,
                            .ca_pem = "abc",
                            .proxy_url = "http://p",
                            .disable_compression = true,
                            .config_json = R"({"audience":"x"})"};
  EXPECT_EQ(
      encode_exec_info(plugin, &cluster),
      R"({"kind":"ExecCredential","apiVersion":"client.authentication.k8s.io/v1","spec":{"cluster":{)"
      R"("server":"https://h:6443/prefix","tls-server-name":"api","insecure-skip-tls-verify":true,)"
      R"("certificate-authority-data":"YWJj","proxy-url":"http://p","disable-compression":true,)"
      R"("config":{"audience":"x"}},"interactive":false}})");
}

std::string output(const std::string& status) {
  return R"({"kind":"ExecCredential","apiVersion":")" + kV1 + R"(","spec":{},"status":)" + status +
         "}";
}

// In JSON, a line break is an escape.
std::string json_text(std::string text) {
  for (auto at = text.find('\n'); at != text.npos; at = text.find('\n')) text.replace(at, 1, "\\n");
  return '"' + text + '"';
}

TEST(ExecCredential, accepts_token_certificate_or_both) {
  const auto token = decode_exec_credential(output(R"({"token":"abc"})"), kV1);
  ASSERT_TRUE(token) << token.error().message;
  EXPECT_EQ(token->token, "abc");
  EXPECT_FALSE(token->expires);
  const auto both = decode_exec_credential(
      output(R"({"token":"abc","expirationTimestamp":"2026-11-21T18:34:31Z",)"
             R"("clientCertificateData":)" +
             json_text(kCertificatePem) + R"(,"clientKeyData":)" + json_text(kKeyPem) + "}"),
      kV1);
  ASSERT_TRUE(both) << both.error().message;
  EXPECT_EQ(both->certificate_pem, kCertificatePem);
  EXPECT_EQ(both->key_pem, kKeyPem);
  EXPECT_EQ(both->expires, std::chrono::sys_seconds(std::chrono::seconds(1795286071)));
}

TEST(ExecCredential, accepts_what_client_go_accepts) {
  const auto yaml = decode_exec_credential("apiVersion: " + kV1 +
                                               "\nkind: ExecCredential\nstatus:\n  token: abc\n"
                                               "  expirationTimestamp: 2026-11-21T18:34:31Z\n",
                                           kV1);
  ASSERT_TRUE(yaml) << yaml.error().message;
  EXPECT_EQ(yaml->token, "abc");
  EXPECT_TRUE(yaml->expires);
  const auto never = decode_exec_credential(
      output(R"({"token":"abc\n","expirationTimestamp":"0001-01-01T00:00:00Z"})"), kV1);
  ASSERT_TRUE(never) << never.error().message;
  EXPECT_EQ(never->token, "abc");
  EXPECT_FALSE(never->expires);
}

struct Row {
  const char* name;
  std::string output;
  const char* problem;
};

TEST(ExecCredential, hides_content_of_invalid_answer) {
  const std::string certificate = R"("clientCertificateData":)" + json_text(kCertificatePem);
  for (const Row& row : {
           Row{"nothing", "", "not a JSON object"},
           Row{"garbage", "SECRET", "not a JSON object"},
           Row{"a list", "[\"SECRET\"]", "not a JSON object"},
           Row{"half of it", output(R"({"token":"SECRET"})").substr(0, 60), "not a JSON object"},
           Row{"another kind", R"({"kind":"Secret","apiVersion":")" + kV1 + "\"}",
               "kind is not ExecCredential"},
           Row{"another version",
               R"({"kind":"ExecCredential","apiVersion":"client.authentication.k8s.io/v1beta1"})",
               "apiVersion is not client.authentication.k8s.io/v1"},
           Row{"no status", R"({"kind":"ExecCredential","apiVersion":")" + kV1 + "\"}",
               "no status"},
           Row{"an empty status", output("{}"), "neither a token nor a client certificate"},
           Row{"a token that is no string", output(R"({"token":7})"),
               "status.token is not a string"},
           Row{"a token of two lines", output(R"({"token":"SECRET\nX-Evil: b"})"),
               "status.token is not a token"},
           Row{"a certificate without its key", output("{" + certificate + "}"), "only one of"},
           Row{"a certificate that is none",
               output(R"({"clientCertificateData":"SECRET","clientKeyData":"SECRET"})"),
               "clientCertificateData does not hold a certificate"},
           Row{"a key that is none", output("{" + certificate + R"(,"clientKeyData":"SECRET"})"),
               "clientKeyData does not hold a private key"},
           Row{"a time that is none", output(R"({"token":"a","expirationTimestamp":"SECRET"})"),
               "expirationTimestamp is not a time"},
       }) {
    const auto credential = decode_exec_credential(row.output, kV1);
    ASSERT_FALSE(credential) << row.name;
    EXPECT_THAT(credential.error().message, HasSubstr(row.problem)) << row.name;
    EXPECT_THAT(credential.error().message, Not(HasSubstr("SECRET"))) << row.name;
  }
}

}  // namespace
}  // namespace dcm::client
