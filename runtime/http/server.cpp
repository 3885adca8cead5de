#include "runtime/http/server.hpp"

#include <list>

#include <boost/asio/this_coro.hpp>

#include "runtime/condition.hpp"
#include "runtime/http/server_connection.hpp"
#include "runtime/task_group.hpp"

namespace dcm::http {
namespace {

using runtime::Executor;
using runtime::Logger;
using runtime::TimeSource;

// After a failed accept (no free file descriptors, mostly) the next one waits.
constexpr auto kAcceptPause = std::chrono::seconds(1);

class Server {
 public:
  Server(Executor executor, Listener& listener, TimeSource& time, ServerOptions options,
         Handler handler, Logger log)
      : executor_(executor),
        listener_(listener),
        time_(time),
        options_(options),
        handler_(std::move(handler)),
        log_(std::move(log)),
        accept_failures_(time, std::chrono::minutes(1)),
        place_may_be_free_(time),
        group_(executor) {}

  Task<> run() {
    group_.spawn("accept", accept_all());
    co_await group_.join();
  }

 private:
  using Connections = std::list<ServerConnection>;

  Task<> accept_all() {
    while (true) {
      Result<std::unique_ptr<Stream>> stream = co_await listener_.accept();
      if (stream) {
        co_await make_room();
        const auto place =
            connections_.emplace(connections_.end(), executor_, std::move(*stream), time_, options_,
                                 handler_, log_, place_may_be_free_);
        group_.spawn("connection", serve_one(place));
      } else {
        const std::string message = to_string(stream.error());
        if (accept_failures_.should_log(message)) {
          log_.error("Accept failed", {{"address", listener_.address()}, {"error", message}});
        }
        co_await runtime::sleep_for(time_, kAcceptPause);
      }
    }
  }

  // With all places taken, the connection that has been idle longest goes; while none is, the
  // newcomer waits.
  Task<> make_room() {
    while (connections_.size() >= options_.connections_max) {
      if (const auto idle = longest_idle(); idle != connections_.end()) idle->close();
      co_await place_may_be_free_.wait();
    }
  }

  Connections::iterator longest_idle() {
    auto longest = connections_.end();
    for (auto each = connections_.begin(); each != connections_.end(); ++each) {
      if (!each->idle_since()) continue;
      if (longest == connections_.end() || *each->idle_since() < *longest->idle_since()) {
        longest = each;
      }
    }
    return longest;
  }

  // Takes the connection out also when its task ends by a failure: the frame's locals go last.
  struct Removal {
    Server& server;
    Connections::iterator connection;
    ~Removal() {
      server.connections_.erase(connection);
      server.place_may_be_free_.notify_one();
    }
  };

  Task<> serve_one(Connections::iterator connection) {
    const Removal removal{*this, connection};
    co_await connection->run();
  }

  Executor executor_;
  Listener& listener_;
  TimeSource& time_;
  ServerOptions options_;
  Handler handler_;
  Logger log_;
  runtime::RepeatGuard accept_failures_;
  Connections connections_;
  runtime::Condition place_may_be_free_;
  runtime::TaskGroup group_;
};

}  // namespace

Task<> serve(Listener& listener, TimeSource& time, ServerOptions options, Handler handler,
             Logger log) {
  const Executor executor = co_await boost::asio::this_coro::executor;
  Server server(executor, listener, time, options, std::move(handler), std::move(log));
  co_await server.run();
}

}  // namespace dcm::http
