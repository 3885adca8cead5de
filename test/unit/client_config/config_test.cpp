// Where configuration is looked for, and how several files are merged.
#include "client/config/config.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "test/unit/client_config/files.hpp"

namespace dcm::client {
namespace {

using ::testing::HasSubstr;

std::string server_kubeconfig(const std::string& host) {
  return "clusters: [{name: c, cluster: {server: 'https://" + host +
         "'}}]\ncontexts: [{name: x, context: {cluster: c}}]\ncurrent-context: x\n";
}

class LoadClusterConfig : public FilesTest {
 protected:
  void put_service_account() {
    write("serviceaccount/token", "abc\n");
    write("serviceaccount/ca.crt", kCertificatePem);
    write("serviceaccount/namespace", "kube-system\n");
    variables_["KUBERNETES_SERVICE_HOST"] = "10.96.0.1";
    variables_["KUBERNETES_SERVICE_PORT"] = "443";
  }
  std::string host_of(const ConfigOverrides& overrides = {}) {
    const auto config = load(overrides);
    return config ? config->server.host : config.error().message;
  }
  std::string error_of(const ConfigOverrides& overrides = {}) {
    const auto config = load(overrides);
    return config ? "(no error)" : config.error().message;
  }
};

TEST_F(LoadClusterConfig, applies_sources_in_order) {
  variables_["HOME"] = path("home");
  write("home/.kube/config", server_kubeconfig("home"));
  EXPECT_EQ(host_of(), "home");
  put_service_account();
  EXPECT_EQ(host_of(), "10.96.0.1");
  variables_["KUBECONFIG"] = write("listed", server_kubeconfig("listed"));
  EXPECT_EQ(host_of(), "listed");
  EXPECT_EQ(host_of({.kubeconfig = write("flag", server_kubeconfig("flag"))}), "flag");
}

TEST_F(LoadClusterConfig, reads_service_account) {
  put_service_account();
  const auto config = load();
  ASSERT_TRUE(config) << config.error().message;
  EXPECT_EQ(config->server, (http::Endpoint{http::Security::tls, "10.96.0.1", 443}));
  EXPECT_EQ(config->ca.file, path("serviceaccount/ca.crt"));
  EXPECT_EQ(config->token_file, path("serviceaccount/token"));
  EXPECT_EQ(config->namespace_, "kube-system");
}

TEST_F(LoadClusterConfig, brackets_ipv6_address_of_service_account) {
  put_service_account();
  variables_["KUBERNETES_SERVICE_HOST"] = "fd00:10:96::1";
  variables_["KUBERNETES_SERVICE_PORT"] = "6443";
  const auto config = load();
  ASSERT_TRUE(config) << config.error().message;
  EXPECT_EQ(config->server, (http::Endpoint{http::Security::tls, "fd00:10:96::1", 6443}));
}

TEST_F(LoadClusterConfig, trusts_system_cas_without_service_account_ca) {
  put_service_account();
  for (const char* const content : {"", "no PEM"}) {
    write("serviceaccount/ca.crt", content);
    const auto config = load();
    ASSERT_TRUE(config) << config.error().message;
    EXPECT_TRUE(config->ca.empty());
    EXPECT_THAT(config->warnings, testing::ElementsAre(HasSubstr("system's CAs")));
  }
}

TEST_F(LoadClusterConfig, validates_address_of_service_account) {
  put_service_account();
  for (const auto& [host, port] : std::vector<std::pair<std::string, std::string>>{
           {"10.96.0.1", "https"}, {"10.96.0.1", "70000"}, {"10.96.0.1", "1/x"}, {"::zz", "443"}}) {
    variables_["KUBERNETES_SERVICE_HOST"] = host;
    variables_["KUBERNETES_SERVICE_PORT"] = port;
    EXPECT_THAT(error_of(), HasSubstr("KUBERNETES_SERVICE_HOST \"" + host + "\"")) << port;
  }
}

TEST_F(LoadClusterConfig, requires_token_of_service_account) {
  put_service_account();
  std::filesystem::remove(path("serviceaccount/token"));
  EXPECT_THAT(error_of(), HasSubstr(path("serviceaccount/token") + " is not there"));
}

TEST_F(LoadClusterConfig, ignores_service_account_if_context_is_given) {
  put_service_account();
  EXPECT_THAT(error_of({.context = "x"}), HasSubstr("which has no contexts"));
  variables_["HOME"] = path("home");
  write("home/.kube/config", server_kubeconfig("home"));
  EXPECT_EQ(host_of({.context = "x"}), "home");
}

TEST_F(LoadClusterConfig, overrides_server_everywhere) {
  put_service_account();
  EXPECT_EQ(host_of({.server = "https://other"}), "other");
  variables_.clear();
  const auto config = load({.server = "http://127.0.0.1:8001"});
  ASSERT_TRUE(config) << config.error().message;
  EXPECT_EQ(config->server, (http::Endpoint{http::Security::plain, "127.0.0.1", 8001}));
  EXPECT_EQ(config->origin, "--server");
}

TEST_F(LoadClusterConfig, says_where_it_looked) {
  EXPECT_EQ(error_of(),
            "no configuration found: --kubeconfig is not given, $KUBECONFIG is not set, no service "
            "account of a pod (KUBERNETES_SERVICE_HOST is not set), no ~/.kube/config ($HOME is "
            "not set)");
  variables_["HOME"] = path("home");
  EXPECT_THAT(error_of(), HasSubstr(path("home/.kube/config") + " is not there"));
}

TEST_F(LoadClusterConfig, requires_readable_token_of_service_account) {
  put_service_account();
  write("serviceaccount/token", "");
  EXPECT_EQ(error_of(), "the service account of the pod: " + path("serviceaccount/token") +
                            ": empty; expected a token");
}

TEST_F(LoadClusterConfig, prefers_earlier_file) {
  write("one/token", "abc");
  const std::string first = write("one/config",
                                  "current-context: a\n"
                                  "users: [{name: ada, user: {tokenFile: token}}]\n");
  const std::string second =
      write("two/config",
            "current-context: b\n"
            "users: [{name: ada, user: {tokenFile: other}}]\n"
            "clusters: [{name: c, cluster: {server: 'https://h', certificate-authority: ca}}]\n"
            "contexts: [{name: a, context: {cluster: c, user: ada}}]\n");
  variables_["KUBECONFIG"] = first + ":" + path("missing") + "::" + second + ":" + first;
  const auto config = load();
  ASSERT_TRUE(config) << config.error().message;
  EXPECT_EQ(config->token_file, path("one/token"));
  EXPECT_EQ(config->ca.file, path("two/ca"));
  EXPECT_EQ(config->origin, second + ", context a");
}

TEST_F(LoadClusterConfig, names_file_with_error) {
  const std::string first = write("one", server_kubeconfig("h"));
  const std::string second = write("two", "users: []\n\nclusters: x\n");
  variables_["KUBECONFIG"] = first + ":" + second;
  EXPECT_THAT(error_of(), HasSubstr(second + ":3: "));
}

// Falling through to ~/.kube/config could select another cluster than the requested one.
TEST_F(LoadClusterConfig, does_not_fall_through_list_of_missing_files) {
  put_service_account();
  variables_["KUBECONFIG"] = path("missing");
  EXPECT_EQ(error_of(), "$KUBECONFIG: none of its files exists: " + path("missing"));
}

TEST_F(LoadClusterConfig, ignores_empty_file_in_list) {
  const std::string empty = write("empty", "");
  variables_["KUBECONFIG"] = empty;
  EXPECT_THAT(error_of(), HasSubstr("empty; expected a kubeconfig"));
  variables_["KUBECONFIG"] = empty + ":" + write("full", server_kubeconfig("full"));
  EXPECT_EQ(host_of(), "full");
}

}  // namespace
}  // namespace dcm::client
