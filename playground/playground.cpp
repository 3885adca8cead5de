#include "playground/playground.hpp"

#include <csignal>
#include <iostream>
#include <optional>

#include <fmt/format.h>

#include "apiserver/front/garbage_collector.hpp"
#include "playground/embedded_server.hpp"
#include "playground/kubeconfig_out.hpp"
#include "playground/programs.hpp"
#include "playground/ui/ui.hpp"
#include "runtime/task_group.hpp"

namespace dcm::playground {
namespace {

void announce(const KubeconfigOut& kubeconfig, const std::string& url) {
  std::cout << "kubeconfig: " << kubeconfig.path() << "\n"
            << "page: " << url << "/ui/\n"
            << "export KUBECONFIG=" << kubeconfig.path() << std::endl;
}

void announce(const Size& size, const std::string& origin) {
  std::cout << fmt::format("{} nodes on {}", size.nodes, origin) << std::endl;
}

// Publishes, tells that by `ready`, and works until it is cancelled.
struct Main {
  Parts& parts;
  // Returns the kubeconfig of the cluster.
  std::function<Result<std::string>()> ready;
  runtime::TaskGroup& group;
  const Process& process;
  const Programs& programs;
  int status = 0;

  Task<> run() {
    const Result<> published = co_await parts.publish();
    if (!published) co_return fail(published.error());
    const Result<std::string> kubeconfig = ready();
    if (!kubeconfig) co_return fail(kubeconfig.error());
    for (const Program& program : to_run(programs)) {
      group.spawn(program.name, run_beside(program, *kubeconfig));
    }
    co_await parts.run();
  }

  Task<> run_beside(Program program, std::string kubeconfig) {
    fail(co_await run_program(process, std::move(program), std::move(kubeconfig)));
  }

  void fail(const runtime::Error& why) {
    status = report_failure(why);
    group.cancel();
  }
};

int run_parts(OwnProcess& own, runtime::TaskGroup& group, Main main) {
  own.loop.on_signals({SIGINT, SIGTERM}, [&group](int) { group.cancel(); });
  group.spawn("parts", main.run());
  own.loop.run(group.join());
  return main.status;
}

Task<> send_metrics(runtime::MetricsRegistry& metrics, http::Responder& responder) {
  [[maybe_unused]] const auto sent = co_await responder.send(
      {.status = 200,
       .headers = {{"Content-Type", "text/plain; version=0.0.4; charset=utf-8"}},
       .body = metrics.expose()});
}

// `/metrics`: those of the playground's parts.
http::Handler with_metrics(http::Handler api, runtime::MetricsRegistry& metrics) {
  return [api = std::move(api), &metrics](http::Request request, http::Responder& responder) {
    const bool is_for_us = request.method == http::Method::get && request.target == "/metrics";
    return is_for_us ? send_metrics(metrics, responder) : api(std::move(request), responder);
  };
}

Attended attended_by(const Options& options) {
  const bool schedules =
      options.scheduler == OwnScheduler::runs || !options.programs.scheduler.empty();
  return {.scheduling = schedules ? Attended::By::playground : Attended::By::others,
          .workloads = options.programs.controller_manager.empty() ? Attended::By::others
                                                                   : Attended::By::playground};
}

int run_with_own_server(const Options& options) {
  OwnProcess own(std::string(kProgram), options.verbosity);
  const Process process = own.process();
  EmbeddedServer server(process, options.served, attended_by(options));
  apiserver::GarbageCollector collector(server.server(), process.loop.time());
  if (auto listening =
          server.listen(fmt::format("127.0.0.1:{}", options.port), options.accept_hosts);
      !listening) {
    return report_failure(listening.error());
  }
  const auto connection = server.connect();
  Parts parts(process, connection->rest(), options.size, options.scheduler, OwnGc::none,
              options.real_drivers);
  std::optional<KubeconfigOut> kubeconfig;
  const auto ready = [&]() -> Result<std::string> {
    auto written = KubeconfigOut::write(
        options.kubeconfig_out.empty() ? default_kubeconfig_path() : options.kubeconfig_out,
        server.url());
    if (!written) return runtime::fail(written.error());
    kubeconfig.emplace(std::move(*written));
    announce(*kubeconfig, server.url());
    return kubeconfig->path();
  };
  runtime::TaskGroup group(process.loop.executor());
  group.spawn("API server", server.run([&](http::Handler api) {
    return with_metrics(with_ui(std::move(api), connection->rest(), process.loop.time()),
                        process.metrics);
  }));
  group.spawn("garbage collector", collector.run());
  return run_parts(own, group, {parts, ready, group, process, options.programs});
}

int run_against_cluster(const Options& options) {
  OwnProcess own(std::string(kProgram), options.verbosity);
  const Process process = own.process();
  const auto cluster =
      manager::open_cluster({.kubeconfig = options.kubeconfig}, connection_options(), process);
  if (!cluster) return report_failure(cluster.error());
  Parts parts(process, cluster->rest(), options.size, options.scheduler, OwnGc::runs,
              options.real_drivers);
  const auto ready = [&]() -> Result<std::string> {
    announce(options.size, cluster->config.origin);
    return options.kubeconfig;
  };
  runtime::TaskGroup group(process.loop.executor());
  return run_parts(own, group, {parts, ready, group, process, options.programs});
}

}  // namespace

int run_playground(const Options& options) {
  return options.kubeconfig.empty() ? run_with_own_server(options) : run_against_cluster(options);
}

}  // namespace dcm::playground
