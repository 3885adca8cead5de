// A client and a server on pipes, and each of them against a peer that speaks raw bytes.
#pragma once

#include <deque>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "runtime/http/client.hpp"
#include "runtime/http/pipe.hpp"
#include "runtime/http/server.hpp"
#include "runtime/task_group.hpp"
#include "test/support/co_test.hpp"
#include "test/support/streams.hpp"

namespace dcm::http {

using namespace std::chrono_literals;
using runtime::Reason;
using runtime::TaskGroup;
using runtime::VirtualLoop;
using support::read_all;

inline const Endpoint kOrigin{Security::plain, "server", 80};

inline Request make_request(Method method, std::string target, std::string body = {}) {
  return Request{
      .method = method, .target = std::move(target), .headers = {}, .body = std::move(body)};
}
inline Request get(std::string target) {
  return make_request(Method::get, std::move(target));
}
inline Request post(std::string target) {
  return make_request(Method::post, std::move(target), "{}");
}

inline Response ok(std::string body) {
  return Response{.status = 200, .headers = {}, .body = std::move(body)};
}

// Answers each request with its target.
inline Handler echo() {
  return [](Request request, Responder& responder) -> Task<> {
    co_await responder.send(ok(request.target));
  };
}

// A server of ours and a client for it.
struct Site {
  Site(VirtualLoop& loop, Handler handler, ServerOptions server_options = {},
       ClientOptions client_options = {})
      : network(loop.time()),
        listener(network.listen(kOrigin.host, kOrigin.port)),
        group(loop.executor()) {
    client_options.origin = kOrigin;
    client = make_client(network, loop.time(), client_options);
    group.spawn("server", serve(*listener, loop.time(), server_options, std::move(handler), {}));
  }

  Task<std::unique_ptr<Stream>> connect() {
    auto stream = co_await network.connect(kOrigin, {});
    co_return std::move(*stream);
  }

  Task<> stop() {
    client->close_idle();
    group.cancel();
    co_await group.join();
  }

  PipeNetwork network;
  std::unique_ptr<Listener> listener;
  std::unique_ptr<Client> client;
  TaskGroup group;
};

// A raw server's reaction to one request.
struct Scripted {
  enum class Then { keep, close, stall };
  std::string answer;
  Then then = Then::keep;
  std::size_t piece_bytes = 100'000;  // bytes per write
};

// A server that plays a script, one entry for each request, over all connections.
class ScriptedSite {
 public:
  ScriptedSite(VirtualLoop& loop, std::deque<Scripted> script, ClientOptions options = {})
      : network(loop.time()),
        listener_(network.listen(kOrigin.host, kOrigin.port)),
        script_(std::move(script)),
        group_(loop.executor()) {
    options.origin = kOrigin;
    client = make_client(network, loop.time(), options);
    group_.spawn("accept", accept_all());
  }

  Task<> stop() {
    client->close_idle();
    group_.cancel();
    co_await group_.join();
  }

  PipeNetwork network;
  std::unique_ptr<Client> client;
  int connections = 0;
  std::vector<std::string> requests;

 private:
  Task<> accept_all() {
    while (true) {
      auto stream = co_await listener_->accept();
      ++connections;
      group_.spawn("connection", play(std::move(*stream)));
    }
  }

  Task<> play(std::unique_ptr<Stream> stream) {
    char buffer[100'000];
    while (true) {
      const auto count = co_await stream->read_some(buffer, {});
      if (!count || *count == 0 || script_.empty()) co_return;
      requests.emplace_back(buffer, *count);
      const Scripted entry = std::move(script_.front());
      script_.pop_front();
      co_await send(*stream, entry);
      if (entry.then == Scripted::Then::close) co_return;
      if (entry.then == Scripted::Then::stall) co_await read_all(*stream);
    }
  }

  static Task<> send(Stream& stream, const Scripted& entry) {
    std::vector<std::string_view> pieces;
    for (std::string_view rest = entry.answer; !rest.empty();) {
      pieces.push_back(rest.substr(0, entry.piece_bytes));
      rest.remove_prefix(pieces.back().size());
    }
    co_await support::write_pieces(stream, pieces);
  }

  std::unique_ptr<Listener> listener_;
  std::deque<Scripted> script_;
  TaskGroup group_;
};

}  // namespace dcm::http
