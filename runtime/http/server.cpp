#include "runtime/http/server.hpp"

#include <algorithm>
#include <list>
#include <tuple>

#include <boost/asio/this_coro.hpp>

#include "runtime/condition.hpp"
#include "runtime/http/server_connection.hpp"
#include "runtime/task_group.hpp"

namespace dcm::http {
namespace {

using runtime::Duration;
using runtime::Executor;
using runtime::Logger;
using runtime::TimeSource;

// After a failed accept (no free file descriptors, mostly) the next one waits.
constexpr auto kAcceptPause = std::chrono::seconds(1);
// Enough for a handshake and a request nearby; so 128 places turn over 512 times a second, however
// many come.
constexpr auto kNewcomerGrace = std::chrono::milliseconds(250);
// A client that takes no piece of its answer for so long may have to go.
constexpr auto kUnreadMax = std::chrono::seconds(2);

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
        crowd_(time, std::chrono::minutes(1)),
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
        const bool has_room = co_await make_room((*stream)->peer_address());
        if (!has_room) continue;
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

  // Whether there is a place for one from this address, after another one has gone where needed.
  Task<bool> make_room(std::string address) {
    while (true) {
      const bool is_greedy =
          !address.empty() && connections_of(address) >= options_.connections_per_address_max;
      if (!is_greedy && connections_.size() < options_.connections_max) co_return true;
      const auto victim =
          is_greedy ? first_to_go(address, Duration::zero()) : first_to_go({}, kNewcomerGrace);
      if (is_greedy && victim == connections_.end()) co_return false;
      if (victim != connections_.end()) {
        report_crowd(victim->address());
        victim->close();
      }
      co_await place_may_be_free_.wait(Deadline::after(time_, kNewcomerGrace));
    }
  }

  bool must_stay(const ServerConnection& connection, Duration grace) const {
    if (connection.unread_for() >= kUnreadMax) return false;
    if (connection.state() != ServerConnection::State::unfinished) {
      return connection.state() == ServerConnection::State::answering;
    }
    return time_.now() - connection.since() < grace;
  }

  std::size_t connections_of(const std::string& address) const {
    return static_cast<std::size_t>(std::ranges::count(
        connections_, address, [](const ServerConnection& each) { return each.address(); }));
  }

  // Of `address`, or of all if empty, except connections with time left for their request.
  Connections::iterator first_to_go(const std::string& address, Duration grace) {
    // The smaller, the sooner it goes.
    const auto rank = [this](const ServerConnection& each) {
      const bool is_idle = each.state() == ServerConnection::State::idle;
      const auto of_its_address = static_cast<std::ptrdiff_t>(connections_of(each.address()));
      return std::tuple(is_idle, -of_its_address, each.since());
    };
    auto first = connections_.end();
    for (auto each = connections_.begin(); each != connections_.end(); ++each) {
      if (must_stay(*each, grace)) continue;
      if (!address.empty() && each->address() != address) continue;
      if (first == connections_.end() || rank(*each) < rank(*first)) first = each;
    }
    return first;
  }

  void report_crowd(const std::string& address) {
    // Whoever it is: two that take turns are no reason for a line each time.
    if (!crowd_.should_log("too many connections")) return;
    log_.warning("Too many connections; closing idle ones",
                 {{"address", listener_.address()},
                  {"of", address},
                  {"open", std::uint64_t{connections_.size()}}});
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
  runtime::RepeatGuard crowd_;
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
