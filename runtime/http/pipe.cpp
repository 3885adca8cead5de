#include "runtime/http/pipe.hpp"

#include <algorithm>
#include <cstring>
#include <deque>
#include <map>

#include <fmt/format.h>

#include "runtime/assert.hpp"
#include "runtime/condition.hpp"

namespace dcm::http {
namespace {

using runtime::Condition;
using runtime::fail;
using runtime::Reason;
using runtime::TimeSource;

// This many connections may wait to be accepted; a kernel has such a limit too.
constexpr std::size_t kBacklogMax = 1024;

// The bytes on their way from one end to the other.
class Direction {
 public:
  Direction(TimeSource& time, std::size_t bytes_max)
      : readable_(time), writable_(time), bytes_max_(bytes_max) {}

  std::size_t size() const { return bytes_.size() - begin_; }
  std::size_t room() const { return bytes_max_ - size(); }

  std::size_t take(std::span<char> buffer) {
    const std::size_t taken = std::min(buffer.size(), size());
    std::memcpy(buffer.data(), bytes_.data() + begin_, taken);
    begin_ += taken;
    if (begin_ == bytes_.size()) {
      bytes_.clear();
      begin_ = 0;
    }
    writable_.notify_all();
    return taken;
  }

  // Takes the first bytes of `bytes`, as far as there is room.
  std::size_t put(std::string_view bytes) {
    const std::string_view taken = bytes.substr(0, room());
    if (begin_ > 0) bytes_.erase(0, std::exchange(begin_, 0));
    bytes_.append(taken);
    readable_.notify_all();
    return taken.size();
  }

  void wake_all() {
    readable_.notify_all();
    writable_.notify_all();
  }

  Condition readable_;
  Condition writable_;
  bool writer_has_ended = false;
  bool reader_has_gone = false;

 private:
  std::size_t bytes_max_;
  std::string bytes_;
  std::size_t begin_ = 0;
};

struct Pipe {
  Pipe(TimeSource& time, std::size_t bytes_max)
      : to_server(time, bytes_max), to_client(time, bytes_max) {}

  void cut() {
    is_cut = true;
    to_server.wake_all();
    to_client.wake_all();
  }

  Direction to_server;
  Direction to_client;
  bool is_cut = false;
};

class PipeStream final : public Stream {
 public:
  PipeStream(TimeSource& time, std::shared_ptr<Pipe> pipe, Direction& in, Direction& out)
      : time_(time), pipe_(std::move(pipe)), in_(in), out_(out) {}
  ~PipeStream() override { close(); }

  Task<Result<std::size_t>> read_some(std::span<char> buffer, Deadline deadline) override {
    DCM_ASSERT(!buffer.empty());
    while (true) {
      if (is_closed_) co_return fail(Reason::disconnected, "the connection is closed");
      if (pipe_->is_cut) co_return fail(Reason::disconnected, "the connection was reset");
      if (in_.size() > 0) co_return in_.take(buffer);
      if (in_.writer_has_ended) co_return std::size_t{0};
      if (deadline.has_passed(time_)) {
        co_return fail(Reason::deadline_exceeded, "nothing to be read by the deadline");
      }
      co_await in_.readable_.wait(deadline);
    }
  }

  Task<Result<>> write(std::string_view bytes, Deadline deadline) override {
    while (true) {
      if (is_closed_ || out_.writer_has_ended) {
        co_return fail(Reason::disconnected, "the connection is closed");
      }
      if (pipe_->is_cut) co_return fail(Reason::disconnected, "the connection was reset");
      if (out_.reader_has_gone) co_return fail(Reason::disconnected, "the peer has gone");
      bytes.remove_prefix(out_.put(bytes));
      if (bytes.empty()) co_return Result<>();
      if (deadline.has_passed(time_)) {
        co_return fail(Reason::deadline_exceeded, "not written by the deadline");
      }
      co_await out_.writable_.wait(deadline);
    }
  }

  Task<Result<>> shutdown_send(Deadline) override {
    if (is_closed_ || pipe_->is_cut) co_return fail(Reason::disconnected, "it is closed already");
    out_.writer_has_ended = true;
    out_.wake_all();
    co_return Result<>();
  }

  void close() noexcept override {
    if (std::exchange(is_closed_, true)) return;
    out_.writer_has_ended = true;
    in_.reader_has_gone = true;
    in_.wake_all();
    out_.wake_all();
  }

  bool is_quiet() noexcept override {
    return !is_closed_ && !pipe_->is_cut && in_.size() == 0 && !in_.writer_has_ended;
  }

 private:
  TimeSource& time_;
  std::shared_ptr<Pipe> pipe_;
  Direction& in_;
  Direction& out_;
  bool is_closed_ = false;
};

// Where one listener's connections wait to be accepted.
struct Backlog {
  explicit Backlog(TimeSource& time) : arrived(time) {}

  std::deque<std::unique_ptr<Stream>> streams;
  Condition arrived;
};

}  // namespace

struct PipeNetwork::Impl {
  Impl(TimeSource& t, std::size_t bytes) : time(t), buffer_bytes(bytes) {}

  TimeSource& time;
  std::size_t buffer_bytes;
  std::map<std::string, Backlog*> listening;
  // By number, so that they are cut in the same order in each run.
  std::map<std::uint64_t, std::weak_ptr<Pipe>> pipes;
  std::uint64_t next_pipe = 0;

  std::shared_ptr<Pipe> add_pipe() {
    std::erase_if(pipes, [](const auto& pipe) { return pipe.second.expired(); });
    auto pipe = std::make_shared<Pipe>(time, buffer_bytes);
    pipes.emplace(next_pipe++, pipe);
    return pipe;
  }
};

namespace {

class PipeListener final : public Listener {
 public:
  PipeListener(std::map<std::string, Backlog*>& listening, TimeSource& time, std::string address)
      : listening_(listening), address_(std::move(address)), backlog_(time) {
    const bool is_free = listening_.emplace(address_, &backlog_).second;
    DCM_ASSERT(is_free);
  }
  ~PipeListener() override { listening_.erase(address_); }

  Task<Result<std::unique_ptr<Stream>>> accept() override {
    while (backlog_.streams.empty()) co_await backlog_.arrived.wait();
    std::unique_ptr<Stream> stream = std::move(backlog_.streams.front());
    backlog_.streams.pop_front();
    co_return stream;
  }

  std::string address() const override { return address_; }

 private:
  std::map<std::string, Backlog*>& listening_;
  std::string address_;
  Backlog backlog_;
};

}  // namespace

PipeNetwork::PipeNetwork(TimeSource& time, std::size_t buffer_bytes)
    : impl_(std::make_unique<Impl>(time, buffer_bytes)) {}

PipeNetwork::~PipeNetwork() = default;

Task<Result<std::unique_ptr<Stream>>> PipeNetwork::connect(Endpoint endpoint, Deadline) {
  const auto listening = impl_->listening.find(endpoint.authority());
  if (listening == impl_->listening.end()) {
    co_return fail(Reason::unreachable, fmt::format("nobody listens on {}", endpoint.authority()));
  }
  Backlog& backlog = *listening->second;
  if (backlog.streams.size() >= kBacklogMax) {
    co_return fail(Reason::unreachable, fmt::format("{} is overrun", endpoint.authority()));
  }
  const auto pipe = impl_->add_pipe();
  backlog.streams.push_back(
      std::make_unique<PipeStream>(impl_->time, pipe, pipe->to_server, pipe->to_client));
  backlog.arrived.notify_one();
  std::unique_ptr<Stream> client =
      std::make_unique<PipeStream>(impl_->time, pipe, pipe->to_client, pipe->to_server);
  co_return client;
}

std::unique_ptr<Listener> PipeNetwork::listen(std::string host, std::uint16_t port) {
  const Endpoint endpoint{Security::plain, std::move(host), port};
  return std::make_unique<PipeListener>(impl_->listening, impl_->time, endpoint.authority());
}

void PipeNetwork::cut_all() {
  for (const auto& [number, weak] : impl_->pipes) {
    if (const auto pipe = weak.lock()) pipe->cut();
  }
}

}  // namespace dcm::http
