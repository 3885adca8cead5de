// runtime/grpc against a peer of another make, over a socket file:
//   grpc_peer serve SOCKET   the health service, as peer/peer.go has it
//   grpc_peer call SOCKET    what peer/peer.go's `call` does
#include <csignal>
#include <cstdio>
#include <string>

#include "runtime/grpc/channel.hpp"
#include "runtime/grpc/server.hpp"
#include "runtime/http/unix.hpp"
#include "runtime/loop.hpp"
#include "runtime/task_group.hpp"

namespace dcm::grpc {
namespace {

using namespace std::chrono_literals;

// HealthCheckRequest{service} and HealthCheckResponse{status} on the wire, field 1 each.
std::string ask_for(std::string service) {
  if (service.empty()) return {};
  return "\x0a" + std::string(1, static_cast<char>(service.size())) + service;
}
const std::string kServing = "\x08\x01";
const std::string kNotServing = "\x08\x02";

std::string describe(std::string_view answer) {
  if (answer == kServing) return "SERVING";
  return answer == kNotServing ? "NOT_SERVING" : "?";
}

void print(const char* what, const Result<std::string>& answer) {
  const std::string text = answer ? describe(*answer) : to_string(answer.error());
  std::printf("%s: %s\n", what, text.c_str());
  std::fflush(stdout);
}

Task<> call(runtime::Loop& loop, std::string path) {
  const auto transport = http::make_unix_transport(loop.executor(), loop.time());
  const auto channel = make_channel(loop, *transport, runtime::Rng(1),
                                    {.endpoint = {http::Security::plain, path, 0}});
  runtime::TaskGroup group(loop.executor());
  group.spawn("channel", channel->run());
  const auto in = [&](runtime::Duration left) { return Deadline::after(loop.time(), left); };
  constexpr std::string_view kCheck = "/grpc.health.v1.Health/Check";
  const auto whole = co_await channel->call(kCheck, ask_for(""), in(10s));
  print("check", whole);
  const auto none = co_await channel->call(kCheck, ask_for("none"), in(10s));
  print("check none", none);
  auto watch = co_await channel->open("/grpc.health.v1.Health/Watch", ask_for(""), in(10s));
  while (watch) {
    const auto news = co_await (*watch)->next(in(10s));
    if (!news || !*news) {
      std::printf("end: %s\n", news ? "OK" : to_string(news.error()).c_str());
      break;
    }
    print("watch", **news);
  }
  group.cancel();
  co_await group.join();
}

Task<> serve_health(runtime::Loop& loop, std::string path) {
  auto listener = http::make_unix_listener(loop.executor(), loop.time(), path);
  if (!listener) {
    std::fprintf(stderr, "%s\n", to_string(listener.error()).c_str());
    co_return;
  }
  Methods methods;
  methods.unary["/grpc.health.v1.Health/Check"] = [&](std::string request,
                                                      Deadline) -> Task<Result<std::string>> {
    if (request == ask_for("none")) co_return fail(Code::not_found, "unknown service: ü");
    if (request == ask_for("hang")) co_await runtime::sleep_for(loop.time(), 1h);
    co_return kServing;
  };
  methods.streams["/grpc.health.v1.Health/Watch"] = [](std::string, AnswerWriter& answers,
                                                       Deadline) -> Task<Status> {
    for (const std::string& each : {kServing, kNotServing}) {
      const Result<void> written = co_await answers.write(each);
      if (!written) co_return written.error();
    }
    co_return Status{Code::data_loss, "the end"};
  };
  runtime::TaskGroup group(loop.executor());
  loop.on_signals({SIGTERM, SIGINT}, [&](int) { group.cancel(); });
  group.spawn("serve", serve(loop, **listener, methods, {}, {}));
  co_await group.join();
}

}  // namespace
}  // namespace dcm::grpc

int main(int argc, char** argv) {
  if (argc != 3) return 2;
  dcm::runtime::Loop loop;
  const std::string path = argv[2];
  loop.run(std::string(argv[1]) == "serve" ? dcm::grpc::serve_health(loop, path)
                                           : dcm::grpc::call(loop, path));
}
