#include "runtime/http/tls_stream.hpp"

#include <cstring>
#include <new>

#include <fmt/format.h>
#include <openssl/err.h>
#include <openssl/ssl.h>

#include "runtime/assert.hpp"
#include "runtime/condition.hpp"
#include "runtime/http/read_buffer.hpp"
#include "runtime/turn.hpp"

namespace dcm::http {
namespace {

using runtime::Condition;
using runtime::fail;
using runtime::Reason;

// A record and its overhead (RFC 8446, 5.2).
constexpr std::size_t kCiphertextBytesMax = 16 * 1024 + 512;
// Encrypted in pieces before it is passed down, so that a large body does not exist twice.
constexpr std::size_t kWriteSliceBytes = 64 * 1024;

// The encrypted bytes between OpenSSL and the stream below. For OpenSSL it is a BIO that never
// waits: a read that finds nothing requests another try.
struct Ciphertext {
  ReadBuffer in{kCiphertextBytesMax};
  std::string out;
  bool has_ended = false;  // the underlying stream has
};

Ciphertext& ciphertext_of(BIO* bio) {
  return *static_cast<Ciphertext*>(BIO_get_data(bio));
}

int bio_write(BIO* bio, const char* bytes, int size) {
  ciphertext_of(bio).out.append(bytes, static_cast<std::size_t>(size));
  return size;
}

int bio_read(BIO* bio, char* bytes, int size) {
  Ciphertext& ciphertext = ciphertext_of(bio);
  BIO_clear_retry_flags(bio);
  if (ciphertext.in.empty()) {
    if (ciphertext.has_ended) return 0;
    BIO_set_retry_read(bio);
    return -1;
  }
  const std::string_view taken = ciphertext.in.data().substr(0, static_cast<std::size_t>(size));
  std::memcpy(bytes, taken.data(), taken.size());
  ciphertext.in.consume(taken.size());
  return static_cast<int>(taken.size());
}

long bio_control(BIO* bio, int command, long, void*) {
  if (command == BIO_CTRL_EOF) return ciphertext_of(bio).has_ended ? 1 : 0;
  return command == BIO_CTRL_FLUSH ? 1 : 0;
}

const BIO_METHOD* bio_method() {
  static BIO_METHOD* const method = [] {
    BIO_METHOD* made = BIO_meth_new(BIO_TYPE_SOURCE_SINK, "dcm stream");
    if (made == nullptr) throw std::bad_alloc();
    BIO_meth_set_write(made, bio_write);
    BIO_meth_set_read(made, bio_read);
    BIO_meth_set_ctrl(made, bio_control);
    return made;
  }();
  return method;
}

// Invariant: at most one task reads from `below_` and one writes to it. A reader and a writer of
// the plain side may each need both (a handshake, a key update), so the second one waits for a
// turn.
class TlsStream final : public Stream {
 public:
  // `first_bytes` have been read from `below` already.
  TlsStream(std::unique_ptr<Stream> below, TlsSession session, runtime::TimeSource& time,
            std::string_view first_bytes = {})
      : below_(std::move(below)),
        session_(std::move(session)),
        has_read_(time),
        has_written_(time) {
    BIO* const bio = BIO_new(bio_method());
    if (bio == nullptr) throw std::bad_alloc();
    BIO_set_data(bio, &ciphertext_);
    BIO_set_init(bio, 1);
    SSL_set_bio(session_.get(), bio, bio);
    ciphertext_.in.append(first_bytes);
  }
  ~TlsStream() override { close(); }

  Task<Result<>> handshake(Deadline deadline) {
    const auto shake_hands = [](SSL* session) { return SSL_do_handshake(session); };
    const Result<Progress> done = co_await run(shake_hands, deadline);
    co_return succeeded(done);
  }

  Task<Result<std::size_t>> read_some(std::span<char> buffer, Deadline deadline) override {
    DCM_ASSERT(!buffer.empty());
    if (must_wait_for_bytes()) {
      const Result<> filled = co_await fill(deadline);
      if (!filled) co_return fail(filled.error());
    }
    std::size_t count = 0;
    const auto read = [buffer, &count](SSL* session) {
      return SSL_read_ex(session, buffer.data(), buffer.size(), &count);
    };
    const Result<Progress> done = co_await run(read, deadline);
    if (!done) co_return fail(done.error());
    co_return *done == Progress::done ? count : 0;
  }

  Task<Result<>> write(std::string_view bytes, Deadline deadline) override {
    while (!bytes.empty()) {
      const std::string_view slice = bytes.substr(0, kWriteSliceBytes);
      bytes.remove_prefix(slice.size());
      const auto write = [slice](SSL* session) {
        std::size_t count = 0;
        return SSL_write_ex(session, slice.data(), slice.size(), &count);
      };
      const Result<Progress> done = co_await run(write, deadline);
      if (Result<> written = succeeded(done); !written) co_return written;
    }
    co_return Result<>();
  }

  Task<Result<>> shutdown_send(Deadline deadline) override {
    if (SSL_is_init_finished(session_.get())) SSL_shutdown(session_.get());
    ERR_clear_error();
    Result<> flushed = co_await flush(deadline);
    if (!flushed) co_return flushed;
    co_return co_await below_->shutdown_send(deadline);
  }

  void close() noexcept override { below_->close(); }

  std::shared_ptr<const ClientCertificate> client_certificate() const override {
    if (client_ == nullptr) client_ = read_client_certificate(session_.get());
    return client_;
  }

  std::string peer_address() const override { return below_->peer_address(); }
  bool speaks_http2() const noexcept override { return has_chosen_http2(session_.get()); }

  bool is_quiet() noexcept override {
    return SSL_pending(session_.get()) == 0 && ciphertext_.in.empty() && below_->is_quiet();
  }
  void trim() noexcept override {
    DCM_ASSERT(!is_reading_);
    ciphertext_.in.trim();
    below_->trim();
  }

 private:
  enum class Progress { done, peer_has_ended };

  // Whether OpenSSL has nothing to read: calling it costs as much as a small record.
  bool must_wait_for_bytes() const {
    return SSL_is_init_finished(session_.get()) && ciphertext_.in.empty() &&
           !ciphertext_.has_ended && SSL_has_pending(session_.get()) == 0 &&
           SSL_get_shutdown(session_.get()) == 0;
  }

  // For operations that cannot succeed once the peer has ended.
  static Result<> succeeded(const Result<Progress>& result) {
    if (!result) return fail(result.error());
    if (*result == Progress::done) return {};
    return fail(Reason::disconnected, "the connection was closed by the peer");
  }

  // Repeats an operation of OpenSSL until it is done, moving the bytes that it needs.
  template <class Operation>
  Task<Result<Progress>> run(Operation operation, Deadline deadline) {
    while (true) {
      // A stale error in the queue would be mistaken for ours. Checking is cheaper than clearing.
      if (ERR_peek_error() != 0) ERR_clear_error();
      if (SSL_is_init_finished(session_.get())) has_shaken_hands_ = true;
      const int status = operation(session_.get());
      const int outcome = status > 0 ? SSL_ERROR_NONE : SSL_get_error(session_.get(), status);
      Result<Progress> result = Progress::done;
      if (outcome == SSL_ERROR_ZERO_RETURN) result = Progress::peer_has_ended;
      const bool needs_bytes = outcome == SSL_ERROR_WANT_READ;
      const bool is_in_order =
          outcome == SSL_ERROR_NONE || outcome == SSL_ERROR_ZERO_RETURN || needs_bytes;
      if (!is_in_order) result = fail(failure());
      // Also after a failure: the remaining bytes are the alert that tells the peer why.
      if (!ciphertext_.out.empty()) {
        const Result<> flushed = co_await flush(deadline);
        if (result && !flushed) result = fail(flushed.error());
      }
      if (!result || !needs_bytes) co_return result;
      const Result<> filled = co_await fill(deadline);
      if (!filled) co_return fail(filled.error());
    }
  }

  // When TLS breaks after the handshake, a request may have been executed already. With TLS 1.3,
  // servers also reject a client's certificate that late; the two cannot be distinguished.
  runtime::Error failure() const {
    const auto code = ERR_peek_last_error();
    if (ERR_GET_REASON(code) == SSL_R_UNEXPECTED_EOF_WHILE_READING) {
      ERR_clear_error();
      return {Reason::disconnected, "the connection was closed without the end of TLS"};
    }
    return {has_shaken_hands_ ? Reason::disconnected : Reason::tls,
            describe_tls_failure(session_.get())};
  }

  Task<Result<>> flush(Deadline deadline) {
    while (is_writing_) {
      const auto outcome = co_await has_written_.wait(deadline);
      if (outcome == Condition::Wakeup::timed_out) {
        co_return fail(Reason::deadline_exceeded, "not written by the deadline");
      }
    }
    const runtime::Turn turn(is_writing_, has_written_);
    while (!ciphertext_.out.empty()) {
      const std::string bytes = std::exchange(ciphertext_.out, {});
      Result<> written = co_await below_->write(bytes, deadline);
      if (!written) co_return written;
    }
    co_return Result<>();
  }

  Task<Result<>> fill(Deadline deadline) {
    if (is_reading_) {
      const auto outcome = co_await has_read_.wait(deadline);
      if (outcome == Condition::Wakeup::timed_out) {
        co_return fail(Reason::deadline_exceeded, "nothing to be read by the deadline");
      }
      co_return Result<>();
    }
    const runtime::Turn turn(is_reading_, has_read_);
    const Result<std::size_t> read = co_await below_->read_some(ciphertext_.in.space(), deadline);
    if (!read) co_return fail(read.error());
    if (*read == 0) ciphertext_.has_ended = true;
    ciphertext_.in.commit(*read);
    co_return Result<>();
  }

  std::unique_ptr<Stream> below_;
  Ciphertext ciphertext_;
  TlsSession session_;
  mutable std::shared_ptr<const ClientCertificate> client_;  // read on first use
  bool has_shaken_hands_ = false;
  bool is_reading_ = false;
  bool is_writing_ = false;
  Condition has_read_;
  Condition has_written_;
};

}  // namespace

std::unique_ptr<Stream> make_tls_server_stream(std::unique_ptr<Stream> below,
                                               const TlsContext& context, runtime::TimeSource& time,
                                               std::string_view first_bytes) {
  return std::make_unique<TlsStream>(std::move(below), make_server_session(context), time,
                                     first_bytes);
}

Task<Result<std::unique_ptr<Stream>>> start_tls(std::unique_ptr<Stream> below, TlsSession session,
                                                runtime::TimeSource& time, Deadline deadline) {
  auto stream = std::make_unique<TlsStream>(std::move(below), std::move(session), time);
  Result<> done = co_await stream->handshake(deadline);
  if (done) co_return std::unique_ptr<Stream>(std::move(stream));
  runtime::Error& error = done.error();
  error.message = fmt::format("TLS handshake failed: {}", error.message);
  if (error.reason == Reason::disconnected) error.reason = Reason::unreachable;
  co_return fail(std::move(error));
}

}  // namespace dcm::http
