#include "runtime/http/server_connection.hpp"

#include <algorithm>
#include <utility>

#include "runtime/assert.hpp"

namespace dcm::http {
namespace {

using runtime::fail;
using runtime::Reason;

// Written at once under one write timeout, so that a slow but steady reader of a large answer is
// not cut off.
constexpr std::size_t kSliceBytes = 256 * 1024;
// How much of a refused request is drained, and for how long, so that the refusal arrives: closing
// with unread bytes would reset the connection (RFC 9112, 9.6).
constexpr std::size_t kDrainBytesMax = 256 * 1024;
constexpr auto kDrainTimeout = std::chrono::seconds(2);

// For a silent connection: enough for the request of a probe.
constexpr std::size_t kFirstBytes = 512;

std::uint16_t status_of(ParseError::Kind kind) {
  switch (kind) {
    case ParseError::Kind::malformed:
      return 400;
    case ParseError::Kind::bad_version:
      return 505;
    case ParseError::Kind::bad_transfer_encoding:
      return 501;
    case ParseError::Kind::head_too_large:
      return 431;
    case ParseError::Kind::body_too_large:
      return 413;
    case ParseError::Kind::truncated:
      return 0;
  }
  return 400;
}

// "http://host/path?query" to "/path?query": a server must accept the absolute form too.
std::string origin_form(std::string target) {
  const auto scheme = target.find("://");
  if (target.starts_with('/') || scheme == std::string::npos) return target;
  const auto path = target.find('/', scheme + 3);
  return path == std::string::npos ? "/" : target.substr(path);
}

bool expects_continue(const RequestHead& head) {
  const auto expect = head.headers.find("Expect");
  return expect && equals_without_case(*expect, "100-continue");
}

}  // namespace

ServerConnection::ServerConnection(const Context& context, std::unique_ptr<Stream> stream)
    : context_(context),
      time_(context.time),
      options_(context.options),
      stream_(std::move(stream)),
      buffer_(options_.header_bytes_max, kFirstBytes),
      address_(stream_->peer_address()),
      opened_(time_.now()),
      since_(opened_),
      group_(context.executor) {}

Task<> ServerConnection::run() {
  group_.spawn("requests", serve_requests());
  co_await group_.join();
}

void ServerConnection::enter(State state) {
  state_ = state;
  since_ = time_.now();
  if (state == State::idle) context_.became_idle.notify_one();
}

Task<> ServerConnection::serve_requests() {
  if (options_.http2) {
    const bool is_upgraded = co_await upgrade();
    if (is_upgraded) co_return;
  }
  after_ = AfterAnswer::keep_alive;
  while (after_ == AfterAnswer::keep_alive) {
    Received<Request> request = co_await read_request();
    if (request) {
      const bool may_go_on = co_await settle();
      if (!may_go_on) break;
      enter(State::answering);
      co_await answer(std::move(*request));
    } else {
      co_await refuse(std::move(request.error()));
    }
  }
  stream_->close();
}

Task<bool> ServerConnection::settle() {
  if (stage_ == Stage::settled) co_return true;
  co_return co_await context_.settle(*this);
}

// Whether nothing is left to do here: the first bytes are HTTP/2 (RFC 9113, 3.4), or never arrived.
Task<bool> ServerConnection::upgrade() {
  constexpr std::string_view kPreface = "PRI * HTTP/2.0\r\n";
  const Deadline deadline = Deadline::after(time_, options_.request_timeout);
  while (buffer_.data().size() < kPreface.size() && kPreface.starts_with(buffer_.data())) {
    const Received<> filled = co_await fill(deadline);
    if (!filled) {
      stream_->close();
      co_return true;
    }
  }
  is_first_request_ = false;
  if (!buffer_.data().starts_with(kPreface)) co_return false;
  const bool may_go_on = co_await settle();
  if (!may_go_on) co_return true;
  enter(State::answering);
  co_await options_.http2({.stream = std::move(stream_),
                           .first_bytes = std::string(buffer_.data()),
                           .executor = context_.executor,
                           .time = time_,
                           .options = options_,
                           .handler = context_.handler,
                           .log = context_.log});
  co_return true;
}

// ---- reading ------------------------------------------------------------------------------------

Task<ServerConnection::Received<Request>> ServerConnection::read_request() {
  const Received<> arrived = co_await await_first_byte();
  if (!arrived) co_return std::unexpected(arrived.error());
  parser_ = make_request_parser({options_.header_bytes_max, options_.body_bytes_max});
  const Deadline deadline = Deadline::after(time_, options_.request_timeout);
  const Received<> headed = co_await read_head(deadline);
  if (!headed) co_return std::unexpected(headed.error());
  Request request;
  const Received<> read = co_await read_body(request.body, deadline);
  if (!read) co_return std::unexpected(read.error());
  RequestHead& head = parser_->head();
  request.method = *head.method;
  request.target = origin_form(std::move(head.target));
  request.headers = std::move(head.headers);
  request.client_certificate = stream_->client_certificate();
  co_return request;
}

// A connection that sends nothing is closed silently.
Task<ServerConnection::Received<>> ServerConnection::await_first_byte() {
  if (!buffer_.empty()) {
    if (state_ == State::answering) enter(State::unfinished);
    co_return Received<>();
  }
  const bool is_first = std::exchange(is_first_request_, false);
  const auto patience = is_first ? options_.request_timeout : options_.idle_max;
  if (!is_first) enter(State::idle);
  const Deadline deadline = Deadline::after(time_, patience);
  const Result<std::size_t> read = co_await stream_->read_some(buffer_.space(), deadline);
  if (!is_first) enter(State::unfinished);
  if (!read || *read == 0) co_return std::unexpected(std::nullopt);
  buffer_.commit(*read);
  co_return Received<>();
}

Task<ServerConnection::Received<>> ServerConnection::read_head(Deadline deadline) {
  std::string no_body;
  while (true) {
    const Received<> parsed = parse(no_body);
    if (!parsed) co_return parsed;
    if (parser_->head_complete()) co_return check_head();
    const Received<> filled = co_await fill(deadline);
    if (!filled) co_return filled;
  }
}

ServerConnection::Received<> ServerConnection::check_head() const {
  const RequestHead& head = parser_->head();
  const auto hosts = std::ranges::count_if(
      head.headers, [](const auto& field) { return equals_without_case(field.first, "Host"); });
  if (hosts > 1 || (hosts == 0 && head.version == HttpVersion::http_1_1)) {
    return std::unexpected(Refusal{400, "want exactly one Host"});
  }
  if (head.headers.find("Expect") && !expects_continue(head)) {
    return std::unexpected(Refusal{417, "the only expectation that is met is 100-continue"});
  }
  if (!head.method) return std::unexpected(Refusal{501, "this method is not known here"});
  return {};
}

Task<ServerConnection::Received<>> ServerConnection::read_body(std::string& body,
                                                               Deadline deadline) {
  const RequestHead& head = parser_->head();
  const bool is_waited_for = expects_continue(head) && head.version == HttpVersion::http_1_1;
  if (is_waited_for && !parser_->complete() && buffer_.empty()) {
    const Result<> invited = co_await write_all(kContinue);
    if (!invited) co_return std::unexpected(std::nullopt);
  }
  while (true) {
    const Received<> parsed = parse(body);
    if (!parsed || parser_->complete()) co_return parsed;
    const Received<> filled = co_await fill(deadline);
    if (!filled) co_return filled;
  }
}

// Parses the received bytes, up to the end of the headers or of the message.
ServerConnection::Received<> ServerConnection::parse(std::string& body) {
  const bool had_head = parser_->head_complete();
  while (!buffer_.empty() && !parser_->complete() && parser_->head_complete() == had_head) {
    const auto progress = parser_->put(buffer_.data());
    if (!progress) {
      return std::unexpected(Refusal{status_of(progress.error().kind), progress.error().message});
    }
    buffer_.consume(progress->consumed);
    body.append(progress->body);
    if (progress->consumed == 0) break;
  }
  return {};
}

Task<ServerConnection::Received<>> ServerConnection::fill(Deadline deadline) {
  const Result<std::size_t> read = co_await stream_->read_some(buffer_.space(), deadline);
  if (!read && read.error().reason == Reason::deadline_exceeded) {
    co_return std::unexpected(Refusal{408, "the request did not arrive in time"});
  }
  if (!read || *read == 0) co_return std::unexpected(std::nullopt);
  buffer_.commit(*read);
  co_return Received<>();
}

// ---- answering ----------------------------------------------------------------------------------

Task<> ServerConnection::answer(Request request) {
  is_head_request_ = request.method == Method::head;
  answer_ = Answer::none;
  framing_ = Framing::content_length;
  const bool is_current = parser_->head().version == HttpVersion::http_1_1;
  const bool is_old = time_.now() - opened_ >= options_.age_max;
  after_ =
      is_current && !is_old && parser_->keep_alive() ? AfterAnswer::keep_alive : AfterAnswer::close;
  co_await run_handler(context_.handler, std::move(request), *this, context_.log);
  if (answer_ == Answer::none) {
    after_ = AfterAnswer::close;
    co_await send(Response{.status = 500, .headers = {}, .body = "no answer\n"});
  }
  if (answer_ == Answer::streaming || answer_ == Answer::failed) {
    after_ = AfterAnswer::close;  // silently: the client must see that it was cut
  } else if (after_ == AfterAnswer::close) {
    co_await stream_->shutdown_send(Deadline::after(time_, options_.write_timeout));
  }
}

Task<> ServerConnection::refuse(std::optional<Refusal> refusal) {
  after_ = AfterAnswer::close;
  if (!refusal) co_return;
  const Response response = options_.refusal(refusal->status, std::move(refusal->message));
  std::string bytes =
      encode_response_head(response, Framing::content_length, after_, time_.wall_now());
  bytes.append(response.body);
  const Result<> written = co_await write_all(bytes);
  if (!written) co_return;
  const Result<> ended =
      co_await stream_->shutdown_send(Deadline::after(time_, options_.write_timeout));
  if (ended) co_await drain();
}

Task<> ServerConnection::drain() {
  const Deadline deadline = Deadline::after(time_, kDrainTimeout);
  std::size_t drained = 0;
  while (drained < kDrainBytesMax) {
    buffer_.consume(buffer_.data().size());
    const Result<std::size_t> read = co_await stream_->read_some(buffer_.space(), deadline);
    if (!read || *read == 0) co_return;
    buffer_.commit(*read);
    drained += *read;
  }
}

// Runs alongside a streaming handler, which may wait long for events without writing anything.
Task<> ServerConnection::watch_peer() {
  while (!buffer_.is_full()) {
    const Result<std::size_t> read = co_await stream_->read_some(buffer_.space(), Deadline());
    if (!read || *read == 0) {
      group_.cancel();
      co_return;
    }
    buffer_.commit(*read);
  }
}

Task<Result<>> ServerConnection::write_all(std::string_view bytes) {
  while (!bytes.empty()) {
    const std::string_view slice = bytes.substr(0, kSliceBytes);
    bytes.remove_prefix(slice.size());
    writing_since_ = time_.now();
    const Result<> written =
        co_await stream_->write(slice, Deadline::after(time_, options_.write_timeout));
    writing_since_.reset();
    if (!written) {
      answer_ = Answer::failed;
      stream_->close();
      co_return written;
    }
  }
  co_return Result<>();
}

AfterAnswer ServerConnection::after_answer(const Response& response) const {
  const auto connection = response.headers.find("Connection");
  const bool wants_close = connection && equals_without_case(*connection, "close");
  return wants_close || context_.must_yield(*this) ? AfterAnswer::close : after_;
}

// ---- the handler's side -------------------------------------------------------------------------

Task<Result<>> ServerConnection::send(Response response) {
  DCM_ASSERT(answer_ == Answer::none);
  answer_ = Answer::sent;
  after_ = after_answer(response);
  std::string bytes =
      encode_response_head(response, Framing::content_length, after_, time_.wall_now());
  const bool has_body = !is_head_request_ && may_have_body(response.status);
  if (has_body) bytes.append(response.body);
  co_return co_await write_all(bytes);
}

Task<Result<>> ServerConnection::begin(Response head) {
  DCM_ASSERT(answer_ == Answer::none);
  answer_ = Answer::streaming;
  after_ = AfterAnswer::close;
  const bool knows_chunks = parser_->head().version == HttpVersion::http_1_1;
  framing_ = knows_chunks ? Framing::chunked : Framing::until_close;
  group_.spawn("watch peer", watch_peer());
  const std::string bytes = encode_response_head(head, framing_, after_, time_.wall_now());
  co_return co_await write_all(bytes);
}

Task<Result<>> ServerConnection::write(std::string_view piece) {
  if (answer_ == Answer::failed) co_return fail(Reason::disconnected, "the client has gone");
  DCM_ASSERT(answer_ == Answer::streaming);
  if (piece.empty() || is_head_request_) co_return Result<>();
  if (framing_ == Framing::until_close) {
    co_return co_await write_all(piece);
  }
  const std::string chunk = encode_chunk(piece);
  co_return co_await write_all(chunk);
}

Task<Result<>> ServerConnection::end() {
  if (answer_ == Answer::failed) co_return fail(Reason::disconnected, "the client has gone");
  DCM_ASSERT(answer_ == Answer::streaming);
  answer_ = Answer::ended;
  if (framing_ == Framing::until_close || is_head_request_) co_return Result<>();
  co_return co_await write_all(kLastChunk);
}

void ServerConnection::abort() {
  answer_ = Answer::failed;
  stream_->close();
}

}  // namespace dcm::http
