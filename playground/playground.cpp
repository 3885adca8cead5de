#include "playground/playground.hpp"

#include <iostream>
#include <optional>

#include <fmt/format.h>

#include "apiserver/front/garbage_collector.hpp"
#include "manager/lifecycle.hpp"
#include "manager/pages.hpp"
#include "manager/run.hpp"
#include "playground/embedded_server.hpp"
#include "playground/kubeconfig_out.hpp"
#include "playground/programs.hpp"
#include "playground/ui/ui.hpp"

namespace dcm::playground {
namespace {

void announce(const KubeconfigOut& kubeconfig, const std::string& url) {
  std::cout << "kubeconfig: " << kubeconfig.path() << "\n"
            << "page: " << url << "/ui/\n"
            << kubeconfig.export_command() << std::endl;
}

void announce(const Size& size, const std::string& origin) {
  std::cout << fmt::format("{} nodes on {}", size.nodes, origin) << std::endl;
}

// Runs the playground's programs and parts in the frame: first it publishes and calls `ready`, then
// they work.
class Main {
 public:
  // Returns the kubeconfig of the cluster.
  using Ready = std::function<Result<std::string>()>;

  // All references must outlive it.
  Main(OwnProcess& own, Connection& connection, Parts& parts, const Programs& programs, Ready ready)
      : own_(own),
        connection_(connection),
        parts_(parts),
        programs_(programs),
        ready_(std::move(ready)),
        lifecycle_({own.process(), connection.rest(), connection.lease_rest()},
                   {.program = std::string(kProgram)}) {
    lifecycle_.use({.fill = [this](manager::Epoch& epoch) { fill(epoch); },
                    .before = [this] { return publish(); }});
  }

  manager::Lifecycle& lifecycle() { return lifecycle_; }

  int run() { return manager::run_to_end(own_, connection_, lifecycle_); }

 private:
  Task<> publish() {
    const Result<> published = co_await parts_.publish();
    if (!published) co_return fail(published.error());
    Result<std::string> kubeconfig = ready_();
    if (!kubeconfig) co_return fail(kubeconfig.error());
    kubeconfig_ = *std::move(kubeconfig);
  }

  void fill(manager::Epoch& epoch) {
    parts_.fill(epoch);
    for (const Program& program : to_run(programs_)) {
      epoch.add({.name = program.name, .run = [this, program] { return run_beside(program); }});
    }
  }

  Task<> run_beside(Program program) {
    const runtime::Error ended =
        co_await run_program(own_.process(), std::move(program), kubeconfig_);
    fail(ended);
  }

  void fail(const runtime::Error& why) {
    report_failure(why);
    lifecycle_.request_stop(manager::ExitStatus::unusable);
  }

  OwnProcess& own_;
  Connection& connection_;
  Parts& parts_;
  const Programs& programs_;
  Ready ready_;
  manager::Lifecycle lifecycle_;
  std::string kubeconfig_;
};

http::Handler with_metrics(http::Handler api, http::Handler metrics) {
  return [api = std::move(api), metrics = std::move(metrics)](http::Request request,
                                                              http::Responder& responder) {
    const http::Handler& handler = request.target == "/metrics" ? metrics : api;
    return handler(std::move(request), responder);
  };
}

Attended attended_by(const Options& options) {
  const bool schedules =
      options.scheduler == OwnScheduler::runs || !options.programs.scheduler.empty();
  return {.scheduling = schedules ? Attended::By::playground : Attended::By::others,
          .workloads = options.programs.controller_manager.empty() ? Attended::By::others
                                                                   : Attended::By::playground};
}

int run_with_own_server(OwnProcess& own, const Options& options) {
  const Process process = own.process();
  EmbeddedServer server(process, options.served, attended_by(options));
  apiserver::GarbageCollector collector(server.server(), process.loop.time());
  if (auto listening =
          server.listen(fmt::format("127.0.0.1:{}", options.port), options.accept_hosts);
      !listening) {
    return report_failure(listening.error());
  }
  manager::Pages pages;
  manager::add_metrics_page(pages, process.metrics);
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
  Main main(own, *connection, parts, options.programs, ready);
  main.lifecycle().add_foundation("API server", [&] {
    return server.run([&](http::Handler api) {
      return with_metrics(with_ui(std::move(api), connection->rest(), process.loop.time()),
                          manager::make_open_handler(pages));
    });
  });
  main.lifecycle().add_foundation("garbage collector", [&] { return collector.run(); });
  return main.run();
}

int run_against_cluster(OwnProcess& own, const Options& options) {
  const Process process = own.process();
  const auto cluster = open_cluster({.kubeconfig = options.kubeconfig}, process);
  if (!cluster) return report_failure(cluster.error());
  Parts parts(process, cluster->rest(), options.size, options.scheduler, OwnGc::runs,
              options.real_drivers);
  const auto ready = [&]() -> Result<std::string> {
    announce(options.size, cluster->config.origin);
    return options.kubeconfig;
  };
  Main main(own, *cluster->connection, parts, options.programs, ready);
  return main.run();
}

}  // namespace

void run_playground(const Options& options) {
  OwnProcess own(std::string(kProgram), options.verbosity);
  manager::end_process(options.kubeconfig.empty() ? run_with_own_server(own, options)
                                                  : run_against_cluster(own, options));
}

}  // namespace dcm::playground
