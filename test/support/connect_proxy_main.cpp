// dcm-connect-proxy: the CONNECT proxy as a process.
//
//   dcm-connect-proxy [AUTHORIZATION]
//
// Prints its address when it is ready, then a line for each request. AUTHORIZATION is the required
// value of Proxy-Authorization: "Basic YTpi".
#include <csignal>
#include <cstdio>

#include "runtime/http/tcp.hpp"
#include "runtime/loop.hpp"
#include "test/support/connect_proxy.hpp"

namespace dcm::support {
namespace {

void print(const std::string& line) {
  std::printf("%s\n", line.c_str());
  std::fflush(stdout);
}

runtime::Task<> serve_all(runtime::Loop& loop, ConnectProxyOptions options) {
  const auto listener =
      http::make_tcp_listener(loop.executor(), loop.time(), "127.0.0.1:0", std::nullopt);
  const auto transport = http::make_tcp_transport(loop.executor(), loop.time(), {});
  runtime::TaskGroup group(loop.executor());
  loop.on_signals({SIGTERM, SIGINT}, [&group](int) { group.cancel(); });
  group.spawn("proxy", serve_connect(loop.executor(), **listener, **transport, std::move(options)));
  print((*listener)->address());
  co_await group.join();
}

}  // namespace
}  // namespace dcm::support

int main(int argc, char** argv) {
  using namespace dcm;
  runtime::Loop loop;
  support::ConnectProxyOptions options{.report = support::print};
  if (argc > 1) options.authorization = argv[1];
  loop.run(support::serve_all(loop, std::move(options)));
  return 0;
}
