// The manager as a process, seen from outside.
#include <csignal>
#include <filesystem>
#include <regex>

#include <fmt/format.h>

#include "runtime/http/client.hpp"
#include "runtime/http/tcp.hpp"
#include "runtime/http/url.hpp"
#include "runtime/loop.hpp"
#include "test/conformance/case.hpp"
#include "test/support/paths.hpp"

namespace dcm::conformance {
namespace {

using namespace std::chrono_literals;

// Polls on a loop of its own. Returns whether `holds` came true.
bool wait_until(const std::function<bool()>& holds, std::chrono::seconds limit) {
  runtime::Loop loop;
  const auto deadline = runtime::Deadline::after(loop.time(), limit);
  while (!holds()) {
    if (deadline.has_passed(loop.time())) return false;
    loop.run(runtime::sleep_for(loop.time(), 10ms));
  }
  return true;
}

std::string http_get(const std::string& address, const std::string& path) {
  runtime::Loop loop;
  const auto url = http::parse_url("http://" + address);
  auto transport = http::make_tcp_transport(loop.executor(), loop.time(), {});
  if (!url || !transport) return {};
  const auto client = http::make_client(**transport, loop.time(), {.origin = url->endpoint});
  std::string body;
  loop.run([](http::Client& c, runtime::TimeSource& time, std::string target,
              std::string& result) -> runtime::Task<> {
    auto response = co_await c.send({.target = std::move(target)},
                                    {.deadline = runtime::Deadline::after(time, 5s)});
    if (response) result = response->body;
  }(*client, loop.time(), path, body));
  return body;
}

}  // namespace

Manager::Manager(const std::string& name, std::vector<std::string> flags, std::string config)
    : log_file_(fmt::format("{}/manager-{}.log", support::log_dir(), name)) {
  std::filesystem::remove(log_file_);
  support::Process::Command command;
  command.arguments = {support::binary("dra-controller-manager"),
                       "--kubeconfig=" + (config.empty() ? kubeconfig() : config),
                       "--leader-elect=false", "--metrics-bind-address=127.0.0.1:0", "-v=2"};
  if (config.empty()) command.arguments.emplace_back("--context=manager");
  command.arguments.insert(command.arguments.end(), flags.begin(), flags.end());
  command.output = log_file_;
  process_ = std::make_unique<support::Process>(command);
}

bool Manager::is_ready_soon() {
  return wait_until([this] { return exit_status() || status_page("/readyz") == "ok"; }, 30s) &&
         !exit_status();
}

int Manager::stop() {
  process_->signal(SIGTERM);
  if (!wait_until([this] { return exit_status().has_value(); }, 30s)) kill();
  return exit_status().value_or(-1);
}

void Manager::kill() {
  process_->signal(SIGKILL);
  wait_until([this] { return exit_status().has_value(); }, 30s);
}

std::string Manager::status_page(const std::string& path) {
  // The log says which port it got.
  static const std::regex address_line(R"re("Serving status".* address="([^"]+)")re");
  const std::string text = log();
  std::smatch match;
  if (!std::regex_search(text, match, address_line)) return {};
  return http_get(match[1], path);
}

double Manager::metric(const std::string& series) {
  const std::string page = status_page("/metrics");
  const std::size_t line = page.find("\n" + series + " ");
  return line == page.npos ? 0 : std::stod(page.substr(line + series.size() + 2));
}

std::string Manager::log() const {
  return support::read_file(log_file_);
}

}  // namespace dcm::conformance
