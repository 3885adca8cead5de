// HTTP/2 (RFC 9113) without any I/O: bytes in, events and bytes out, for either side of a
// connection.
//
// libnghttp2 handles frames, HPACK, flow control and the state of streams; this file's .cpp is the
// only place that sees it. Everything that a peer can make us store is bounded.
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

// Without a body, the headers end the stream. gRPC uses that for calls that fail at once.
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
  // The number of bytes that a peer may send on a stream before they are read. Limits the memory of
  // a stream without a reader.
  std::uint32_t stream_window = 1024 * 1024;
  // For all streams together. Bytes count against it only while in transit, so that a stream
  // without a reader does not block the others.
  std::uint32_t connection_window = 16 * 1024 * 1024;
  std::size_t header_bytes_max =
      64 * 1024;  // limit for one set of headers: names, values, and 32 bytes per field
  // How many streams the peer may have open. A client's peer may open none.
  std::uint32_t peer_streams_max = 100;
};

// The headers of a request or answer: pseudo fields (":status") first. Not used for interim answers
// (1xx).
struct HeadEvent {
  StreamId stream;
  http::Headers fields;
};
// A view of the bytes passed to receive(), to be used before they are freed.
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
// The end of this stream. `refused_stream` (also used for streams beyond a GOAWAY) means that the
// peer has not processed it, so that any request may be repeated.
struct ClosedEvent {
  StreamId stream;
  ErrorCode code;
};
// The peer's settings have arrived or changed.
struct SettingsEvent {};
// The peer accepts no new streams. Streams that it has not processed are closed by their own
// events.
struct GoAwayEvent {
  ErrorCode code;
};

// Whether these headers can be sent: nghttp2 drops larger ones than 64 KB, as if the peer had
// refused the stream. Errors: configuration.
runtime::Result<> check_size(const http::Headers& fields);

using Event = std::variant<HeadEvent, DataEvent, TrailersEvent, EndEvent, ClosedEvent,
                           SettingsEvent, GoAwayEvent>;

class Session {
 public:
  Session(Side side, const SessionOptions& options);
  ~Session();
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  // Processes bytes sent by the peer.
  void receive(std::string_view bytes);
  // The events since the last call, from receive() or next_output(), in order. The last event of
  // each stream is a ClosedEvent.
  std::vector<Event> take_events();
  // The next frames to send; empty: nothing for now. Valid until the next call of any function
  // here.
  std::string_view next_output();
  // Whether either side has ended it, or the peer has violated the protocol: then the connection
  // must be closed once next_output() is empty.
  bool is_over() const;
  // The peer's last violation of the protocol, if any.
  const std::string& fault() const { return fault_; }

  // ---- streams. A function for a stream that is already closed does nothing.

  // Opens a stream as the client, if can_open(). Send a body with write() and end().
  StreamId open(const http::Headers& fields, Body body = Body::follows);
  // Answers as the server.
  void respond(StreamId stream, const http::Headers& fields, Body body = Body::follows);
  void write(StreamId stream, std::string_view bytes);
  void end(StreamId stream);
  void end(StreamId stream, const http::Headers& trailers);
  void reset(StreamId stream, ErrorCode code);
  // How many written bytes wait for the peer's window or their turn.
  std::size_t unsent(StreamId stream) const;
  // This much of a stream's data was consumed: the peer may send as much again.
  void consume(StreamId stream, std::size_t bytes);

  // Whether the peer accepts another stream now, with `waiting` others before it.
  bool can_open(std::size_t waiting = 0) const;
  std::size_t open_streams() const;
  bool has_settings() const { return has_settings_; }
  // Accepts no new streams; open ones end normally.
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
