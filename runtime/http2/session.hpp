// HTTP/2 (RFC 9113) without any I/O: bytes in, events and bytes out, for either side of a
// connection.
//
// Frames, HPACK, flow control and the state of streams are libnghttp2's; this file's .cpp is the
// only place that sees it. Everything that a peer can make us keep has a bound.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "runtime/error.hpp"
#include "runtime/http/message.hpp"

namespace dcm::http2 {

using StreamId = std::int32_t;

enum class Side : std::uint8_t { client, server };

// Without one, the head ends the stream. gRPC tells a call that fails at once by that.
enum class Body : std::uint8_t { follows, none };

// Error codes that we send or look for (RFC 9113, 7).
enum class ErrorCode : std::uint32_t {
  no_error = 0x0,
  protocol_error = 0x1,
  internal_error = 0x2,
  flow_control_error = 0x3,
  refused_stream = 0x7,
  cancel = 0x8,
  enhance_your_calm = 0xb,
};
std::string to_string(ErrorCode code);

struct SessionOptions {
  // The number of bytes that a peer may send on a stream before they are read. It bounds the memory
  // of a stream without a reader.
  std::uint32_t stream_window = 1024 * 1024;
  // Of all streams together. Bytes count against it only while they are on their way, so that a
  // stream without a reader does not hold up the others.
  std::uint32_t connection_window = 16 * 1024 * 1024;
  std::size_t header_bytes_max = 64 * 1024;  // of one head: names, values and 32 for each field
  // How many streams the peer may have open. A client's peer may open none.
  std::uint32_t peer_streams_max = 100;
};

// The head of a request or answer: pseudo fields (":status") first. An interim answer (1xx) is
// none.
struct HeadEvent {
  StreamId stream;
  http::Headers fields;
};
// Within the bytes that were given to receive(), and so to be taken before they go.
struct DataEvent {
  StreamId stream;
  std::string_view bytes;
};
struct TrailersEvent {
  StreamId stream;
  http::Headers fields;
};
// The peer sends no more on this stream.
struct EndEvent {
  StreamId stream;
};
// Nothing happens on this stream any more. By `refused_stream` (also below a GOAWAY) it was not
// looked at by the peer, and may be sent again, whatever it was.
struct ClosedEvent {
  StreamId stream;
  ErrorCode code;
};
// The peer's settings have come, the first or others.
struct SettingsEvent {};
// The peer takes no new streams. Streams that it has not processed are closed by own events.
struct GoAwayEvent {
  ErrorCode code;
};

using Event = std::variant<HeadEvent, DataEvent, TrailersEvent, EndEvent, ClosedEvent,
                           SettingsEvent, GoAwayEvent>;

class Session {
 public:
  Session(Side side, const SessionOptions& options);
  ~Session();
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  // Takes what the peer has sent.
  void receive(std::string_view bytes);
  // The events since the last call, from receive() or next_output(), in order. Each stream's last
  // event is ClosedEvent.
  std::vector<Event> take_events();
  // The next frames to be sent; empty: nothing for now. Good until the next call of anything here.
  std::string_view next_output();
  // Either side has ended it, or the peer has broken the protocol: once next_output() is empty, the
  // connection is to be closed.
  bool is_over() const;
  // The peer's last violation of the protocol, if any.
  const std::string& fault() const { return fault_; }

  // ---- streams. A function for a stream that is closed already does nothing.

  // The client opens one, if can_open(). A body comes by write() and end().
  StreamId open(const http::Headers& fields, Body body = Body::follows);
  // The server answers.
  void respond(StreamId stream, const http::Headers& fields, Body body = Body::follows);
  void write(StreamId stream, std::string_view bytes);
  void end(StreamId stream);
  void end(StreamId stream, const http::Headers& trailers);
  void reset(StreamId stream, ErrorCode code);
  // The bytes that were written and wait for the peer's window or their turn.
  std::size_t unsent(StreamId stream) const;
  // So much of a stream's data was used: the peer may send as much again.
  void consume(StreamId stream, std::size_t bytes);

  // Whether the peer takes another stream now, with `waiting` others before it.
  bool can_open(std::size_t waiting = 0) const;
  std::size_t open_streams() const;
  bool has_settings() const { return has_settings_; }
  // Takes no new streams any more; those that are open end as they would.
  void go_away();
  void ping();

 private:
  struct Nghttp2;
  friend struct Nghttp2;

  std::unique_ptr<Nghttp2> nghttp2_;
  std::string fault_;
  bool has_settings_ = false;
  bool is_broken_ = false;
};

}  // namespace dcm::http2
