// The server's side of gRPC over any Listener: methods with one request, and one answer or many.
#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <string>
#include <string_view>

#include "runtime/deadline.hpp"
#include "runtime/grpc/status.hpp"
#include "runtime/http/stream.hpp"
#include "runtime/log.hpp"
#include "runtime/loop.hpp"

namespace dcm::grpc {

using runtime::Deadline;
using runtime::Task;

// Receives the answers of a method that has many.
class AnswerWriter {
 public:
  virtual ~AnswerWriter() = default;
  // Waits until the client has room for the message. Errors: cancelled (the client has gone).
  virtual Task<Result<void>> write(std::string_view message) = 0;
};

// A method with one request and one answer. `deadline` is the client's (unreachable if none).
// Cancelled when the client cancels or disconnects, or at its deadline.
using UnaryMethod = std::function<Task<Result<std::string>>(std::string request, Deadline)>;
// A method with one request and many answers; it returns the status.
using StreamMethod =
    std::function<Task<Status>(std::string request, AnswerWriter& answers, Deadline)>;

// The methods of a server by path: "/package.Service/Method".
struct Methods {
  std::map<std::string, UnaryMethod, std::less<>> unary = {};
  std::map<std::string, StreamMethod, std::less<>> streams = {};
};

struct ServerOptions {
  // At this limit, the next connection replaces the oldest one that awaits no answer.
  std::size_t connections_max = 64;
  std::size_t calls_max = 100;                      // concurrent, on one connection
  std::size_t message_bytes_max = 4 * 1024 * 1024;  // limit for a request
};

// Serves until it is cancelled. `listener` and `methods` must outlive it.
Task<> serve(runtime::LoopRef loop, http::Listener& listener, const Methods& methods,
             ServerOptions options, runtime::Logger log);

}  // namespace dcm::grpc
