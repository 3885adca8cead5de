#include "cmd/dra-controller-manager/explain/ask_manager.hpp"

#include <utility>

#include <fmt/format.h>

namespace dcm::manager {
namespace {

using runtime::Result;
using runtime::Task;

constexpr std::size_t kAnswerBytesMax = 16 * 1024 * 1024;

ExplainOutcome not_answered(const ManagerQuestion& question, std::string_view why) {
  return {ExplainStatus::not_answered, fmt::format("{}: {}", question.server, why)};
}

// A refusal is short, and its first line says it.
std::string first_line(std::string_view text) {
  return std::string(text.substr(0, text.find('\n')));
}

ExplainOutcome outcome_of(const ManagerQuestion& question, http::Response answer) {
  if (answer.status == 200) return {ExplainStatus::explained, std::move(answer.body)};
  // The page answers with a sentence; this is what a table of pages says that has none.
  if (answer.status == 404 && answer.body != "not found\n") {
    return {ExplainStatus::no_such_object, first_line(answer.body)};
  }
  if (answer.status == 404) {
    return not_answered(question, "it explains nothing: an older version, or no manager");
  }
  return not_answered(question,
                      fmt::format("status {}: {}", answer.status, first_line(answer.body)));
}

}  // namespace

Task<ExplainOutcome> ask_manager(http::Client& client, client::Credentials& credentials,
                                 ManagerQuestion question) {
  http::Request request{.target = question.path_prefix + path_of(question.subject)};
  request.headers.add("Accept",
                      question.format == Format::json ? "application/json" : "text/plain");
  const Result<> authorized = co_await credentials.authorize(request.headers, question.deadline);
  if (!authorized) {
    co_return ExplainOutcome{ExplainStatus::bad_configuration, authorized.error().message};
  }
  Result<http::Response> answer = co_await client.send(
      std::move(request), {.deadline = question.deadline, .body_bytes_max = kAnswerBytesMax});
  if (!answer) co_return not_answered(question, answer.error().message);
  co_return outcome_of(question, *std::move(answer));
}

}  // namespace dcm::manager
