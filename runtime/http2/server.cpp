#include "runtime/http2/server.hpp"

#include <utility>

#include "runtime/assert.hpp"
#include "runtime/http2/connection.hpp"
#include "runtime/task_group.hpp"

namespace dcm::http2 {
namespace {

using runtime::fail;
using runtime::Reason;
using runtime::TaskGroup;

constexpr std::uint32_t kStreamsMax = 250;
// Written at once under one write timeout.
constexpr std::size_t kSliceBytes = 64 * 1024;

// The shared context of a connection's requests.
struct Context {
  runtime::Executor executor;
  runtime::TimeSource& time;
  const http::ServerOptions& options;
  const http::Handler& handler;
  const runtime::Logger& log;
  std::shared_ptr<const http::ClientCertificate> client_certificate;
};

// One request and its answer.
class Exchange final : private http::Responder {
 public:
  Exchange(const Context& context, std::unique_ptr<Stream> stream)
      : context_(context), stream_(std::move(stream)), group_(context.executor) {}

  Task<> run() {
    group_.spawn("answer", answer());
    group_.spawn("watch client", watch_client());
    co_await group_.join();
  }

 private:
  enum class Answer : std::uint8_t { none, streaming, ended };
  using Refusal = std::optional<std::uint16_t>;  // the status; nullopt: the client is gone

  Task<> watch_client() {
    co_await stream_->wait_until_closed();
    group_.cancel();
  }

  Task<> answer() {
    std::expected<http::Request, Refusal> request = co_await read();
    if (request) {
      is_head_request_ = request->method == http::Method::head;
      co_await http::run_handler(context_.handler, *std::move(request), *this, context_.log);
      if (answer_ == Answer::none)
        co_await send({.status = 500, .headers = {}, .body = "no answer\n"});
    } else if (request.error()) {
      co_await send(refuse(*request.error()));
    }
    if (answer_ != Answer::ended) stream_->reset(ErrorCode::internal_error);
    group_.cancel();
  }

  http::Response refuse(std::uint16_t status) const {
    const std::string why = status == 413   ? "the request's body is too large"
                            : status == 501 ? "this method is not known here"
                                            : "the request did not arrive in time";
    return context_.options.refusal(status, why);
  }

  Task<std::expected<http::Request, Refusal>> read() {
    http::Request request;
    const Deadline deadline = Deadline::after(context_.time, context_.options.request_timeout);
    const http::Headers& head = stream_->head();
    const auto method = http::method_from(head.find(":method").value_or(""));
    if (!method) co_return std::unexpected(501);
    request.method = *method;
    request.target = head.find(":path").value_or("");
    request.client_certificate = context_.client_certificate;
    for (const auto& [name, value] : head) {
      if (!name.starts_with(':')) request.headers.add(name, value);
    }
    if (!request.headers.find("host")) {
      request.headers.add("Host", std::string(head.find(":authority").value_or("")));
    }
    while (true) {
      const Result<std::string_view> piece = co_await stream_->read_some(deadline);
      if (!piece && piece.error().reason == Reason::deadline_exceeded) {
        co_return std::unexpected(408);
      }
      if (!piece) co_return std::unexpected(std::nullopt);
      if (piece->empty()) co_return std::move(request);
      if (piece->size() > context_.options.body_bytes_max - request.body.size()) {
        co_return std::unexpected(413);
      }
      request.body.append(*piece);
    }
  }

  void respond(const http::Response& response) {
    http::Headers fields = {{":status", std::to_string(response.status)}};
    for (const auto& [name, value] : response.headers) {
      if (!http::equals_without_case(name, "Connection")) fields.add(name, value);
    }
    stream_->respond(fields);
  }

  Task<Result<>> write_all(std::string_view bytes) {
    while (!bytes.empty()) {
      const std::string_view slice = bytes.substr(0, kSliceBytes);
      bytes.remove_prefix(slice.size());
      Result<> written = co_await stream_->write(
          slice, Deadline::after(context_.time, context_.options.write_timeout));
      if (!written) co_return written;
    }
    co_return Result<>();
  }

  Task<Result<>> send(http::Response response) override {
    DCM_ASSERT(answer_ == Answer::none);
    answer_ = Answer::streaming;
    respond(response);
    Result<> written;
    if (!is_head_request_) written = co_await write_all(response.body);
    if (written) finish();
    co_return written;
  }

  Task<Result<>> begin(http::Response head) override {
    DCM_ASSERT(answer_ == Answer::none);
    answer_ = Answer::streaming;
    respond(head);
    co_return Result<>();
  }

  Task<Result<>> write(std::string_view piece) override {
    if (answer_ != Answer::streaming) co_return fail(Reason::disconnected, "the client has gone");
    Result<> written;
    if (!is_head_request_) written = co_await write_all(piece);
    co_return written;
  }

  Task<Result<>> end() override {
    if (answer_ != Answer::streaming) co_return fail(Reason::disconnected, "the client has gone");
    finish();
    co_return Result<>();
  }

  void finish() {
    answer_ = Answer::ended;
    stream_->end();
  }

  // Resets the stream, not the connection: other streams are not part of the test.
  void abort() override {
    answer_ = Answer::ended;
    stream_->reset(ErrorCode::internal_error);
  }

  const Context& context_;
  std::unique_ptr<Stream> stream_;
  bool is_head_request_ = false;
  Answer answer_ = Answer::none;
  TaskGroup group_;
};

class ServerConnection {
 public:
  explicit ServerConnection(http::UpgradedConnection upgraded)
      : context_{upgraded.executor, upgraded.time, upgraded.options,
                 upgraded.handler,  upgraded.log,  upgraded.stream->client_certificate()},
        connection_({upgraded.executor, upgraded.time}, std::move(upgraded.stream), Side::server,
                    make_options(upgraded),
                    [this](std::unique_ptr<Stream> stream) {
                      group_.spawn("request", serve(std::move(stream)));
                    }),
        group_(upgraded.executor) {}

  Task<> run() {
    group_.spawn("bytes", move_bytes());
    if (context_.options.age_max < runtime::Duration::max()) group_.spawn("age", limit_age());
    co_await group_.join();
  }

 private:
  static ConnectionOptions make_options(const http::UpgradedConnection& upgraded) {
    ConnectionOptions made;
    made.session.peer_streams_max = kStreamsMax;
    made.session.header_bytes_max = upgraded.options.header_bytes_max;
    made.write_timeout = upgraded.options.write_timeout;
    made.first_bytes = upgraded.first_bytes;
    return made;
  }

  Task<> serve(std::unique_ptr<Stream> stream) {
    Exchange exchange(context_, std::move(stream));
    co_await exchange.run();
  }

  Task<> move_bytes() {
    co_await connection_.run();
    group_.cancel();
  }

  Task<> limit_age() {
    co_await runtime::sleep_for(context_.time, context_.options.age_max);
    connection_.go_away();
  }

  Context context_;
  Connection connection_;
  TaskGroup group_;
};

}  // namespace

Task<> serve_connection(http::UpgradedConnection upgraded) {
  ServerConnection connection(std::move(upgraded));
  co_await connection.run();
}

}  // namespace dcm::http2
