// A server's answer, read by the client over a pipe: as a whole, and as the stream of a watch.
// However the bytes are split, the result is the same; and both ways agree about the body.
#include <memory>

#include <fmt/format.h>

#include "runtime/http/client.hpp"
#include "runtime/http/pipe.hpp"
#include "runtime/loop.hpp"
#include "runtime/task_group.hpp"
#include "test/fuzz/fuzz.hpp"
#include "test/support/streams.hpp"

namespace dcm::fuzz {
namespace {

const http::Endpoint kOrigin{http::Security::plain, "server", 80};
constexpr std::size_t kBodyBytesMax = 16 * 1024;

// The outcome of one exchange, as text.
struct Outcome {
  std::string head = {};
  std::string body = {};
  std::string error = {};
};

// Answers each connection's first bytes with `pieces`, then closes it.
class RawServer {
 public:
  RawServer(runtime::VirtualLoop& loop, http::PipeNetwork& network, const Pieces& pieces)
      : listener_(network.listen(kOrigin.host, kOrigin.port)),
        pieces_(pieces),
        group_(loop.executor()) {
    group_.spawn("accept", accept_all());
  }

  runtime::Task<> stop() {
    group_.cancel();
    co_await group_.join();
  }

 private:
  runtime::Task<> accept_all() {
    while (true) {
      auto stream = co_await listener_->accept();
      group_.spawn("connection", answer(std::move(*stream)));
    }
  }

  runtime::Task<> answer(std::unique_ptr<http::Stream> stream) {
    char request[4096];
    co_await stream->read_some(request, {});
    co_await support::write_pieces(*stream, pieces_);
  }

  std::unique_ptr<http::Listener> listener_;
  const Pieces& pieces_;
  runtime::TaskGroup group_;
};

std::string head_of(std::uint16_t status, const http::Headers& headers) {
  std::string text = std::to_string(status);
  for (const auto& [name, value] : headers) text += fmt::format("\n{}: {}", name, value);
  return text;
}

runtime::Task<Outcome> send(http::Client& client) {
  auto response =
      co_await client.send({.target = "/"}, {.deadline = {}, .body_bytes_max = kBodyBytesMax});
  if (!response) co_return Outcome{.error = to_string(response.error())};
  co_return Outcome{.head = head_of(response->status, response->headers),
                    .body = std::move(response->body)};
}

runtime::Task<Outcome> open(http::Client& client) {
  auto stream = co_await client.open({.target = "/"}, {});
  if (!stream) co_return Outcome{.error = to_string(stream.error())};
  Outcome outcome{.head = head_of((*stream)->status(), (*stream)->headers())};
  while (outcome.body.size() <= kBodyBytesMax) {
    const auto bytes = co_await (*stream)->read_some({});
    if (!bytes) {
      outcome.error = to_string(bytes.error());
      co_return outcome;
    }
    if (bytes->empty()) co_return outcome;
    outcome.body += *bytes;
  }
  outcome.error = "more than we wait for";
  co_return outcome;
}

struct Both {
  Outcome sent;
  Outcome opened;
};

runtime::Task<> exchange(runtime::VirtualLoop& loop, const Pieces& pieces, Both& both) {
  http::PipeNetwork network(loop.time());
  RawServer server(loop, network, pieces);
  const auto client = http::make_client(network, loop.time(), {.origin = kOrigin});
  both.sent = co_await send(*client);
  client->close_idle();
  both.opened = co_await open(*client);
  client->close_idle();
  co_await server.stop();
}

Both read(const Pieces& pieces) {
  runtime::VirtualLoop loop;
  Both both;
  loop.run(exchange(loop, pieces, both));
  return both;
}

// The bytes read before an error may depend on the pieces, and so may the message after a truncated
// end; whether there is an error may not.
void expect_same(const Outcome& one, const Outcome& other) {
  expect(one.error.empty() == other.error.empty(), "whether it fails does not depend on the pieces",
         one.error + "\n" + other.error);
  if (!one.error.empty()) return;
  expect_equal(one.head, other.head, "the head does not depend on the pieces");
  expect_equal(one.body, other.body, "a body does not depend on the pieces");
}

void expect_agreement(const Both& both) {
  if (both.sent.error.empty()) {
    expect_equal(both.sent.head, both.opened.head, "a stream has the head of an answer");
    expect_equal(both.sent.body, both.opened.body, "a stream reads the body of an answer");
    expect_equal("", both.opened.error, "a stream reads what an answer has");
  } else {
    expect_readable(both.sent.error);
  }
  if (!both.opened.error.empty()) expect_readable(both.opened.error);
}

}  // namespace

void run(std::string_view input) {
  const std::vector<Pieces> ways = ways_to_cut(input);
  const Both whole = read(ways.front());
  expect_agreement(whole);
  for (std::size_t i = 1; i < ways.size(); ++i) {
    const Both cut = read(ways[i]);
    expect_same(whole.sent, cut.sent);
    expect_same(whole.opened, cut.opened);
  }
}

}  // namespace dcm::fuzz
