// The client's side of gRPC: calls to one server over one HTTP/2 connection, which is reopened when
// lost. Messages are bytes here; protobuf is left to the caller.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "runtime/deadline.hpp"
#include "runtime/grpc/status.hpp"
#include "runtime/http/stream.hpp"
#include "runtime/loop.hpp"
#include "runtime/rng.hpp"

namespace dcm::grpc {

using runtime::Deadline;
using runtime::Task;

struct ChannelOptions {
  http::Endpoint endpoint;              // for Unix sockets `host` is the path
  std::string authority = "localhost";  // the server's name in requests
  std::string user_agent = "grpc-c++-dcm";
  std::size_t message_bytes_max = 4 * 1024 * 1024;  // limit for an answer
  // Limit for a server that accepts and then stays silent. A channel is connected when the server's
  // HTTP/2 SETTINGS have arrived.
  runtime::Duration connect_timeout = std::chrono::seconds(20);
};

// The answers to one request of a method that has many. Destroying it cancels the call.
class AnswerStream {
 public:
  virtual ~AnswerStream() = default;
  // Waits for the next message; nullopt: the server has ended the stream with OK. After that, or
  // after an error, do not call it again, except after a deadline: then a message that was on its
  // way comes next.
  virtual Task<Result<std::optional<std::string>>> next(Deadline deadline) = 0;
};

// Loop thread only.
class Channel {
 public:
  virtual ~Channel() = default;

  // Connects at once, and reconnects when the connection is lost: first at once, then with gRPC's
  // back-off (1 s, ×1.6, ±20 %, up to 120 s). Runs until cancelled; calls are made while it runs.
  // Calls that wait for a connection at its end fail as `unavailable`, Sent::no.
  virtual Task<> run() = 0;

  // Sends one request and reads one answer. `method` is a path: "/package.Service/Method". The
  // server is told the deadline (grpc-timeout). While the channel backs off after a failed connect,
  // a call fails at once with `unavailable`; while it connects, the call waits. A connection that
  // ended after it was established does not count as failed: the next call opens another.
  virtual Task<Result<std::string>> call(std::string_view method, std::string_view request,
                                         Deadline deadline) = 0;
  // Sends one request that gets many answers. Returns when the request is on its way.
  virtual Task<Result<std::unique_ptr<AnswerStream>>> open(std::string_view method,
                                                           std::string_view request,
                                                           Deadline connect_deadline) = 0;

  virtual bool is_connected() const noexcept = 0;
  // Incremented each time is_connected() changes.
  virtual std::uint64_t changes() const noexcept = 0;
  // Waits until changes() differs from `seen`, or for the deadline.
  virtual Task<> wait_for_change(std::uint64_t seen, Deadline deadline) = 0;
  // Waits until connected; returns false if the deadline passes first.
  virtual Task<bool> wait_until_connected(Deadline deadline) = 0;
  // Why the last attempt to connect failed, or what ended the last connection.
  virtual const std::string& last_error() const noexcept = 0;
};

// `transport` must outlive the channel.
std::unique_ptr<Channel> make_channel(runtime::LoopRef loop, http::Transport& transport,
                                      runtime::Rng rng, ChannelOptions options);

}  // namespace dcm::grpc
