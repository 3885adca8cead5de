#include "runtime/http/client.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "runtime/http/answer_memory.hpp"
#include "runtime/http/exchange.hpp"
#include "runtime/http/http1_encode.hpp"
#include "runtime/http/idle_connections.hpp"
#include "runtime/http/replay.hpp"
#include "runtime/slots.hpp"

namespace dcm::http {
namespace {

using runtime::Error;
using runtime::fail;
using runtime::Reason;
using runtime::Slots;
using runtime::TimeSource;

class PooledStreamingResponse final : public StreamingResponse {
 public:
  PooledStreamingResponse(std::unique_ptr<Connection> connection, const ParserLimits& limits,
                          Method method)
      : connection_(std::move(connection)), exchange_(*connection_, limits, method) {}

  Exchange& exchange() { return exchange_; }

  std::uint16_t status() const override { return exchange_.head().status; }
  const Headers& headers() const override { return exchange_.head().headers; }
  Task<Result<std::string_view>> read_some(Deadline deadline) override {
    co_return co_await exchange_.read_body(deadline);
  }

 private:
  std::unique_ptr<Connection> connection_;
  mutable Exchange exchange_;
};

Failure failure_of(const Exchange& exchange, const Error& error) {
  const bool is_lost = error.reason == Reason::disconnected && !exchange.has_answer();
  return is_lost ? Failure::lost : Failure::other;
}

// The server may have closed an idle connection while the request was on its way, or the network
// may have dropped it. Then the other idle ones are most likely dead as well.
bool is_stale(ConnectionUse use, const Exchange& exchange, const Error& error) {
  return use == ConnectionUse::reused && !exchange.has_answer() &&
         (error.reason == Reason::disconnected || error.reason == Reason::deadline_exceeded);
}

class PooledClient final : public Client {
 public:
  PooledClient(Transport& transport, TimeSource& time, ClientOptions options)
      : transport_(transport),
        time_(time),
        options_(std::move(options)),
        authority_(options_.origin.authority()),
        slots_(time, options_.connections_max),
        answers_(time),
        idle_(time, options_.idle_max) {}

  Task<Result<Response>> send(Request request, ExchangeLimits limits) override;
  Task<Result<std::unique_ptr<StreamingResponse>>> open(Request request,
                                                        Deadline deadline) override;
  void close_idle() override { idle_.close_all(); }

 private:
  Task<Result<std::unique_ptr<Connection>>> connect(Deadline deadline);
  Task<Result<Response>> send_pooled(const Request& request, const std::string& wire,
                                     ExchangeLimits limits);
  Task<Result<Response>> read_response(Exchange& exchange, const std::string& wire,
                                       ExchangeLimits limits);

  static Result<> may_send(const ExchangeLimits& limits) {
    return limits.before_send ? limits.before_send() : Result<>();
  }

  // Names the request in an error's message.
  std::unexpected<Error> explain(const Request& request, Error error) const {
    error.message = fmt::format("{} {}{}: {}", to_string(request.method), options_.origin.url(),
                                request.target, error.message);
    return fail(std::move(error));
  }

  Transport& transport_;
  TimeSource& time_;
  ClientOptions options_;
  std::string authority_;
  Slots slots_;  // one per exchange; there are never more idle connections than free slots
  AnswerMemory answers_;
  IdleConnections idle_;
};

Task<Result<Response>> PooledClient::send(Request request, ExchangeLimits limits) {
  const Result<std::string> wire = encode_request(request, authority_);
  if (!wire) co_return explain(request, wire.error());
  request.body = {};  // the body is in `wire`
  Result<Slots::Slot> slot = co_await slots_.acquire(limits.deadline);
  if (!slot) {
    co_return explain(request,
                      {slot.error().reason, "all connections were still in use at the deadline"});
  }
  Result<Response> response = co_await send_pooled(request, *wire, limits);
  if (!response) co_return explain(request, std::move(response.error()));
  co_return response;
}

// `request` and `wire` belong to send(). A connection that is not put back here is closed, however
// this ends: after a cancellation within an answer, it must not be reused.
Task<Result<Response>> PooledClient::send_pooled(const Request& request, const std::string& wire,
                                                 ExchangeLimits limits) {
  const ParserLimits parser_limits{options_.header_bytes_max, limits.body_bytes_max};
  std::unique_ptr<Connection> connection = idle_.take();
  Attempts attempts(request);
  while (true) {
    const auto use = connection != nullptr ? ConnectionUse::reused : ConnectionUse::first;
    if (connection == nullptr) {
      Result<std::unique_ptr<Connection>> opened = co_await connect(limits.deadline);
      if (!opened) co_return fail(*attempts.fail(Failure::not_sent, use, opened.error()));
      connection = std::move(*opened);
    }
    if (Result<> allowed = may_send(limits); !allowed) {
      idle_.put(std::move(connection));
      co_return fail(*attempts.fail(Failure::not_sent, use, allowed.error()));
    }
    Exchange exchange(*connection, parser_limits, request.method);
    Result<Response> response = co_await read_response(exchange, wire, limits);
    if (response) {
      if (exchange.is_reusable()) idle_.put(std::move(connection));
      co_return response;
    }
    if (is_stale(use, exchange, response.error())) idle_.close_all();
    const Failure failure = failure_of(exchange, response.error());
    if (auto error = attempts.fail(failure, use, response.error())) co_return fail(*error);
    // If sending it again is forbidden, its outcome is still unknown.
    if (!may_send(limits)) co_return response;
    connection.reset();
  }
}

Task<Result<Response>> PooledClient::read_response(Exchange& exchange, const std::string& wire,
                                                   ExchangeLimits limits) {
  const Result<> started = co_await exchange.start(wire, limits.deadline);
  if (!started) co_return fail(started.error());
  Response response{
      .status = exchange.head().status, .headers = std::move(exchange.head().headers), .body = {}};
  while (true) {
    const Result<std::string_view> piece = co_await exchange.read_body(limits.deadline);
    if (!piece) co_return fail(piece.error());
    if (piece->empty()) co_return response;
    const Result<> kept = co_await answers_.append(response, *piece, limits);
    if (!kept) co_return fail(kept.error());
  }
}

Task<Result<std::unique_ptr<Connection>>> PooledClient::connect(Deadline deadline) {
  const std::uint64_t generation = idle_.generation();
  const Deadline own = Deadline::after(time_, options_.connect_timeout);
  Result<std::unique_ptr<Stream>> stream =
      co_await transport_.connect(options_.origin, std::min(deadline, own));
  if (stream) {
    co_return std::make_unique<Connection>(std::move(*stream),
                                           ReadBuffer(options_.header_bytes_max), generation);
  }
  Error& error = stream.error();
  // Nothing was sent, and the caller has time left: this is not the caller's deadline, but an
  // unreachable server.
  if (error.reason == Reason::deadline_exceeded && !deadline.has_passed(time_)) {
    error.reason = Reason::unreachable;
  }
  co_return fail(std::move(error));
}

Task<Result<std::unique_ptr<StreamingResponse>>> PooledClient::open(Request request,
                                                                    Deadline deadline) {
  const Result<std::string> wire = encode_request(request, authority_);
  if (!wire) co_return explain(request, wire.error());
  Result<std::unique_ptr<Connection>> connection = co_await connect(deadline);
  if (!connection) co_return explain(request, std::move(connection.error()));
  auto response = std::make_unique<PooledStreamingResponse>(
      std::move(*connection), ParserLimits{.head_bytes_max = options_.header_bytes_max},
      request.method);
  const Result<> started = co_await response->exchange().start(*wire, deadline);
  if (!started) co_return explain(request, started.error());
  co_return std::unique_ptr<StreamingResponse>(std::move(response));
}

}  // namespace

std::unique_ptr<Client> make_client(Transport& transport, TimeSource& time, ClientOptions options) {
  return std::make_unique<PooledClient>(transport, time, std::move(options));
}

}  // namespace dcm::http
