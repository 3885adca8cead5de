#include "client/auth/plugin_runner.hpp"

#include <map>
#include <utility>

#include <fmt/format.h>

#include "runtime/one_line.hpp"
#include "runtime/process.hpp"

namespace dcm::client {
namespace {

using runtime::fail;
using runtime::Reason;
using runtime::Result;
using runtime::Task;

// A token is a few KB, a certificate chain somewhat more.
constexpr std::size_t kOutputMax = 256 * 1024;

// Our environment, overridden by the plugin's, plus the exec info.
std::vector<std::string> environment_of(const ExecPlugin& plugin, const std::string& exec_info) {
  std::map<std::string, std::string> all;
  for (const std::string& entry : runtime::own_environment()) {
    const std::size_t equals = std::min(entry.find('='), entry.size());
    all[entry.substr(0, equals)] = entry;
  }
  for (const auto& [name, value] : plugin.environment) {
    all[name] = fmt::format("{}={}", name, value);
  }
  all["KUBERNETES_EXEC_INFO"] = "KUBERNETES_EXEC_INFO=" + exec_info;
  std::vector<std::string> list;
  for (auto& [name, entry] : all) list.push_back(std::move(entry));
  return list;
}

class SystemRunner final : public PluginRunner {
 public:
  SystemRunner(runtime::Executor executor, runtime::TimeSource& time)
      : executor_(std::move(executor)), time_(time) {}

  Task<Result<std::string>> run(const ExecPlugin& plugin, std::string exec_info,
                                runtime::Deadline deadline) override {
    runtime::ProcessCommand command{.arguments = plugin.arguments,
                                    .environment = environment_of(plugin, exec_info),
                                    .output_max = kOutputMax};
    command.arguments.insert(command.arguments.begin(), plugin.command);
    const std::string who = plugin.describe();
    Result<runtime::ProcessEnd> end =
        co_await runtime::run_process(executor_, time_, std::move(command), deadline);
    if (!end && end.error().reason == Reason::configuration) {
      co_return fail(Reason::configuration, cannot_start(plugin, end.error().message));
    }
    if (!end) co_return fail(end.error().reason, fmt::format("{}: {}", who, end.error().message));
    if (end->status != 0) {
      co_return fail(Reason::configuration,
                     fmt::format("{} ended with status {} (what it said is not shown, as it may "
                                 "hold secrets: run it by hand)",
                                 who, end->status));
    }
    co_return std::move(end->output);
  }

 private:
  static std::string cannot_start(const ExecPlugin& plugin, std::string_view why) {
    std::string message = fmt::format("{} cannot be started: {}", plugin.describe(), why);
    if (!plugin.install_hint.empty()) message += "; " + plugin.install_hint;
    // The hint comes from a file; a line break in it must not look like a message of its own.
    return runtime::one_line(std::move(message));
  }

  runtime::Executor executor_;
  runtime::TimeSource& time_;
};

}  // namespace

std::unique_ptr<PluginRunner> make_plugin_runner(runtime::Executor executor,
                                                 runtime::TimeSource& time) {
  return std::make_unique<SystemRunner>(std::move(executor), time);
}

}  // namespace dcm::client
