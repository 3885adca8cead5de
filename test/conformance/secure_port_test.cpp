// The HTTPS port in a cluster with users, roles, and a real Prometheus.
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <optional>

#include <fmt/format.h>

#include "test/conformance/case.hpp"
#include "test/support/blocking_client.hpp"
#include "test/support/certificates.hpp"
#include "test/support/paths.hpp"

namespace dcm::conformance {
namespace {

using support::Process;

// A program of Prometheus, from ./dev's folder; nullopt if there is none.
std::optional<std::string> prometheus_tool(const std::string& name) {
  const char* const folder = std::getenv("PROMETHEUS_DIR");
  if (folder == nullptr) return std::nullopt;
  const std::string tool = fmt::format("{}/{}", folder, name);
  return std::filesystem::exists(tool) ? std::optional(tool) : std::nullopt;
}

class SecurePort : public Case {
 protected:
  void SetUp() override {
    if (run().manager == ManagerKind::reference) GTEST_SKIP() << "this is about our own binary";
    if (!run().admin.server.starts_with("https")) {
      GTEST_SKIP() << "this server reviews no tokens";
    }
    const auto identity = authority_.issue({.names = {"localhost"}, .addresses = {"127.0.0.1"}});
    start_manager({fmt::format("--secure-port={}", port_), "--bind-address=127.0.0.1",
                   "--tls-cert-file=" + write("tls.crt", identity.certificate_pem),
                   "--tls-private-key-file=" + write("tls.key", identity.key_pem)});
  }

  std::string write(const std::string& name, const std::string& text) {
    std::ofstream(file(name)) << text;
    return file(name);
  }

  http::Response ask(http::Request request, const std::string& token = {}) {
    if (!token.empty()) request.headers.add("Authorization", "Bearer " + token);
    support::BlockingClient client(fmt::format("https://127.0.0.1:{}", port_), authority_.pem());
    const auto response = client.send(std::move(request));
    EXPECT_TRUE(response) << response.error().message;
    return response ? *response : http::Response{};
  }

  // The current value of a PromQL expression; nullopt: no value yet.
  std::optional<double> query(int prometheus_port, const std::string& expression) {
    support::BlockingClient client(fmt::format("http://127.0.0.1:{}", prometheus_port));
    const auto response = client.send({.target = "/api/v1/query?query=" + expression});
    if (!response || response->status != 200) return std::nullopt;
    const json::value answer = json::parse(response->body);
    const std::string value = text_at(answer, "/data/result/0/value/1");
    return value.empty() ? std::nullopt : std::optional(std::stod(value));
  }

  std::string prometheus_config(const std::string& token) {
    return fmt::format(
        "global: {{scrape_interval: 1s, scrape_timeout: 1s}}\n"
        "scrape_configs:\n"
        "  - job_name: dra-controller-manager\n"
        "    scheme: https\n"
        "    authorization: {{credentials_file: {}}}\n"
        "    tls_config: {{ca_file: {}}}\n"
        "    static_configs: [{{targets: ['127.0.0.1:{}']}}]\n",
        write("token", token), write("ca.crt", authority_.pem()), port_);
  }

  test::CertificateAuthority authority_{"monitoring"};
  int port_ = support::free_port();
};

TEST_F(SecurePort, serves_health_publicly_and_the_rest_with_permission) {
  const std::string& may = run().admin.token;
  const std::string& may_not = run().restricted.token;
  EXPECT_EQ(ask({.target = "/readyz"}).body, "ok");
  EXPECT_EQ(ask({.target = "/livez"}).body, "ok");
  EXPECT_EQ(ask({.target = "/metrics"}).status, 401);
  EXPECT_EQ(ask({.target = "/metrics"}, "nobody's").status, 401);
  const http::Response forbidden = ask({.target = "/metrics"}, may_not);
  EXPECT_EQ(forbidden.status, 403);
  EXPECT_NE(forbidden.body.find("\"/metrics\""), std::string::npos) << forbidden.body;
  for (const char* page : {"/metrics", "/statusz", "/flagz"}) {
    EXPECT_EQ(ask({.target = page}, may).status, 200) << page;
  }
  EXPECT_EQ(manager().log().find("nobody's"), std::string::npos);
  EXPECT_EQ(manager().log().find(may), std::string::npos);
}

TEST_F(SecurePort, changes_log_verbosity_at_run_time) {
  const http::Request request{.method = http::Method::put, .target = "/debug/flags/v", .body = "2"};
  EXPECT_EQ(ask(request, run().restricted.token).status, 403);
  EXPECT_EQ(ask(request, run().admin.token).status, 200);
}

TEST_F(SecurePort, satisfies_promtool) {
  const auto promtool = prometheus_tool("promtool");
  if (!promtool) GTEST_SKIP() << "no promtool here";
  create_template("gpus");
  create_pod({.name = "trainer-0", .templates = {{"accel", "gpus"}}});
  wait_for_claim_of("trainer-0", "accel");
  const std::string metrics = write("metrics", ask({.target = "/metrics"}, run().admin.token).body);
  const int status =
      Process::run({{"/bin/sh", "-c", fmt::format("{} check metrics <{}", *promtool, metrics)},
                    {},
                    file("promtool.log")});
  EXPECT_EQ(status, 0);
  EXPECT_EQ(support::read_file(file("promtool.log")), "");
}

TEST_F(SecurePort, is_scraped_by_prometheus) {
  const auto program = prometheus_tool("prometheus");
  if (!program) GTEST_SKIP() << "no prometheus here";
  const int port = support::free_port();
  const Process prometheus(
      {{*program, "--config.file=" + write("prometheus.yml", prometheus_config(run().admin.token)),
        "--storage.tsdb.path=" + file("prometheus"),
        fmt::format("--web.listen-address=127.0.0.1:{}", port)},
       {},
       file("prometheus.log")});
  EXPECT_TRUE(soon("it is up", [&] { return query(port, "up") == 1; }))
      << support::read_file(file("prometheus.log"));
  create_template("gpus");
  create_pod({.name = "trainer-0", .templates = {{"accel", "gpus"}}});
  EXPECT_TRUE(soon("the claim is counted", [&] {
    return query(port, "sum(dynamic_resource_allocation_resourceclaim_creates_total)") == 1;
  }));
}

}  // namespace
}  // namespace dcm::conformance
