#include "playground/programs.hpp"

#include <charconv>
#include <filesystem>
#include <optional>

#include <fmt/format.h>
#include <unistd.h>

#include "runtime/process.hpp"

namespace dcm::playground {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kScheduler = "kube-scheduler";
constexpr std::string_view kControllerManager = "kube-controller-manager";

// dra-controller-manager replaces its loops for claims and for taints of devices here.
constexpr std::string_view kControllers =
    "--controllers=*,-resourceclaim-controller,-device-taint-eviction-controller";

// "1.37.2" becomes {1, 37, 2}; empty if the name is no version.
std::vector<int> numbers_of(const std::string& version) {
  std::vector<int> numbers;
  const char* at = version.data();
  const char* const end = at + version.size();
  while (true) {
    int number = 0;
    const auto [next, error] = std::from_chars(at, end, number);
    if (error != std::errc()) return {};
    numbers.push_back(number);
    if (next == end) return numbers;
    if (*next != '.') return {};
    at = next + 1;
  }
}

std::optional<Programs> programs_in(const fs::path& folder) {
  const Programs programs{folder / kScheduler, folder / kControllerManager};
  for (const std::string& path : {programs.scheduler, programs.controller_manager}) {
    std::error_code ignored;
    if (!fs::is_regular_file(path, ignored) || access(path.c_str(), X_OK) != 0) return {};
  }
  return programs;
}

// Where test/controlplane keeps its builds, with a folder for each version.
fs::path folder_of_builds() {
  const std::string cache = runtime::environment_variable("XDG_CACHE_HOME");
  return fs::path(cache.empty() ? runtime::environment_variable("HOME") + "/.cache" : cache) /
         "dra-controller-manager/controlplane";
}

std::optional<Programs> newest_build(const fs::path& builds) {
  std::vector<int> newest;
  std::optional<Programs> programs;
  std::error_code ignored;
  for (const auto& entry : fs::directory_iterator(builds, ignored)) {
    const std::vector<int> version = numbers_of(entry.path().filename());
    if (version <= newest) continue;
    auto found = programs_in(entry.path() / "bin");
    if (!found) continue;
    newest = version;
    programs = std::move(found);
  }
  return programs;
}

}  // namespace

runtime::Result<Programs> find_programs() {
  const std::string assets = runtime::environment_variable("KUBEBUILDER_ASSETS");
  const fs::path builds = folder_of_builds();
  auto programs = assets.empty() ? newest_build(builds) : programs_in(assets);
  if (programs) return *std::move(programs);
  return runtime::fail(
      runtime::Reason::configuration,
      fmt::format("there are no {} and {} in {}; test/controlplane/controlplane build makes them",
                  kScheduler, kControllerManager,
                  assets.empty() ? (builds / "VERSION/bin").string() : assets));
}

std::vector<Program> to_run(const Programs& programs) {
  std::vector<Program> all;
  const auto add = [&](std::string_view name, const std::string& path,
                       std::vector<std::string> flags) {
    if (path.empty()) return;
    flags.insert(flags.begin(), path);
    all.push_back({std::string(name), std::move(flags)});
  };
  add(kScheduler, programs.scheduler, {"--leader-elect=false", "--secure-port=0"});
  add(kControllerManager, programs.controller_manager,
      {"--leader-elect=false", "--secure-port=0", std::string(kControllers)});
  return all;
}

runtime::Task<runtime::Error> run_program(Process process, Program program,
                                          std::string kubeconfig) {
  const fs::path log = fs::absolute(kubeconfig).parent_path() / (program.name + ".log");
  const std::string path = program.command.front();
  program.command.push_back("--kubeconfig=" + kubeconfig);
  runtime::ProcessCommand command{.arguments = std::move(program.command),
                                  .environment = runtime::own_environment(),
                                  .error_file = log.string()};
  const runtime::Result<runtime::ProcessEnd> end = co_await runtime::run_process(
      process.loop.executor(), process.loop.time(), std::move(command), runtime::Deadline());
  const std::string why = end ? fmt::format("it has ended with exit status {}; its log is {}",
                                            end->status, log.string())
                              : end.error().message;
  co_return runtime::Error{.reason = runtime::Reason::configuration,
                           .message = fmt::format("{}: {}", path, why)};
}

}  // namespace dcm::playground
