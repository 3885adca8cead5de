#include "runtime/http/tcp_stream.hpp"

#include <cerrno>
#include <cstring>
#include <optional>
#include <string>

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/buffer.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/asio/write.hpp>
#include <boost/system/system_error.hpp>
#include <fmt/format.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

#include "runtime/assert.hpp"

namespace dcm::http {
namespace {

namespace asio = boost::asio;
using boost::system::error_code;
using runtime::fail;
using runtime::Reason;
using runtime::TimeSource;

constexpr auto kAsResult = asio::as_tuple(asio::use_awaitable);

constexpr int kKeepAliveIdleSeconds = 30;
constexpr int kKeepAliveIntervalSeconds = 10;
constexpr int kKeepAliveProbes = 3;

// Cancels a socket's operations at the deadline of one of them. Asio has one cancel for both
// directions: the other waiter finds an unusable stream, which it would be anyway. One timer serves
// all operations and keeps running when they end: a timer that occasionally finds nothing to do
// costs less than one for each read and write.
class Alarm {
 public:
  // An operation in progress, in the place of its direction. It ends before the alarm does.
  class Operation {
   public:
    Operation(Alarm& alarm, Operation*& place, Deadline deadline)
        : place_(place), deadline_(deadline) {
      place_ = this;
      if (deadline_.is_reachable()) alarm.set(deadline_.time());
    }
    ~Operation() { place_ = nullptr; }
    Operation(const Operation&) = delete;
    Operation& operator=(const Operation&) = delete;

    bool has_gone_off() const { return has_gone_off_; }

   private:
    friend class Alarm;
    Operation*& place_;
    Deadline deadline_;
    bool has_gone_off_ = false;
  };

  Alarm(TimeSource& time, Socket& socket) : time_(time), socket_(socket) {}
  ~Alarm() {
    if (timer_) time_.cancel(*timer_);
  }
  Alarm(const Alarm&) = delete;
  Alarm& operator=(const Alarm&) = delete;

  Operation*& reading() { return reading_; }
  Operation*& writing() { return writing_; }

 private:
  // Goes off at `when`, or earlier.
  void set(runtime::MonoTime when) {
    if (timer_ && goes_off_ <= when) return;
    if (timer_) time_.cancel(*timer_);
    goes_off_ = when;
    timer_ = time_.schedule(when, [this] {
      timer_.reset();
      look();
    });
  }

  void look() {
    bool is_late = false;
    for (Operation* const operation : {reading_, writing_}) {
      if (operation == nullptr || !operation->deadline_.is_reachable()) continue;
      if (operation->deadline_.has_passed(time_)) {
        is_late = operation->has_gone_off_ = true;
      } else {
        set(operation->deadline_.time());
      }
    }
    error_code ignored;
    if (is_late) socket_.cancel(ignored);
  }

  TimeSource& time_;
  Socket& socket_;
  Operation* reading_ = nullptr;
  Operation* writing_ = nullptr;
  std::optional<runtime::TimerId> timer_;
  runtime::MonoTime goes_off_{};
};

void set_option(Socket& socket, int level, int name, int value) {
  // A socket that refuses an option still works.
  (void)::setsockopt(socket.native_handle(), level, name, &value, sizeof value);
}

void set_tcp_options(Socket& socket) {
  set_option(socket, IPPROTO_TCP, TCP_NODELAY, 1);
  set_option(socket, SOL_SOCKET, SO_KEEPALIVE, 1);
  set_option(socket, IPPROTO_TCP, TCP_KEEPIDLE, kKeepAliveIdleSeconds);
  set_option(socket, IPPROTO_TCP, TCP_KEEPINTVL, kKeepAliveIntervalSeconds);
  set_option(socket, IPPROTO_TCP, TCP_KEEPCNT, kKeepAliveProbes);
}

class SocketStream final : public Stream {
 public:
  SocketStream(Socket socket, TimeSource& time)
      : time_(time), socket_(std::move(socket)), alarm_(time, socket_) {}
  ~SocketStream() override { close(); }

  Task<Result<std::size_t>> read_some(std::span<char> buffer, Deadline deadline) override {
    DCM_ASSERT(!buffer.empty());
    if (deadline.has_passed(time_)) co_return fail(Reason::deadline_exceeded, kTooLate);
    const Alarm::Operation operation(alarm_, alarm_.reading(), deadline);
    const auto [error, count] =
        co_await socket_.async_read_some(asio::buffer(buffer.data(), buffer.size()), kAsResult);
    if (!error) co_return count;
    if (error == asio::error::eof) co_return std::size_t{0};
    co_await throw_if_cancelled();
    co_return fail(translate(error, operation));
  }

  Task<Result<>> write(std::string_view bytes, Deadline deadline) override {
    if (deadline.has_passed(time_)) co_return fail(Reason::deadline_exceeded, kTooLate);
    const Alarm::Operation operation(alarm_, alarm_.writing(), deadline);
    const auto [error, count] =
        co_await asio::async_write(socket_, asio::buffer(bytes.data(), bytes.size()), kAsResult);
    if (!error) co_return Result<>();
    co_await throw_if_cancelled();
    co_return fail(translate(error, operation));
  }

  Task<Result<>> shutdown_send(Deadline) override {
    error_code error;
    socket_.shutdown(Socket::shutdown_send, error);
    if (error) co_return fail(Reason::disconnected, error.message());
    co_return Result<>();
  }

  void close() noexcept override {
    error_code ignored;
    socket_.close(ignored);
  }

  std::string peer_address() const override {
    error_code error;
    const auto peer = socket_.remote_endpoint(error);
    const auto family = peer.protocol().family();
    // A Unix socket's peer has no address.
    if (error || (family != AF_INET && family != AF_INET6)) return {};
    asio::ip::tcp::endpoint endpoint;
    endpoint.resize(peer.size());
    std::memcpy(endpoint.data(), peer.data(), peer.size());
    return endpoint.address().to_string();
  }

  bool is_quiet() noexcept override {
    if (!socket_.is_open()) return false;
    char byte = 0;
    const auto size = ::recv(socket_.native_handle(), &byte, 1, MSG_PEEK | MSG_DONTWAIT);
    return size < 0 && (errno == EAGAIN || errno == EWOULDBLOCK);
  }

 private:
  static constexpr const char* kTooLate = "the deadline had passed already";

  // Why an operation of this stream failed, except cancellation of the task.
  runtime::Error translate(error_code error, const Alarm::Operation& operation) const {
    if (error != asio::error::operation_aborted) return {Reason::disconnected, error.message()};
    if (!socket_.is_open()) return {Reason::disconnected, "the connection is closed"};
    if (operation.has_gone_off()) return {Reason::deadline_exceeded, "nothing by the deadline"};
    return {Reason::disconnected, "the connection was given up at another deadline"};
  }

  TimeSource& time_;
  Socket socket_;
  Alarm alarm_;
};

}  // namespace

Task<> throw_if_cancelled() {
  const asio::cancellation_state state = co_await asio::this_coro::cancellation_state;
  if (state.cancelled() != asio::cancellation_type::none) {
    throw boost::system::system_error(asio::error::operation_aborted);
  }
}

std::unique_ptr<Stream> make_socket_stream(Socket socket, TimeSource& time) {
  return std::make_unique<SocketStream>(std::move(socket), time);
}

std::unique_ptr<Stream> make_tcp_stream(asio::ip::tcp::socket socket, TimeSource& time) {
  Socket generic(std::move(socket));
  set_tcp_options(generic);
  return make_socket_stream(std::move(generic), time);
}

Task<Result<std::unique_ptr<Stream>>> connect_socket(
    runtime::Executor executor, asio::generic::stream_protocol::endpoint endpoint, TimeSource& time,
    Deadline deadline) {
  if (deadline.has_passed(time)) co_return fail(Reason::deadline_exceeded, "no time to connect");
  Socket socket(std::move(executor));
  Alarm alarm(time, socket);
  const Alarm::Operation connecting(alarm, alarm.writing(), deadline);
  const auto [error] = co_await socket.async_connect(endpoint, kAsResult);
  if (!error) {
    if (endpoint.protocol().family() != AF_UNIX) set_tcp_options(socket);
    co_return make_socket_stream(std::move(socket), time);
  }
  co_await throw_if_cancelled();
  if (connecting.has_gone_off()) {
    co_return fail(Reason::deadline_exceeded, "no answer by the deadline");
  }
  co_return fail(Reason::unreachable, error.message());
}

}  // namespace dcm::http
