#include "runtime/grpc/server.hpp"

#include <algorithm>
#include <list>
#include <utility>

#include <fmt/format.h>

#include "runtime/condition.hpp"
#include "runtime/failure.hpp"
#include "runtime/grpc/framing.hpp"
#include "runtime/http/server.hpp"
#include "runtime/http2/connection.hpp"
#include "runtime/task_group.hpp"

namespace dcm::grpc {
namespace {

using runtime::Logger;
using runtime::TaskGroup;

// Enough for the first request of a process on the same machine.
constexpr auto kNewcomerGrace = std::chrono::milliseconds(250);

// The shared context of all calls.
struct Context {
  runtime::LoopRef loop;
  const Methods& methods;
  const ServerOptions& options;
  const Logger& log;
};

// One call, from its headers to its status. Counts as `being_answered` once its request has
// arrived.
class Call final : private AnswerWriter {
 public:
  Call(const Context& context, std::unique_ptr<http2::Stream> stream, std::size_t& being_answered)
      : context_(context),
        time_(context.loop.time()),
        stream_(std::move(stream)),
        being_answered_(being_answered),
        group_(context.loop.executor()) {}

  Task<> run() {
    group_.spawn("answer", answer());
    group_.spawn("watch client", watch_client());
    group_.spawn("watch deadline", watch_deadline());
    co_await group_.join();
  }

 private:
  std::string path() const { return std::string(stream_->head().find(":path").value_or("")); }

  Task<> answer() {
    if (const std::optional<int> refusal = http_refusal()) {
      stream_->respond({{":status", std::to_string(*refusal)}}, http2::Body::none);
    } else {
      auto status = co_await status_of_call();
      finish(std::move(status));
    }
    group_.cancel();
  }

  std::optional<int> http_refusal() const {
    const http::Headers& head = stream_->head();
    if (head.find(":method") != "POST") return 405;
    if (!is_grpc(head.find("content-type"))) return 415;
    return std::nullopt;
  }

  Task<Status> status_of_call() {
    if (const auto timeout = stream_->head().find("grpc-timeout")) {
      const Result<runtime::Duration> left = decode_timeout(*timeout);
      if (!left) co_return left.error();
      deadline_ = Deadline::after(time_, *left);
      has_deadline_.notify_all();
    }
    const auto unary = context_.methods.unary.find(path());
    const auto many = context_.methods.streams.find(path());
    if (unary == context_.methods.unary.end() && many == context_.methods.streams.end()) {
      co_return Status{Code::unimplemented, fmt::format("unknown method {}", path())};
    }
    Result<std::string> request = co_await read_request();
    if (!request) co_return request.error();
    struct Counted {
      std::size_t& calls;
      explicit Counted(std::size_t& c) : calls(++c) {}
      ~Counted() { --calls; }
    } const counted(being_answered_);
    std::optional<Status> status;
    try {
      if (many != context_.methods.streams.end()) {
        status = co_await many->second(std::move(*request), *this, deadline_);
      } else {
        status = co_await answer_one(unary->second, std::move(*request));
      }
    } catch (...) {
      const std::exception_ptr failure = std::current_exception();
      if (!runtime::is_isolated(failure)) throw;
      const std::string text = runtime::text_of(failure);
      context_.log.error("gRPC method failed", {{"method", path()}, {"error", text}});
      status = Status{Code::unknown, text};
    }
    co_return std::move(*status);
  }

  Task<Status> answer_one(const UnaryMethod& method, std::string request) {
    const Result<std::string> message = co_await method(std::move(request), deadline_);
    if (!message) co_return message.error();
    const Result<void> written = co_await write(*message);
    if (!written) co_return written.error();
    co_return Status{};
  }

  Task<Result<std::string>> read_request() {
    MessageReader reader(context_.options.message_bytes_max);
    std::optional<std::string> request;
    while (true) {
      Result<std::optional<std::string>> message = reader.take();
      if (!message) co_return std::unexpected(std::move(message.error()));
      if (*message && request) co_return fail(Code::internal, "a request of more than one message");
      if (*message) {
        request = std::move(*message);
        continue;
      }
      const runtime::Result<std::string_view> piece = co_await stream_->read_some(deadline_);
      if (!piece) co_return fail(code_from(piece.error()), piece.error().message);
      if (piece->empty()) break;
      reader.put(*piece);
    }
    if (!request || !reader.is_between_messages()) {
      co_return fail(Code::internal, "the request ends before its message does");
    }
    co_return std::move(*request);
  }

  Task<Result<void>> write(std::string_view message) override {
    if (!std::exchange(has_responded_, true)) {
      stream_->respond({{":status", "200"}, {"content-type", "application/grpc"}});
    }
    const std::string bytes = encode_message(message);
    const runtime::Result<> written = co_await stream_->write(bytes, deadline_);
    if (!written) co_return fail(Code::cancelled, written.error().message);
    co_return Result<void>();
  }

  void finish(const Status& status) {
    http::Headers fields;
    if (!has_responded_) {
      fields = {{":status", "200"}, {"content-type", "application/grpc"}};
      add_status(fields, status);
      stream_->respond(fields, http2::Body::none);
    } else {
      add_status(fields, status);
      stream_->end(fields);
    }
  }

  Task<> watch_client() {
    co_await stream_->wait_until_closed();
    group_.cancel();
  }

  // The client has its own timer; this ends work for a client that is gone.
  Task<> watch_deadline() {
    while (!deadline_.has_passed(time_)) co_await has_deadline_.wait(deadline_);
    stream_->reset(http2::ErrorCode::cancel);
    group_.cancel();
  }

  const Context& context_;
  runtime::TimeSource& time_;
  std::unique_ptr<http2::Stream> stream_;
  std::size_t& being_answered_;
  Deadline deadline_;
  runtime::Condition has_deadline_{time_};
  bool has_responded_ = false;
  TaskGroup group_;
};

// One connection and its calls.
class Connection {
 public:
  Connection(const Context& context, std::unique_ptr<http::Stream> stream)
      : context_(context),
        since_(context.loop.time().now()),
        connection_(context.loop, std::move(stream), http2::Side::server, make_options(context),
                    [this](std::unique_ptr<http2::Stream> call) { take(std::move(call)); }),
        group_(context.loop.executor()) {}

  Task<> run() {
    group_.spawn("bytes", move_bytes());
    co_await group_.join();
  }

  // No call waits for an answer, and the connection has had time to send one.
  bool may_go() const {
    return being_answered_ == 0 && context_.loop.time().now() - since_ >= kNewcomerGrace;
  }
  void close() { group_.cancel(); }

 private:
  static http2::ConnectionOptions make_options(const Context& context) {
    http2::ConnectionOptions options;
    options.session.peer_streams_max = static_cast<std::uint32_t>(context.options.calls_max);
    options.session.header_bytes_max = 16 * 1024;
    return options;
  }

  void take(std::unique_ptr<http2::Stream> stream) {
    group_.spawn("call", run_call(std::move(stream)));
  }

  Task<> run_call(std::unique_ptr<http2::Stream> stream) {
    Call call(context_, std::move(stream), being_answered_);
    co_await call.run();
  }

  Task<> move_bytes() {
    co_await connection_.run();
    group_.cancel();
  }

  const Context& context_;
  runtime::MonoTime since_;
  std::size_t being_answered_ = 0;
  http2::Connection connection_;
  TaskGroup group_;
};

class Server {
 public:
  Server(const Context& context, http::Listener& listener)
      : context_(context),
        listener_(listener),
        crowd_(context.loop.time(), std::chrono::minutes(1)),
        place_is_free_(context.loop.time()),
        group_(context.loop.executor()) {}

  Task<> run() {
    group_.spawn("accept", accept_all());
    co_await group_.join();
  }

 private:
  using Connections = std::list<Connection>;  // the oldest first

  Task<> accept_all() {
    while (true) {
      std::unique_ptr<http::Stream> stream =
          co_await http::accept_next(listener_, context_.loop.time(), context_.log);
      co_await make_room();
      const auto place = connections_.emplace(connections_.end(), context_, std::move(stream));
      group_.spawn("connection", serve_one(place));
    }
  }

  Task<> make_room() {
    while (connections_.size() >= context_.options.connections_max) {
      const auto victim = std::ranges::find_if(connections_, &Connection::may_go);
      if (victim != connections_.end()) {
        report_crowd();
        victim->close();
      }
      co_await place_is_free_.wait(Deadline::after(context_.loop.time(), kNewcomerGrace));
    }
  }

  void report_crowd() {
    if (!crowd_.should_log(listener_.address())) return;
    context_.log.warning(
        "Too many connections; closing idle ones",
        {{"address", listener_.address()}, {"open", std::uint64_t{connections_.size()}}});
  }

  // Removes the connection even if its task fails: the frame's locals are destroyed last.
  struct Removal {
    Server& server;
    Connections::iterator connection;
    ~Removal() {
      server.connections_.erase(connection);
      server.place_is_free_.notify_one();
    }
  };

  Task<> serve_one(Connections::iterator connection) {
    const Removal removal{*this, connection};
    co_await connection->run();
  }

  const Context& context_;
  http::Listener& listener_;
  runtime::RepeatGuard crowd_;
  Connections connections_;
  runtime::Condition place_is_free_;
  TaskGroup group_;
};

}  // namespace

Task<> serve(runtime::LoopRef loop, http::Listener& listener, const Methods& methods,
             ServerOptions options, Logger log) {
  const Context context{loop, methods, options, log};
  Server server(context, listener);
  co_await server.run();
}

}  // namespace dcm::grpc
