#include "cmd/dra-controller-manager/manager.hpp"

#include <memory>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "cmd/dra-controller-manager/build_info.hpp"
#include "cmd/dra-controller-manager/controls.hpp"
#include "cmd/dra-controller-manager/process_metrics.hpp"
#include "cmd/dra-controller-manager/serving/debug_pages.hpp"
#include "cmd/dra-controller-manager/serving/explained_object.hpp"
#include "explain/page.hpp"
#include "manager/run.hpp"
#include "options/value.hpp"
#include "runtime/version.hpp"

namespace dcm::dra_manager {
namespace {

// What the manager adds to the lifecycle of its process: controllers and pages.
class Manager {
 public:
  Manager(const Host& host, const Options& options)
      : lifecycle_(host.lifecycle),
        options_(options),
        memory_limit_(register_memory_limit(host.own.metrics)) {
    lifecycle_.use(make_controllers(options_, lifecycle_.events(), explanations_));
    Pages& pages = host.ports.secured_pages();
    runtime::TimeSource& time = host.process.loop.time();
    add_debug_pages(pages, options_, time, host.own.log_backend);
    pages.add(make_explain_page(time, {.source = [this] { return explanations_.source; },
                                       .teller = [this] { return teller(); },
                                       .rest = &host.connection.rest()}));
  }

 private:
  // The author of this process's explanations.
  Teller teller() const {
    Teller teller;
    if (const auto problem = lifecycle_.why_not_ready()) teller.missing = problem->whole;
    if (options_.dry_run_timeout) teller.role = Teller::Role::watches;
    const LeaderElection* const election = lifecycle_.election();
    if (election == nullptr) return teller;
    teller.role = election->is_leading() ? Teller::Role::works : Teller::Role::stands_by;
    teller.identity = election->identity();
    teller.leader = election->leader();
    return teller;
  }

  Lifecycle& lifecycle_;
  const Options& options_;
  runtime::Refresh memory_limit_;
  CurrentExplanations explanations_;
};

void say_start(const Host& host, const Options& options) {
  const runtime::Logger& log = host.process.log;
  log.info("Starting", {{"version", runtime::kVersion},
                        {"commit", build_info().commit},
                        {"server", host.config.server.url()},
                        {"config", host.config.origin}});
  if (!options.without_effect.empty()) {
    log.info("Accepted for compatibility with kube-controller-manager, without effect",
             {{"names", fmt::format("{}", fmt::join(options.without_effect, " "))}});
  }
  for (const auto& [name, nearest] : options.unknown_gates) {
    if (nearest.empty()) {
      log.warning("Unknown feature gate, without effect", {{"gate", name}});
    } else {
      log.warning("Unknown feature gate, without effect", {{"gate", name}, {"nearest", nearest}});
    }
  }
  if (options.dry_run_timeout) {
    log.info("This is a dry run: no lease is taken and nothing is written",
             {{"disagreementAfter", format_duration(*options.dry_run_timeout)}});
  }
}

}  // namespace

int run_manager(const Options& options) {
  // A dry run's controllers send no writes anyway; reviews of callers of our port pass the gate.
  const client::ClosedWriteGate dry_run("not written: this is a dry run");
  const auto prepare = [&options](const Host& host) {
    say_start(host, options);
    register_process(host.own.metrics, options);
    return std::make_shared<Manager>(host, options);
  };
  return run({.lifecycle = {.program = kProgram, .election = options.leader_election},
              .verbosity = options.verbosity,
              .log_format = options.logging_format,
              .cluster = options.cluster,
              .connection = connection_options(options),
              .gate = options.dry_run_timeout ? &dry_run : nullptr,
              .serving = options,
              .object_of = explained_object,
              .events = Events::gathered},
             prepare);
}

}  // namespace dcm::dra_manager
