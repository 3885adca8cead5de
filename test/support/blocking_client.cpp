#include "test/support/blocking_client.hpp"

#include <stdexcept>
#include <utility>

namespace dcm::support {
namespace {

template <class T>
T must(http::Result<T> result) {
  if (!result) throw std::runtime_error(to_string(result.error()));
  return std::move(*result);
}

}  // namespace

BlockingClient::BlockingClient(const std::string& url, const std::string& ca_pem)
    : url_(must(http::parse_url(url))),
      transport_(
          must(http::make_tcp_transport(loop_.executor(), loop_.time(), {.ca_pem = ca_pem}))),
      client_(http::make_client(*transport_, loop_.time(), {.origin = url_.endpoint})) {}

http::Result<http::Response> BlockingClient::send(http::Request request) {
  http::Result<http::Response> result = runtime::fail(runtime::Reason::unreachable, "not sent");
  loop_.run([](BlockingClient& self, http::Request r,
               http::Result<http::Response>& out) -> runtime::Task<> {
    out = co_await self.exchange(std::move(r));
  }(*this, std::move(request), result));
  return result;
}

runtime::Task<http::Result<http::Response>> BlockingClient::exchange(http::Request request) {
  request.target = url_.path_prefix + request.target;
  const auto deadline = runtime::Deadline::after(loop_.time(), std::chrono::minutes(2));
  co_return co_await client_->send(std::move(request),
                                   {.deadline = deadline, .body_bytes_max = 1024 * 1024 * 1024});
}

bool eventually(const std::function<bool()>& holds, std::chrono::milliseconds limit,
                std::chrono::milliseconds interval) {
  runtime::Loop loop;
  const auto deadline = runtime::Deadline::after(loop.time(), limit);
  while (!holds()) {
    if (deadline.has_passed(loop.time())) return false;
    loop.run(runtime::sleep_for(loop.time(), interval));
  }
  return true;
}

}  // namespace dcm::support
