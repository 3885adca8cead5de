#include "test/simulation/faulty_server.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "apiserver/front/http_front.hpp"
#include "runtime/http2/server.hpp"
#include "test/simulation/decode.hpp"
#include "test/simulation/safety.hpp"
#include "test/simulation/watch_piece.hpp"

namespace dcm::simulation {

using runtime::Result;
using runtime::Task;

// A request from its arrival to its answer; shared, as its client may disconnect meanwhile.
struct FaultyServer::Exchange {
  Exchange(runtime::TimeSource& time, http::Request asked, const MessageScheduler* scheduler)
      : request(std::move(asked)),
        what(scheduler == nullptr ? std::string() : scheduler->name_of(request)),
        came_in(time.now()),
        answered(time) {}

  http::Request request;
  std::string what;  // for the message scheduler
  runtime::MonoTime came_in;
  std::optional<http::Response> response;
  bool was_dropped = false;
  runtime::Condition answered;
};

class FaultyServer::OnItsWay {
 public:
  OnItsWay(FaultyServer& faulty_server, const http::Request& request)
      : writes_(faulty_server.writes_on_their_way_),
        counts_(name_of_write(request).empty() ? 0 : 1) {
    writes_ += counts_;
  }
  OnItsWay(const OnItsWay&) = delete;
  OnItsWay& operator=(const OnItsWay&) = delete;
  ~OnItsWay() { writes_ -= counts_; }

 private:
  std::size_t& writes_;
  std::size_t counts_;
};

namespace {

// Keeps a handler's only answer.
class Catch final : public http::Responder {
 public:
  Task<Result<>> send(http::Response response) override {
    caught = std::move(response);
    co_return Result<>();
  }
  Task<Result<>> begin(http::Response head) override { return send(std::move(head)); }
  Task<Result<>> write(std::string_view) override { co_return Result<>(); }
  Task<Result<>> end() override { co_return Result<>(); }
  void abort() override {}

  std::optional<http::Response> caught;
};

bool is_watch(const http::Request& request) {
  return request.target.contains("watch=1") || request.target.contains("watch=true");
}

// A server may return fewer objects than requested.
void limit_page(std::string& target, std::size_t most) {
  constexpr std::string_view kLimit = "limit=";
  const std::size_t at = target.find(kLimit);
  if (at == target.npos) return;
  const std::size_t begin = at + kLimit.size();
  target.replace(begin, target.find('&', begin) - begin, std::to_string(most));
}

// The new key is as long as the old one, so lengths before it remain right, in protobuf as in JSON.
void strip_annotation(std::string& body) {
  static_assert(kPodClaimAnnotation.size() == kStrippedAnnotation.size());
  const std::size_t at = body.find(kPodClaimAnnotation);
  if (at != body.npos) body.replace(at, kStrippedAnnotation.size(), kStrippedAnnotation);
}

// Removes all bookmarks but the one that ends the initial events.
std::string without_bookmarks(const std::vector<WatchPiece>& events) {
  std::string kept;
  for (const WatchPiece& event : events) {
    const bool is_end = event.bytes.find("initial-events-end") != event.bytes.npos;
    if (!event.is_bookmark || is_end) kept += event.bytes;
  }
  return kept;
}

}  // namespace

// Delivers the events of a watch in order, with the current faults.
class FaultyServer::Answers final : public http::Responder {
 public:
  Answers(FaultyServer& faulty_server, std::string resource, http::Responder& to)
      : faulty_server_(faulty_server), resource_(std::move(resource)), to_(to) {}

  Task<Result<>> send(http::Response response) override {
    co_await faulty_server_.travel();
    co_return co_await to_.send(std::move(response));
  }
  Task<Result<>> begin(http::Response head) override {
    co_await faulty_server_.travel();
    co_return co_await to_.begin(std::move(head));
  }
  Task<Result<>> write(std::string_view piece) override {
    const std::string all(piece);
    const std::vector<WatchPiece> events = events_of(all);
    co_await wait_for_replica(events.back().revision);
    co_await faulty_server_.travel();
    if (!events.front().is_bookmark)
      co_await faulty_server_.carry(MessageScheduler::Message::news, resource_);
    const std::string shown =
        faulty_server_.request_faults_.loses_bookmarks ? without_bookmarks(events) : all;
    if (shown.empty()) co_return Result<>();
    co_return co_await to_.write(shown);
  }
  Task<Result<>> end() override { return to_.end(); }
  void abort() override { to_.abort(); }

 private:
  // The replica that answers is stalled, or lags behind the one that was written to.
  Task<> wait_for_replica(apiserver::Revision revision) {
    while (true) {
      runtime::Deadline shown;
      if (!is_stalled()) {
        shown = runtime::Deadline(faulty_server_.when_shown(resource_, revision));
        if (shown.time() <= faulty_server_.loop_.time().now()) co_return;
      }
      co_await faulty_server_.changed_.wait(shown);
    }
  }

  bool is_stalled() const {
    return is_one_of(faulty_server_.request_faults_.stalled_watches, resource_);
  }

  FaultyServer& faulty_server_;
  std::string resource_;
  http::Responder& to_;
};

std::string path_of(const http::Request& request) {
  return request.target.substr(0, request.target.find('?'));
}

std::string last_of_path(const http::Request& request) {
  const std::string path = path_of(request);
  return path.substr(path.rfind('/') + 1);
}

std::string name_of_write(const http::Request& request) {
  const std::string path = path_of(request);
  const bool is_minor = path.find("/events") != path.npos || path.find("/leases") != path.npos;
  if (request.method == http::Method::get || is_minor) return {};
  return fmt::format("{} {}", http::to_string(request.method), path);
}

std::string fenced_sender(const http::Request& request) {
  const auto agent = request.headers.find("User-Agent");
  const bool is_fenced = request.method != http::Method::get && agent && is_manager(*agent) &&
                         !request.target.contains("/leases");
  return is_fenced ? std::string(*agent) : std::string();
}

FaultyServer::FaultyServer(runtime::VirtualLoop& loop, http::PipeNetwork& network,
                           apiserver::Server& server, runtime::Rng rng)
    : loop_(loop),
      network_(network),
      rng_(rng),
      inner_(apiserver::http_handler(server, loop.time())),
      changed_(loop.time()) {}

void FaultyServer::start(runtime::Duration age_max) {
  http::ServerOptions options = apiserver::front_options();
  options.http2 = http2::serve_connection;
  options.age_max = age_max;
  listener_ = network_.listen(kServer.host, kServer.port);
  tasks_.emplace(loop_.executor());
  auto handler = [this](http::Request request, http::Responder& responder) {
    return answer(std::move(request), responder);
  };
  tasks_->spawn("server",
                http::serve(*listener_, loop_.time(), std::move(options), std::move(handler), {}));
}

Task<> FaultyServer::stop() {
  tasks_->cancel();
  co_await tasks_->join();
  tasks_.reset();
  listener_.reset();
}

Task<> FaultyServer::answer(http::Request request, http::Responder& responder) {
  if (arrival_) arrival_(request);
  if (happens(request_faults_.lost_before)) co_return responder.abort();
  if (happens(request_faults_.refused)) {
    co_await responder.send(refusal());
    co_return;
  }
  if (request.method == http::Method::get) co_await wait_for_list(last_of_path(request));
  if (is_watch(request)) {
    co_await watch(std::move(request), responder);
    co_return;
  }
  const auto exchange =
      std::make_shared<Exchange>(loop_.time(), std::move(request), message_scheduler_);
  tasks_->spawn("request", carry_out(exchange));
  while (!exchange->response && !exchange->was_dropped) co_await exchange->answered.wait();
  if (exchange->was_dropped) co_return responder.abort();
  co_await send_back(exchange->what, std::move(*exchange->response), responder);
}

// A server that must read very many objects, or whose cache is not ready.
Task<> FaultyServer::wait_for_list(std::string resource) {
  while (is_one_of(request_faults_.slow_lists, resource)) co_await changed_.wait();
}

Task<> FaultyServer::carry_out(std::shared_ptr<Exchange> exchange) {
  struct Ending {
    Exchange& exchange;
    ~Ending() {
      if (!exchange.response) exchange.was_dropped = true;
      exchange.answered.notify_all();
    }
  } const ending{*exchange};
  const OnItsWay on_its_way(*this, exchange->request);
  co_await travel();
  const auto fate = co_await carry(MessageScheduler::Message::request, exchange->what);
  if (fate == MessageScheduler::Fate::is_lost) co_return;
  if (happens(request_faults_.delayed)) co_await runtime::sleep_for(loop_.time(), draw_delay());
  if (is_troubled(exchange->request)) {
    co_await runtime::sleep_for(loop_.time(), request_faults_.troubled_after);
  }
  if (on_carry_out_) on_carry_out_(exchange->request);
  if (request_faults_.strips_annotations) strip_annotation(exchange->request.body);
  if (request_faults_.page_max > 0) limit_page(exchange->request.target, request_faults_.page_max);
  if (fate == MessageScheduler::Fate::comes_twice || happens(request_faults_.doubled)) {
    tasks_->spawn("request again",
                  carry_out_again(exchange->request, exchange->what, exchange->came_in));
  }
  exchange->response = co_await ask(std::move(exchange->request), exchange->came_in);
}

bool FaultyServer::is_troubled(const http::Request& request) const {
  const std::string& ns = request_faults_.troubled_namespace;
  return !ns.empty() && !fenced_sender(request).empty() &&
         path_of(request).contains("/namespaces/" + ns + "/");
}

// Executes a request for the second time; its client is gone.
Task<> FaultyServer::carry_out_again(http::Request request, std::string what,
                                     runtime::MonoTime came_in) {
  const OnItsWay on_its_way(*this, request);
  if (message_scheduler_ == nullptr) co_await runtime::sleep_for(loop_.time(), draw_delay());
  co_await carry(MessageScheduler::Message::request, std::move(what));
  if (on_carry_out_) on_carry_out_(request);
  co_await ask(std::move(request), came_in);
}

Task<std::optional<http::Response>> FaultyServer::ask(http::Request request,
                                                      runtime::MonoTime came_in) {
  Catch answer;
  came_in_ = came_in;
  co_await inner_(std::move(request), answer);
  came_in_.reset();
  co_return std::move(answer.caught);
}

// Draws each order of magnitude equally often.
runtime::Duration FaultyServer::draw_delay() {
  const runtime::Duration most = request_faults_.delay_max / (1U << rng_.below(6));
  return runtime::Duration(
      static_cast<std::int64_t>(rng_.below(static_cast<std::uint64_t>(most.count()))));
}

Task<> FaultyServer::send_back(std::string what, http::Response response,
                               http::Responder& responder) {
  co_await travel();
  const auto fate = co_await carry(MessageScheduler::Message::answer, std::move(what));
  if (fate == MessageScheduler::Fate::is_lost || happens(request_faults_.lost_after))
    co_return responder.abort();
  if (happens(request_faults_.disowned)) {
    co_await responder.send({.status = 503, .headers = {}, .body = "upstream connect error"});
    co_return;
  }
  if (!happens(request_faults_.cut)) {
    co_await responder.send(std::move(response));
    co_return;
  }
  const std::string part = response.body.substr(0, rng_.below(response.body.size() + 1));
  co_await responder.begin(std::move(response));
  co_await responder.write(part);
  responder.abort();
}

Task<> FaultyServer::watch(http::Request request, http::Responder& responder) {
  Answers answers(*this, last_of_path(request), responder);
  co_await travel();
  co_await inner_(std::move(request), answers);
}

Task<> FaultyServer::travel() {
  const auto most = static_cast<std::uint64_t>(request_faults_.latency_max.count());
  return runtime::sleep_for(loop_.time(),
                            runtime::Duration(static_cast<std::int64_t>(rng_.below(most))));
}

Task<MessageScheduler::Fate> FaultyServer::carry(MessageScheduler::Message message,
                                                 std::string what) {
  if (message_scheduler_ == nullptr || what.empty()) co_return MessageScheduler::Fate::arrives;
  co_return co_await message_scheduler_->carry(message, std::move(what));
}

void FaultyServer::committed(apiserver::Revision revision) {
  const runtime::MonoTime now = loop_.time().now();
  // etcd was restored.
  if (!commits_.empty() && revision < commits_.back().first) commits_.clear();
  commits_.emplace_back(revision, now);
  while (now - commits_.front().second > kLagMax) commits_.pop_front();
}

runtime::MonoTime FaultyServer::when_shown(const std::string& resource,
                                           apiserver::Revision revision) const {
  const auto lag = request_faults_.lags.find(resource);
  if (lag == request_faults_.lags.end()) return loop_.time().now();
  const auto commit = std::ranges::lower_bound(
      commits_, revision, {}, &std::pair<apiserver::Revision, runtime::MonoTime>::first);
  return commit == commits_.end() ? loop_.time().now() : commit->second + lag->second;
}

http::Response FaultyServer::refusal() {
  http::Response response{
      .status = static_cast<std::uint16_t>(request_faults_.refusal),
      .headers = {{"Content-Type", "application/json"}},
      .body = fmt::format(R"({{"kind":"Status","apiVersion":"v1","status":"Failure",)"
                          R"("message":"injected failure","code":{}}})",
                          request_faults_.refusal)};
  if (request_faults_.refusal == 429) response.headers.add("Retry-After", "1");
  return response;
}

}  // namespace dcm::simulation
