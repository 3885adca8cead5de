// A client's requests to our own ports, behind TLS: health, metrics, debug pages and explanations.
// Every answer is HTTP, and the same however the request's bytes are split.
#include <memory>

#include <fmt/format.h>

#include "cmd/dra-controller-manager/serving/debug_pages.hpp"
#include "explain/page.hpp"
#include "manager/pages.hpp"
#include "runtime/http/http1_parser.hpp"
#include "runtime/http/pipe.hpp"
#include "runtime/loop.hpp"
#include "runtime/task_group.hpp"
#include "test/fuzz/fuzz.hpp"
#include "test/support/streams.hpp"

namespace dcm::fuzz {
namespace {

constexpr const char* kHost = "server";
constexpr std::uint16_t kPort = 80;

// Knows one pod.
class OnePod final : public explain::ExplanationSource {
 public:
  common::Sight sight() const override { return {}; }
  std::optional<common::Draft> explain(const explain::Subject& subject) const override {
    if (subject.kind != explain::Subject::Kind::pod || subject.key.name != "a") return std::nullopt;
    common::Draft explanation{{"Pod", subject.key.namespace_.str(), "a", "u", "Pending"}, {}};
    auto& topic = explanation.topics.emplace_back(common::Topic{"Pod claim \"gpus\"", {}});
    topic.add(common::Outlook::waiting, "NotAllocated", "It waits for the scheduler.");
    return explanation;
  }
};

// All pages of a manager, with nothing behind them.
struct Site {
  explicit Site(runtime::TimeSource& time)
      : log(std::make_shared<runtime::LogBackend>(time, runtime::LogFormat::text,
                                                  [](runtime::Severity, std::string_view) {})) {
    health.live.add("ping", [] { return std::nullopt; });
    health.ready.add("caches", [] { return std::optional<std::string>("not synced yet"); });
    metrics.counter("requests_total", "Requests.", {{"verb", "GET"}}).Increment();
    manager::add_health_pages(pages, health);
    manager::add_metrics_page(pages, metrics);
    dra_manager::add_debug_pages(pages, options, time, log);
    pages.add(explain::make_explain_page(
        time, {.source = [this] { return &source; }, .teller = [] { return explain::Teller(); }}));
  }

  manager::Health health;
  runtime::MetricsRegistry metrics;
  dra_manager::Options options;
  std::shared_ptr<runtime::LogBackend> log;
  OnePod source;
  manager::Pages pages;
};

runtime::Task<> write(http::Stream& stream, const Pieces& pieces) {
  const runtime::Result<> written = co_await support::write_pieces(stream, pieces);
  if (written) co_await stream.shutdown_send({});
}

runtime::Task<> converse(runtime::VirtualLoop& loop, const Pieces& pieces, std::string& answers) {
  http::PipeNetwork network(loop.time());
  Site site(loop.time());
  const auto listener = network.listen(kHost, kPort);
  runtime::TaskGroup group(loop.executor());
  group.spawn("server", http::serve(*listener, loop.time(), {},
                                    manager::make_open_handler(site.pages), runtime::Logger()));
  auto stream = co_await network.connect({http::Security::plain, kHost, kPort}, {});
  group.spawn("writer", write(**stream, pieces));
  answers = co_await support::read_all(**stream);
  group.cancel();
  co_await group.join();
}

// Only a client that waits with its body gets "100 Continue", which depends on the pieces.
std::string without_interim(std::string answers) {
  constexpr std::string_view kGoOn = "HTTP/1.1 100 Continue\r\n\r\n";
  for (auto at = answers.find(kGoOn); at != answers.npos; at = answers.find(kGoOn, at)) {
    answers.erase(at, kGoOn.size());
  }
  return answers;
}

std::string answers_to(const Pieces& pieces) {
  runtime::VirtualLoop loop;
  std::string answers;
  loop.run(converse(loop, pieces, answers));
  return without_interim(std::move(answers));
}

// A client that disconnects in the middle of invalid HTTP may or may not get an answer, depending
// on what the parser had seen by then.
void expect_agreement(std::string_view one, std::string_view other) {
  if (one.size() < other.size()) std::swap(one, other);
  const bool is_prefix = one.starts_with(other);
  const std::string_view besides = one.substr(is_prefix ? other.size() : 0);
  const bool is_refusal = besides.starts_with("HTTP/1.1 4") || besides.starts_with("HTTP/1.1 5");
  if (!is_prefix || !is_refusal)
    expect_equal(one, other, "the answers do not depend on the pieces");
}

// Removes one answer; returns the rest.
std::string_view skip_answer(std::string_view bytes) {
  const auto parser = http::make_response_parser({}, http::AnswerBody::as_framed);
  while (!parser->complete()) {
    const auto progress = parser->put(bytes);
    expect(progress.has_value() && progress->consumed > 0, "an answer is HTTP", bytes);
    bytes.remove_prefix(progress->consumed);
  }
  expect(parser->head().status >= 200, "an answer has a final status");
  return bytes;
}

}  // namespace

void run(std::string_view input) {
  const std::vector<Pieces> ways = ways_to_cut(input);
  const std::string answers = answers_to(ways.front());
  for (std::size_t i = 1; i < ways.size(); ++i) {
    expect_agreement(answers, answers_to(ways[i]));
  }
  // An answer to HEAD has no body, so answers cannot be separated without knowing the requests.
  if (input.contains("HEAD")) return;
  for (std::string_view rest = answers; !rest.empty();) rest = skip_answer(rest);
}

}  // namespace dcm::fuzz
