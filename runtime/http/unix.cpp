#include "runtime/http/unix.hpp"

#include <filesystem>
#include <optional>
#include <system_error>
#include <utility>

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/local/stream_protocol.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/system/system_error.hpp>
#include <fmt/format.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "runtime/http/tcp_stream.hpp"

namespace dcm::http {
namespace {

namespace asio = boost::asio;
namespace fs = std::filesystem;
using boost::system::error_code;
using runtime::fail;
using runtime::Reason;
using Unix = asio::local::stream_protocol;

// The kernel's limit, without the terminating zero.
constexpr std::size_t kPathBytesMax = sizeof(sockaddr_un::sun_path) - 1;

bool is_usable(const std::string& path) {
  return !path.empty() && path.size() <= kPathBytesMax && !path.contains('\0');
}

std::string describe_unusable(const std::string& path) {
  return fmt::format("\"{}\" has {} bytes: a socket's path has 1 to {}", path, path.size(),
                     kPathBytesMax);
}

class UnixTransport final : public Transport {
 public:
  UnixTransport(runtime::Executor executor, runtime::TimeSource& time)
      : executor_(std::move(executor)), time_(time) {}

  Task<Result<std::unique_ptr<Stream>>> connect(Endpoint endpoint, Deadline deadline) override {
    if (!is_usable(endpoint.host)) {
      co_return fail(Reason::unreachable, describe_unusable(endpoint.host));
    }
    Result<std::unique_ptr<Stream>> stream =
        co_await connect_socket(executor_, Unix::endpoint(endpoint.host), time_, deadline);
    if (!stream) {
      runtime::Error& error = stream.error();
      error.message = fmt::format("unix {}: {}", endpoint.host, error.message);
    }
    co_return stream;
  }

 private:
  runtime::Executor executor_;
  runtime::TimeSource& time_;
};

// Device and inode.
using FileIdentity = std::pair<::dev_t, ::ino_t>;

std::optional<FileIdentity> identity_of(const std::string& path) {
  struct ::stat status{};
  if (::lstat(path.c_str(), &status) != 0) return std::nullopt;
  return FileIdentity{status.st_dev, status.st_ino};
}

class UnixListener final : public Listener {
 public:
  UnixListener(Unix::acceptor acceptor, runtime::TimeSource& time, std::string path)
      : acceptor_(std::move(acceptor)),
        time_(time),
        path_(std::move(path)),
        identity_(identity_of(path_)) {}
  // A successor may have replaced the file. The inode is not reused while the socket is open.
  ~UnixListener() override {
    if (identity_ && identity_of(path_) == identity_) ::unlink(path_.c_str());
  }

  Task<Result<std::unique_ptr<Stream>>> accept() override {
    auto [error, socket] = co_await acceptor_.async_accept(asio::as_tuple(asio::use_awaitable));
    if (error) {
      co_await throw_if_cancelled();
      co_return fail(Reason::unreachable, error.message());
    }
    co_return make_socket_stream(Socket(std::move(socket)), time_);
  }

  std::string address() const override { return path_; }

 private:
  Unix::acceptor acceptor_;
  runtime::TimeSource& time_;
  std::string path_;
  std::optional<FileIdentity> identity_;
};

}  // namespace

std::unique_ptr<Transport> make_unix_transport(runtime::Executor executor,
                                               runtime::TimeSource& time) {
  return std::make_unique<UnixTransport>(std::move(executor), time);
}

Result<std::unique_ptr<Listener>> make_unix_listener(runtime::Executor executor,
                                                     runtime::TimeSource& time,
                                                     const std::string& path) {
  if (!is_usable(path)) return fail(Reason::configuration, describe_unusable(path));
  Unix::acceptor acceptor(std::move(executor));
  error_code error;
  acceptor.open(Unix(), error);
  if (!error) acceptor.bind(Unix::endpoint(path), error);
  const bool is_bound = !error;
  if (!error) acceptor.listen(Unix::acceptor::max_listen_connections, error);
  if (error) {
    if (is_bound) ::unlink(path.c_str());
    return fail(Reason::configuration,
                fmt::format("cannot listen on \"{}\": {}", path, error.message()));
  }
  return std::make_unique<UnixListener>(std::move(acceptor), time, path);
}

Result<std::unique_ptr<Listener>> replace_unix_listener(runtime::Executor executor,
                                                        runtime::TimeSource& time,
                                                        const std::string& path) {
  const fs::path folder = fs::path(path).parent_path();
  std::error_code problem;
  fs::create_directories(folder, problem);
  if (problem) {
    return fail(Reason::configuration, fmt::format("{}: {}", folder.string(), problem.message()));
  }
  if (fs::is_socket(fs::symlink_status(path, problem))) fs::remove(path, problem);
  return make_unix_listener(std::move(executor), time, path);
}

}  // namespace dcm::http
