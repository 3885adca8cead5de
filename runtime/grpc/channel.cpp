#include "runtime/grpc/channel.hpp"

#include <algorithm>
#include <charconv>
#include <utility>

#include <fmt/format.h>

#include "runtime/condition.hpp"
#include "runtime/grpc/framing.hpp"
#include "runtime/http2/connection.hpp"
#include "runtime/task_group.hpp"

namespace dcm::grpc {
namespace {

using runtime::Error;

// gRPC's back-off (doc/connection-backoff.md).
constexpr runtime::Duration kFirstPause = std::chrono::seconds(1);
constexpr runtime::Duration kPauseMax = std::chrono::seconds(120);
constexpr double kPauseFactor = 1.6;
constexpr double kPauseJitter = 0.2;
// gRPC's servers count a PING in less than 5 minutes of silence as abuse, and close the connection
// after three of them (doc/keepalive.md).
constexpr runtime::Duration kPingAfter = std::chrono::minutes(6);

// One call on one connection, until its status.
class Exchange {
 public:
  Exchange(const runtime::TimeSource& time, std::shared_ptr<http2::Connection> connection,
           std::unique_ptr<http2::Stream> stream, std::size_t message_bytes_max)
      : time_(&time),
        connection_(std::move(connection)),
        stream_(std::move(stream)),
        reader_(message_bytes_max) {}

  // The next message; nullopt: the call has ended with OK.
  Task<Result<std::optional<std::string>>> next(Deadline deadline) {
    if (!has_head_) {
      const runtime::Result<> headed = co_await stream_->wait_for_head(deadline);
      if (!headed) co_return fail_by(headed.error(), deadline);
      has_head_ = true;
      if (const std::optional<Status> refused = check_head()) co_return std::unexpected(*refused);
    }
    while (true) {
      Result<std::optional<std::string>> message = reader_.take();
      if (!message || message->has_value()) co_return message;
      const runtime::Result<std::string_view> piece = co_await stream_->read_some(deadline);
      if (!piece) co_return fail_by(piece.error(), deadline);
      if (piece->empty()) co_return end();
      reader_.put(*piece);
    }
  }

 private:
  std::unexpected<Status> fail_by(const Error& error, Deadline deadline) const {
    const bool is_untouched = error.reason == runtime::Reason::unreachable;
    return std::unexpected(
        Status{code_of(error, deadline), error.message, is_untouched ? Sent::no : Sent::yes});
  }

  Code code_of(const Error& error, Deadline deadline) const {
    const std::optional<http2::ErrorCode> reset = stream_->reset_code();
    if (!reset) return code_from(error);
    // The server knows the deadline too, and its reset may be read before we look at the clock.
    if (*reset == http2::ErrorCode::cancel && deadline.has_passed(*time_)) {
      return Code::deadline_exceeded;
    }
    return code_from_reset(*reset);
  }

  // Why the answer has no messages if it is not a gRPC answer.
  std::optional<Status> check_head() {
    const http::Headers& head = stream_->head();
    const std::string_view text = head.find(":status").value_or("");
    int status = 0;
    std::from_chars(text.data(), text.data() + text.size(), status);
    const bool speaks_grpc = is_grpc(head.find("content-type"));
    if (status == 200 && speaks_grpc) return std::nullopt;
    if (const auto told = read_status(head); told && told->code != Code::ok) return told;
    if (status != 200) {
      return Status{code_from_http(status),
                    fmt::format("unexpected HTTP status code received from server: {}", status)};
    }
    return Status{Code::unknown, "the answer's content type is not gRPC's"};
  }

  Result<std::optional<std::string>> end() {
    if (!reader_.is_between_messages()) {
      return fail(Code::internal, "the answer ends in the middle of a message");
    }
    std::optional<Status> status = read_status(stream_->trailers());
    if (!status) status = read_status(stream_->head());  // trailers only
    if (!status) return fail(Code::internal, "the server closed the stream without a status");
    if (status->code != Code::ok) return std::unexpected(std::move(*status));
    return std::nullopt;
  }

  const runtime::TimeSource* time_;
  std::shared_ptr<http2::Connection> connection_;
  std::unique_ptr<http2::Stream> stream_;
  MessageReader reader_;
  bool has_head_ = false;
};

class ExchangeStream final : public AnswerStream {
 public:
  explicit ExchangeStream(Exchange exchange) : exchange_(std::move(exchange)) {}
  Task<Result<std::optional<std::string>>> next(Deadline deadline) override {
    return exchange_.next(deadline);
  }

 private:
  Exchange exchange_;
};

class ReconnectingChannel final : public Channel {
 public:
  ReconnectingChannel(runtime::LoopRef loop, http::Transport& transport, runtime::Rng rng,
                      ChannelOptions options)
      : loop_(std::move(loop)),
        time_(loop_.time()),
        transport_(transport),
        rng_(rng),
        options_(std::move(options)),
        changed_(time_),
        group_(loop_.executor()) {}

  Task<> run() override {
    // However it ends, also by cancellation.
    struct End {
      ReconnectingChannel& channel;
      ~End() { channel.end(); }
    } const end_at_exit(*this);
    group_.spawn("stay connected", stay_connected());
    co_await group_.join();
  }
  Task<Result<std::string>> call(std::string_view method, std::string_view request,
                                 Deadline deadline) override;
  Task<Result<std::unique_ptr<AnswerStream>>> open(std::string_view method,
                                                   std::string_view request,
                                                   Deadline connect_deadline) override;

  // Not judged by the state: run() may not have noticed yet that the connection has ended.
  bool is_connected() const noexcept override {
    return connection_ != nullptr && connection_->is_usable();
  }
  std::uint64_t changes() const noexcept override { return changes_; }
  Task<> wait_for_change(std::uint64_t seen, Deadline deadline) override {
    while (changes_ == seen && !deadline.has_passed(time_)) co_await changed_.wait(deadline);
  }
  Task<bool> wait_until_connected(Deadline deadline) override {
    while (!is_connected() && !deadline.has_passed(time_)) co_await changed_.wait(deadline);
    co_return is_connected();
  }
  const std::string& last_error() const noexcept override { return last_error_; }

 private:
  // Resting: the last connection ended soon; the next call triggers a new one.
  // Ended: run() has returned.
  enum class State : std::uint8_t { connecting, connected, resting, pausing, ended };

  Task<> stay_connected();
  Task<> pause_until(State state, runtime::MonoTime time);
  Task<bool> connect_once();
  Task<bool> wait_for_settings(http2::Connection& connection, Deadline deadline);
  // A connection that accepts no more calls continues until its calls are done.
  static Task<> run_connection(std::shared_ptr<http2::Connection> connection) {
    co_await connection->run();
  }
  Task<Result<Exchange>> start(std::string method, std::string request, Deadline connect_by,
                               Deadline deadline);
  http::Headers make_head(std::string method, Deadline deadline) const;
  void change(State state);
  void end();

  runtime::LoopRef loop_;
  runtime::TimeSource& time_;
  http::Transport& transport_;
  runtime::Rng rng_;
  ChannelOptions options_;
  State state_ = State::connecting;
  std::shared_ptr<http2::Connection> connection_;  // while connected
  std::string last_error_ = "not connected yet";
  std::uint64_t changes_ = 0;
  runtime::Condition changed_;
  runtime::TaskGroup group_;
};

void ReconnectingChannel::change(State state) {
  if ((state_ == State::connected) != (state == State::connected)) ++changes_;
  state_ = state;
  changed_.notify_all();
}

void ReconnectingChannel::end() {
  connection_.reset();
  last_error_ = "the channel was closed";
  change(State::ended);
}

Task<> ReconnectingChannel::stay_connected() {
  runtime::Duration pause = kFirstPause;
  while (true) {
    change(State::connecting);
    const runtime::MonoTime began = time_.now();
    const bool was_connected = co_await connect_once();
    if (was_connected) pause = kFirstPause;
    // Backs off from a server that accepts connections and ends them at once.
    if (was_connected && time_.now() - began >= kFirstPause) continue;
    const double jitter = 1 + kPauseJitter * (2 * rng_.unit() - 1);
    const auto drawn = std::chrono::duration_cast<runtime::Duration>(pause * jitter);
    co_await pause_until(was_connected ? State::resting : State::pausing, began + drawn);
    pause =
        std::min(kPauseMax, std::chrono::duration_cast<runtime::Duration>(pause * kPauseFactor));
  }
}

// Waits until `time`, or until a call ends the pause by changing the state.
Task<> ReconnectingChannel::pause_until(State state, runtime::MonoTime time) {
  change(state);
  const Deadline deadline(time);
  while (state_ == state && !deadline.has_passed(time_)) co_await changed_.wait(deadline);
}

// Connects, and stays until the connection is lost or accepts no more calls. Returns whether it was
// connected.
Task<bool> ReconnectingChannel::connect_once() {
  const Deadline deadline = Deadline::after(time_, options_.connect_timeout);
  runtime::Result<std::unique_ptr<http::Stream>> stream =
      co_await transport_.connect(options_.endpoint, deadline);
  if (!stream) {
    last_error_ = fmt::format("connection error: {}", stream.error().message);
    co_return false;
  }
  const auto connection =
      std::make_shared<http2::Connection>(loop_, std::move(*stream), http2::Side::client,
                                          http2::ConnectionOptions{.ping_after = kPingAfter});
  group_.spawn("connection", run_connection(connection));
  const bool is_made = co_await wait_for_settings(*connection, deadline);
  if (is_made) {
    connection_ = connection;
    change(State::connected);
    while (connection->is_usable()) co_await connection->wait_for_change({});
    connection_.reset();
  }
  last_error_ = fmt::format("connection error: {}", connection->lost()
                                                        ? connection->lost()->message
                                                        : "the server takes no more calls here");
  co_return is_made;
}

Task<bool> ReconnectingChannel::wait_for_settings(http2::Connection& connection,
                                                  Deadline deadline) {
  while (!connection.has_settings() && !connection.lost()) {
    if (deadline.has_passed(time_)) connection.close("the server said nothing by the deadline");
    if (!connection.lost()) co_await connection.wait_for_change(deadline);
  }
  co_return !connection.lost();
}

http::Headers ReconnectingChannel::make_head(std::string method, Deadline deadline) const {
  http::Headers head = {
      {":method", "POST"},
      {":scheme", options_.endpoint.security == http::Security::tls ? "https" : "http"},
      {":path", std::move(method)},
      {":authority", options_.authority},
      {"content-type", "application/grpc"},
      {"user-agent", options_.user_agent},
      {"te", "trailers"}};
  if (auto timeout = encode_timeout(deadline, time_)) head.add("grpc-timeout", std::move(*timeout));
  return head;
}

Task<Result<Exchange>> ReconnectingChannel::start(std::string method, std::string request,
                                                  Deadline connect_by, Deadline deadline) {
  bool may_hurry = true;
  while (connection_ == nullptr || !connection_->can_open()) {
    if (connection_ == nullptr && (state_ == State::pausing || state_ == State::ended)) {
      co_return std::unexpected(Status{Code::unavailable, last_error_, Sent::no});
    }
    if (state_ == State::resting && std::exchange(may_hurry, false)) change(State::connecting);
    if (connect_by.has_passed(time_)) {
      co_return std::unexpected(
          Status{Code::deadline_exceeded,
                 fmt::format("no connection by the deadline: {}", last_error_), Sent::no});
    }
    // A lost connection never recovers; run() replaces it.
    if (const auto connection = connection_; connection && connection->is_usable()) {
      co_await connection->wait_for_change(connect_by);
    } else {
      co_await changed_.wait(connect_by);
    }
  }
  const auto connection = connection_;
  auto stream = connection->open(make_head(std::move(method), deadline), encode_message(request));
  co_return Exchange(time_, connection, std::move(stream), options_.message_bytes_max);
}

Task<Result<std::string>> ReconnectingChannel::call(std::string_view method,
                                                    std::string_view request, Deadline deadline) {
  Result<Exchange> exchange =
      co_await start(std::string(method), std::string(request), deadline, deadline);
  if (!exchange) co_return std::unexpected(std::move(exchange.error()));
  Result<std::optional<std::string>> answer = co_await exchange->next(deadline);
  if (!answer) co_return std::unexpected(std::move(answer.error()));
  if (!answer->has_value()) co_return fail(Code::internal, "an answer without a message");
  Result<std::optional<std::string>> end = co_await exchange->next(deadline);
  if (!end) co_return std::unexpected(std::move(end.error()));
  if (end->has_value()) co_return fail(Code::internal, "an answer of more than one message");
  co_return std::move(**answer);
}

Task<Result<std::unique_ptr<AnswerStream>>> ReconnectingChannel::open(std::string_view method,
                                                                      std::string_view request,
                                                                      Deadline connect_deadline) {
  Result<Exchange> exchange =
      co_await start(std::string(method), std::string(request), connect_deadline, Deadline());
  if (!exchange) co_return std::unexpected(std::move(exchange.error()));
  co_return std::make_unique<ExchangeStream>(std::move(*exchange));
}

}  // namespace

std::unique_ptr<Channel> make_channel(runtime::LoopRef loop, http::Transport& transport,
                                      runtime::Rng rng, ChannelOptions options) {
  return std::make_unique<ReconnectingChannel>(std::move(loop), transport, rng, std::move(options));
}

}  // namespace dcm::grpc
