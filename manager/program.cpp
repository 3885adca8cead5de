#include "manager/program.hpp"

#include <cstdio>
#include <memory>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "manager/options/command_line.hpp"
#include "manager/options/help.hpp"
#include "manager/run.hpp"

namespace dcm::manager {
namespace {

using runtime::Task;

int print(const std::string& text) {
  std::fputs(text.c_str(), stdout);
  return 0;
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
  if (!line) return refuse(options.name, line.error());
  if (line->wants_help) return print(help(options, flags));
  if (line->wants_version) return print(fmt::format("{} {}\n", options.name, options.version));
  if (!line->words.empty()) {
    return refuse(options.name, fmt::format("unexpected argument \"{}\"", line->words.front()));
  }
  const auto effective = apply_settings(flags.table, line->given);
  if (!effective) return refuse(options.name, effective.error());
  auto conflict = settle_serving(options.serving);
  if (!conflict) conflict = settle_election(options.election, flags.election);
  if (conflict) return refuse(options.name, describe(*conflict, flags.table, *effective));
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

}  // namespace

int run_program(int argc, const char* const* argv, ProgramOptions options,
                const std::function<void(ControllerManager&)>& add_controllers) {
  complete(options);
  Flags flags(options);
  if (const auto status = read_flags(Strings(argv + 1, argv + argc), options, flags)) {
    return *status;
  }
  const auto prepare = [&](const Host& host) {
    host.process.log.info("Starting", {{"program", options.name},
                                       {"version", options.version},
                                       {"server", host.config.server.url()},
                                       {"config", host.config.origin}});
    auto manager = std::make_shared<ControllerManager>(host.lifecycle);
    add_controllers(*manager);
    return manager;
  };
  return run({.lifecycle = {.program = options.name,
                            .election = flags.election,
                            .drain_timeout = options.drain_timeout},
              .verbosity = flags.verbosity,
              .log_format = flags.format,
              .cluster = options.cluster,
              .connection = options.connection,
              .serving = options.serving},
             prepare);
}

}  // namespace dcm::manager
