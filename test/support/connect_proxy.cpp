#include "test/support/connect_proxy.hpp"

#include <array>
#include <memory>
#include <optional>
#include <utility>

#include <fmt/format.h>

namespace dcm::support {
namespace {

using http::Result;
using http::Stream;
using runtime::Deadline;
using runtime::Task;

// The value of the field `name` in a request's headers, up to the end of the line.
std::string field(const std::string& head, const std::string& name) {
  const std::size_t begin = head.find("\r\n" + name + ": ");
  if (begin == std::string::npos) return {};
  const std::size_t value = begin + 2 + name.size() + 2;
  return head.substr(value, head.find("\r\n", value) - value);
}

// The "host:port" of a CONNECT; nullopt for other requests.
std::optional<http::Endpoint> target_of(const std::string& head) {
  constexpr std::string_view kMethod = "CONNECT ";
  const std::size_t end = head.find(" HTTP/");
  if (!head.starts_with(kMethod) || end == std::string::npos) return std::nullopt;
  const std::string target = head.substr(kMethod.size(), end - kMethod.size());
  const std::size_t colon = target.rfind(':');
  std::string host = target.substr(0, colon);
  if (host.starts_with('[')) host = host.substr(1, host.size() - 2);
  return http::Endpoint{http::Security::plain, host,
                        static_cast<std::uint16_t>(std::stoi(target.substr(colon + 1)))};
}

Task<Result<std::string>> read_head(Stream& stream) {
  std::string head;
  while (!head.ends_with("\r\n\r\n")) {
    std::array<char, 1024> buffer{};
    const Result<std::size_t> size = co_await stream.read_some(buffer, Deadline());
    if (!size) co_return runtime::fail(size.error());
    if (*size == 0) co_return runtime::fail(runtime::Reason::disconnected, "closed");
    head.append(buffer.data(), *size);
  }
  co_return head;
}

// Copies one direction to its end; then the other one is useless.
Task<> copy(Stream& from, Stream& to) {
  std::array<char, 16384> buffer{};
  while (true) {
    const Result<std::size_t> size = co_await from.read_some(buffer, Deadline());
    if (!size || *size == 0) break;
    const Result<> written = co_await to.write({buffer.data(), *size}, Deadline());
    if (!written) break;
  }
  from.close();
  to.close();
}

Task<> serve_one(runtime::Executor executor, http::Transport& upstream,
                 std::unique_ptr<Stream> stream, const ConnectProxyOptions& options) {
  const Result<std::string> head = co_await read_head(*stream);
  if (!head) co_return;
  const auto target = target_of(*head);
  int status = target ? 200 : 405;
  const bool may =
      options.authorization.empty() || field(*head, "Proxy-Authorization") == options.authorization;
  if (!may) status = 407;
  Result<std::unique_ptr<Stream>> beyond = runtime::fail(runtime::Reason::unreachable, "not tried");
  if (status == 200) {
    beyond = co_await upstream.connect(*target, Deadline());
    if (!beyond) status = 502;
  }
  options.report(fmt::format("CONNECT {} {}", target ? target->authority() : "?", status));
  const std::string answer = fmt::format("HTTP/1.1 {} -\r\n\r\n", status);
  const Result<> answered = co_await stream->write(answer, Deadline());
  if (!answered || !beyond) co_return;
  runtime::TaskGroup both(executor);
  both.spawn("up", copy(*stream, **beyond));
  both.spawn("down", copy(**beyond, *stream));
  co_await both.join();
}

}  // namespace

Task<> serve_connect(runtime::Executor executor, http::Listener& listener,
                     http::Transport& upstream, ConnectProxyOptions options) {
  runtime::TaskGroup connections(executor);
  const auto accept_all = [&]() -> Task<> {
    while (true) {
      Result<std::unique_ptr<Stream>> stream = co_await listener.accept();
      if (!stream) continue;
      connections.spawn("tunnel", serve_one(executor, upstream, std::move(*stream), options));
    }
  };
  connections.spawn("accept", accept_all());
  co_await connections.join();
}

}  // namespace dcm::support
