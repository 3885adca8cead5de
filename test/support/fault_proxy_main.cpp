// dcm-fault-proxy: the fault proxy as a process.
//
//   dcm-fault-proxy --upstream=URL [--upstream-ca=FILE] [--tls --ca-out=FILE]
//
// Prints `server: URL` and `control: URL` when it is ready, then a line for each request. With
// --tls it serves with a certificate of a CA made for this run; the CA's own goes to FILE.
#include <csignal>
#include <cstdio>
#include <exception>
#include <fstream>
#include <map>
#include <stdexcept>
#include <string>

#include "runtime/http/tcp.hpp"
#include "runtime/http/url.hpp"
#include "runtime/loop.hpp"
#include "test/support/certificates.hpp"
#include "test/support/fault_control.hpp"
#include "test/support/paths.hpp"

namespace dcm::support {
namespace {

using runtime::Task;

using Flags = std::map<std::string, std::string, std::less<>>;

Flags parse_flags(int argc, char** argv) {
  Flags flags;
  for (int i = 1; i < argc; ++i) {
    const std::string flag = argv[i];
    const std::size_t equals = flag.find('=');
    flags[flag.substr(0, equals)] = equals == flag.npos ? "" : flag.substr(equals + 1);
  }
  return flags;
}

template <class T>
T must(http::Result<T> result) {
  if (!result) throw std::runtime_error(to_string(result.error()));
  return std::move(*result);
}

std::optional<http::TlsServerOptions> tls_from(const Flags& flags) {
  if (!flags.contains("--tls")) return std::nullopt;
  const test::CertificateAuthority authority("fault proxy");
  const test::Identity identity =
      authority.issue({.names = {"localhost"}, .addresses = {"127.0.0.1"}});
  std::ofstream(flags.at("--ca-out")) << authority.pem();
  return http::TlsServerOptions{.certificate_pem = identity.certificate_pem,
                                .key_pem = identity.key_pem,
                                .client_ca_pem = {}};
}

Task<> serve_all(runtime::Loop& loop, const Flags& flags, runtime::Logger log) {
  const http::ServerUrl upstream = must(http::parse_url(flags.at("--upstream")));
  const auto ca = flags.find("--upstream-ca");
  const auto transport = must(http::make_tcp_transport(
      loop.executor(), loop.time(), {.ca_pem = ca == flags.end() ? "" : read_file(ca->second)}));
  const auto client = http::make_client(*transport, loop.time(),
                                        {.origin = upstream.endpoint, .connections_max = 1000});
  FaultProxy proxy(loop.time(), *client, upstream.path_prefix, log);

  const auto tls = tls_from(flags);
  const auto server =
      must(http::make_tcp_listener(loop.executor(), loop.time(), "127.0.0.1:0", tls));
  const auto control =
      must(http::make_tcp_listener(loop.executor(), loop.time(), "127.0.0.1:0", std::nullopt));
  const http::ServerOptions options{
      .connections_max = 1000, .header_bytes_max = 64 * 1024, .body_bytes_max = 16 * 1024 * 1024};
  runtime::TaskGroup group(loop.executor());
  loop.on_signals({SIGTERM, SIGINT}, [&group](int) { group.cancel(); });
  group.spawn("server",
              http::serve(*server, loop.time(), options, proxy.handler(), runtime::Logger()));
  group.spawn("control",
              http::serve(*control, loop.time(), {}, make_fault_control(proxy), runtime::Logger()));
  std::printf("server: %s://%s\ncontrol: http://%s\n", tls ? "https" : "http",
              server->address().c_str(), control->address().c_str());
  std::fflush(stdout);
  co_await group.join();
}

}  // namespace
}  // namespace dcm::support

int main(int argc, char** argv) {
  using namespace dcm;
  try {
    runtime::Loop loop;
    const auto log = std::make_shared<runtime::LogBackend>(loop.time(), runtime::LogFormat::text,
                                                           runtime::write_to_stderr());
    loop.run(support::serve_all(loop, support::parse_flags(argc, argv), runtime::Logger(log)));
    return 0;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "dcm-fault-proxy: %s\n", error.what());
    return 1;
  }
}
