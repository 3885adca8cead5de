// Faults around the manager: a long outage of the API server, expiring credentials, a full disk,
// objects with unknown fields.
//
// With DCM_AWAY_SECONDS=60 in the environment the outage lasts that long, instead of just long
// enough to be noticed.
#include <cmath>
#include <cstdlib>
#include <fstream>
#include <regex>

#include <fmt/format.h>

#include "test/conformance/case.hpp"
#include "test/conformance/trouble.hpp"
#include "test/support/paths.hpp"

namespace dcm::conformance {
namespace {

class Fault : public Case {
 protected:
  void SetUp() override {
    if (run().manager == ManagerKind::reference) GTEST_SKIP() << "this is about our own process";
    patience(std::chrono::seconds(60));
  }
  static int away_seconds() {
    const char* given = std::getenv("DCM_AWAY_SECONDS");
    return given == nullptr ? 12 : std::atoi(given);
  }
  // How long /readyz reports no news; 0: it does not.
  int seconds_without_news() {
    static const std::regex words("no news for ([0-9]+) s: ");
    const std::string page = manager().status_page("/readyz");
    std::smatch match;
    return std::regex_search(page, match, words) ? std::stoi(match[1].str()) : 0;
  }
};

TEST_F(Fault, reports_unreachable_server_and_recovers_promptly) {
  patience(std::chrono::seconds(away_seconds() + 60));
  start_manager();
  create_template("gpus");
  create_pod({.name = "before", .templates = {{"accel", "gpus"}}});
  wait_for_claim_of("before", "accel");
  const double memory = manager().metric("process_resident_memory_bytes");
  halt_server(ApiServer::Ending::crash);
  EXPECT_TRUE(soon("/readyz says for how long", [&] {
    return seconds_without_news() >= away_seconds();
  })) << manager().status_page("/readyz");
  EXPECT_EQ(manager().status_page("/livez"), "ok");
  EXPECT_LT(manager().metric("process_resident_memory_bytes"), memory + 16.0 * 1024 * 1024);
  resume_server();
  create_pod({.name = "after", .templates = {{"accel", "gpus"}}});
  patience(std::chrono::seconds(20));
  wait_for_claim_of("after", "accel");
  EXPECT_TRUE(soon("it is ready", [&] { return manager().status_page("/readyz") == "ok"; }))
      << manager().status_page("/readyz");
  EXPECT_EQ(claim_names().size(), 2U);
}

TEST_F(Fault, reports_refused_token_without_hammering_and_recovers) {
  faults();
  start_manager();
  create_template("gpus");
  settle();
  faults().add({.times = 1'000'000, .fault = answer(401, "Unauthorized")});
  faults().cut_watches("watch=");
  create_pod({.name = "unseen", .templates = {{"accel", "gpus"}}});
  const std::size_t before = faults().requests().size();
  EXPECT_TRUE(soon("/readyz says why", [&] {
    return seconds_without_news() > 0 && manager().status_page("/readyz").contains("nauthorized");
  })) << manager().status_page("/readyz");
  // Five watches that double their waits from 0.8 s, and nothing else.
  EXPECT_LT(faults().requests().size() - before, 60U);
  EXPECT_FALSE(manager().exit_status());
  faults().clear();
  wait_for_claim_of("unseen", "accel");
  EXPECT_TRUE(soon("it is ready", [&] { return manager().status_page("/readyz") == "ok"; }))
      << manager().status_page("/readyz");
}

// Rotated like kubelet does: the file's content changes, and the old token becomes invalid.
class RotatedToken : public Fault {
 protected:
  static constexpr const char* kAccount = "rotated";
  static constexpr const char* kBase = "/api/v1/namespaces/kube-system/";
  static constexpr const char* kBindings = "/apis/rbac.authorization.k8s.io/v1/clusterrolebindings";

  void SetUp() override {
    if (run().server == ServerKind::memory) GTEST_SKIP() << "this server takes any token";
    Fault::SetUp();
    if (IsSkipped()) return;
    kube().must_post(std::string(kBase) + "serviceaccounts", {{"metadata", {{"name", kAccount}}}});
    const json::value role{{"apiGroup", "rbac.authorization.k8s.io"},
                           {"kind", "ClusterRole"},
                           {"name", "dra-controller-manager"}};
    const json::value subject{
        {"kind", "ServiceAccount"}, {"name", kAccount}, {"namespace", "kube-system"}};
    kube().must_post(kBindings, {{"metadata", {{"name", kAccount}}},
                                 {"roleRef", role},
                                 {"subjects", json::array{subject}}});
  }
  ~RotatedToken() override {
    if (run().server == ServerKind::memory) return;
    kube().remove(std::string(kBindings) + "/" + kAccount);
    kube().remove(std::string(kBase) + "serviceaccounts/" + kAccount);
    for (const char* secret : {"first", "second"}) {
      kube().remove(std::string(kBase) + "secrets/" + secret);
    }
  }

  // A token that is valid as long as a secret of that name exists.
  std::string make_token(const std::string& secret) {
    const json::value made =
        kube().must_post(std::string(kBase) + "secrets", {{"metadata", {{"name", secret}}}});
    const json::value bound{{"apiVersion", "v1"},
                            {"kind", "Secret"},
                            {"name", secret},
                            {"uid", at(made, "/metadata/uid")}};
    const json::value token =
        kube().must_post(std::string(kBase) + "serviceaccounts/" + kAccount + "/token",
                         {{"spec", {{"boundObjectRef", bound}}}});
    return text_at(token, "/status/token");
  }
  void write_token(const std::string& token) {
    std::ofstream(file("token.new")) << token;
    std::rename(file("token.new").c_str(), file("token").c_str());
  }
  std::string kubeconfig() {
    std::ofstream(file("rotated.kubeconfig")) << fmt::format(
        "apiVersion: v1\nkind: Config\ncurrent-context: c\n"
        "contexts: [{{name: c, context: {{cluster: s, user: u}}}}]\n"
        "clusters: [{{name: s, cluster: {{server: \"{}\", certificate-authority: \"{}\"}}}}]\n"
        "users: [{{name: u, user: {{tokenFile: \"{}\"}}}}]\n",
        run().admin.server, run().admin.ca_file, file("token"));
    return file("rotated.kubeconfig");
  }
};

TEST_F(RotatedToken, is_used_without_restart) {
  const std::string first = make_token("first");
  write_token(first);
  auto rotating = another_manager(kubeconfig(), {"-v=9"});
  ASSERT_TRUE(rotating->is_ready_soon()) << rotating->log();
  create_template("gpus");
  create_pod({.name = "before", .templates = {{"accel", "gpus"}}});
  wait_for_claim_of("before", "accel");

  kube().remove(std::string(kBase) + "secrets/first");
  support::Access old = run().admin;
  old.token = first;
  ASSERT_TRUE(soon("the old token is refused",
                   [&] { return Kube(old).get(path("resourceclaims")).status == 401; }));
  create_pod({.name = "between", .templates = {{"accel", "gpus"}}});
  EXPECT_TRUE(soon("a write is refused", [&] {
    return rotating->metric("rest_client_requests_total{code=\"401\",host=\"" +
                            run().admin.server.substr(sizeof("https://") - 1) +
                            "\",method=\"POST\"}") > 0;
  })) << rotating->log();
  const std::string second = make_token("second");
  write_token(second);
  wait_for_claim_of("between", "accel");
  EXPECT_EQ(claim_names().size(), 2U);
  for (const std::string& token : {first, second}) {
    EXPECT_EQ(rotating->log().find(token), std::string::npos) << "a token is in the log";
  }
  rotating->kill();
}

TEST_F(Fault, loses_only_log_lines_when_disk_is_full) {
  support::write_kubeconfig(file("kubeconfig"), run().restricted);
  support::Process process(
      {{support::binary("dra-controller-manager"), "--kubeconfig=" + file("kubeconfig"),
        "--leader-elect=false", "--secure-port=0", "-v=9"},
       {},
       "/dev/full"});
  create_template("gpus");
  create_pods(20, "gpus");
  EXPECT_TRUE(soon("every pod has its claim", [&] { return every_pod_has_its_claim(); }));
  EXPECT_FALSE(process.exit_status());
  process.signal(SIGTERM);
  ASSERT_TRUE(soon("it ends", [&] { return process.exit_status().has_value(); }));
  EXPECT_EQ(process.exit_status(), 0);
}

TEST_F(Fault, says_by_its_status_that_help_could_not_be_written) {
  for (const char* what : {"--help", "--version"}) {
    support::Process process({{support::binary("dra-controller-manager"), what}, {}, "/dev/full"});
    ASSERT_TRUE(soon("it ends", [&] { return process.exit_status().has_value(); })) << what;
    EXPECT_EQ(process.exit_status(), 1) << what;
  }
}

// Another version of us, or of the scheduler, may have written unknown fields.
TEST_F(Fault, keeps_claim_fields_of_newer_version) {
  start_manager();
  create_claim("shared");
  create_pod({.name = "user", .claims = {{"accel", "shared"}}, .node = "node-a"});
  kube().must_patch(path("resourceclaims", "shared"), Kube::Patch::merge,
                    json::parse(R"({"metadata":{"labels":{"of":"another-version"},
                        "annotations":{"example.com/of":"another-version"}}})"));
  set_claim_status("shared", json::parse(R"({
      "allocation":{"allocationTimestamp":"2026-01-01T00:00:00Z","devices":{"results":[
        {"request":"gpus","driver":"gpu.example.com","pool":"node-a","device":"gpu-0"}],
        "config":[{"source":"FromClaim","requests":["gpus"],"opaque":
          {"driver":"gpu.example.com","parameters":{"apiVersion":"example.com/v9","kind":"X"}}}]}},
      "devices":[{"driver":"gpu.example.com","pool":"node-a","device":"gpu-0",
        "data":{"of":"a driver"}}]})"));
  const json::value before = at(get("resourceclaims", "shared"), "/status");
  ASSERT_TRUE(soon("it is reserved", [&] { return reserved_for("shared").size() == 1; }));
  json::value after = get("resourceclaims", "shared");
  EXPECT_EQ(text_at(after, "/metadata/labels/of"), "another-version");
  EXPECT_EQ(text_at(after, "/metadata/annotations/example.com~1of"), "another-version");
  EXPECT_EQ(at(after, "/status/allocation"), at(before, "/allocation"));
  EXPECT_EQ(at(after, "/status/devices"), at(before, "/devices"));
  EXPECT_TRUE(at(after, "/status/devices").is_array());
}

}  // namespace
}  // namespace dcm::conformance
