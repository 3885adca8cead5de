#include "test/conformance/credentials_case.hpp"

#include <filesystem>
#include <fstream>
#include <sstream>
#include <stdexcept>

#include <fmt/format.h>

#include "test/support/blocking_client.hpp"
#include "test/support/paths.hpp"

namespace dcm::conformance {

using support::Process;

void CredentialsCase::SetUp() {
  if (run().manager == ManagerKind::reference) GTEST_SKIP() << "this is about our own binary";
  secured_ = run().restricted;
  if (secured_.server.starts_with("https:")) return;
  secured_.token = "token-of-the-manager";
  secured_.ca_file = file("front.ca");
  front_ = std::make_unique<Process>(Process::Command{
      .arguments = {support::binary("dcm-fault-proxy"), "--upstream=" + secured_.server, "--tls",
                    "--ca-out=" + secured_.ca_file},
      .environment = {},
      .output = file("front.log")});
  secured_.server = await_line(file("front.log"), "server: ");
}

std::string CredentialsCase::await_line(const std::string& output, const std::string& key) {
  std::string found;
  support::eventually([&] {
    std::istringstream lines(support::read_file(output));
    for (std::string line; std::getline(lines, line);) {
      if (!lines.eof() && line.starts_with(key)) found = line.substr(key.size());
    }
    return !found.empty();
  });
  if (found.empty()) throw std::runtime_error(output + " has no line " + key);
  return found;
}

std::string CredentialsCase::write(const std::string& name, const std::string& text) {
  std::ofstream(file(name)) << text;
  return file(name);
}

std::string CredentialsCase::kubeconfig(const std::string& user, const std::string& cluster) {
  return write(
      "special.kubeconfig",
      fmt::format("apiVersion: v1\nkind: Config\ncurrent-context: a\n"
                  "clusters: [{{name: a, cluster: {{server: \"{}\", "
                  "certificate-authority: \"{}\"{}{}}}}}]\n"
                  "users: [{{name: a, user: {{{}}}}}]\n"
                  "contexts: [{{name: a, context: {{cluster: a, user: a}}}}]\n",
                  secured_.server, secured_.ca_file, cluster.empty() ? "" : ", ", cluster, user));
}

std::string CredentialsCase::script(const std::string& name, const std::string& body) {
  const std::string path = write(name, "#!/bin/sh\n" + body);
  std::filesystem::permissions(path, std::filesystem::perms::owner_all);
  return path;
}

std::string CredentialsCase::credential(const std::string& token, const std::string& more) {
  return fmt::format(R"({{"kind":"ExecCredential","apiVersion":)"
                     R"("client.authentication.k8s.io/v1","status":{{"token":"{}"{}}}}})",
                     token, more);
}

std::unique_ptr<Manager> CredentialsCase::start_ready(const std::string& kubeconfig, Names flags) {
  auto started = another_manager(kubeconfig, std::move(flags));
  EXPECT_TRUE(started->is_ready_soon()) << started->log();
  return started;
}

std::unique_ptr<Manager> CredentialsCase::start_unready(const std::string& kubeconfig,
                                                        const std::string& reason, Names flags) {
  auto started = another_manager(kubeconfig, std::move(flags));
  EXPECT_TRUE(soon("it is not ready: " + reason, [&] { return started->is_unready(reason); }))
      << started->status_page("/readyz") << started->log();
  EXPECT_EQ(started->status_page("/livez"), "ok");
  return started;
}

void CredentialsCase::expect_work(const std::string& pod) {
  create_template("gpus-" + pod);
  create_pod({.name = pod, .templates = {{"accel", "gpus-" + pod}}});
  EXPECT_NE(wait_for_claim_of(pod, "accel"), "");
}

std::string CredentialsCase::start_proxy(const std::string& authorization) {
  proxy_log_ = file(fmt::format("connect-{}.log", ++proxies_));
  Process::Command command{
      .arguments = {support::binary("dcm-connect-proxy")}, .environment = {}, .output = proxy_log_};
  if (!authorization.empty()) command.arguments.push_back(authorization);
  proxy_ = std::make_unique<Process>(command);
  return "127.0.0.1:" + await_line(proxy_log_, "127.0.0.1:");
}

std::string CredentialsCase::proxy_log() const {
  return support::read_file(proxy_log_);
}

}  // namespace dcm::conformance
