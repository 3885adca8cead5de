#include "explain/ask_manager.hpp"

#include <utility>

#include <fmt/format.h>

namespace dcm::explain {
namespace {

using runtime::Result;
using runtime::Task;

constexpr std::size_t kAnswerBytesMax = 16 * 1024 * 1024;

ExplainOutcome not_answered(const ManagerQuestion& question, std::string_view why) {
  return {ExplainStatus::not_answered, fmt::format("{}: {}", question.server, why)};
}

// The request is the user's question, so its method and path are redundant; a connection error
// already names the address.
ExplainOutcome not_answered(const ManagerQuestion& question, std::string_view target,
                            const runtime::Error& error) {
  std::string_view why = error.message;
  const std::string request = fmt::format("GET {}{}: ", question.server, target);
  if (why.starts_with(request)) why.remove_prefix(request.size());
  std::string line(why);
  const std::string_view authority =
      std::string_view(question.server).substr(question.server.rfind('/') + 1);
  if (!why.starts_with(authority)) line = fmt::format("{}: {}", question.server, why);
  if (error.reason == runtime::Reason::tls) {
    line +=
        "; --certificate-authority names the CA of its certificate, and "
        "--insecure-skip-tls-verify accepts any";
  }
  return {ExplainStatus::not_answered, std::move(line)};
}

// A refusal is short, and its first line explains it.
std::string first_line(std::string_view text) {
  return std::string(text.substr(0, text.find('\n')));
}

ExplainOutcome outcome_of(const ManagerQuestion& question, http::Response answer) {
  if (answer.status == 200) {
    const bool is_whole = !answer.headers.find(kInPartHeader);
    return {is_whole ? ExplainStatus::explained : ExplainStatus::explained_in_part,
            std::move(answer.body)};
  }
  // For a missing object, the page answers with a sentence. Other 404s come from a server without
  // that page.
  if (answer.status == 404 && answer.body != "not found\n") {
    return {ExplainStatus::no_such_object, first_line(answer.body)};
  }
  if (answer.status == 404) {
    return not_answered(question, "it explains nothing: an older version, or no manager");
  }
  return not_answered(
      question,
      fmt::format(
          "status {}: {}{}", answer.status, first_line(answer.body),
          answer.status == 401 ? "; --token-file names a token that the cluster accepts" : ""));
}

}  // namespace

Task<ExplainOutcome> ask_manager(http::Client& client, client::Credentials& credentials,
                                 ManagerQuestion question) {
  const std::string target = question.path_prefix + path_of(question.subject);
  http::Request request{.target = target};
  request.headers.add("Accept",
                      question.format == Format::json ? "application/json" : "text/plain");
  const Result<> authorized = co_await credentials.authorize(request.headers, question.deadline);
  if (!authorized) {
    co_return ExplainOutcome{ExplainStatus::bad_configuration, authorized.error().message};
  }
  Result<http::Response> answer = co_await client.send(
      std::move(request), {.deadline = question.deadline, .body_bytes_max = kAnswerBytesMax});
  if (!answer) co_return not_answered(question, target, answer.error());
  co_return outcome_of(question, *std::move(answer));
}

}  // namespace dcm::explain
