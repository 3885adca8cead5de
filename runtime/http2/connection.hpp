// An HTTP/2 connection: a session, the byte stream that carries it, and its waiting tasks.
#pragma once

#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>

#include "runtime/condition.hpp"
#include "runtime/deadline.hpp"
#include "runtime/error.hpp"
#include "runtime/http/message.hpp"
#include "runtime/http/stream.hpp"
#include "runtime/http2/session.hpp"
#include "runtime/loop.hpp"
#include "runtime/task_group.hpp"

namespace dcm::http2 {

using runtime::Deadline;
using runtime::Result;
using runtime::Task;

struct ConnectionOptions {
  SessionOptions session = {};
  // A connection with streams that was silent for `ping_after` is probed by PING, and lost if
  // nothing comes within `ping_timeout`.
  runtime::Duration ping_after = std::chrono::seconds(30);
  runtime::Duration ping_timeout = std::chrono::seconds(15);
  runtime::Duration write_timeout = std::chrono::seconds(30);
  // How many bytes a stream may hold beyond the peer's window before its writer waits.
  std::size_t unsent_bytes_max = 256 * 1024;
  std::string first_bytes = {};  // already read from the byte stream
};

class Connection;

// A stream, from either side. It is reset if destroyed before both sides have ended it. Errors:
// disconnected (also a reset by the peer), deadline_exceeded, malformed; `unreachable` means that
// the peer certainly has not processed it, so that it may be sent again.
class Stream {
 public:
  ~Stream();
  Stream(const Stream&) = delete;
  Stream& operator=(const Stream&) = delete;

  // Waits for the headers of the answer.
  Task<Result<>> wait_for_head(Deadline deadline);
  // The server's stream has its headers from the beginning.
  http::Headers& head();
  // Waits for at least one byte of the body; empty at its end. Valid until the next call.
  Task<Result<std::string_view>> read_some(Deadline deadline);
  // Call this only after the end of the body. Empty if there were no trailers.
  const http::Headers& trailers() const;
  // The code with which either side has reset it; nullopt if neither has.
  std::optional<ErrorCode> reset_code() const;

  // For servers: sends the headers. Without a body, they are the whole answer.
  void respond(const http::Headers& fields, Body body = Body::follows);
  // Waits until the peer has accepted enough of what was written before.
  Task<Result<>> write(std::string_view bytes, Deadline deadline);
  void end();
  void end(const http::Headers& trailers);
  void reset(ErrorCode code);
  // Waits until the peer has reset it or the connection is lost; returns at once if that has
  // happened.
  Task<> wait_until_closed();

 private:
  friend class Connection;
  struct State;
  Stream(Connection& connection, std::shared_ptr<State> state);

  Connection* connection_;
  std::shared_ptr<State> state_;
  std::string current_;
};

// Loop thread only. Its streams must not outlive it.
class Connection {
 public:
  // Called on the server's side with each new stream, after its headers. Must not wait.
  using OnStream = std::function<void(std::unique_ptr<Stream>)>;

  Connection(runtime::LoopRef loop, std::unique_ptr<http::Stream> stream, Side side,
             ConnectionOptions options, OnStream on_stream = {});
  ~Connection();
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  // Moves bytes until either side ends the connection, or it is cancelled. Open streams then fail.
  Task<> run();
  // Ends it at once.
  void close(std::string why);
  // Lets open streams end, and accepts no others.
  void go_away();

  // Opens a stream, as the client, and sends `head` and `body`. `before_send` is called right
  // before its first byte is written to the byte stream; its error becomes that of the stream.
  // Requires can_open().
  std::unique_ptr<Stream> open(http::Headers head, std::string body,
                               std::function<Result<>()> before_send = {});
  // Whether the peer accepts another stream now.
  bool can_open() const;
  // Whether it accepts streams again once others have ended.
  bool is_usable() const;
  bool has_settings() const { return session_.has_settings(); }
  std::size_t open_streams() const { return states_.size() + pending_.size(); }
  // How long it has carried no stream.
  runtime::Duration idle_for() const {
    return open_streams() > 0 ? runtime::Duration::zero() : time_.now() - used_at_;
  }
  // When the peer last sent something.
  runtime::MonoTime heard_at() const { return heard_at_; }
  // As the client: `stream` had no answer, or no more of it, by its deadline. The connection
  // accepts no other streams if the peer was silent since it was opened, takes no more of its body,
  // or has let several deadlines pass since it last sent data: PINGs may be answered by a proxy, or
  // by a server whose streams are stuck. Headers prove nothing, as flow control does not hold them
  // back.
  void observe_deadline(const Stream& stream);
  // Why it has ended; nullopt while it has not.
  const std::optional<runtime::Error>& lost() const { return lost_; }
  // Waits for has_settings(), lost(), or more free streams: any change of is_usable() and
  // can_open().
  Task<> wait_for_change(Deadline deadline);

 private:
  friend class Stream;
  // A request whose first byte has not been passed on yet.
  struct Pending {
    std::shared_ptr<Stream::State> state;
    http::Headers head;
    std::string body;
    std::function<Result<>()> before_send;
  };

  Task<> read_all();
  void take(std::string_view bytes);
  Task<> write_all();
  Task<> watch_peer();
  std::string gather_output();
  void handle_events();
  void handle(const HeadEvent& event);
  void handle(const DataEvent& event);
  void handle(const TrailersEvent& event);
  void handle(const EndEvent& event);
  void handle(const ClosedEvent& event);
  void handle(const SettingsEvent& event);
  void handle(const GoAwayEvent& event);
  void lose(runtime::Error error);
  void forget(const std::shared_ptr<Stream::State>& state, ErrorCode code);
  Stream::State* find(StreamId id);

  runtime::TimeSource& time_;
  std::unique_ptr<http::Stream> stream_;
  Side side_;
  ConnectionOptions options_;
  OnStream on_stream_;
  Session session_;
  std::unordered_map<StreamId, std::shared_ptr<Stream::State>> states_;
  std::deque<Pending> pending_;
  std::optional<runtime::Error> lost_;
  bool takes_streams_ = true;
  unsigned unanswered_ = 0;  // deadlines that have passed since the last data
  runtime::MonoTime heard_at_;
  runtime::MonoTime silent_since_;  // for PINGs: also advanced while there is nothing to wait for
  runtime::MonoTime used_at_;       // when there last was a stream
  runtime::Condition has_output_;
  runtime::Condition changed_;
  runtime::TaskGroup group_;
};

}  // namespace dcm::http2
