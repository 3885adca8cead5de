#include "manager/program.hpp"

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "manager/options/command_line.hpp"
#include "manager/options/help.hpp"
#include "runtime/memory.hpp"
#include "runtime/one_line.hpp"
#include "runtime/open_files.hpp"

namespace dcm::manager {
namespace {

using runtime::Task;

int refuse(const ProgramOptions& options, const std::string& why) {
  std::fputs(fmt::format("{}: {}\n", options.name, runtime::one_line(why)).c_str(), stderr);
  return static_cast<int>(ExitStatus::bad_configuration);
}

int print(const std::string& text) {
  std::fputs(text.c_str(), stdout);
  return 0;
}

std::string in_metrics(std::string name) {
  std::ranges::replace(name, '-', '_');
  return name;
}

// The values of the flags.
struct Flags {
  explicit Flags(ProgramOptions& options) {
    add_group(table, "Cluster", cluster_settings(options.cluster));
    add_group(table, "Controller", std::move(options.flags));
    add_group(table, "Leader election", election_settings(options.election));
    add_group(table, "Serving", serving_settings(options.serving));
    add_group(table, "Process", log_settings(verbosity, format));
  }

  int verbosity = 0;
  runtime::LogFormat format = runtime::LogFormat::text;
  std::optional<LeaderElectionOptions> election;
  Settings table;
};

std::string help(const ProgramOptions& options, const Flags& flags) {
  return fmt::format("{}\n\nUsage:\n  {} [flags]\n{}\nGlobal flags:\n\n{}{}", options.summary,
                     options.name, grouped_flags(flags.table),
                     flag_lines("-h, --help", "Prints this text."),
                     flag_lines("--version", "Prints the version."));
}

// The exit status if there is nothing to run.
std::optional<int> read_flags(const Strings& arguments, ProgramOptions& options, Flags& flags) {
  const auto line = parse_command_line(flags.table, arguments);
  if (!line) return refuse(options, line.error());
  if (line->wants_help) return print(help(options, flags));
  if (line->wants_version) return print(fmt::format("{} {}\n", options.name, options.version));
  if (!line->words.empty()) {
    return refuse(options, fmt::format("unexpected argument \"{}\"", line->words.front()));
  }
  const auto effective = apply_settings(flags.table, line->given);
  if (!effective) return refuse(options, effective.error());
  auto conflict = settle_serving(options.serving);
  if (!conflict) conflict = settle_election(options.election, flags.election);
  if (conflict) return refuse(options, describe(*conflict, flags.table, *effective));
  return std::nullopt;
}

void complete(ProgramOptions& options) {
  if (options.election.election.lease.name.empty()) {
    options.election.election.lease.name = options.name;
  }
  options.serving.serving_certificates.program = options.name;
  if (options.connection.user_agent.empty()) {
    options.connection.user_agent = client::make_user_agent(options.name, options.version);
  }
}

// Runs the manager and its supporting parts until it ends.
Task<> run_all(const Process& process, ControllerManager& manager, Connection& connection,
               Ports& ports) {
  runtime::TaskGroup below(process.loop.executor());
  below.spawn("ports", ports.run(connection.rest()));
  below.spawn("HTTP/2", connection.speak_http2());
  below.spawn("TLS files", connection.watch_files());
  below.spawn("credentials", connection.keep_credentials_fresh());
  below.spawn("free memory", runtime::keep_returning_free_memory(process.loop.time()));
  co_await manager.run();
  below.cancel();
  co_await below.join();
}

void stop_on_signals(runtime::Loop& loop, ControllerManager& manager) {
  loop.on_signals({SIGTERM, SIGINT}, [&manager, count = 0](int) mutable {
    if (++count > 1) std::_Exit(1);
    manager.request_stop();
  });
}

}  // namespace

int run_program(int argc, const char* const* argv, ProgramOptions options,
                const std::function<void(ControllerManager&)>& add_controllers) {
  // A disconnected reader of our log or of a connection must not kill the process: it is an error
  // of that write.
  std::signal(SIGPIPE, SIG_IGN);
  complete(options);
  Flags flags(options);
  if (const auto status = read_flags(Strings(argv + 1, argv + argc), options, flags)) {
    return *status;
  }
  const auto config =
      client::load_cluster_config(options.cluster, client::Environment::of_process());
  if (!config) return refuse(options, config.error().message);
  if (flags.election && flags.election->lease.namespace_.empty()) {
    flags.election->lease.namespace_ = api::InternedString(config->namespace_);
  }

  runtime::return_large_memory_at_once();
  runtime::allow_all_open_files();
  runtime::Loop loop;
  const auto backend =
      std::make_shared<runtime::LogBackend>(loop.time(), flags.format, runtime::write_to_stderr());
  backend->set_verbosity(flags.verbosity);
  runtime::MetricsRegistry metrics(in_metrics(options.name));
  const runtime::Refresh process_metrics = runtime::register_process_metrics(metrics);
  runtime::Rng rng = runtime::Rng::from_system();
  const Process process{loop, metrics, rng, runtime::Logger(backend)};

  leader_election::Fence fence(loop.time());
  auto connection = Connection::open(*config, options.connection, fence, process);
  if (!connection) return refuse(options, connection.error().message);
  ControllerManager manager({process, (*connection)->rest(), (*connection)->lease_rest(), fence},
                            {.program = options.name,
                             .election = flags.election,
                             .drain_timeout = options.drain_timeout});
  const auto ports = Ports::open(process, manager.health(), options.serving);
  if (!ports) return refuse(options, ports.error().message);
  for (const std::string& warning : config->warnings) process.log.warning(warning);
  process.log.info("Starting", {{"program", options.name},
                                {"version", options.version},
                                {"server", config->server.url()},
                                {"config", config->origin}});
  add_controllers(manager);
  stop_on_signals(loop, manager);
  loop.run(run_all(process, manager, **connection, **ports));
  return static_cast<int>(manager.exit_status());
}

}  // namespace dcm::manager
