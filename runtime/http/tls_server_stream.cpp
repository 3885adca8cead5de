#include <algorithm>
#include <utility>

#include "runtime/condition.hpp"
#include "runtime/http/tls_stream.hpp"
#include "runtime/turn.hpp"

namespace dcm::http {
namespace {

using runtime::fail;
using runtime::Reason;

constexpr std::size_t kRecordHeaderBytes = 5;
// A client that sends this much could have sent a whole hello.
constexpr std::size_t kHelloBytesMax = 4096;
constexpr std::size_t kReadBytes = 512;

// How many bytes must have arrived before OpenSSL is called (RFC 8446, 5.1).
std::size_t wanted(std::string_view hello) {
  if (hello.size() < kRecordHeaderBytes) return kRecordHeaderBytes;
  const auto byte = [hello](std::size_t at) { return static_cast<unsigned char>(hello[at]); };
  constexpr unsigned char kHandshake = 22;
  if (byte(0) != kHandshake) return kRecordHeaderBytes;  // not TLS: OpenSSL reports it
  return std::min(kRecordHeaderBytes + byte(3) * 256U + byte(4), kHelloBytesMax);
}

// OpenSSL's state of a connection takes tens of KB, so it is created when the client's hello has
// arrived: thousands of silent connections must be cheap to hold.
class TlsServerStream final : public Stream {
 public:
  TlsServerStream(std::unique_ptr<Stream> below, TlsContext context, runtime::TimeSource& time)
      : below_(std::move(below)), context_(std::move(context)), time_(time), has_tried_(time) {}

  Task<Result<std::size_t>> read_some(std::span<char> buffer, Deadline deadline) override {
    if (tls_ == nullptr) {
      const Result<> begun = co_await begin(deadline);
      if (!begun) co_return fail(begun.error());
    }
    co_return co_await tls_->read_some(buffer, deadline);
  }

  Task<Result<>> write(std::string_view bytes, Deadline deadline) override {
    if (tls_ == nullptr) {
      const Result<> begun = co_await begin(deadline);
      if (!begun) co_return begun;
    }
    co_return co_await tls_->write(bytes, deadline);
  }

  Task<Result<>> shutdown_send(Deadline deadline) override {
    return current().shutdown_send(deadline);
  }
  void close() noexcept override { current().close(); }
  bool is_quiet() noexcept override { return hello_.empty() && current().is_quiet(); }
  void trim() noexcept override { current().trim(); }
  bool speaks_http2() const noexcept override { return tls_ != nullptr && tls_->speaks_http2(); }
  std::string peer_address() const override {
    return tls_ != nullptr ? tls_->peer_address() : below_->peer_address();
  }
  std::shared_ptr<const ClientCertificate> client_certificate() const override {
    return tls_ != nullptr ? tls_->client_certificate() : nullptr;
  }

 private:
  Stream& current() const { return tls_ != nullptr ? *tls_ : *below_; }

  Task<Result<>> begin(Deadline deadline) {
    while (is_trying_) {
      const auto outcome = co_await has_tried_.wait(deadline);
      if (outcome == runtime::Condition::Wakeup::timed_out) {
        co_return fail(Reason::deadline_exceeded, "no TLS handshake by the deadline");
      }
    }
    if (tls_ != nullptr) co_return Result<>();
    const runtime::Turn turn(is_trying_, has_tried_);
    const Result<> come = co_await read_hello(deadline);
    if (come)
      tls_ = make_tls_server_stream(std::move(below_), context_, time_, std::exchange(hello_, {}));
    co_return come;
  }

  Task<Result<>> read_hello(Deadline deadline) {
    while (hello_.size() < wanted(hello_)) {
      const std::size_t before = hello_.size();
      hello_.resize(before + kReadBytes);
      const Result<std::size_t> read =
          co_await below_->read_some(std::span(hello_).subspan(before), deadline);
      hello_.resize(before + read.value_or(0));
      if (!read) co_return fail(read.error());
      if (*read == 0) co_return fail(Reason::disconnected, "the connection was closed by the peer");
    }
    co_return Result<>();
  }

  std::unique_ptr<Stream> below_;  // until `tls_` exists, which then owns it
  std::unique_ptr<Stream> tls_;
  TlsContext context_;
  runtime::TimeSource& time_;
  std::string hello_;
  bool is_trying_ = false;
  runtime::Condition has_tried_;
};

}  // namespace

std::unique_ptr<Stream> make_tls_server_stream(std::unique_ptr<Stream> below,
                                               const TlsContext& context,
                                               runtime::TimeSource& time) {
  return std::make_unique<TlsServerStream>(std::move(below), context, time);
}

}  // namespace dcm::http
