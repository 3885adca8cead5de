#include "runtime/http/proxy.hpp"

#include <array>

#include <fmt/format.h>

#include "runtime/http/http1_parser.hpp"
#include "runtime/http/socks5.hpp"

namespace dcm::http {
namespace {

using runtime::fail;
using runtime::Reason;

constexpr std::size_t kHeadBytesMax = 16 * 1024;

// Nothing may follow an answer until we have spoken through the tunnel.
Result<> check_answer(std::uint16_t status, std::size_t bytes_left) {
  constexpr int kProxyAuthenticationRequired = 407;
  if (status == kProxyAuthenticationRequired) {
    return fail(Reason::unreachable, "it wants credentials, or refuses these (407)");
  }
  if (status < 200 || status > 299) {
    return fail(Reason::unreachable, fmt::format("it answered CONNECT with status {}", status));
  }
  if (bytes_left > 0) {
    return fail(Reason::malformed, "it sent bytes after its answer to CONNECT");
  }
  return {};
}

// Moves the bytes that the parser consumes as headers out of `bytes`.
Result<> take(ResponseParser& parser, std::string& bytes) {
  while (!parser.head_complete() && !bytes.empty()) {
    const auto progress = parser.put(bytes);
    if (!progress) return fail(Reason::malformed, progress.error().message);
    if (progress->consumed == 0) break;
    bytes.erase(0, progress->consumed);
  }
  return {};
}

Task<Result<>> connect_by_http(Stream& below, const Proxy& proxy, Endpoint target,
                               Deadline deadline) {
  std::string request = fmt::format("CONNECT {0} HTTP/1.1\r\nHost: {0}\r\n", target.authority());
  if (!proxy.authorization.empty()) {
    request += fmt::format("Proxy-Authorization: {}\r\n", proxy.authorization);
  }
  request += "\r\n";
  const Result<> written = co_await below.write(request, deadline);
  if (!written) co_return written;

  // A successful answer to CONNECT has no body, whatever its headers say; the body of others is not
  // read.
  const auto parser = make_response_parser({.head_bytes_max = kHeadBytesMax}, AnswerBody::none);
  std::string bytes;
  while (!parser->head_complete()) {
    std::array<char, 1024> buffer{};
    const Result<std::size_t> size = co_await below.read_some(buffer, deadline);
    if (!size) co_return fail(size.error());
    if (*size == 0) co_return fail(Reason::disconnected, "it closed the connection");
    bytes.append(buffer.data(), *size);
    const Result<> taken = take(*parser, bytes);
    if (!taken) co_return taken;
    if (bytes.size() > kHeadBytesMax) co_return fail(Reason::malformed, "its answer has no end");
  }
  co_return check_answer(parser->head().status, bytes.size());
}

// Reads exactly the bytes that the handshake needs: what follows belongs to the tunnel.
Task<Result<>> connect_by_socks5(Stream& below, const Proxy& proxy, Endpoint target,
                                 Deadline deadline) {
  Socks5Handshake handshake(std::move(target), proxy.socks5_user);
  Result<std::string> request = handshake.begin();
  while (request) {
    if (!request->empty()) {
      const Result<> written = co_await below.write(*request, deadline);
      if (!written) co_return written;
    }
    if (handshake.is_done()) co_return Result<>();
    std::array<char, Socks5Handshake::kWantedMax> buffer{};
    const std::span<char> wanted(buffer.data(), handshake.wanted());
    const Result<std::size_t> size = co_await below.read_some(wanted, deadline);
    if (!size) co_return fail(size.error());
    if (*size == 0) co_return fail(Reason::disconnected, "it closed the connection");
    request = handshake.take({buffer.data(), *size});
  }
  co_return fail(request.error());
}

}  // namespace

Task<Result<>> open_tunnel(Stream& below, const Proxy& proxy, Endpoint target, Deadline deadline) {
  return proxy.protocol == ProxyProtocol::socks5
             ? connect_by_socks5(below, proxy, std::move(target), deadline)
             : connect_by_http(below, proxy, std::move(target), deadline);
}

}  // namespace dcm::http
