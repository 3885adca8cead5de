#include "runtime/http2/client.hpp"

#include <algorithm>
#include <charconv>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "runtime/condition.hpp"
#include "runtime/http/answer_memory.hpp"
#include "runtime/http/http1_encode.hpp"
#include "runtime/http/replay.hpp"
#include "runtime/http2/answer_body.hpp"
#include "runtime/http2/connection.hpp"
#include "runtime/task_group.hpp"
#include "runtime/turn.hpp"

namespace dcm::http2 {
namespace {

using http::ConnectionUse;
using http::ExchangeLimits;
using http::Failure;
using http::Request;
using http::Response;
using runtime::Error;
using runtime::fail;
using runtime::Reason;

constexpr std::size_t kConnectionsMax = 4;
// Limits the memory of an answer that waits for its turn (AnswerMemory); there may be a hundred.
constexpr std::uint32_t kStreamWindow = 512 * 1024;
// A server that refuses stream after stream of a watch is given up.
constexpr int kAttemptsMax = 3;

std::uint16_t status_of(const http::Headers& head) {
  const std::string_view text = head.find(":status").value_or("");
  std::uint16_t status = 0;
  std::from_chars(text.data(), text.data() + text.size(), status);
  return status;
}

http::Headers without_pseudo_fields(const http::Headers& head) {
  http::Headers fields;
  for (const auto& [name, value] : head) {
    if (!name.starts_with(':')) fields.add(name, value);
  }
  return fields;
}

// Passes a connection to the HTTP/1.1 pool, after the server has chosen that protocol.
class FallbackTransport final : public http::Transport {
 public:
  explicit FallbackTransport(http::Transport& transport) : transport_(transport) {}

  void keep(std::unique_ptr<http::Stream> stream) { kept_ = std::move(stream); }
  Task<Result<std::unique_ptr<http::Stream>>> connect(http::Endpoint endpoint,
                                                      Deadline deadline) override {
    if (kept_ != nullptr && kept_->is_quiet()) co_return std::move(kept_);
    kept_.reset();
    co_return co_await transport_.connect(std::move(endpoint), deadline);
  }

 private:
  http::Transport& transport_;
  std::unique_ptr<http::Stream> kept_;
};

class SharedStreamingResponse final : public http::StreamingResponse {
 public:
  SharedStreamingResponse(std::shared_ptr<Connection> connection, std::unique_ptr<Stream> stream)
      : connection_(std::move(connection)),
        stream_(std::move(stream)),
        status_(status_of(stream_->head())),
        headers_(without_pseudo_fields(stream_->head())),
        body_(*stream_) {}

  std::uint16_t status() const override { return status_; }
  const http::Headers& headers() const override { return headers_; }
  Task<Result<std::string_view>> read_some(Deadline deadline) override {
    const Result<std::string_view> piece = co_await body_.read_some(deadline);
    if (!piece && piece.error().reason == Reason::deadline_exceeded) {
      connection_->observe_deadline(*stream_);
    }
    co_return piece;
  }

 private:
  std::shared_ptr<Connection> connection_;
  std::unique_ptr<Stream> stream_;
  std::uint16_t status_;
  http::Headers headers_;
  AnswerBody body_;
};

// How far a request got.
struct Progress {
  bool was_kept_back = false;  // by its before_send
  bool has_answer = false;     // or only its beginning
};

Failure failure_of(const Progress& progress, const Connection& connection, const Error& error) {
  if (progress.was_kept_back) return Failure::not_sent;
  if (error.reason == Reason::unreachable) return Failure::refused;
  // A stream that the server has reset leaves its connection as it is.
  const bool is_lost =
      error.reason == Reason::disconnected && !progress.has_answer && connection.lost();
  return is_lost ? Failure::lost : Failure::other;
}

// Where a request is sent.
struct Route {
  std::shared_ptr<Connection> connection;  // null: by HTTP/1.1
  bool is_new = false;
};

class SharedClient final : public Client {
 public:
  SharedClient(runtime::LoopRef loop, http::Transport& transport, http::ClientOptions options,
               Cleartext cleartext)
      : loop_(std::move(loop)),
        time_(loop_.time()),
        answers_(loop_.time()),
        transport_(transport),
        options_(std::move(options)),
        cleartext_(cleartext),
        fallback_(transport),
        http1_(http::make_client(fallback_, time_, options_)),
        changed_(time_),
        group_(loop_.executor()) {}

  Task<> run() override;
  Task<Result<Response>> send(Request request, ExchangeLimits limits) override;
  Task<Result<std::unique_ptr<http::StreamingResponse>>> open(Request request,
                                                              Deadline deadline) override;
  void close_idle() override;

 private:
  bool is_running() const { return is_running_ && !group_.is_cancelled(); }
  Task<> wait_until_cancelled() { co_await runtime::Condition(time_).wait(); }
  Task<> keep(std::shared_ptr<Connection> connection);
  Task<> follow(std::shared_ptr<Connection> connection);

  Task<Result<Route>> find_route(Deadline deadline);
  std::shared_ptr<Connection> find_connection();
  Task<Result<Route>> connect(Deadline deadline);
  Task<Result<std::unique_ptr<http::Stream>>> connect_stream(Deadline deadline);
  void take_failure(const Error& error);

  http::Headers make_head(const Request& request) const;
  Task<Result<Response>> send_by_http1(Request request, ExchangeLimits limits,
                                       http::Attempts& attempts);
  Task<Result<Response>> exchange(Connection& connection, const Request& request,
                                  const ExchangeLimits& limits, Progress& progress);
  Task<Result<Response>> read_response(Stream& stream, const ExchangeLimits& limits,
                                       Progress& progress);
  // Names the request in the error's message.
  Error explained(const Request& request, Error error) const;
  std::unexpected<Error> explain(const Request& request, Error error) const {
    return fail(explained(request, std::move(error)));
  }

  runtime::LoopRef loop_;
  runtime::TimeSource& time_;
  http::AnswerMemory answers_;
  http::Transport& transport_;
  http::ClientOptions options_;
  Cleartext cleartext_;
  FallbackTransport fallback_;
  std::unique_ptr<http::Client> http1_;
  std::vector<std::shared_ptr<Connection>> connections_;
  bool is_running_ = false;
  bool is_connecting_ = false;
  bool speaks_http1_ = false;  // the protocol last chosen by the server
  std::uint64_t failures_ = 0;
  std::uint64_t retirements_ = 0;  // number of close_idle() calls
  std::optional<Error> last_failure_;
  runtime::Condition changed_;
  runtime::TaskGroup group_;
};

// ---- connections -------------------------------------------------------------------------------

Task<> SharedClient::run() {
  struct Ending {
    SharedClient& client;
    ~Ending() {
      client.is_running_ = false;
      client.connections_.clear();
      client.changed_.notify_all();
    }
  } const ending{*this};
  is_running_ = true;
  group_.spawn("until cancelled", wait_until_cancelled());
  co_await group_.join();
}

Task<> SharedClient::keep(std::shared_ptr<Connection> connection) {
  co_await connection->run();
}

// Notifies tasks that wait for a stream; removes a connection that accepts no more.
Task<> SharedClient::follow(std::shared_ptr<Connection> connection) {
  while (connection->is_usable()) {
    co_await connection->wait_for_change({});
    changed_.notify_all();
  }
  std::erase(connections_, connection);
  changed_.notify_all();
}

std::shared_ptr<Connection> SharedClient::find_connection() {
  for (const auto& connection : connections_) {
    // A middlebox may have dropped a connection that was idle this long.
    if (connection->idle_for() >= options_.idle_max) connection->go_away();
    if (connection->can_open()) return connection;
  }
  return nullptr;
}

Task<Result<Route>> SharedClient::find_route(Deadline deadline) {
  const std::uint64_t failures = failures_;
  while (is_running() && !speaks_http1_) {
    if (auto connection = find_connection()) co_return Route{std::move(connection)};
    const std::size_t most = std::min(kConnectionsMax, options_.connections_max);
    if (!is_connecting_ && connections_.size() < most) {
      co_return co_await connect(deadline);
    }
    if (deadline.has_passed(time_)) {
      co_return fail(Reason::deadline_exceeded, "no place on a connection by the deadline");
    }
    co_await changed_.wait(deadline);
    // A new attempt to connect would fail too.
    if (failures_ != failures) co_return fail(*last_failure_);
  }
  co_return Route{};
}

Task<Result<Route>> SharedClient::connect(Deadline deadline) {
  const runtime::Turn turn(is_connecting_, changed_);
  std::uint64_t retirements = 0;
  Result<std::unique_ptr<http::Stream>> stream;
  do {  // once more if the credentials changed while the connection was being opened
    retirements = retirements_;
    stream = co_await connect_stream(deadline);
  } while (stream && retirements != retirements_);
  if (!stream) co_return fail(std::move(stream.error()));
  const bool is_plain = options_.origin.security == http::Security::plain;
  if (is_plain ? cleartext_ == Cleartext::http1 : !(*stream)->speaks_http2()) {
    speaks_http1_ = true;
    fallback_.keep(std::move(*stream));
    co_return Route{};
  }
  ConnectionOptions options;
  options.session.stream_window = kStreamWindow;
  options.session.header_bytes_max = options_.header_bytes_max;
  auto connection = std::make_shared<Connection>(loop_, std::move(*stream), Side::client, options);
  connections_.push_back(connection);
  group_.spawn("connection", keep(connection));
  group_.spawn("follow", follow(connection));
  // What came with the handshake has been read: perhaps a GOAWAY, or a limit of 0 streams.
  if (!connection->can_open()) {
    take_failure({Reason::unreachable, "the server takes no request on its new connection"});
    co_return fail(*last_failure_);
  }
  co_return Route{std::move(connection), true};
}

Task<Result<std::unique_ptr<http::Stream>>> SharedClient::connect_stream(Deadline deadline) {
  http::Endpoint endpoint = options_.origin;
  endpoint.protocols = http::Protocols::http2_or_http1;
  const Deadline own = Deadline::after(time_, options_.connect_timeout);
  Result<std::unique_ptr<http::Stream>> stream =
      co_await transport_.connect(std::move(endpoint), std::min(deadline, own));
  if (!stream) {
    Error& error = stream.error();
    // Nothing was sent: see the client for HTTP/1.1.
    const bool had_time = !deadline.has_passed(time_);
    if (error.reason == Reason::deadline_exceeded && had_time) error.reason = Reason::unreachable;
    if (error.reason != Reason::deadline_exceeded) take_failure(error);
  }
  co_return stream;
}

void SharedClient::take_failure(const Error& error) {
  ++failures_;
  last_failure_ = error;
}

void SharedClient::close_idle() {
  ++retirements_;
  for (const auto& connection : connections_) connection->go_away();
  speaks_http1_ = false;
  http1_->close_idle();
}

// ---- requests ----------------------------------------------------------------------------------

http::Headers SharedClient::make_head(const Request& request) const {
  const bool is_plain = options_.origin.security == http::Security::plain;
  http::Headers head = {{":method", std::string(to_string(request.method))},
                        {":scheme", is_plain ? "http" : "https"},
                        {":authority", options_.origin.authority()},
                        {":path", request.target}};
  for (const auto& [name, value] : request.headers) head.add(name, value);
  if (!request.body.empty()) head.add("content-length", std::to_string(request.body.size()));
  return head;
}

Error SharedClient::explained(const Request& request, Error error) const {
  error.message = fmt::format("{} {}{}: {}", to_string(request.method), options_.origin.url(),
                              request.target, error.message);
  return error;
}

Task<Result<Response>> SharedClient::send(Request request, ExchangeLimits limits) {
  if (const Result<> checked = http::check_request(request); !checked) {
    co_return explain(request, checked.error());
  }
  http::Attempts attempts(request);
  while (true) {
    Result<Route> route = co_await find_route(limits.deadline);
    if (!route) {
      Error error = explained(request, std::move(route.error()));
      co_return fail(*attempts.fail(Failure::not_sent, ConnectionUse::first, std::move(error)));
    }
    if (route->connection == nullptr) {
      co_return co_await send_by_http1(std::move(request), limits, attempts);
    }
    Progress progress;
    Result<Response> response = co_await exchange(*route->connection, request, limits, progress);
    if (response) co_return response;
    const Failure failure = failure_of(progress, *route->connection, response.error());
    const auto use = route->is_new ? ConnectionUse::first : ConnectionUse::reused;
    auto error = attempts.fail(failure, use, explained(request, std::move(response.error())));
    if (error) co_return fail(std::move(*error));
  }
}

Task<Result<Response>> SharedClient::send_by_http1(Request request, ExchangeLimits limits,
                                                   http::Attempts& attempts) {
  Result<Response> response = co_await http1_->send(std::move(request), std::move(limits));
  if (response) co_return response;
  Error& error = response.error();
  const Failure failure = is_outcome_unknown(error) ? Failure::other : Failure::not_sent;
  co_return fail(*attempts.fail(failure, ConnectionUse::first, std::move(error)));
}

Task<Result<Response>> SharedClient::exchange(Connection& connection, const Request& request,
                                              const ExchangeLimits& limits, Progress& progress) {
  const auto before_send = [&]() -> Result<> {
    Result<> allowed = limits.before_send ? limits.before_send() : Result<>();
    progress.was_kept_back = !allowed;
    return allowed;
  };
  const auto stream = connection.open(make_head(request), request.body, before_send);
  Result<Response> response = co_await read_response(*stream, limits, progress);
  if (!response && response.error().reason == Reason::deadline_exceeded) {
    connection.observe_deadline(*stream);
  }
  co_return response;
}

Task<Result<Response>> SharedClient::read_response(Stream& stream, const ExchangeLimits& limits,
                                                   Progress& progress) {
  const Result<> headed = co_await stream.wait_for_head(limits.deadline);
  if (!headed) co_return fail(headed.error());
  progress.has_answer = true;
  Response response{.status = status_of(stream.head()),
                    .headers = without_pseudo_fields(stream.head()),
                    .body = {}};
  AnswerBody body(stream);
  while (true) {
    const Result<std::string_view> piece = co_await body.read_some(limits.deadline);
    if (!piece) co_return fail(piece.error());
    if (piece->empty()) co_return response;
    const Result<> kept = co_await answers_.append(response, *piece, limits);
    if (!kept) co_return fail(kept.error());
  }
}

Task<Result<std::unique_ptr<http::StreamingResponse>>> SharedClient::open(Request request,
                                                                          Deadline deadline) {
  if (const Result<> checked = http::check_request(request); !checked) {
    co_return explain(request, checked.error());
  }
  for (int attempt = 1;; ++attempt) {
    Result<Route> route = co_await find_route(deadline);
    if (!route) co_return explain(request, std::move(route.error()));
    if (route->connection == nullptr) {
      co_return co_await http1_->open(std::move(request), deadline);
    }
    auto stream = route->connection->open(make_head(request), request.body);
    const Result<> headed = co_await stream->wait_for_head(deadline);
    if (headed) {
      co_return std::make_unique<SharedStreamingResponse>(std::move(route->connection),
                                                          std::move(stream));
    }
    if (headed.error().reason == Reason::deadline_exceeded) {
      route->connection->observe_deadline(*stream);
    }
    if (headed.error().reason != Reason::unreachable || attempt == kAttemptsMax) {
      co_return explain(request, headed.error());
    }
  }
}

}  // namespace

std::unique_ptr<Client> make_client(runtime::LoopRef loop, http::Transport& transport,
                                    http::ClientOptions options, Cleartext cleartext) {
  return std::make_unique<SharedClient>(std::move(loop), transport, std::move(options), cleartext);
}

}  // namespace dcm::http2
