// The client against the server, over pipes: what both promise to their users.
#include <gmock/gmock.h>

#include "runtime/http/client.hpp"
#include "runtime/http/pipe.hpp"
#include "runtime/http/server.hpp"
#include "runtime/task_group.hpp"
#include "test/support/co_test.hpp"

namespace dcm::http {
namespace {

using namespace std::chrono_literals;
using runtime::Reason;
using runtime::TaskGroup;
using runtime::VirtualLoop;

// A server on a pipe and a client for it.
struct Site {
  Site(VirtualLoop& loop, Handler handler, ServerOptions server_options = {},
       ClientOptions client_options = {})
      : network(loop.time()), listener(network.listen("server", 80)), group(loop.executor()) {
    client_options.origin = Endpoint{Security::plain, "server", 80};
    client = make_client(network, loop.time(), client_options);
    group.spawn("server", serve(*listener, loop.time(), server_options, std::move(handler), {}));
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

Handler echo() {
  return [](Request request, Responder& responder) -> Task<> {
    Response response{.status = 200,
                      .headers = {{"Echo-Target", request.target}},
                      .body = std::string(to_string(request.method)) + " " + request.body};
    co_await responder.send(std::move(response));
  };
}

Request get(std::string target) {
  return Request{.method = Method::get, .target = std::move(target), .headers = {}, .body = {}};
}

CO_TEST(ClientServer, a_request_and_its_answer) {
  Site site(loop, echo());
  const Request request{
      .method = Method::post, .target = "/a?b=c", .headers = {{"X", "y"}}, .body = "hello"};
  const Result<Response> response = co_await site.client->send(request, {});
  CO_ASSERT_TRUE(response);
  EXPECT_EQ(response->status, 200);
  EXPECT_EQ(response->body, "POST hello");
  EXPECT_EQ(response->headers.find("echo-target"), "/a?b=c");
  co_await site.stop();
}

CO_TEST(ClientServer, a_stream_arrives_piece_by_piece_and_ends) {
  Site site(loop, [&loop](Request, Responder& responder) -> Task<> {
    co_await responder.begin(Response{.status = 200, .headers = {}, .body = {}});
    for (int i = 0; i < 3; ++i) {
      co_await runtime::sleep_for(loop.time(), 1h);
      co_await responder.write("event " + std::to_string(i));
    }
    co_await responder.end();
  });
  const auto stream = co_await site.client->open(get("/watch"), {});
  CO_ASSERT_TRUE(stream);
  for (const std::string wanted : {"event 0", "event 1", "event 2", ""}) {
    const Result<std::string_view> piece = co_await (*stream)->read_some({});
    CO_ASSERT_TRUE(piece);
    EXPECT_EQ(*piece, wanted);
  }
  co_await site.stop();
}

}  // namespace
}  // namespace dcm::http
