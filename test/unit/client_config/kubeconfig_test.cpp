// The meaning of kubeconfigs, and the messages about broken ones.
#include "client/config/kubeconfig.hpp"

#include <functional>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include "client/config/kubeconfig_context.hpp"
#include "test/unit/client_config/files.hpp"

namespace dcm::client {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

class KubeconfigTest : public FilesTest {
 protected:
  runtime::Result<ClusterConfig> load_text(const std::string& text,
                                           ConfigOverrides overrides = {}) {
    overrides.kubeconfig = write("config", text);
    return load(overrides);
  }
  // The message about it, without the folder.
  std::string error_of(const std::string& text, ConfigOverrides overrides = {}) {
    const auto config = load_text(text, std::move(overrides));
    if (config) return "(no error)";
    EXPECT_EQ(config.error().reason, runtime::Reason::configuration);
    return without_dir(config.error().message);
  }
  std::string without_dir(std::string text) const {
    const std::string prefix = dir() + "/";
    for (auto at = text.find(prefix); at != text.npos; at = text.find(prefix))
      text.erase(at, prefix.size());
    return text;
  }
};

// One cluster, user and context "a"; the fields are flow maps: "token: x".
std::string with(const std::string& cluster, const std::string& user) {
  return "clusters: [{name: a, cluster: {" + cluster + "}}]\n" +  // line 1
         "users: [{name: a, user: {" + user + "}}]\n" +           // line 2
         "contexts: [{name: a, context: {cluster: a, user: a}}]\n" + "current-context: a\n";
}
std::string with_user(const std::string& user) {
  return with("server: https://10.0.0.1:6443", user);
}
std::string with_cluster(const std::string& cluster) {
  return with(cluster, "");
}

constexpr const char* kWhole = R"(apiVersion: v1
kind: Config
preferences: {}
current-context: dev
clusters:
- name: dev-cluster
  cluster:
    server: https://dev.example.com:8443/k8s/clusters/c-1/
    certificate-authority: pki/ca.crt
    tls-server-name: api.internal
    extensions: [{name: x, extension: {any: thing}}]
contexts:
- name: dev
  context: {cluster: dev-cluster, user: ada, namespace: lab}
- name: prod
  context: {cluster: dev-cluster, user: bob}
users:
- name: ada
  user:
    client-certificate: ada.crt
    client-key: /keys/ada.key
- name: bob
  user:
    exec: {command: login}
)";

TEST_F(KubeconfigTest, reads_all_connection_settings) {
  const auto config = load_text(kWhole);
  ASSERT_TRUE(config) << config.error().message;
  EXPECT_EQ(config->server, (http::Endpoint{http::Security::tls, "dev.example.com", 8443}));
  EXPECT_EQ(config->path_prefix, "/k8s/clusters/c-1");
  EXPECT_EQ(config->tls_server_name, "api.internal");
  EXPECT_EQ(config->verification, http::Verification::full);
  EXPECT_EQ(config->namespace_, "lab");
  EXPECT_EQ(config->origin, path("config") + ", context dev");
  EXPECT_THAT(config->warnings, IsEmpty());
}

TEST_F(KubeconfigTest, resolves_paths_relative_to_file) {
  const auto config = load_text(kWhole);
  ASSERT_TRUE(config) << config.error().message;
  EXPECT_EQ(config->ca.file, path("pki/ca.crt"));
  EXPECT_EQ(config->client_certificate.file, path("ada.crt"));
  EXPECT_EQ(config->client_key.file, "/keys/ada.key");
}

TEST_F(KubeconfigTest, decodes_data) {
  const auto config = load_text(with(
      "server: https://h, certificate-authority-data: " + runtime::encode_base64(kCertificatePem),
      "client-certificate-data: " + runtime::encode_base64(kCertificatePem) +
          ", client-key-data: " + runtime::encode_base64(kKeyPem)));
  ASSERT_TRUE(config) << config.error().message;
  EXPECT_EQ(config->ca.data, kCertificatePem);
  EXPECT_EQ(config->client_certificate.data, kCertificatePem);
  EXPECT_EQ(config->client_key.data, kKeyPem);
  EXPECT_EQ(config->server.port, 443);
}

TEST_F(KubeconfigTest, accepts_json) {
  const auto config = load_text(R"({"apiVersion": "v1", "kind": "Config", "current-context": "a",
    "clusters": [{"name": "a", "cluster": {"server": "https://[fd00::1]:6443",
                                          "insecure-skip-tls-verify": false}}],
    "users": [{"name": "u", "user": {"token": "abc"}}],
    "contexts": [{"name": "a", "context": {"cluster": "a", "user": "u"}}]})");
  ASSERT_TRUE(config) << config.error().message;
  EXPECT_EQ(config->server.host, "fd00::1");
  EXPECT_EQ(config->token, "abc");
}

TEST_F(KubeconfigTest, treats_null_as_absent) {
  const auto config = load_text(
      "clusters: [{name: a, cluster: {server: 'https://h', certificate-authority: null}}]\n"
      "users:\n"
      "contexts: [{name: a, context: {cluster: a, user: ~, namespace: }}]\n"
      "current-context: a\n");
  ASSERT_TRUE(config) << config.error().message;
  EXPECT_EQ(config->namespace_, "default");
  EXPECT_TRUE(config->token.empty());
}

TEST_F(KubeconfigTest, prefers_token_file_to_token) {
  const auto config = load_text(with_user("token: abc, tokenFile: t"));
  ASSERT_TRUE(config) << config.error().message;
  EXPECT_EQ(config->token_file, path("t"));
  EXPECT_EQ(config->token, "abc") << "while the file cannot be read";
}

// As in client-go: a wrong name is noticed at the start.
TEST_F(KubeconfigTest, rejects_unreadable_token_file_unless_there_is_token) {
  const std::string user = "config:2: user \"a\": tokenFile: ";
  EXPECT_EQ(error_of(with_user("tokenFile: t")),
            user + "t: cannot be read: No such file or directory");
  ASSERT_EQ(::mkfifo(path("fifo").c_str(), 0600), 0);
  EXPECT_EQ(error_of(with_user("tokenFile: fifo")), user + "fifo: is not a regular file");
  write("empty", "\n");
  EXPECT_EQ(error_of(with_user("tokenFile: empty")), user + "empty: empty; expected a token");
  EXPECT_EQ(error_of(with_user("token: abc, tokenFile: t")), "(no error)");
  EXPECT_EQ(error_of(with("server: 'http://h:8080'", "tokenFile: t")), "(no error)") << "not sent";
}

TEST_F(KubeconfigTest, selects_context) {
  const auto config =
      load_text(with_user("username: ada, password: pw") + "extensions: []\n", {.context = "a"});
  ASSERT_TRUE(config) << config.error().message;
  EXPECT_EQ(config->username, "ada");
  EXPECT_EQ(config->password, "pw");
}

TEST_F(KubeconfigTest, keeps_ca_but_not_server_name_for_overridden_server) {
  const auto config = load_text(kWhole, {.server = "https://10.0.0.9:1234"});
  ASSERT_TRUE(config) << config.error().message;
  EXPECT_EQ(config->server.host, "10.0.0.9");
  EXPECT_EQ(config->path_prefix, "");
  EXPECT_EQ(config->tls_server_name, "");
  EXPECT_EQ(config->ca.file, path("pki/ca.crt"));
}

TEST_F(KubeconfigTest, warns_of_unverified_server) {
  const auto config = load_text(with_cluster("server: https://h, insecure-skip-tls-verify: true"));
  ASSERT_TRUE(config) << config.error().message;
  EXPECT_EQ(config->verification, http::Verification::none);
  ASSERT_EQ(config->warnings.size(), 1U);
  EXPECT_THAT(config->warnings[0], HasSubstr("config:1: cluster \"a\": insecure-skip-tls-verify"));
}

TEST_F(KubeconfigTest, sends_no_credentials_without_tls) {
  for (const std::string user :
       {"token: abc", "tokenFile: t", "username: ada", "client-certificate: c, client-key: k"}) {
    const auto config = load_text(with("server: 'http://h:8080'", user));
    ASSERT_TRUE(config) << config.error().message;
    EXPECT_TRUE(config->token.empty() && config->token_file.empty() && config->username.empty() &&
                config->client_certificate.empty() && config->client_key.empty())
        << user;
    ASSERT_EQ(config->warnings.size(), 1U) << user;
    EXPECT_THAT(config->warnings[0], HasSubstr("not encrypted"));
  }
}

TEST_F(KubeconfigTest, warns_of_relevant_unknown_keys) {
  const auto config = load_text(R"(current-contxt: b
current-context: a
clusters:
- name: a
  cluster:
    server: https://h
    certificate-authority-dat: x
- name: unused
  cluster: {sever: x}
users:
- name: a
  users: {}
  user: {tokn: x}
contexts:
- name: a
  context: {cluster: a, user: a, usr: x}
)");
  ASSERT_TRUE(config) << config.error().message;
  std::vector<std::string> warnings;
  for (const auto& warning : config->warnings) warnings.push_back(without_dir(warning));
  EXPECT_THAT(
      warnings,
      ElementsAre("config:1: unknown key \"current-contxt\" is ignored",
                  "config:16: context \"a\": unknown key \"usr\" is ignored",
                  "config:7: cluster \"a\": unknown key \"certificate-authority-dat\" is ignored",
                  "config:12: user \"a\": unknown key \"users\" is ignored",
                  "config:13: user \"a\": unknown key \"tokn\" is ignored"));
}

TEST_F(KubeconfigTest, reads_plugin_and_resolves_its_path) {
  const auto config = load_text(R"(
clusters:
- name: a
  cluster:
    server: https://h
    disable-compression: true
    extensions:
    - name: other
      extension: {a: b}
    - name: client.authentication.k8s.io/exec
      extension: {audience: "06f6", count: 3, deep: [true, ~, "7"]}
users:
- name: a
  user:
    exec:
      apiVersion: client.authentication.k8s.io/v1
      command: bin/login
      args: [token, --cluster, "1"]
      env: [{name: REGION, value: eu}, {name: EMPTY}]
      installHint: get it
      interactiveMode: IfAvailable
      provideClusterInfo: true
contexts: [{name: a, context: {cluster: a, user: a}}]
current-context: a
)");
  ASSERT_TRUE(config) << config.error().message;
  ASSERT_TRUE(config->exec);
  EXPECT_EQ(config->exec->command, path("bin/login"));
  EXPECT_THAT(config->exec->arguments, ElementsAre("token", "--cluster", "1"));
  EXPECT_THAT(config->exec->environment,
              ElementsAre(testing::Pair("REGION", "eu"), testing::Pair("EMPTY", "")));
  EXPECT_EQ(config->exec->install_hint, "get it");
  EXPECT_TRUE(config->exec->wants_cluster);
  EXPECT_TRUE(config->disable_compression);
  EXPECT_EQ(config->exec_config_json, R"({"audience":"06f6","count":3,"deep":[true,null,"7"]})");
  EXPECT_THAT(config->warnings, IsEmpty());
}

TEST_F(KubeconfigTest, passes_json_to_plugin) {
  std::string deep = "[";
  for (int i = 0; i < 28; ++i) deep = "[" + deep;
  deep += std::string(29, ']');
  const std::string extension = "{a: -05, b: 05, c: -0, d: 1., e: .5, f: 0x1f, g: " + deep + "}";
  const auto with_extension = [](const std::string& text) {
    return "clusters: [{name: a, cluster: {server: 'https://a', extensions: [{name: "
           "client.authentication.k8s.io/exec, extension: " +
           text +
           "}]}}]\nusers: [{name: a, user: {exec: {command: c, provideClusterInfo: true, "
           "apiVersion: client.authentication.k8s.io/v1, interactiveMode: Never}}}]\n"
           "contexts: [{name: a, context: {cluster: a, user: a}}]\ncurrent-context: a\n";
  };
  const auto config = load_text(with_extension(extension));
  ASSERT_TRUE(config) << config.error().message;
  const ExecCluster cluster{.server = "https://a", .config_json = config->exec_config_json};
  EXPECT_THAT(encode_exec_info(*config->exec, &cluster), HasSubstr(R"("f":"0x1f")"));
  const auto too_deep = load_text(with_extension("[[[" + deep + "]]]"));
  ASSERT_TRUE(too_deep) << too_deep.error().message;
  EXPECT_EQ(too_deep->exec_config_json, "");
  EXPECT_THAT(too_deep->warnings, ElementsAre(HasSubstr("too deep")));
}

TEST_F(KubeconfigTest, looks_for_plugin_in_path) {
  const auto config = load_text(
      with_user("exec: {command: login, apiVersion: client.authentication.k8s.io/v1beta1}"));
  ASSERT_TRUE(config) << config.error().message;
  EXPECT_EQ(config->exec->command, "login");
  EXPECT_FALSE(config->exec->wants_cluster);
}

TEST_F(KubeconfigTest, does_not_look_for_plugin_beside_file_in_path) {
  const std::string text =
      with_user("exec: {command: ./login, apiVersion: client.authentication.k8s.io/v1beta1}");
  const auto kubeconfig = parse_kubeconfig(text, "config");
  ASSERT_TRUE(kubeconfig) << kubeconfig.error().message;
  const auto config = resolve_context(*kubeconfig, {});
  ASSERT_TRUE(config) << config.error().message;
  EXPECT_EQ(config->exec->command, "./login");
}

TEST_F(KubeconfigTest, prefers_token_to_plugin) {
  const auto config = load_text(with_user(
      "token: x, exec: {command: login, apiVersion: client.authentication.k8s.io/v1beta1}"));
  ASSERT_TRUE(config) << config.error().message;
  EXPECT_FALSE(config->exec);
  EXPECT_EQ(config->token, "x");
  EXPECT_THAT(config->warnings, ElementsAre(HasSubstr("exec is not used")));
}

TEST_F(KubeconfigTest, reads_impersonated_user_with_groups_and_extra) {
  const auto config = load_text(with_user(
      "token: x, as: ada, as-uid: '7', as-groups: [dev, ops], as-user-extra: {s: [a, b]}"));
  ASSERT_TRUE(config) << config.error().message;
  EXPECT_EQ(config->impersonation.user, "ada");
  EXPECT_EQ(config->impersonation.uid, "7");
  EXPECT_THAT(config->impersonation.groups, ElementsAre("dev", "ops"));
  ASSERT_EQ(config->impersonation.extra.size(), 1U);
  EXPECT_EQ(config->impersonation.extra[0].first, "s");
  EXPECT_THAT(config->impersonation.extra[0].second, ElementsAre("a", "b"));
}

TEST_F(KubeconfigTest, runs_no_plugin_without_tls) {
  const auto config = load_text(
      with("server: http://h",
           "as: ada, exec: {command: a, apiVersion: client.authentication.k8s.io/v1beta1}"));
  ASSERT_TRUE(config) << config.error().message;
  EXPECT_FALSE(config->exec);
  EXPECT_EQ(config->impersonation.user, "ada");
  EXPECT_THAT(config->warnings, ElementsAre(HasSubstr("credentials are not sent")));
}

TEST_F(KubeconfigTest, prefers_proxy_of_cluster_to_environment) {
  variables_ = {{"HTTPS_PROXY", "http://other:1"}, {"NO_PROXY", "*"}};
  const auto config =
      load_text(with_cluster("server: https://h, proxy-url: 'https://ada:pw@proxy:3128'"));
  ASSERT_TRUE(config) << config.error().message;
  ASSERT_TRUE(config->proxy);
  EXPECT_EQ(config->proxy->endpoint, (http::Endpoint{http::Security::tls, "proxy", 3128}));
  EXPECT_EQ(config->proxy->authorization, "Basic " + runtime::encode_base64("ada:pw"));
}

TEST_F(KubeconfigTest, uses_environment_proxy_of_scheme) {
  variables_ = {{"https_proxy", "proxy:3128"}, {"HTTP_PROXY", "http://plain:1"}};
  const auto secured = load_text(with_cluster("server: https://h"));
  ASSERT_TRUE(secured && secured->proxy);
  EXPECT_EQ(secured->proxy->endpoint, (http::Endpoint{http::Security::plain, "proxy", 3128}));
  const auto plain = load_text(with_cluster("server: http://h"));
  ASSERT_TRUE(plain && plain->proxy);
  EXPECT_EQ(plain->proxy->endpoint.host, "plain");
  EXPECT_FALSE(load_text(with_cluster("server: https://127.0.0.1:6443"))->proxy);
  variables_ = {{"HTTPS_PROXY", "socks4://ada:SECRET@p"}};
  EXPECT_EQ(
      error_of(with_cluster("server: https://h")),
      "HTTPS_PROXY: \"(not shown)\" is not a proxy URL: the scheme is not http, https, socks5 or "
      "socks5h");
}

TEST_F(KubeconfigTest, accepts_socks5_proxy) {
  const auto of_cluster =
      load_text(with_cluster("server: https://h, proxy-url: 'socks5://ada:p%40@proxy'"));
  ASSERT_TRUE(of_cluster) << of_cluster.error().message;
  EXPECT_EQ(of_cluster->proxy->protocol, http::ProxyProtocol::socks5);
  EXPECT_EQ(of_cluster->proxy->endpoint, (http::Endpoint{http::Security::plain, "proxy", 1080}));
  EXPECT_EQ(of_cluster->proxy->socks5_user, (http::UrlUser{"ada", "p@"}));
  EXPECT_EQ(of_cluster->proxy->authorization, "");
  variables_ = {{"HTTPS_PROXY", "socks5h://proxy:9"}};
  const auto of_environment = load_text(with_cluster("server: https://h"));
  ASSERT_TRUE(of_environment) << of_environment.error().message;
  EXPECT_EQ(of_environment->proxy->protocol, http::ProxyProtocol::socks5);
  EXPECT_EQ(of_environment->proxy->endpoint.port, 9);
}

// client-go 0.37 accepts each of these with the same meaning; docs/operate.md has the differences
// that users may meet.
struct LenientCase {
  std::string name;
  std::string text;
  std::function<bool(const ClusterConfig&)> holds;
  std::string warning = {};
};

TEST_F(KubeconfigTest, accepts_what_client_go_accepts) {
  const std::string v1 = "apiVersion: client.authentication.k8s.io/v1";
  const std::string certificate =
      "client-certificate-data: " + runtime::encode_base64(kCertificatePem) +
      ", client-key-data: " + runtime::encode_base64(kKeyPem);
  const std::vector<LenientCase> cases = {
      {"a key that is given twice: the last counts", with_user("token: x, token: y"),
       [](const auto& c) { return c.token == "y"; }, "config:2: user \"a\": token is given twice"},
      {"a second document", with_user("token: x") + "---\n{]\n",
       [](const auto& c) { return c.token == "x"; }, "config:5: what follows"},
      {"the end of a document", "---\n" + with_user("token: x") + "...\n",
       [](const auto& c) { return c.token == "x"; }},
      {"YAML 1.1's words", with_cluster("server: https://h, insecure-skip-tls-verify: yes"),
       [](const auto& c) { return c.verification == http::Verification::none; },
       "insecure-skip-tls-verify is set"},
      {"a merged map", "x-base: &base {token: x, as: bob}\n" + with_user("<<: *base, as: ada"),
       [](const auto& c) { return c.token == "x" && c.impersonation.user == "ada"; },
       "unknown key \"x-base\""},
      {"several merged maps: the first wins", with_user("<<: [{token: x}, {token: y, as: ada}]"),
       [](const auto& c) { return c.token == "x" && c.impersonation.user == "ada"; }},
      {"an entry without a name", with_user("token: x") + "extensions: []\n",
       [](const auto& c) { return c.token == "x"; }},
      {"a server without a scheme: no TLS, no credentials",
       with("server: '10.0.0.1:6443'", "token: x"),
       [](const auto& c) {
         return c.server == http::Endpoint{http::Security::plain, "10.0.0.1", 6443} &&
                c.token.empty();
       },
       "not encrypted"},
      {"a name without a scheme", with("server: localhost:8080", ""),
       [](const auto& c) { return c.server.host == "localhost" && c.server.port == 8080; }},
      {"a query in the server", with_cluster("server: 'https://h/a?x=1'"),
       [](const auto& c) { return c.path_prefix == "/a"; }},
      {"a user in the server", with("server: 'https://ada:p%40@h'", "token: x"),
       [](const auto& c) { return c.username == "ada" && c.password == "p@" && c.token.empty(); }},
      {"a user in a server without TLS", with("server: 'http://ada:pw@h'", ""),
       [](const auto& c) { return c.username == "ada"; }},
      {"a key without a certificate", with_user("client-key: f, token: x"),
       [](const auto& c) { return c.client_key.empty() && c.token == "x"; },
       "client-key is not used"},
      {"a password without a username", with_user("password: y"),
       [](const auto& c) { return c.username.empty(); }, "password is not used"},
      {"a password beside a token file", with_user("password: y, tokenFile: token"),
       [](const auto& c) { return !c.token_file.empty(); }, "password is not used"},
      {"a username with a colon", with_user("username: 'a:b'"),
       [](const auto& c) { return c.username == "a:b"; }},
      {"a token with a line break at its end", with_user("token: \"abc\\n\""),
       [](const auto& c) { return c.token == "abc"; }},
      {"a token of two words", with_user("token: 'a b'"),
       [](const auto& c) { return c.token == "a b"; }},
      {"a certificate beside a plugin",
       with_user(certificate + ", exec: {command: a, interactiveMode: Always, " + v1 + "}"),
       [](const auto& c) { return !c.exec; }, "exec is not used"},
      {"a variable whose name has an equals sign",
       with_user("exec: {command: a, interactiveMode: Never, env: [{name: A=B, value: c}], " + v1 +
                 "}"),
       [](const auto& c) { return c.exec->environment.size() == 1; }},
      {"a byte order mark", "\xef\xbb\xbf" + with_user("token: x"),
       [](const auto& c) { return c.token == "x"; }},
      {"a key that is a number", with_user("token: x, 1: y"),
       [](const auto& c) { return c.token == "x"; }, "unknown key \"1\""},
      {"nothing in the place of an entry",
       "clusters: [null, {name: a, cluster: {server: 'https://h'}}]\n"
       "contexts: [{name: a, context: {cluster: a}}]\ncurrent-context: a\n",
       [](const auto& c) { return c.server.host == "h"; }},
      {"a port that is left out", with_cluster("server: 'https://h:'"),
       [](const auto& c) { return c.server.port == 443; }},
      {"JSON with tabs",
       "{\n\t\"clusters\": [{\"name\": \"a\",\n\t\t\"cluster\": {\"server\":\t"
       "\"https://h\"}}],\n\t\"contexts\": [{\"name\": \"a\", \"context\": {\"cluster\": "
       "\"a\"}}],\n"
       "\t\"current-context\": \"a\"\n}\n",
       [](const auto& c) { return c.server.host == "h"; }},
  };
  write("token", "abc");
  for (const LenientCase& c : cases) {
    const auto config = load_text(c.text);
    ASSERT_TRUE(config) << c.name << ": " << config.error().message;
    EXPECT_TRUE(c.holds(*config)) << c.name;
    if (c.warning.empty()) continue;
    EXPECT_THAT(config->warnings, testing::Contains(HasSubstr(c.warning))) << c.name;
  }
}

TEST_F(KubeconfigTest, uses_unnamed_user_for_context_without_user) {
  const auto config = load_text(
      "users: [{user: {token: x}}]\nclusters: [{name: a, cluster: "
      "{server: 'https://h'}}]\ncontexts: [{name: a, context: {cluster: "
      "a}}]\ncurrent-context: a\n");
  ASSERT_TRUE(config) << config.error().message;
  EXPECT_EQ(config->token, "x");
  EXPECT_THAT(config->warnings, ElementsAre(HasSubstr("config:1: a user without a name")));
}

// Each would take minutes, or gigabytes, if nothing were limited.
TEST_F(KubeconfigTest, rejects_exploding_aliases) {
  std::string anchors = "a:\n";
  for (int i = 0; i < 300'000; ++i) anchors += "- &x" + std::to_string(i) + " 1\n";
  EXPECT_THAT(error_of(anchors), HasSubstr("too many anchors and aliases"));

  std::string values = "a: [";
  for (int i = 0; i < 4'000'000; ++i) values += "[],";
  EXPECT_THAT(error_of(values + "]\n"), HasSubstr("too many values"));

  std::string laughs = "users: &m0 {token: x}\n";
  for (int i = 1; i < 30; ++i) {
    const std::string before = "*m" + std::to_string(i - 1);
    laughs += "k" + std::to_string(i) + ": &m" + std::to_string(i) + " {<<: [" + before + ", " +
              before + "]}\n";
  }
  EXPECT_THAT(error_of(laughs + "clusters: [{name: a, cluster: *m29}]\n"),
              HasSubstr("merges too many maps"));
}

TEST_F(KubeconfigTest, reads_thousands_of_clusters) {
  std::string clusters = "clusters:\n";
  std::string contexts = "contexts:\n";
  for (int i = 0; i < 2000; ++i) {
    const std::string name = "c" + std::to_string(i);
    clusters += "- {name: " + name + ", cluster: {server: 'https://" + name + "'}}\n";
    contexts += "- {name: " + name + ", context: {cluster: " + name + "}}\n";
  }
  const auto config = load_text(clusters + contexts + "current-context: c1999\n");
  ASSERT_TRUE(config) << config.error().message;
  EXPECT_EQ(config->server.host, "c1999");
}

TEST_F(KubeconfigTest, ignores_broken_unused_entry) {
  const auto config = load_text(
      "clusters: [{name: b, cluster: {server: nonsense, proxy-url: x}},\n"
      "  {name: a, cluster: {server: 'https://h'}}]\n"
      "users: [{name: b, user: {exec: {}, client-key-data: '%'}}]\n"
      "contexts: [{name: a, context: {cluster: a}}]\n"
      "current-context: a\n");
  EXPECT_TRUE(config) << config.error().message;
}

struct BadCase {
  std::string name;
  std::string text;
  std::string message;
  ConfigOverrides overrides = {};
};

TEST_F(KubeconfigTest, reports_place_and_reason_in_one_line) {
  const std::string context_a = "contexts: [{name: a, context: {cluster: a, user: a}}]\n";
  const std::string two_contexts =
      "contexts: [{name: x, context: {cluster: c}}, {name: y, context: {cluster: c}}]\n";
  const std::string key = runtime::encode_base64(kKeyPem);
  const std::string certificate = runtime::encode_base64(kCertificatePem);
  const std::vector<BadCase> cases = {
      {"a bracket that is not closed", "a: b\nclusters: [{name: a\n",
       "config:3: is not valid YAML: end of map flow not found"},
      {"a tab as indentation", "clusters:\n\t- name: a\n",
       "config:2:1: is indented with a tab; YAML allows only spaces"},
      {"binary data",
       std::string("\x7f"
                   "ELF\x02\x01\x00\x00",
                   8),
       "config:1: is not valid YAML: unknown escape character"},
      {"a plain text", "hello\n", "config:1: the file: expected a map, found a plain value"},
      {"a list", "- a\n", "config:1: the file: expected a map, found a list"},
      {"a map as a key", "? {a: b}\n: c\n", "config:1: the file: a key is a map"},
      {"a stray bracket", "a: b\n]\nclusters: []\n", "config:2: "},
      {"nothing but a stray bracket", "]", "config:1: "},
      {"too deep nesting", std::string(5000, '['), "config:1: is not valid YAML: "},
      {"an object of another kind", "apiVersion: v1\nkind: Pod\n",
       "config:2: no kubeconfig: kind must be Config"},
      {"another version", "apiVersion: v2\nkind: Config\n",
       "config:1: no kubeconfig: apiVersion must be v1"},
      {"an empty file", "",
       "config: empty; expected a kubeconfig with clusters, users and contexts"},
      {"comments alone", "# nothing\n---\n", "config: empty; expected a kubeconfig"},
      {"two entries of one name",
       "users:\n- {name: a, user: {token: x}}\n- {name: a, user: {token: y}}\n",
       "config:3: user \"a\" is given twice"},
      {"a map where a list is expected", "clusters: {a: b}\n",
       "config:1: the file: clusters must be a list, found a map"},
      {"a value where an entry is expected", "clusters: [a]\n",
       "config:1: an entry of clusters: expected a map, found a plain value"},
      {"a list where a string is expected", with_user("token: [a]"),
       "config:2: user \"a\": token must be a string, found a list"},
      {"a string where a flag is expected", with_cluster("insecure-skip-tls-verify: 'true'"),
       "config:1: cluster \"a\": insecure-skip-tls-verify must be true or false"},
      {"a word where a flag is expected", with_cluster("insecure-skip-tls-verify: 1"),
       "config:1: cluster \"a\": insecure-skip-tls-verify must be true or false"},
      {"no current context", two_contexts,
       "config: current-context is missing; choose one with --context; known: x, y"},
      {"an unknown current context", two_contexts + "current-context: z\n",
       "config:2: current-context names context \"z\", which is not there; known: x, y"},
      {"an unknown --context",
       two_contexts,
       "config: --context names context \"z\", which is not there; known: x, y",
       {.context = "z"}},
      {"a name of two lines", "contexts: [{name: \"x\\ny\"}]\n",
       "choose one with --context; known: x y"},
      {"a context without a cluster", "contexts: [{name: x, context: {}}]\ncurrent-context: x\n",
       "config:1: context \"x\": cluster is missing"},
      {"a context whose cluster is missing", two_contexts + "current-context: x\n",
       "config:1: context \"x\": names cluster \"c\", which is not there; there are none"},
      {"a context whose user is missing",
       "clusters: [{name: a, cluster: {server: 'https://h'}}]\n" + context_a +
           "users: [{name: b}, {name: c}]\ncurrent-context: a\n",
       "config:2: context \"a\": names user \"a\", which is not there; known: b, c"},
      {"no server", with_cluster("tls-server-name: x"),
       "config:1: cluster \"a\": server is missing"},
      {"a server that is no URL", with_cluster("server: '::'"),
       "config:1: cluster \"a\": server: "},
      {"a server of two lines", with_cluster("server: \"h\\nh\""),
       "cluster \"a\": server: \"h h\""},
      {"a server with another scheme", with_cluster("server: ftp://h"),
       "the scheme is not http or https"},
      {"a --server that is no URL",
       with_cluster("server: https://h"),
       "--server: ",
       {.server = "h p"}},
      {"a CA that is not base64",
       with_cluster("server: https://h, certificate-authority-data: '%'"),
       "config:1: cluster \"a\": certificate-authority-data is not base64"},
      {"a CA that is not PEM", with_cluster("server: https://h, certificate-authority-data: YWJj"),
       "config:1: cluster \"a\": certificate-authority-data does not hold a certificate in PEM"},
      {"a CA given twice",
       with_cluster("server: https://h, certificate-authority: f, certificate-authority-data: " +
                    certificate),
       "has both certificate-authority and certificate-authority-data; expected one of them"},
      {"a CA that is not used",
       with_cluster("server: https://h, insecure-skip-tls-verify: true, certificate-authority: f"),
       "config:1: cluster \"a\": has both a certificate-authority and insecure-skip-tls-verify"},
      {"certificate and key swapped",
       with_user("client-certificate-data: " + key + ", client-key-data: " + certificate),
       "config:2: user \"a\": client-certificate-data does not hold a certificate in PEM"},
      {"a key that is not base64",
       with_user("client-certificate-data: " + certificate + ", client-key-data: '%'"),
       "config:2: user \"a\": client-key-data is not base64"},
      {"a certificate without a key", with_user("client-certificate: f"),
       "config:2: user \"a\": has a client-certificate, but no client-key"},
      {"token and password", with_user("token: x, username: ada, password: y"),
       "config:2: user \"a\": has both a token and a username or password; expected one"},
      {"a merge of no map", with_user("<<: x"),
       "config:2: user \"a\": expected a map, found a plain"},
      {"a server without a scheme, but with a path", with_cluster("server: 10.0.0.1/a"),
       "want http[s]://host"},
      {"a token of two lines", with_user("token: \"a\\nX-Evil: b\""),
       "config:2: user \"a\": token holds line breaks"},
      {"an exec plugin without a command", with_user("exec: {}"),
       "config:2: user \"a\": exec.command is missing"},
      {"an exec plugin of no version", with_user("exec: {command: login}"),
       "config:2: user \"a\": exec.apiVersion: expected client.authentication.k8s.io/v1 or"},
      {"an exec plugin of an old version",
       with_user("exec: {command: a, apiVersion: client.authentication.k8s.io/v1alpha1}"),
       "config:2: user \"a\": exec.apiVersion: expected"},
      {"an exec plugin of v1 that does not say its mode",
       with_user("exec: {command: a, apiVersion: client.authentication.k8s.io/v1}"),
       "exec.interactiveMode: expected Never or IfAvailable"},
      {"an interactive exec plugin",
       with_user("exec: {command: a, apiVersion: client.authentication.k8s.io/v1, "
                 "interactiveMode: Always}"),
       "exec.interactiveMode is Always, and this program has no terminal"},
      {"an exec plugin with a nameless variable",
       with_user("exec: {command: a, apiVersion: client.authentication.k8s.io/v1beta1, "
                 "env: [{value: b}]}"),
       "exec.env has an entry without a name"},
      {"arguments that are no list", with_user("exec: {args: a}"),
       "config:2: user \"a\": exec: args must be a list"},
      {"arguments that are no strings", with_user("exec: {args: [[a]]}"),
       "config:2: user \"a\": exec: args must hold strings, found a list"},
      {"an auth provider", with_user("auth-provider: {name: oidc}"),
       "config:2: user \"a\": auth-provider is not supported"},
      {"impersonation of a UID alone", with_user("as-uid: '1'"), "but no as: whom"},
      {"impersonation of groups alone", with_user("as-groups: [x]"), "but no as: whom"},
      {"impersonation with extras alone", with_user("as-user-extra: {a: [b]}"), "but no as: whom"},
      {"a line break in whom to impersonate", with_user("as: \"a\\nX-Evil: b\""),
       "config:2: user \"a\": a value of as… holds a line break"},
      {"extras that are no lists", with_user("as: a, as-user-extra: {a: b}"),
       "user \"a\": as-user-extra: a must be a list"},
      {"a proxy by socks4", with_cluster("server: https://h, proxy-url: socks4://p"),
       "config:1: cluster \"a\": proxy-url: \"(not shown)\" is not a proxy URL: the scheme"},
      {"a user that socks5 cannot carry",
       with_cluster("server: https://h, proxy-url: 'socks5://:pw@p'"),
       "config:1: cluster \"a\": proxy-url: a user name of a SOCKS proxy"},
  };
  for (const BadCase& c : cases) {
    const std::string message = error_of(c.text, c.overrides);
    EXPECT_THAT(message, HasSubstr(c.message)) << c.name;
    EXPECT_EQ(message.find('\n'), std::string::npos) << c.name;
  }
}

TEST_F(KubeconfigTest, names_unreadable_file) {
  EXPECT_EQ(without_dir(load({.kubeconfig = path("none")}).error().message),
            "none: cannot be read: No such file or directory");
  EXPECT_THAT(load({.kubeconfig = dir()}).error().message,
              HasSubstr("cannot be read: Is a directory"));
}

// Each row has SECRET in place of a secret, or where a typo may move one.
TEST_F(KubeconfigTest, hides_secrets_in_errors) {
  const std::vector<std::string> texts = {
      with_user("token: SECRET, exec: {}, as: x"),
      with_user("token: [SECRET]"),
      with_user("token: {a: SECRET}"),
      with_user("token: 'SECRET SECRET'"),
      with_user("token: SECRET, token: SECRET"),
      with_user("token: SECRET, username: a, password: SECRET"),
      with_user("password: SECRET"),
      with_user("username: 'SECRET:x', password: SECRET"),
      with_user("username: a, password: *SECRET"),      // an alias
      with_user("username: a, password: !SECRET x"),    // a tag
      with_user("username: a, password: &SECRET [x]"),  // an anchor
      with_user("username: a, password: \"\\SECRET\""),
      with_user("username: a, password: \"\\xSECRET\""),
      with_user("username: a, password: \"SECRET"),
      with_user("username: a, password: %SECRET"),
      with_user("username: a, password: @SECRET, as: x"),
      with_user("username: a, password: |SECRET"),
      with_user("client-certificate: c, client-key-data: SECRET%"),
      with_user("client-certificate: c, client-key-data: " + runtime::encode_base64("SECRET")),
      with_user("exec: {env: [{name: A, value: SECRET}]}"),
      with_user("exec: {command: a, args: [SECRET]}"),
      with_user("exec: {command: a, args: SECRET}"),
      with_user("exec: {command: a, env: [SECRET]}"),
      with_user("exec: SECRET"),
      with_user("auth-provider: {config: {id-token: SECRET}}"),
      with_cluster("server: 'https://ada:SECRET@h'"),
      with_cluster("server: 'https://ada:SECRET@h:port'"),
      with_cluster("server: 'https://ada:SECRET@h h'"),
      with_cluster("server: 'https://h/?token=SECRET'"),
      with_cluster("server: https://h, proxy-url: 'socks5://ada:SECRET@p'"),
      with_cluster("server: https://h, proxy-url: 'http://ada:SECRET@p:port'"),
      with_cluster("server: https://h, proxy-url: 'http://ada:SECRET@'"),
      "users:\n- name: a\n  user:\n    token:\n  SECRET\n",
      "users:\n- name: a\n  user:\n  - SECRET\n",
      "users:\n- name: a\n  user: SECRET\n",
      "users: SECRET\n",
      "SECRET",
      "%YAML SECRET\n---\na: b\n",
      "%TAG SECRET\n---\na: b\n",
      "kind: SECRET\n",
  };
  for (const std::string& text : texts) {
    const auto config = load_text(text);
    if (!config) {
      EXPECT_THAT(config.error().message, Not(HasSubstr("SECRET"))) << text;
      EXPECT_THAT(config.error().message, Not(HasSubstr("ECRET"))) << text;
      continue;
    }
    for (const auto& warning : config->warnings) {
      EXPECT_THAT(warning, Not(HasSubstr("SECRET"))) << text;
    }
  }
}

TEST_F(KubeconfigTest, hides_secrets_in_warnings) {
  const auto config = load_text(with("server: http://h, insecure-skip-tls-verify: true, x: SECRET",
                                     "tokn: SECRET, username: a, password: SECRET"));
  ASSERT_TRUE(config) << config.error().message;
  EXPECT_EQ(config->warnings.size(), 4U);
  for (const auto& warning : config->warnings) EXPECT_THAT(warning, Not(HasSubstr("SECRET")));
}

}  // namespace
}  // namespace dcm::client
