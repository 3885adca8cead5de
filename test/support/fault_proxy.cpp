#include "test/support/fault_proxy.hpp"

#include <chrono>
#include <string_view>
#include <utility>

#include <boost/asio/this_coro.hpp>

namespace dcm::support {
namespace {

using http::Headers;
using http::Request;
using http::Responder;
using http::Response;
using http::Result;
using runtime::Task;

// Longer than the API server's own limit, so that the server rejects it.
constexpr auto kPatience = std::chrono::seconds(90);
constexpr std::size_t kBodyBytesMax = 1024 * 1024 * 1024;

bool is_watch(const std::string& target) {
  static const std::regex watch("[?&]watch=(1|true)(&|$)");
  return std::regex_search(target, watch);
}

// Fields of a connection, not of the message (RFC 9110, 7.6.1), and fields that our client and
// server add themselves. No Accept-Encoding: the proxy counts bytes and inserts events.
bool is_dropped(std::string_view name) {
  for (const char* own : {"Host", "Connection", "Content-Length", "Transfer-Encoding",
                          "Accept-Encoding", "Content-Encoding", "Date", "Expect"}) {
    if (http::equals_without_case(name, own)) return true;
  }
  return false;
}

Headers end_to_end(const Headers& headers) {
  Headers kept;
  for (const auto& [name, value] : headers) {
    if (!is_dropped(name)) kept.add(name, value);
  }
  return kept;
}

}  // namespace

// A request on its way through.
struct FaultProxy::Visit {
  Request request;
  Responder& responder;
  std::size_t record;  // index into records_
};

FaultProxy::FaultProxy(runtime::TimeSource& time, http::Client& upstream, std::string path_prefix,
                       runtime::Logger log)
    : time_(time),
      upstream_(upstream),
      path_prefix_(std::move(path_prefix)),
      log_(std::move(log)),
      released_(time) {}

http::Handler FaultProxy::handler() {
  return [this](Request request, Responder& responder) -> Task<> {
    co_await serve(std::move(request), responder);
  };
}

void FaultProxy::clear_rules() {
  rules_.clear();
  for (auto& [rule, hold] : holds_) hold.released = Release::pass;
  released_.notify_all();
}

FaultProxy::RuleState FaultProxy::state(std::size_t rule) const {
  const RuleSet::Entry* entry = rules_.find(rule);
  const auto hold = holds_.find(rule);
  return {.matched = entry == nullptr ? 0 : entry->matched,
          .held = hold == holds_.end() ? 0 : hold->second.waiting};
}

void FaultProxy::release(std::size_t rule, Release how) {
  holds_[rule].released = how;
  released_.notify_all();
}

Task<> FaultProxy::serve(Request request, Responder& responder) {
  const std::string method(http::to_string(request.method));
  const RuleSet::Entry* entry = rules_.match(request.method, request.target);
  log_.info("Request", {{"method", method},
                        {"target", request.target},
                        {"rule", entry == nullptr ? std::uint64_t{0} : std::uint64_t{entry->id}}});
  records_.push_back({.method = method, .target = request.target, .body = request.body});
  Visit visit{std::move(request), responder, records_.size() - 1};
  if (entry == nullptr) {
    co_await pass(visit);
  } else {
    co_await spoil(visit, *entry);
  }
  log_.info("Answer", {{"method", method},
                       {"target", visit.request.target},
                       {"status", unsigned{records_[visit.record].status}}});
}

// `entry` is valid until the first wait.
Task<> FaultProxy::spoil(Visit& visit, const RuleSet::Entry& entry) {
  const std::size_t rule = entry.id;
  Fault fault = entry.rule.fault;
  switch (fault.kind) {
    case FaultKind::reset:
      visit.responder.abort();
      co_return;
    case FaultKind::answer:
      co_await tell(visit, std::move(fault.answer));
      co_return;
    case FaultKind::hold: {
      const Release how = co_await held(rule);
      if (how == Release::pass) {
        co_await pass(visit);
      } else {
        visit.responder.abort();
      }
      co_return;
    }
    case FaultKind::cut_answer:
      if (is_watch(visit.request.target)) {
        co_await pass_watch(visit, fault.bytes);
        co_return;
      }
      break;
    case FaultKind::drop_answer:
    case FaultKind::disown:
    case FaultKind::hold_answer:
      break;
  }
  // The rest concerns an answer that has arrived.
  Result<Response> answer = co_await ask(visit);
  Release how = answer ? Release::pass : Release::lose;
  if (fault.kind == FaultKind::drop_answer) how = Release::lose;
  if (fault.kind == FaultKind::hold_answer) how = co_await held(rule);
  if (how == Release::lose || !answer) {
    visit.responder.abort();
  } else if (fault.kind == FaultKind::disown) {
    co_await tell(visit, fault.answer);
  } else if (fault.kind == FaultKind::cut_answer) {
    co_await tell_cut(visit, std::move(*answer), fault.bytes);
  } else {
    co_await tell(visit, std::move(*answer));
  }
}

Task<> FaultProxy::pass(Visit& visit) {
  if (is_watch(visit.request.target)) {
    co_await pass_watch(visit, std::nullopt);
    co_return;
  }
  Result<Response> answer = co_await ask(visit);
  if (answer) {
    co_await tell(visit, std::move(*answer));
  } else {
    visit.responder.abort();
  }
}

// A refused watch is an answer like any other.
Task<> FaultProxy::pass_watch(Visit& visit, std::optional<std::size_t> cut_after) {
  Request request = to_upstream(visit.request);
  request.headers.set("Accept", "application/json");  // so that events can be inserted
  auto stream = co_await upstream_.open(std::move(request), patience());
  if (!stream) {
    visit.responder.abort();
    co_return;
  }
  Response head{
      .status = (*stream)->status(), .headers = end_to_end((*stream)->headers()), .body = {}};
  if (head.status == 200) {
    records_[visit.record].status = head.status;
    const Result<> begun = co_await visit.responder.begin(std::move(head));
    if (begun) co_await relay(visit, **stream, cut_after);
    co_return;
  }
  while (true) {
    const Result<std::string_view> piece = co_await (*stream)->read_some(patience());
    if (!piece || piece->empty()) break;
    head.body += *piece;
  }
  co_await tell(visit, std::move(head));
}

Task<> FaultProxy::relay(Visit& visit, http::StreamingResponse& stream,
                         std::optional<std::size_t> cut_after) {
  const runtime::Executor executor = co_await boost::asio::this_coro::executor;
  const auto place = watches_.emplace(watches_.end(), executor, time_, visit.request.target, stream,
                                      visit.responder);
  // Also when the client disconnects, and this is cancelled.
  struct Removal {
    std::list<WatchRelay>& watches;
    std::list<WatchRelay>::iterator place;
    ~Removal() { watches.erase(place); }
  } const removal{watches_, place};
  if (cut_after) place->cut_after(*cut_after);
  co_await place->run();
}

Task<Result<Response>> FaultProxy::ask(Visit& visit) {
  Result<Response> answer = co_await upstream_.send(
      to_upstream(visit.request), {.deadline = patience(), .body_bytes_max = kBodyBytesMax});
  if (answer) answer->headers = end_to_end(answer->headers);
  co_return answer;
}

Task<> FaultProxy::tell(Visit& visit, Response response) {
  records_[visit.record].status = response.status;
  co_await visit.responder.send(std::move(response));
}

Task<> FaultProxy::tell_cut(Visit& visit, Response response, std::size_t bytes) {
  const std::string body = response.body.substr(0, bytes);
  const Result<> begun = co_await visit.responder.begin(std::move(response));
  if (begun && !body.empty()) co_await visit.responder.write(body);
  visit.responder.abort();
}

Task<FaultProxy::Release> FaultProxy::held(std::size_t rule) {
  Hold& hold = holds_[rule];
  ++hold.waiting;
  while (!hold.released) co_await released_.wait();
  --hold.waiting;
  co_return *hold.released;
}

Request FaultProxy::to_upstream(const Request& request) const {
  return {request.method, path_prefix_ + request.target, end_to_end(request.headers), request.body};
}

runtime::Deadline FaultProxy::patience() const {
  return runtime::Deadline::after(time_, kPatience);
}

}  // namespace dcm::support
