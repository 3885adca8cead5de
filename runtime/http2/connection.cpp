#include "runtime/http2/connection.hpp"

#include <utility>
#include <variant>

#include <fmt/format.h>

#include "runtime/assert.hpp"

namespace dcm::http2 {
namespace {

using runtime::Error;
using runtime::fail;
using runtime::Reason;

// Bytes read and written at once.
constexpr std::size_t kReadBytes = 64 * 1024;
constexpr std::size_t kWriteBytes = 64 * 1024;
// One or two requests may be slow by themselves.
constexpr unsigned kUnansweredMax = 3;

Error error_of(ErrorCode code, const std::string& fault) {
  if (code == ErrorCode::refused_stream) {
    return {Reason::unreachable, "the server has refused the stream before it did anything"};
  }
  const std::string why = fault.empty() ? "" : fmt::format(" ({})", fault);
  return {Reason::disconnected, fmt::format("the stream was reset: {}{}", to_string(code), why)};
}

}  // namespace

// Shared by a Stream and its connection until both are done with it.
struct Stream::State {
  explicit State(runtime::TimeSource& time) : opened_at(time.now()), news(time), has_room(time) {}

  runtime::MonoTime opened_at;
  std::optional<StreamId> id = {};  // nullopt: its headers have not been sent yet
  std::optional<http::Headers> head = {};
  std::string inbox = {};
  http::Headers trailers = {};
  bool peer_has_ended = false;
  bool has_ended = false;  // by us
  bool is_closed = false;
  std::optional<Error> error = {};
  std::optional<ErrorCode> reset_code = {};
  runtime::Condition news;
  runtime::Condition has_room;

  void close(std::optional<Error> why) {
    is_closed = true;
    if (!error && why && !(peer_has_ended && has_ended)) error = std::move(why);
    news.notify_all();
    has_room.notify_all();
  }
};

// ---- Stream ------------------------------------------------------------------------------------

Stream::Stream(Connection& connection, std::shared_ptr<State> state)
    : connection_(&connection), state_(std::move(state)) {}

Stream::~Stream() {
  connection_->forget(state_, ErrorCode::cancel);
}

Task<Result<>> Stream::wait_for_head(Deadline deadline) {
  while (!state_->head) {
    if (state_->error) co_return fail(*state_->error);
    if (state_->is_closed) co_return fail(Reason::disconnected, "no answer before the end");
    if (deadline.has_passed(connection_->time_)) {
      co_return fail(Reason::deadline_exceeded, "no answer by the deadline");
    }
    co_await state_->news.wait(deadline);
  }
  co_return Result<>();
}

http::Headers& Stream::head() {
  DCM_ASSERT(state_->head);
  return *state_->head;
}

Task<Result<std::string_view>> Stream::read_some(Deadline deadline) {
  while (state_->inbox.empty()) {
    if (state_->error) co_return fail(*state_->error);
    if (state_->peer_has_ended) co_return std::string_view();
    if (state_->is_closed) {
      co_return fail(Reason::disconnected, "the stream was closed in the middle");
    }
    if (deadline.has_passed(connection_->time_)) {
      co_return fail(Reason::deadline_exceeded, "nothing to be read by the deadline");
    }
    co_await state_->news.wait(deadline);
  }
  current_.clear();
  current_.swap(state_->inbox);
  if (state_->id) connection_->session_.consume(*state_->id, current_.size());
  connection_->has_output_.notify_all();
  co_return std::string_view(current_);
}

const http::Headers& Stream::trailers() const {
  return state_->trailers;
}

std::optional<ErrorCode> Stream::reset_code() const {
  return state_->reset_code;
}

void Stream::respond(const http::Headers& fields, Body body) {
  if (body == Body::none) state_->has_ended = true;
  if (!state_->is_closed) connection_->session_.respond(*state_->id, fields, body);
  connection_->has_output_.notify_all();
}

Task<Result<>> Stream::write(std::string_view bytes, Deadline deadline) {
  DCM_ASSERT(state_->id);
  Session& session = connection_->session_;
  while (!state_->is_closed &&
         session.unsent(*state_->id) >= connection_->options_.unsent_bytes_max) {
    if (deadline.has_passed(connection_->time_)) {
      co_return fail(Reason::deadline_exceeded, "not written by the deadline");
    }
    co_await state_->has_room.wait(deadline);
  }
  if (state_->is_closed) {
    co_return fail(state_->error.value_or(Error{Reason::disconnected, "the stream is closed"}));
  }
  session.write(*state_->id, bytes);
  connection_->has_output_.notify_all();
  co_return Result<>();
}

void Stream::end() {
  state_->has_ended = true;
  if (!state_->is_closed) connection_->session_.end(*state_->id);
  connection_->has_output_.notify_all();
}

void Stream::end(const http::Headers& trailers) {
  state_->has_ended = true;
  if (!state_->is_closed) connection_->session_.end(*state_->id, trailers);
  connection_->has_output_.notify_all();
}

void Stream::reset(ErrorCode code) {
  connection_->forget(state_, code);
}

Task<> Stream::wait_until_closed() {
  while (!state_->is_closed) co_await state_->news.wait();
}

// ---- Connection: its users' side ---------------------------------------------------------------

Connection::Connection(runtime::LoopRef loop, std::unique_ptr<http::Stream> stream, Side side,
                       ConnectionOptions options, OnStream on_stream)
    : time_(loop.time()),
      stream_(std::move(stream)),
      side_(side),
      options_(options),
      on_stream_(std::move(on_stream)),
      session_(side, options.session),
      heard_at_(time_.now()),
      silent_since_(heard_at_),
      used_at_(heard_at_),
      has_output_(time_),
      changed_(time_),
      group_(loop.executor()) {}

Connection::~Connection() {
  lose({Reason::disconnected, "the connection was closed"});
}

void Connection::close(std::string why) {
  lose({Reason::disconnected, std::move(why)});
}

void Connection::go_away() {
  takes_streams_ = false;
  session_.go_away();
  has_output_.notify_all();
  changed_.notify_all();
}

void Connection::observe_deadline(const Stream& stream) {
  const Stream::State& state = *stream.state_;
  const bool is_body_stuck = state.id && session_.unsent(*state.id) > 0;
  const bool is_useless =
      ++unanswered_ >= kUnansweredMax || heard_at_ < state.opened_at || is_body_stuck;
  if (is_useless && takes_streams_) go_away();
}

std::unique_ptr<Stream> Connection::open(http::Headers head, std::string body,
                                         std::function<Result<>()> before_send) {
  DCM_ASSERT(can_open());
  auto state = std::make_shared<Stream::State>(time_);
  state->has_ended = true;
  pending_.push_back({state, std::move(head), std::move(body), std::move(before_send)});
  has_output_.notify_all();
  return std::unique_ptr<Stream>(new Stream(*this, std::move(state)));
}

bool Connection::can_open() const {
  return is_usable() && session_.can_open(pending_.size());
}

bool Connection::is_usable() const {
  return !lost_ && takes_streams_;
}

Task<> Connection::wait_for_change(Deadline deadline) {
  co_await changed_.wait(deadline);
}

void Connection::forget(const std::shared_ptr<Stream::State>& state, ErrorCode code) {
  std::erase_if(pending_, [&](const Pending& each) { return each.state == state; });
  if (!state->is_closed) {
    // A finished answer of a server is still sent.
    const bool is_answered = side_ == Side::server && state->has_ended;
    if (state->id && !is_answered) session_.reset(*state->id, code);
    state->close(Error{Reason::disconnected, "the stream was given up"});
    has_output_.notify_all();
  }
  if (state->id) states_.erase(*state->id);
  used_at_ = time_.now();
  changed_.notify_all();
}

// ---- Connection: its tasks ---------------------------------------------------------------------

Task<> Connection::run() {
  // However it ends, also by cancellation.
  struct Lose {
    Connection& connection;
    ~Lose() { connection.lose({Reason::disconnected, "the connection is no longer read"}); }
  } const lose_at_end(*this);
  group_.spawn("read", read_all());
  group_.spawn("write", write_all());
  group_.spawn("watch peer", watch_peer());
  co_await group_.join();
}

void Connection::lose(Error error) {
  if (lost_) return;
  lost_ = std::move(error);
  stream_->close();
  for (const auto& each : std::exchange(pending_, {})) {
    each.state->close(Error{Reason::unreachable, lost_->message});
  }
  for (const auto& [id, state] : std::exchange(states_, {})) state->close(lost_);
  has_output_.notify_all();
  changed_.notify_all();
  group_.cancel();
}

Task<> Connection::read_all() {
  take(options_.first_bytes);
  const auto buffer = std::make_unique_for_overwrite<char[]>(kReadBytes);
  while (!lost_) {
    const Result<std::size_t> read =
        co_await stream_->read_some({buffer.get(), kReadBytes}, Deadline());
    if (!read) {
      lose({Reason::disconnected, read.error().message});
    } else if (*read == 0) {
      lose({Reason::disconnected, "the peer has closed the connection"});
    } else {
      heard_at_ = silent_since_ = time_.now();
      take({buffer.get(), *read});
    }
  }
}

void Connection::take(std::string_view bytes) {
  session_.receive(bytes);
  handle_events();
  has_output_.notify_all();
}

Task<> Connection::write_all() {
  while (!lost_) {
    const std::string bytes = gather_output();
    handle_events();
    if (!bytes.empty()) {
      const Result<> written =
          co_await stream_->write(bytes, Deadline::after(time_, options_.write_timeout));
      if (!written) lose({Reason::disconnected, written.error().message});
    } else if (session_.is_over()) {
      const std::string& fault = session_.fault();
      lose({Reason::disconnected, fault.empty() ? "the connection has ended" : fault});
    } else {
      co_await has_output_.wait();
    }
  }
}

// A request is given to the session only after all earlier output was taken, so that its first
// bytes are in this output, which is passed on as soon as this returns.
std::string Connection::gather_output() {
  std::string bytes;
  while (bytes.size() < kWriteBytes) {
    const std::string_view next = session_.next_output();
    bytes.append(next);
    if (!next.empty()) continue;
    if (pending_.empty() || !session_.can_open(0)) break;
    const Pending pending = std::move(pending_.front());
    pending_.pop_front();
    Result<> allowed = check_size(pending.head);
    if (allowed && pending.before_send) allowed = pending.before_send();
    if (!allowed) {
      pending.state->close(allowed.error());
      continue;
    }
    const Body body = pending.body.empty() ? Body::none : Body::follows;
    const StreamId id = session_.open(pending.head, body);
    pending.state->id = id;
    states_.emplace(id, pending.state);
    if (body == Body::none) continue;
    session_.write(id, pending.body);
    session_.end(id);
  }
  for (const auto& [id, state] : states_) {
    if (session_.unsent(id) < options_.unsent_bytes_max) state->has_room.notify_all();
  }
  return bytes;
}

Task<> Connection::watch_peer() {
  while (true) {
    const runtime::MonoTime ask_at = silent_since_ + options_.ping_after;
    if (time_.now() < ask_at) {
      co_await runtime::sleep_until(time_, ask_at);
    } else if (states_.empty()) {
      silent_since_ = time_.now();
    } else {
      session_.ping();
      has_output_.notify_all();
      const runtime::MonoTime asked = time_.now();
      co_await runtime::sleep_for(time_, options_.ping_timeout);
      if (heard_at_ < asked) lose({Reason::disconnected, "the peer does not answer a PING"});
    }
  }
}

// ---- Connection: events ------------------------------------------------------------------------

void Connection::handle_events() {
  for (const Event& event : session_.take_events()) {
    std::visit([this](const auto& each) { handle(each); }, event);
  }
}

Stream::State* Connection::find(StreamId id) {
  const auto at = states_.find(id);
  return at == states_.end() ? nullptr : at->second.get();
}

void Connection::handle(const HeadEvent& event) {
  if (Stream::State* const state = find(event.stream)) {
    state->head = event.fields;
    state->news.notify_all();
  } else if (side_ == Side::server) {
    auto made = std::make_shared<Stream::State>(time_);
    made->id = event.stream;
    made->head = event.fields;
    states_.emplace(event.stream, made);
    on_stream_(std::unique_ptr<Stream>(new Stream(*this, std::move(made))));
  }
}

void Connection::handle(const DataEvent& event) {
  unanswered_ = 0;
  Stream::State* const state = find(event.stream);
  if (state == nullptr) return;
  state->inbox.append(event.bytes);
  state->news.notify_all();
}

void Connection::handle(const TrailersEvent& event) {
  if (Stream::State* const state = find(event.stream)) state->trailers = event.fields;
}

void Connection::handle(const EndEvent& event) {
  Stream::State* const state = find(event.stream);
  if (state == nullptr) return;
  state->peer_has_ended = true;
  state->news.notify_all();
}

void Connection::handle(const ClosedEvent& event) {
  const auto at = states_.find(event.stream);
  if (at == states_.end()) return;
  const std::shared_ptr<Stream::State> state = std::move(at->second);
  states_.erase(at);
  // A server may stop a request without an error, but only after its answer (RFC 9113, 8.1).
  const bool is_reset =
      event.code != ErrorCode::no_error || (side_ == Side::client && !state->peer_has_ended);
  if (!is_reset) {
    state->close(std::nullopt);
  } else {
    state->reset_code = event.code;
    state->close(error_of(event.code, session_.fault()));
  }
  changed_.notify_all();
}

void Connection::handle(const SettingsEvent&) {
  changed_.notify_all();
}

// Requests that have not been sent use another connection.
void Connection::handle(const GoAwayEvent&) {
  takes_streams_ = false;
  for (const auto& each : std::exchange(pending_, {})) {
    each.state->close(Error{Reason::unreachable, "the server takes no more streams here"});
  }
  changed_.notify_all();
}

}  // namespace dcm::http2
