#include "playground/taint/taint.hpp"

#include <csignal>
#include <optional>

#include <fmt/format.h>

#include "playground/part.hpp"
#include "playground/taint/edit_taints.hpp"
#include "runtime/run_all.hpp"
#include "runtime/task_group.hpp"

namespace dcm::playground {
namespace {

using runtime::Reason;

constexpr int kAttemptsMax = 5;

Task<Result<std::string>> find_slice(Api& api, api::DeviceId device) {
  SliceSearch search(std::move(device));
  std::string continue_token;
  do {
    const Result<http::Response> page = co_await api.list(slices(), continue_token);
    if (!page) co_return runtime::fail(page.error());
    Result<std::string> next = search.look_through(page->body);
    if (!next) co_return runtime::fail(next.error());
    continue_token = std::move(*next);
  } while (!continue_token.empty());
  co_return search.take_found();
}

}  // namespace

Task<Result<std::string>> taint_device(Api& api, api::DeviceId device, TaintChanges changes) {
  for (int attempt = 1;; ++attempt) {
    const Result<std::string> slice = co_await find_slice(api, device);
    if (!slice) co_return runtime::fail(slice.error());
    auto edit = edit_taints(*slice, device.device.str(), changes);
    if (!edit) co_return runtime::fail(edit.error());
    const Result<http::Response> written =
        co_await api.merge_patch(slices(), {{}, edit->slice}, std::move(edit->patch));
    if (written) co_return std::string(edit->done);
    const bool is_stale =
        runtime::is_conflict(written.error()) || runtime::is_object_gone(written.error());
    if (!is_stale || attempt == kAttemptsMax) co_return runtime::fail(written.error());
  }
}

int run_taint(const TaintOptions& options) {
  OwnProcess own{std::string(kProgram)};
  const Process process = own.process();
  const auto cluster =
      open_cluster({.kubeconfig = options.kubeconfig, .context = options.context}, process);
  if (!cluster) return report_failure(cluster.error());
  Api api(cluster->rest());
  std::optional<Result<std::string>> told;
  runtime::TaskGroup group(process.loop.executor());
  own.loop.on_signals({SIGINT, SIGTERM}, [&group](int) { group.cancel(); });
  group.spawn("taint", runtime::keep_in(told, taint_device(api, options.device, options.changes)));
  own.loop.run(group.join());
  if (!told) told = runtime::fail(Reason::shutting_down, "stopped");
  if (!*told) return report_failure(told->error());
  fmt::print("device {} {}\n", options.device.str(), **told);
  return 0;
}

}  // namespace dcm::playground
