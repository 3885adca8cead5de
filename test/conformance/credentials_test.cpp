// The manager's identity, with the real binary: plugins as programs, impersonation, proxies,
// rotated tokens.

#include <fmt/format.h>

#include "test/conformance/credentials_case.hpp"
#include "test/support/paths.hpp"

namespace dcm::conformance {
namespace {

class Credentials : public CredentialsCase {
 protected:
  std::string exec(const std::string& command, const std::string& more = {}) {
    return fmt::format(
        "exec: {{apiVersion: client.authentication.k8s.io/v1, command: \"{}\", "
        "interactiveMode: Never{}{}}}",
        command, more.empty() ? "" : ", ", more);
  }
  // How often a script that begins with `note` has run.
  std::string note() { return fmt::format("echo run >>{}\n", file("runs")); }
  std::ptrdiff_t runs() {
    const std::string text = support::read_file(file("runs"));
    return std::ranges::count(text, '\n');
  }
};

TEST_F(Credentials, gets_token_from_plugin) {
  const std::string plugin = script(
      "login", note() + fmt::format("env >{0}; printf '%s\\n' \"$@\" >>{0}\n", file("seen")) +
                   fmt::format("echo '{}'\n", credential(secured().token)));
  const auto manager =
      start_ready(kubeconfig(exec(plugin,
                                  "args: [token, \"two words\"], env: [{name: REGION, value: eu}], "
                                  "provideClusterInfo: true")));
  expect_work("trainer-0");
  EXPECT_EQ(runs(), 1);
  const std::string seen = support::read_file(file("seen"));
  EXPECT_NE(seen.find("\nREGION=eu\n"), std::string::npos) << seen;
  EXPECT_NE(seen.find("\ntoken\ntwo words\n"), std::string::npos) << seen;
  EXPECT_NE(seen.find(R"("server":")" + secured().server), std::string::npos) << seen;
  EXPECT_NE(seen.find(R"("certificate-authority-data":")"), std::string::npos) << seen;
  EXPECT_EQ(manager->stop(), 0);
}

TEST_F(Credentials, runs_plugin_again_before_token_expires) {
  const std::string plugin =
      script("login",
             note() + fmt::format("t=$(date -u -d '+10 seconds' +%Y-%m-%dT%H:%M:%SZ)\n"
                                  "echo '{}' | sed s/TIME/$t/\n",
                                  credential(secured().token, R"(,"expirationTimestamp":"TIME")")));
  const auto manager = start_ready(kubeconfig(exec(plugin)));
  EXPECT_TRUE(soon("it has run three times", [&] { return runs() >= 3; }));
  expect_work("trainer-0");
  EXPECT_EQ(manager->status_page("/readyz"), "ok");
}

TEST_F(Credentials, reports_missing_plugin_with_install_hint) {
  start_unready(
      kubeconfig(exec("no-such-plugin", "installHint: see example.com/login")),
      "credential plugin \"no-such-plugin\" cannot be started: No such file or directory; "
      "see example.com/login");
}

TEST_F(Credentials, reports_failing_plugin_and_retries) {
  const std::string plugin =
      script("login", note() + fmt::format("test -e {} || exit 7\necho '{}'\n", file("mended"),
                                           credential(secured().token)));
  const auto manager = start_unready(kubeconfig(exec(plugin)), "ended with status 7");
  write("mended", "");
  EXPECT_TRUE(manager->is_ready_soon()) << manager->log();
  expect_work("trainer-0");
}

TEST_F(Credentials, reports_plugin_that_prints_garbage) {
  start_unready(kubeconfig(exec(script("login", "echo garbage"))),
                "its output is not a JSON object");
}

TEST_F(Credentials, isolates_hanging_plugin_and_ends_it_on_exit) {
  const std::string plugin =
      script("login", note() + fmt::format("echo $$ >{}\nexec sleep 1000\n", file("pid")));
  const auto manager = another_manager(kubeconfig(exec(plugin)), {});
  EXPECT_TRUE(soon("it runs", [&] { return !support::read_file(file("pid")).empty(); }));
  EXPECT_TRUE(soon("it is alive", [&] { return manager->status_page("/livez") == "ok"; }));
  EXPECT_EQ(manager->stop(), 0);
  const std::string pid = support::read_file(file("pid"));
  EXPECT_TRUE(soon("the plugin is gone", [&] {
    const std::string status =
        support::read_file("/proc/" + pid.substr(0, pid.size() - 1) + "/status");
    return status.empty() || status.contains("State:\tZ");
  }));
}

TEST_F(Credentials, runs_plugin_again_after_401) {
  if (!is_real()) GTEST_SKIP() << "this server takes any token";
  const std::string plugin =
      script("login", note() + fmt::format("if test -e {}; then echo '{}'; else echo '{}'; fi\n",
                                           file("mended"), credential(secured().token),
                                           credential("refused")));
  const auto manager = start_unready(kubeconfig(exec(plugin)), "nauthorized");
  write("mended", "");
  EXPECT_TRUE(manager->is_ready_soon()) << manager->log();
  expect_work("trainer-0");
}

TEST_F(Credentials, follows_rotated_token_file_without_restart) {
  if (!is_real()) GTEST_SKIP() << "this server takes any token";
  const std::string token = write("token", "refused");
  const auto manager =
      start_unready(kubeconfig(fmt::format("tokenFile: \"{}\"", token)), "nauthorized");
  write("token", secured().token);
  EXPECT_TRUE(manager->is_ready_soon()) << manager->log();
}

TEST_F(Credentials, leaves_impersonation_to_server_rules) {
  if (!is_real()) GTEST_SKIP() << "this server has no users";
  const std::string user = fmt::format("token: \"{}\"", run().admin.token);
  start_unready(kubeconfig(user + ", as: nobody-in-particular"),
                "User \"nobody-in-particular\" cannot");
  const std::string account = "system:serviceaccount:kube-system:dra-controller-manager";
  const auto manager = start_ready(kubeconfig(
      fmt::format("{}, as: \"{}\", as-uid: \"7\", as-groups: [\"system:authenticated\"], "
                  "as-user-extra: {{\"example.com/scope\": [a, b]}}",
                  user, account)));
  expect_work("trainer-0");
  EXPECT_EQ(manager->stop(), 0);
  // A user who may not impersonate gets an error.
  start_unready(kubeconfig(fmt::format("token: \"{}\", as: ada", secured().token)),
                "cannot impersonate");
}

TEST_F(Credentials, sends_everything_through_cluster_proxy) {
  const std::string proxy = start_proxy("Basic YWRhOnB3");  // ada:pw
  const std::string user = fmt::format("token: \"{}\"", secured().token);
  start_unready(kubeconfig(user, fmt::format("proxy-url: \"http://{}\"", proxy)),
                fmt::format("proxy {}: it wants credentials, or refuses these (407)", proxy));
  const auto manager =
      start_ready(kubeconfig(user, fmt::format("proxy-url: \"http://ada:pw@{}\"", proxy)));
  expect_work("trainer-0");
  const std::string authority = secured().server.substr(secured().server.find("//") + 2);
  EXPECT_NE(proxy_log().find(fmt::format("CONNECT {} 200", authority)), std::string::npos)
      << proxy_log();
}

TEST_F(Credentials, rejects_unknown_proxy_scheme_with_status_2) {
  const int status = support::Process::run(
      {{support::binary("dra-controller-manager"),
        "--kubeconfig=" + kubeconfig("token: a", "proxy-url: \"ftp://127.0.0.1:2121\"")},
       {},
       file("proxy.log")});
  EXPECT_EQ(status, 2);
  const std::string log = support::read_file(file("proxy.log"));
  EXPECT_EQ(std::ranges::count(log, '\n'), 1) << log;
  EXPECT_NE(log.find("special.kubeconfig:4: cluster \"a\": proxy-url: "), std::string::npos) << log;
  EXPECT_NE(log.find("socks5"), std::string::npos) << log;
}

}  // namespace
}  // namespace dcm::conformance
