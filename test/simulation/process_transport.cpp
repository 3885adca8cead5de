#include "test/simulation/process_transport.hpp"

#include <utility>

namespace dcm::simulation {

using http::Deadline;
using http::Result;
using http::Stream;
using http::Task;

// A connection, known to its transport as long as it lives.
class ProcessTransport::End final : public Stream {
 public:
  End(ProcessTransport& transport, std::unique_ptr<Stream> inner)
      : transport_(transport), inner_(std::move(inner)), number_(transport.next_++) {
    transport_.open_.emplace(number_, this);
  }
  ~End() override { transport_.open_.erase(number_); }

  Task<Result<std::size_t>> read_some(std::span<char> buffer, Deadline deadline) override {
    auto read = co_await inner_->read_some(buffer, deadline);
    if (breaks_soon_ && read) {
      *read /= 2;
      inner_->close();
    }
    if (transport_.is_frozen_) co_await transport_.wait_while_frozen();
    co_return read;
  }
  Task<Result<>> write(std::string_view bytes, Deadline deadline) override {
    if (breaks_soon_) bytes = bytes.substr(0, bytes.size() / 2);
    const auto written = co_await inner_->write(bytes, deadline);
    if (breaks_soon_) inner_->close();
    if (transport_.is_frozen_) co_await transport_.wait_while_frozen();
    co_return written;
  }
  Task<Result<>> shutdown_send(Deadline deadline) override {
    return inner_->shutdown_send(deadline);
  }
  void close() noexcept override { inner_->close(); }
  bool is_quiet() noexcept override { return inner_->is_quiet(); }
  void trim() noexcept override { inner_->trim(); }

  void cut() {
    if (number_ % 2 == 0) return inner_->close();
    breaks_soon_ = true;
  }

 private:
  ProcessTransport& transport_;
  std::unique_ptr<Stream> inner_;
  std::uint64_t number_;
  bool breaks_soon_ = false;
};

Task<Result<std::unique_ptr<Stream>>> ProcessTransport::connect(http::Endpoint endpoint,
                                                                Deadline deadline) {
  if (is_dead_) co_return runtime::fail(runtime::Reason::unreachable, "the process has ended");
  auto stream = co_await network_.connect(std::move(endpoint), deadline);
  co_await wait_while_frozen();
  if (!stream) co_return runtime::fail(stream.error());
  std::unique_ptr<Stream> end = std::make_unique<End>(*this, std::move(*stream));
  co_return end;
}

Task<> ProcessTransport::wait_while_frozen() {
  while (is_frozen_) co_await thawed_.wait();
}

void ProcessTransport::thaw() {
  is_frozen_ = false;
  thawed_.notify_all();
}

void ProcessTransport::cut() {
  for (const auto& [number, end] : open_) end->cut();
}

void ProcessTransport::die() {
  is_dead_ = true;
  for (const auto& [number, end] : open_) end->close();
}

}  // namespace dcm::simulation
