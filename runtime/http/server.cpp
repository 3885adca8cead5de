#include "runtime/http/server.hpp"

#include <algorithm>
#include <list>
#include <tuple>
#include <unordered_map>

#include <boost/asio/this_coro.hpp>
#include <fmt/format.h>

#include "runtime/condition.hpp"
#include "runtime/failure.hpp"
#include "runtime/http/server_connection.hpp"
#include "runtime/open_files.hpp"
#include "runtime/task_group.hpp"

namespace dcm::http {
namespace {

using runtime::Executor;
using runtime::Logger;
using runtime::TimeSource;

constexpr auto kAcceptPause = std::chrono::seconds(1);  // after a failure
// Time that a handshake and a request may take on a busy machine: a younger connection is not
// closed for a newcomer.
constexpr auto kNewcomerGrace = std::chrono::seconds(2);
// A client that accepts no piece of its answer for this long may be dropped.
constexpr auto kUnreadMax = std::chrono::seconds(2);
// How often a connection that waits for a slot checks again: nothing announces that a client
// stalls.
constexpr auto kLookAgain = std::chrono::milliseconds(250);

class Server {
 public:
  Server(Executor executor, Listener& listener, TimeSource& time, ServerOptions options,
         Handler handler, Logger log)
      : listener_(listener),
        time_(time),
        place_may_be_free_(time),
        context_{.executor = executor,
                 .time = time,
                 .options = std::move(options),
                 .handler = std::move(handler),
                 .settle = [this](ServerConnection& connection) { return settle(connection); },
                 .must_yield =
                     [this](const ServerConnection& connection) { return must_yield(connection); },
                 .log = std::move(log),
                 .became_idle = place_may_be_free_},
        crowd_(time, std::chrono::minutes(1)),
        group_(executor) {}

  Task<> run() {
    group_.spawn("accept", accept_all());
    co_await group_.join();
  }

 private:
  // In the order in which they came.
  using Connections = std::list<ServerConnection>;
  using Stage = ServerConnection::Stage;

  // The number of connections, of all addresses or of one.
  struct Count {
    std::size_t opened = 0;
    std::size_t settled = 0;
    std::size_t& of(Stage stage) { return stage == Stage::settled ? settled : opened; }
  };

  Task<> accept_all() {
    while (true) {
      std::unique_ptr<Stream> stream = co_await accept_next(listener_, time_, context_.log);
      co_await make_room_for_new();
      const auto place = connections_.emplace(connections_.end(), context_, std::move(stream));
      count(*place, Stage::opened, 1);
      group_.spawn("connection", serve_one(place));
    }
  }

  // Newcomers must leave file descriptors for everything else.
  std::size_t new_connections_max() const {
    return std::min(context_.options.new_connections_max, runtime::open_files_max() / 4);
  }

  Task<> make_room_for_new() {
    while (all_.opened >= new_connections_max()) {
      if (const auto victim = first_new_to_go(); victim != connections_.end()) {
        close(*victim);
      } else {
        co_await place_may_be_free_.wait(Deadline::after(time_, kLookAgain));
      }
    }
  }

  // Waits for a slot for connections with a request; false if closed meanwhile.
  Task<bool> settle(ServerConnection& connection) {
    const Waiting waiting(waiting_, connection);
    while (!has_place_for(connection)) {
      if (const auto victim = first_settled_to_go(connection); victim != connections_.end()) {
        close(*victim);
      } else {
        co_await place_may_be_free_.wait(Deadline::after(time_, kLookAgain));
      }
    }
    if (connection.stage() == Stage::closed) co_return false;
    count(connection, Stage::settled, 1);
    count(connection, Stage::opened, -1);
    connection.set_stage(Stage::settled);
    place_may_be_free_.notify_one();
    co_return true;
  }

  bool is_greedy(const ServerConnection& connection) const {
    return !connection.address().empty() &&
           of_address(connection).settled >= context_.options.connections_per_address_max;
  }

  bool has_place_for(const ServerConnection& connection) const {
    return connection.stage() == Stage::closed ||
           (!is_greedy(connection) && all_.settled < context_.options.connections_max);
  }

  // Requires that the connection is not closed.
  const Count& of_address(const ServerConnection& connection) const {
    return by_address_.at(connection.address());
  }

  // From the address with the most connections of sufficient age, the oldest one.
  Connections::iterator first_new_to_go() {
    auto first = connections_.end();
    std::size_t most = 0;
    for (auto each = connections_.begin(); each != connections_.end(); ++each) {
      if (each->stage() != Stage::opened) continue;
      if (time_.now() - each->since() < kNewcomerGrace) break;  // so are all later ones
      const std::size_t neighbours = of_address(*each).opened;
      if (neighbours <= most) continue;
      most = neighbours;
      first = each;
    }
    return first;
  }

  // A request that follows an answer protects no connection: otherwise a client that always has the
  // next one under way would keep its slot forever.
  static bool must_stay(const ServerConnection& connection) {
    return connection.state() == ServerConnection::State::answering &&
           connection.unread_for() < kUnreadMax;
  }

  // Whether a newcomer waits that could have this connection's slot.
  bool must_yield(const ServerConnection& connection) const {
    return std::ranges::any_of(waiting_, [&](const ServerConnection* newcomer) {
      return !has_place_for(*newcomer) && may_replace(*newcomer, connection);
    });
  }

  // An address with too many connections gets no slot of another.
  bool may_replace(const ServerConnection& newcomer, const ServerConnection& connection) const {
    return !is_greedy(newcomer) || newcomer.address() == connection.address();
  }

  // The first one to close: of the newcomer's address if that has too many, otherwise of all.
  Connections::iterator first_settled_to_go(const ServerConnection& newcomer) {
    // The smaller the rank, the sooner the connection is closed.
    const auto rank = [this](const ServerConnection& each) {
      const bool is_stalled = each.state() == ServerConnection::State::unfinished &&
                              time_.now() - each.since() >= kNewcomerGrace;
      const auto neighbours = static_cast<std::ptrdiff_t>(of_address(each).settled);
      return std::tuple(!is_stalled, -neighbours, each.since());
    };
    auto first = connections_.end();
    for (auto each = connections_.begin(); each != connections_.end(); ++each) {
      if (each->stage() != Stage::settled || must_stay(*each)) continue;
      if (!may_replace(newcomer, *each)) continue;
      if (first == connections_.end() || rank(*each) < rank(*first)) first = each;
    }
    return first;
  }

  // Its slot is free at once; its task ends soon.
  void close(ServerConnection& connection) {
    report_crowd(connection.address());
    count(connection, connection.stage(), -1);
    connection.set_stage(Stage::closed);
    connection.close();
  }

  void count(const ServerConnection& connection, Stage stage, int change) {
    all_.of(stage) += static_cast<std::size_t>(change);
    Count& neighbours = by_address_[connection.address()];
    neighbours.of(stage) += static_cast<std::size_t>(change);
    if (neighbours.opened + neighbours.settled == 0) by_address_.erase(connection.address());
  }

  void report_crowd(const std::string& address) {
    // Logged by address set once: two alternating clients must not cause a line each time.
    if (!crowd_.should_log("too many connections")) return;
    context_.log.warning("Too many connections; closing idle ones",
                         {{"address", listener_.address()},
                          {"of", address},
                          {"open", std::uint64_t{all_.opened + all_.settled}}});
  }

  // Lists a connection for as long as it waits for a slot.
  struct Waiting {
    std::list<const ServerConnection*>& all;
    std::list<const ServerConnection*>::iterator own;
    Waiting(std::list<const ServerConnection*>& list, const ServerConnection& connection)
        : all(list), own(list.insert(list.end(), &connection)) {}
    ~Waiting() { all.erase(own); }
    Waiting(const Waiting&) = delete;
    Waiting& operator=(const Waiting&) = delete;
  };

  // Removes the connection even if its task fails: the frame's locals are destroyed last.
  struct Removal {
    Server& server;
    Connections::iterator connection;
    ~Removal() { server.remove(connection); }
  };

  void remove(Connections::iterator connection) {
    if (connection->stage() != Stage::closed) count(*connection, connection->stage(), -1);
    connections_.erase(connection);
    place_may_be_free_.notify_one();
  }

  Task<> serve_one(Connections::iterator connection) {
    const Removal removal{*this, connection};
    co_await connection->run();
  }

  Listener& listener_;
  TimeSource& time_;
  runtime::Condition place_may_be_free_;
  ServerConnection::Context context_;
  runtime::RepeatGuard crowd_;
  std::list<const ServerConnection*> waiting_;  // for a slot
  Connections connections_;
  Count all_;
  std::unordered_map<std::string, Count> by_address_;
  runtime::TaskGroup group_;
};

}  // namespace

Task<> run_handler(const Handler& handler, Request request, Responder& responder,
                   const Logger& log) {
  const std::string description = fmt::format("{} {}", to_string(request.method), request.target);
  try {
    co_await handler(std::move(request), responder);
  } catch (...) {
    const std::exception_ptr failure = std::current_exception();
    if (!runtime::is_isolated(failure)) throw;
    log.error("HTTP handler failed",
              {{"request", description}, {"error", runtime::text_of(failure)}});
  }
}

Task<std::unique_ptr<Stream>> accept_next(Listener& listener, TimeSource& time, const Logger& log) {
  while (true) {
    Result<std::unique_ptr<Stream>> stream = co_await listener.accept();
    if (stream) co_return *std::move(stream);
    log.error("Accept failed",
              {{"address", listener.address()}, {"error", to_string(stream.error())}});
    co_await runtime::sleep_for(time, kAcceptPause);
  }
}

Task<> serve(Listener& listener, TimeSource& time, ServerOptions options, Handler handler,
             Logger log) {
  const Executor executor = co_await boost::asio::this_coro::executor;
  Server server(executor, listener, time, std::move(options), std::move(handler), std::move(log));
  co_await server.run();
}

}  // namespace dcm::http
