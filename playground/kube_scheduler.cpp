#include "playground/kube_scheduler.hpp"

#include <filesystem>

#include <fmt/format.h>

#include "runtime/process.hpp"

namespace dcm::playground {

runtime::Task<runtime::Error> run_kube_scheduler(Process process, std::string program,
                                                 std::string kubeconfig) {
  const std::filesystem::path log =
      std::filesystem::absolute(kubeconfig).parent_path() / "kube-scheduler.log";
  runtime::ProcessCommand command{.arguments = {program, "--kubeconfig=" + kubeconfig,
                                                "--leader-elect=false", "--secure-port=0"},
                                  .environment = runtime::own_environment(),
                                  .error_file = log.string()};
  const runtime::Result<runtime::ProcessEnd> end =
      co_await runtime::run_process(process.loop.executor(), process.loop.time(),
                                    std::move(command), runtime::Deadline::unreachable());
  const std::string why = end ? fmt::format("it has ended with exit status {}; its log is {}",
                                            end->status, log.string())
                              : end.error().message;
  co_return runtime::Error{.reason = runtime::Reason::configuration,
                           .message = fmt::format("{}: {}", program, why)};
}

}  // namespace dcm::playground
