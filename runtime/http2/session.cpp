#include "runtime/http2/session.hpp"

#include <algorithm>
#include <cstring>
#include <optional>
#include <unordered_map>
#include <utility>

#include <fmt/format.h>
#include <nghttp2/nghttp2.h>

#include "runtime/ascii.hpp"
#include "runtime/assert.hpp"

namespace dcm::http2 {
namespace {

// How many streams a client opens before the server's settings have arrived.
constexpr std::uint32_t kStreamsBeforeSettings = 100;
// Limits of unsent answers to PING and SETTINGS, and of entries in SETTINGS.
constexpr std::size_t kUnsentAcksMax = 1000;
constexpr std::size_t kSettingsMax = 32;
// Streams that a client may reset: this many at once, and then this many per second
// (CVE-2023-44487).
constexpr std::uint64_t kResetsBurst = 1000;
constexpr std::uint64_t kResetsPerSecond = 33;
// Frames that wait to be sent: a peer that reads nothing may cause one with each of its own, such
// as the reset of a stream that it must not open (CVE-2019-9514).
constexpr std::size_t kUnsentFramesMax = 10'000;
// Frames that may continue one set of headers (CVE-2024-28182).
constexpr std::size_t kContinuationsMax = 8;

// Frames of data in a row that have none: they cost the peer nothing and us a little
// (CVE-2019-9518).
constexpr unsigned kEmptyFramesMax = 100;

constexpr std::size_t kFieldOverhead = 32;  // RFC 9113, 6.5.2
// Less than NGHTTP2_MAX_HEADERSLEN allows, which counts differently.
constexpr std::size_t kSentHeaderBytesMax = 64 * 1024;

struct StreamState {
  std::string out = {};
  std::size_t sent = 0;
  bool has_ended = false;
  bool is_waiting = false;  // nghttp2 asks again only after it is told that there is data
  std::optional<http::Headers> trailers = {};
  http::Headers fields = {};  // of the headers being received
  std::size_t field_bytes = 0;
  unsigned interim_answers = 0;
  unsigned empty_frames = 0;  // in a row
};

std::uint8_t* bytes_of(std::string_view text) {
  return reinterpret_cast<std::uint8_t*>(const_cast<char*>(text.data()));
}

// nghttp2 requires lower-case names, and copies both.
class FieldList {
 public:
  explicit FieldList(const http::Headers& fields) {
    names_.reserve(fields.size());
    for (const auto& [name, value] : fields) {
      const std::string& lower = names_.emplace_back(runtime::lower(name));
      list_.push_back(
          {bytes_of(lower), bytes_of(value), lower.size(), value.size(), flags_of(lower)});
    }
  }

  const nghttp2_nv* data() const { return list_.data(); }
  std::size_t size() const { return list_.size(); }

 private:
  // Tokens stay out of the compression table (RFC 7541, 7.1.3).
  static std::uint8_t flags_of(std::string_view name) {
    return name == "authorization" ? NGHTTP2_NV_FLAG_NO_INDEX : NGHTTP2_NV_FLAG_NONE;
  }

  std::vector<std::string> names_;
  std::vector<nghttp2_nv> list_;
};

}  // namespace

runtime::Result<> check_size(const http::Headers& fields) {
  std::size_t bytes = 0;
  for (const auto& [name, value] : fields) bytes += name.size() + value.size() + kFieldOverhead;
  if (bytes <= kSentHeaderBytesMax) return {};
  return runtime::fail(runtime::Reason::configuration,
                       fmt::format("the headers of the request have {} bytes; HTTP/2 sends at most "
                                   "{}",
                                   bytes, kSentHeaderBytesMax));
}

std::string to_string(ErrorCode code) {
  return nghttp2_http2_strerror(static_cast<std::uint32_t>(code));
}

// These callbacks are called from C: no exception may leave them. Only std::bad_alloc can be thrown
// there, which ends the process.
struct Session::Nghttp2 {
  Nghttp2(Session& owner, Side s, const SessionOptions& o) : session(owner), side(s), options(o) {}
  ~Nghttp2() { nghttp2_session_del(handle); }
  Nghttp2(const Nghttp2&) = delete;
  Nghttp2& operator=(const Nghttp2&) = delete;

  Session& session;
  Side side;
  SessionOptions options;
  nghttp2_session* handle = nullptr;
  std::unordered_map<StreamId, StreamState> streams = {};
  std::vector<Event> events = {};

  static Nghttp2& of(void* user) { return *static_cast<Nghttp2*>(user); }

  StreamState* find(StreamId id) {
    const auto at = streams.find(id);
    return at == streams.end() ? nullptr : &at->second;
  }

  void make();
  void check(int result, const char* what) const;

  static int on_begin_headers(nghttp2_session*, const nghttp2_frame* frame, void* user) noexcept;
  static int on_header(nghttp2_session*, const nghttp2_frame* frame, const std::uint8_t* name,
                       std::size_t name_size, const std::uint8_t* value, std::size_t value_size,
                       std::uint8_t, void* user) noexcept;
  static int on_frame(nghttp2_session*, const nghttp2_frame* frame, void* user) noexcept;
  static int on_data(nghttp2_session*, std::uint8_t, std::int32_t id, const std::uint8_t* data,
                     std::size_t size, void* user) noexcept;
  static int on_close(nghttp2_session*, std::int32_t id, std::uint32_t code, void* user) noexcept;
  static int on_sent(nghttp2_session*, const nghttp2_frame* frame, void* user) noexcept;
  static int on_invalid_frame(nghttp2_session*, const nghttp2_frame* frame, int code,
                              void* user) noexcept;
  static ssize_t read_body(nghttp2_session*, std::int32_t id, std::uint8_t* to, std::size_t room,
                           std::uint32_t* flags, nghttp2_data_source*, void* user) noexcept;

  void take_head(const nghttp2_frame& frame, StreamState& stream);
  void take_data_frame(const nghttp2_frame& frame, StreamState& stream);
  void end_flood(std::string what);
  void resume(StreamId id, StreamState& stream);
};

void Session::Nghttp2::check(int result, const char* what) const {
  if (result == NGHTTP2_ERR_NOMEM) throw std::bad_alloc();
  if (result != 0) {
    throw runtime::InvariantViolation(fmt::format("{}: {}", what, nghttp2_strerror(result)));
  }
}

void Session::Nghttp2::make() {
  nghttp2_session_callbacks* callbacks = nullptr;
  check(nghttp2_session_callbacks_new(&callbacks), "callbacks");
  nghttp2_session_callbacks_set_on_begin_headers_callback(callbacks, on_begin_headers);
  nghttp2_session_callbacks_set_on_header_callback(callbacks, on_header);
  nghttp2_session_callbacks_set_on_frame_recv_callback(callbacks, on_frame);
  nghttp2_session_callbacks_set_on_data_chunk_recv_callback(callbacks, on_data);
  nghttp2_session_callbacks_set_on_stream_close_callback(callbacks, on_close);
  nghttp2_session_callbacks_set_on_frame_send_callback(callbacks, on_sent);
  nghttp2_session_callbacks_set_on_invalid_frame_recv_callback(callbacks, on_invalid_frame);
  nghttp2_option* option = nullptr;
  check(nghttp2_option_new(&option), "options");
  nghttp2_option_set_no_auto_window_update(option, 1);
  nghttp2_option_set_no_closed_streams(option, 1);
  nghttp2_option_set_peer_max_concurrent_streams(option, kStreamsBeforeSettings);
  nghttp2_option_set_max_outbound_ack(option, kUnsentAcksMax);
  nghttp2_option_set_max_settings(option, kSettingsMax);
  nghttp2_option_set_stream_reset_rate_limit(option, kResetsBurst, kResetsPerSecond);
  nghttp2_option_set_max_continuations(option, kContinuationsMax);
  const int made = side == Side::client
                       ? nghttp2_session_client_new2(&handle, callbacks, this, option)
                       : nghttp2_session_server_new2(&handle, callbacks, this, option);
  nghttp2_option_del(option);
  nghttp2_session_callbacks_del(callbacks);
  check(made, "session");
  std::vector<nghttp2_settings_entry> settings = {
      {NGHTTP2_SETTINGS_INITIAL_WINDOW_SIZE, options.stream_window},
      {NGHTTP2_SETTINGS_MAX_HEADER_LIST_SIZE,
       static_cast<std::uint32_t>(options.header_bytes_max)}};
  if (side == Side::client) {
    settings.push_back({NGHTTP2_SETTINGS_ENABLE_PUSH, 0});
  } else {
    settings.push_back({NGHTTP2_SETTINGS_MAX_CONCURRENT_STREAMS, options.peer_streams_max});
  }
  check(nghttp2_submit_settings(handle, NGHTTP2_FLAG_NONE, settings.data(), settings.size()),
        "settings");
  check(nghttp2_session_set_local_window_size(handle, NGHTTP2_FLAG_NONE, 0,
                                              static_cast<std::int32_t>(options.connection_window)),
        "window");
}

int Session::Nghttp2::on_begin_headers(nghttp2_session*, const nghttp2_frame* frame,
                                       void* user) noexcept {
  Nghttp2& self = of(user);
  if (self.side == Side::server && frame->headers.cat == NGHTTP2_HCAT_REQUEST) {
    self.streams.try_emplace(frame->hd.stream_id);
  }
  if (StreamState* const stream = self.find(frame->hd.stream_id)) {
    stream->fields = {};
    stream->field_bytes = 0;
  }
  return 0;
}

int Session::Nghttp2::on_header(nghttp2_session*, const nghttp2_frame* frame,
                                const std::uint8_t* name, std::size_t name_size,
                                const std::uint8_t* value, std::size_t value_size, std::uint8_t,
                                void* user) noexcept {
  Nghttp2& self = of(user);
  StreamState* const stream = self.find(frame->hd.stream_id);
  if (stream == nullptr) return 0;
  stream->field_bytes += name_size + value_size + kFieldOverhead;
  // Resets the stream; the rest of its headers is only decoded.
  if (stream->field_bytes > self.options.header_bytes_max) {
    return NGHTTP2_ERR_TEMPORAL_CALLBACK_FAILURE;
  }
  stream->fields.add({reinterpret_cast<const char*>(name), name_size},
                     {reinterpret_cast<const char*>(value), value_size});
  return 0;
}

void Session::Nghttp2::take_head(const nghttp2_frame& frame, StreamState& stream) {
  const StreamId id = frame.hd.stream_id;
  http::Headers fields = std::exchange(stream.fields, {});
  const auto status = fields.find(":status");
  if (frame.headers.cat == NGHTTP2_HCAT_HEADERS && !status) {
    events.push_back(TrailersEvent{id, std::move(fields)});
  } else if (!status || !status->starts_with('1')) {
    events.push_back(HeadEvent{id, std::move(fields)});
  } else if (++stream.interim_answers > http::kInterimAnswersMax) {
    end_flood(fmt::format("too many interim answers on stream {}", id));
  }
}

void Session::Nghttp2::take_data_frame(const nghttp2_frame& frame, StreamState& stream) {
  if (frame.hd.length > frame.data.padlen) {
    stream.empty_frames = 0;
  } else if (++stream.empty_frames > kEmptyFramesMax) {
    end_flood(fmt::format("too many empty frames of data on stream {}", frame.hd.stream_id));
  }
}

// A peer that sends these does not stop because one stream is reset.
void Session::Nghttp2::end_flood(std::string what) {
  session.fault_ = std::move(what);
  nghttp2_session_terminate_session(handle, NGHTTP2_ENHANCE_YOUR_CALM);
}

int Session::Nghttp2::on_frame(nghttp2_session*, const nghttp2_frame* frame, void* user) noexcept {
  Nghttp2& self = of(user);
  const StreamId id = frame->hd.stream_id;
  StreamState* const stream = self.find(id);
  switch (frame->hd.type) {
    case NGHTTP2_SETTINGS:
      if ((frame->hd.flags & NGHTTP2_FLAG_ACK) == 0) {
        self.session.has_settings_ = true;
        self.events.push_back(SettingsEvent{});
      }
      return 0;
    case NGHTTP2_GOAWAY:
      self.events.push_back(GoAwayEvent{static_cast<ErrorCode>(frame->goaway.error_code)});
      return 0;
    case NGHTTP2_HEADERS:
      if (stream != nullptr) self.take_head(*frame, *stream);
      break;
    case NGHTTP2_DATA:
      if (stream != nullptr) self.take_data_frame(*frame, *stream);
      break;
    default:
      return 0;
  }
  if (stream != nullptr && (frame->hd.flags & NGHTTP2_FLAG_END_STREAM) != 0) {
    self.events.push_back(EndEvent{id});
  }
  return 0;
}

int Session::Nghttp2::on_data(nghttp2_session* handle, std::uint8_t, std::int32_t id,
                              const std::uint8_t* data, std::size_t size, void* user) noexcept {
  Nghttp2& self = of(user);
  nghttp2_session_consume_connection(handle, size);
  if (self.find(id) != nullptr) {
    self.events.push_back(DataEvent{id, {reinterpret_cast<const char*>(data), size}});
  }
  return 0;
}

int Session::Nghttp2::on_close(nghttp2_session*, std::int32_t id, std::uint32_t code,
                               void* user) noexcept {
  Nghttp2& self = of(user);
  if (self.streams.erase(id) == 0) return 0;
  self.events.push_back(ClosedEvent{id, static_cast<ErrorCode>(code)});
  return 0;
}

// A server that has answered needs no more of the request (RFC 9113, 8.1).
int Session::Nghttp2::on_sent(nghttp2_session* handle, const nghttp2_frame* frame,
                              void* user) noexcept {
  const bool carries_end = frame->hd.type == NGHTTP2_DATA || frame->hd.type == NGHTTP2_HEADERS;
  if (of(user).side == Side::server && carries_end &&
      (frame->hd.flags & NGHTTP2_FLAG_END_STREAM) != 0 &&
      nghttp2_session_get_stream_remote_close(handle, frame->hd.stream_id) == 0) {
    nghttp2_submit_rst_stream(handle, NGHTTP2_FLAG_NONE, frame->hd.stream_id, NGHTTP2_NO_ERROR);
  }
  return 0;
}

int Session::Nghttp2::on_invalid_frame(nghttp2_session*, const nghttp2_frame* frame, int code,
                                       void* user) noexcept {
  Nghttp2& self = of(user);
  self.session.fault_ = fmt::format("frame of type {} on stream {}: {}", frame->hd.type,
                                    frame->hd.stream_id, nghttp2_strerror(code));
  return 0;
}

ssize_t Session::Nghttp2::read_body(nghttp2_session* handle, std::int32_t id, std::uint8_t* to,
                                    std::size_t room, std::uint32_t* flags, nghttp2_data_source*,
                                    void* user) noexcept {
  StreamState* const stream = of(user).find(id);
  if (stream == nullptr) return NGHTTP2_ERR_TEMPORAL_CALLBACK_FAILURE;
  const std::size_t size = std::min(room, stream->out.size() - stream->sent);
  std::memcpy(to, stream->out.data() + stream->sent, size);
  stream->sent += size;
  if (stream->sent == stream->out.size()) {
    stream->out.clear();
    stream->sent = 0;
    if (stream->has_ended) {
      *flags |= NGHTTP2_DATA_FLAG_EOF;
      if (stream->trailers) {
        *flags |= NGHTTP2_DATA_FLAG_NO_END_STREAM;
        const FieldList trailers(*stream->trailers);
        if (nghttp2_submit_trailer(handle, id, trailers.data(), trailers.size()) != 0) {
          return NGHTTP2_ERR_CALLBACK_FAILURE;
        }
      }
    } else if (size == 0) {
      stream->is_waiting = true;
      return NGHTTP2_ERR_DEFERRED;
    }
  }
  return static_cast<ssize_t>(size);
}

void Session::Nghttp2::resume(StreamId id, StreamState& stream) {
  if (std::exchange(stream.is_waiting, false)) nghttp2_session_resume_data(handle, id);
}

Session::Session(Side side, const SessionOptions& options)
    : nghttp2_(std::make_unique<Nghttp2>(*this, side, options)) {
  nghttp2_->make();
}

Session::~Session() = default;

void Session::receive(std::string_view bytes) {
  const ssize_t taken = nghttp2_session_mem_recv(nghttp2_->handle, bytes_of(bytes), bytes.size());
  if (taken == NGHTTP2_ERR_NOMEM) throw std::bad_alloc();
  if (taken < 0) {
    fault_ = nghttp2_strerror(static_cast<int>(taken));
    // After a fatal error nghttp2 sends nothing by itself (as for a peer that does not speak
    // HTTP/2).
    nghttp2_session_terminate_session(nghttp2_->handle, NGHTTP2_PROTOCOL_ERROR);
  } else if (nghttp2_session_get_outbound_queue_size(nghttp2_->handle) > kUnsentFramesMax) {
    nghttp2_->end_flood("the peer does not read the frames that it causes");
  }
}

std::vector<Event> Session::take_events() {
  return std::exchange(nghttp2_->events, {});
}

std::string_view Session::next_output() {
  const std::uint8_t* data = nullptr;
  const ssize_t size = nghttp2_session_mem_send(nghttp2_->handle, &data);
  if (size == NGHTTP2_ERR_NOMEM) throw std::bad_alloc();
  if (size < 0) {
    fault_ = nghttp2_strerror(static_cast<int>(size));
    is_broken_ = true;
    return {};
  }
  return {reinterpret_cast<const char*>(data), static_cast<std::size_t>(size)};
}

bool Session::is_over() const {
  return is_broken_ || (nghttp2_session_want_read(nghttp2_->handle) == 0 &&
                        nghttp2_session_want_write(nghttp2_->handle) == 0);
}

StreamId Session::open(const http::Headers& fields, Body body) {
  DCM_ASSERT(can_open());
  const FieldList list(fields);
  const nghttp2_data_provider reader{.source = {.ptr = nullptr},
                                     .read_callback = Nghttp2::read_body};
  const StreamId id = nghttp2_submit_request(nghttp2_->handle, nullptr, list.data(), list.size(),
                                             body == Body::none ? nullptr : &reader, nullptr);
  if (id < 0) nghttp2_->check(id, "request");
  nghttp2_->streams.try_emplace(id).first->second.has_ended = body == Body::none;
  return id;
}

void Session::respond(StreamId stream, const http::Headers& fields, Body body) {
  if (nghttp2_->find(stream) == nullptr) return;
  const FieldList list(fields);
  const nghttp2_data_provider reader{.source = {.ptr = nullptr},
                                     .read_callback = Nghttp2::read_body};
  nghttp2_submit_response(nghttp2_->handle, stream, list.data(), list.size(),
                          body == Body::none ? nullptr : &reader);
}

void Session::write(StreamId id, std::string_view bytes) {
  StreamState* const stream = nghttp2_->find(id);
  if (stream == nullptr || bytes.empty()) return;
  DCM_ASSERT(!stream->has_ended);
  if (stream->sent > 0) stream->out.erase(0, std::exchange(stream->sent, 0));
  stream->out.append(bytes);
  nghttp2_->resume(id, *stream);
}

void Session::end(StreamId id) {
  StreamState* const stream = nghttp2_->find(id);
  if (stream == nullptr) return;
  stream->has_ended = true;
  nghttp2_->resume(id, *stream);
}

void Session::end(StreamId id, const http::Headers& trailers) {
  StreamState* const stream = nghttp2_->find(id);
  if (stream == nullptr) return;
  stream->trailers = trailers;
  end(id);
}

void Session::reset(StreamId id, ErrorCode code) {
  if (nghttp2_->find(id) == nullptr) return;
  nghttp2_submit_rst_stream(nghttp2_->handle, NGHTTP2_FLAG_NONE, id,
                            static_cast<std::uint32_t>(code));
}

std::size_t Session::unsent(StreamId id) const {
  const StreamState* const stream = nghttp2_->find(id);
  return stream == nullptr ? 0 : stream->out.size() - stream->sent;
}

void Session::consume(StreamId id, std::size_t bytes) {
  if (nghttp2_->find(id) != nullptr) nghttp2_session_consume_stream(nghttp2_->handle, id, bytes);
}

bool Session::can_open(std::size_t waiting) const {
  nghttp2_session* const handle = nghttp2_->handle;
  return !is_over() && nghttp2_session_check_request_allowed(handle) != 0 &&
         open_streams() + waiting <
             nghttp2_session_get_remote_settings(handle, NGHTTP2_SETTINGS_MAX_CONCURRENT_STREAMS);
}

std::size_t Session::open_streams() const {
  return nghttp2_->streams.size();
}

void Session::go_away() {
  nghttp2_submit_goaway(nghttp2_->handle, NGHTTP2_FLAG_NONE,
                        nghttp2_session_get_last_proc_stream_id(nghttp2_->handle), NGHTTP2_NO_ERROR,
                        nullptr, 0);
}

void Session::ping() {
  nghttp2_submit_ping(nghttp2_->handle, NGHTTP2_FLAG_NONE, nullptr);
}

}  // namespace dcm::http2
