#include "manager/program.hpp"

#include <exception>
#include <memory>
#include <optional>
#include <utility>

#include "manager/run.hpp"
#include "options/program.hpp"
#include "runtime/keyed_hash.hpp"

namespace dcm::manager {
namespace {

using namespace options;
using runtime::Task;

// The values of the flags.
struct Flags {
  explicit Flags(ProgramOptions& options) {
    add_group(table, "Cluster", cluster_settings(options.cluster));
    add_group(table, "Cluster", rate_settings(options.connection.qps, options.connection.burst));
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

// The exit status if there is nothing to run.
std::optional<int> read_flags(const Strings& arguments, ProgramOptions& options, Flags& flags) {
  const Usage usage{options.name, options.version, options.summary};
  const auto read = read_arguments(usage, flags.table, arguments);
  if (!read) return print(read.error());
  auto conflict = settle_serving(options.serving);
  if (!conflict) conflict = settle_election(options.election, flags.election);
  if (!conflict) return std::nullopt;
  return refuse(options.name, describe(*conflict, flags.table, read->effective));
}

// Why it cannot name a program, its lease and, with underscores, its metrics; empty if it can.
std::string why_no_name(const std::string& name) {
  const bool begins_with_letter = !name.empty() && name.front() >= 'a' && name.front() <= 'z';
  if (begins_with_letter && why_no_dns_label(name).empty()) return {};
  return "the program's name \"" + name +
         "\" must be in lower case with dashes: a letter, and up to 62 letters, digits and '-'";
}

void complete(ProgramOptions& options) {
  if (options.election.lease_name.empty()) options.election.lease_name = options.name;
  options.serving.serving_certificates.program = options.name;
  if (options.connection.user_agent.empty()) {
    options.connection.user_agent = client::make_user_agent(options.name, options.version);
  }
}

}  // namespace

int run_program(int argc, const char* const* argv, ProgramOptions options,
                const std::function<void(ControllerManager&)>& add_controllers) {
  if (const std::string why = why_no_name(options.name); !why.empty()) return refuse(argv[0], why);
  runtime::choose_hash_key();  // the flags of leader election intern names
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
  try {
    return run({.lifecycle = {.program = options.name,
                              .election = flags.election,
                              .drain_timeout = options.drain_timeout},
                .verbosity = flags.verbosity,
                .log_format = flags.format,
                .cluster = options.cluster,
                .connection = options.connection,
                .serving = options.serving},
               prepare);
  } catch (const std::exception& error) {  // of add_controllers: two caches of one name, say
    return refuse(options.name, error.what(), static_cast<int>(ExitStatus::failed));
  }
}

}  // namespace dcm::manager
