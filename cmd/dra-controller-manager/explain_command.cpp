#include "cmd/dra-controller-manager/explain_command.hpp"

#include <csignal>
#include <cstdio>
#include <utility>
#include <variant>

#include <fmt/format.h>

#include "client/auth/credentials.hpp"
#include "client/config/config.hpp"
#include "client/config/tls_files.hpp"
#include "cmd/dra-controller-manager/options.hpp"
#include "cmd/dra-controller-manager/options/controllers.hpp"
#include "cmd/dra-controller-manager/options/explain_options.hpp"
#include "cmd/dra-controller-manager/options/manager_help.hpp"
#include "explain/ask_manager.hpp"
#include "explain/pools.hpp"
#include "explain/read_cluster.hpp"
#include "manager/connection.hpp"
#include "manager/own_process.hpp"
#include "runtime/http/url.hpp"
#include "runtime/one_line.hpp"
#include "runtime/run_all.hpp"

namespace dcm::dra_manager {
namespace {

using runtime::Deadline;
using runtime::Result;
using runtime::Task;

ExplainOutcome bad_configuration(const runtime::Error& error) {
  return {ExplainStatus::bad_configuration, error.message};
}
// The reason may contain a value that the user has given.
ExplainOutcome bad_flags(std::string why) {
  return {ExplainStatus::bad_flags, runtime::one_line(std::move(why))};
}

// Returns an exit status.
int print(const std::string& text, std::FILE* where) {
  std::fputs(text.c_str(), where);
  return std::fflush(where) == 0 ? 0 : static_cast<int>(ExplainStatus::not_printed);
}

// What the words of the command name.
using Asked = std::variant<Subject, resource_pool_status::PoolFilter>;

// A name without a namespace is in `namespace_`.
Result<Asked> parse_words(const Strings& words, const std::string& namespace_) {
  if (asks_for_pools(words)) return pools_from_words(words);
  return subject_from_words(words, namespace_);
}

// ---- asking a running manager -------------------------------------------------------------------

// How to connect to the manager, as a cluster configuration.
client::ClusterConfig config_of(const ExplainOptions& options, const http::ServerUrl& url) {
  client::ClusterConfig config;
  config.server = url.endpoint;
  config.path_prefix = url.path_prefix;
  config.ca.file = options.ca_file;
  config.tls_server_name = options.tls_server_name;
  config.verification =
      options.skips_verification ? http::Verification::none : http::Verification::full;
  config.client_certificate.file = options.client_certificate_file;
  config.client_key.file = options.client_key_file;
  config.token_file = options.token_file;
  return config;
}

ExplainOutcome ask(const ExplainOptions& options, const Asked& asked, runtime::Loop& loop) {
  const auto* const subject = std::get_if<Subject>(&asked);
  if (subject == nullptr) {
    return bad_flags("--server: pools are counted from the cluster itself; leave it out");
  }
  const auto url = http::parse_url(options.server);
  if (!url) return bad_flags("--server: " + url.error().message);
  if (url->user) return bad_flags("--server: it holds a user name or password; use --token-file");
  const client::ClusterConfig config = config_of(options, *url);
  const auto tls = client::read_tls_options(config);
  if (!tls) return bad_configuration(tls.error());

  const auto transport = http::make_tcp_transport(loop.executor(), loop.time(), *tls);
  if (!transport) return bad_configuration(transport.error());
  const auto http = http::make_client(**transport, loop.time(), {.origin = config.server});
  const auto credentials = client::make_credentials(config, {loop.time()});
  return runtime::run_on(loop,
                         ask_manager(*http, *credentials,
                                     {.subject = *subject,
                                      .format = options.format,
                                      .server = config.server.url(),
                                      .path_prefix = config.path_prefix,
                                      .deadline = Deadline::after(loop.time(), options.timeout)}));
}

// ---- reading the cluster itself -----------------------------------------------------------------

using Question = std::variant<ClusterQuestion, PoolQuestion>;

// Errors: configuration: unusable feature gates.
Result<Question> question_of(const ExplainOptions& options, Asked asked) {
  if (auto* const pools = std::get_if<resource_pool_status::PoolFilter>(&asked)) {
    pools->partition_attribute = options.partition_type_attribute;
    return PoolQuestion{.filter = std::move(*pools), .format = options.format};
  }
  ClusterQuestion question{.subject = std::get<Subject>(asked),
                           .format = options.format,
                           .lease = {options.lease_namespace, options.lease_name}};
  if (options.feature_gates.empty()) return question;
  const auto set = set_feature_gates(options.feature_gates, question.features);
  if (!set) {
    return runtime::fail(set.error().reason, "--feature-gates: " + set.error().message);
  }
  question.gates = ClusterQuestion::Gates::told;
  return question;
}

Task<ExplainOutcome> answer(client::RestClient& rest, runtime::TimeSource& time, Question question,
                            Deadline deadline) {
  std::visit([&](auto& asked) { asked.deadline = deadline; }, question);
  if (auto* const pools = std::get_if<PoolQuestion>(&question)) {
    return explain_pools(rest, time, std::move(*pools));
  }
  return read_cluster(rest, time, std::get<ClusterQuestion>(std::move(question)));
}

ExplainOutcome read(const ExplainOptions& options, runtime::Loop& loop) {
  const auto config =
      client::load_cluster_config({.kubeconfig = options.kubeconfig, .context = options.context},
                                  client::Environment::of_process());
  if (!config) return bad_configuration(config.error());
  for (const std::string& warning : config->warnings) print(warning + "\n", stderr);
  const auto asked =  // again, because only the configuration says where a bare name is
      parse_words(options.words,
                  options.namespace_.empty() ? config->namespace_ : options.namespace_);
  if (!asked) return bad_flags(asked.error().message);
  const auto question = question_of(options, *asked);
  if (!question) return bad_flags(question.error().message);

  runtime::MetricsRegistry metrics;
  runtime::Rng rng = runtime::Rng::from_system();
  const client::ClosedWriteGate gate("not written: this command only reads");
  auto connection = Connection::open(*config, connection_options(Options()), gate,
                                     Process{loop, metrics, rng, {}});
  if (!connection) return bad_configuration(connection.error());
  ExplainOutcome outcome =
      runtime::run_on(loop, answer((*connection)->rest(), loop.time(), *question,
                                   Deadline::after(loop.time(), options.timeout)));
  if (outcome.status == ExplainStatus::not_answered) {
    outcome.text = fmt::format("{}: {}", config->server.url(), outcome.text);
  }
  return outcome;
}

// ---- for both -----------------------------------------------------------------------------------

// A server's answer may contain terminal commands.
int report(const ExplainOutcome& outcome) {
  const std::string text = runtime::plain_lines(outcome.text);
  if (outcome.status == ExplainStatus::explained) return print(text, stdout);
  if (outcome.status == ExplainStatus::explained_in_part) {
    const int printed = print(text, stdout);
    return printed != 0 ? printed : static_cast<int>(outcome.status);
  }
  print(fmt::format("{} explain: {}\n", kProgram, text), stderr);
  return static_cast<int>(outcome.status);
}

int run_explain(const Strings& arguments) {
  std::signal(SIGPIPE, SIG_IGN);
  const auto options = parse_explain_options(arguments);
  if (!options) return report(bad_flags(options.error()));
  if (options->wants_help) return print(help_of(explain_command()), stdout);
  // An invalid name is reported before any look-up.
  const auto asked =
      parse_words(options->words, options->namespace_.empty() ? "default" : options->namespace_);
  if (!asked) return report(bad_flags(asked.error().message));
  runtime::Loop loop;
  end_process(report(options->server.empty() ? read(*options, loop) : ask(*options, *asked, loop)));
}

constexpr std::string_view kNotes = R"(
Examples:

      dra-controller-manager explain pod lab/trainer-0
      dra-controller-manager explain devicetaintrule retire-node-1 -o json
      dra-controller-manager explain pool gpu.example.com
      dra-controller-manager explain pod lab/trainer-0 --server https://localhost:10257 \
        --token-file token --certificate-authority ca.crt --tls-server-name manager

Exit status:

      0  explained completely, whatever the state of the object
      1  standard output cannot be written
      2  bad flags or name; a kubeconfig, token or certificate that cannot be used
      3  no such object
      4  no answer, no permission, or not served: the line says which
      5  explained, but something that matters could not be read: the first lines say what
)";

// To be read, not applied.
Settings settings_to_read() {
  ExplainOptions options;
  return explain_settings(options);
}

}  // namespace

Command explain_command() {
  return {
      {"explain", "KIND [NAMESPACE/]NAME | pool [DRIVER[/POOL]]",
       "Explains why a pod, resourceclaim, podgroup or devicetaintrule waits: what the "
       "controllers do for it now and why, and what it waits for. Asks a running manager "
       "(--server), or reads the cluster once. Of pools it says how many devices they have, and "
       "how many are allocated, unavailable and available."},
      settings_to_read,
      run_explain,
      std::string(kNotes)};
}

}  // namespace dcm::dra_manager
