// One connection of the server: reads requests, lets the handler answer, decides what comes next.
#pragma once

#include <cstdint>
#include <expected>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "runtime/condition.hpp"
#include "runtime/http/http1_encode.hpp"
#include "runtime/http/http1_parser.hpp"
#include "runtime/http/read_buffer.hpp"
#include "runtime/http/server.hpp"
#include "runtime/task_group.hpp"

namespace dcm::http {

// Loop thread only.
class ServerConnection final : private Responder {
 public:
  // Whether the connection may continue now that its first request has arrived.
  using Settle = std::function<Task<bool>(ServerConnection&)>;
  // Whether its slot is needed, so that the next answer is its last.
  using MustYield = std::function<bool(const ServerConnection&)>;
  // `opened`: no request yet. `closed`: its slot has been given away.
  enum class Stage : std::uint8_t { opened, settled, closed };

  // What all connections of a server share.
  struct Context {
    runtime::Executor executor;
    runtime::TimeSource& time;
    ServerOptions options;
    Handler handler;
    Settle settle;
    MustYield must_yield;
    runtime::Logger log;
    // Notified when a connection waits for another request after an answer.
    runtime::Condition& became_idle;
  };

  // `context` must outlive it.
  ServerConnection(const Context& context, std::unique_ptr<Stream> stream);

  // Serves until either side closes the connection.
  Task<> run();
  void close() noexcept { stream_->close(); }

  // `unfinished`: a request or handshake has not fully arrived.
  enum class State : std::uint8_t { unfinished, idle, answering };
  State state() const noexcept { return state_; }
  runtime::MonoTime since() const noexcept { return since_; }
  // How long the next piece of the answer has waited for the client to read.
  runtime::Duration unread_for() const {
    return writing_since_ ? time_.now() - *writing_since_ : runtime::Duration::zero();
  }
  Stage stage() const noexcept { return stage_; }
  void set_stage(Stage stage) noexcept { stage_ = stage; }
  // The peer's address; empty if none.
  const std::string& address() const noexcept { return address_; }

 private:
  // Why a request is not passed to the handler.
  struct Refusal {
    std::uint16_t status;
    std::string message;
  };
  // nullopt: the client is gone.
  template <class T = void>
  using Received = std::expected<T, std::optional<Refusal>>;
  enum class Answer : std::uint8_t { none, sent, streaming, ended, failed };

  void enter(State state);
  Task<bool> settle();
  Task<> serve_requests();
  Task<bool> upgrade();
  Task<Received<Request>> read_request();
  Task<Received<>> await_first_byte();
  Task<Received<>> read_head(Deadline deadline);
  Task<Received<>> read_body(std::string& body, Deadline deadline);
  Task<Received<>> fill(Deadline deadline);
  Received<> parse(std::string& body);
  Received<> check_head() const;

  Task<> answer(Request request);
  Task<> refuse(std::optional<Refusal> refusal);
  Task<> drain();
  Task<> watch_peer();
  Task<Result<>> write_all(std::string_view bytes);
  AfterAnswer after_answer(const Response& response) const;

  Task<Result<>> send(Response response) override;
  Task<Result<>> begin(Response head) override;
  Task<Result<>> write(std::string_view piece) override;
  Task<Result<>> end() override;
  void abort() override;

  const Context& context_;
  runtime::TimeSource& time_;
  const ServerOptions& options_;
  std::unique_ptr<Stream> stream_;
  ReadBuffer buffer_;
  const std::string address_;
  bool is_first_request_ = true;
  const runtime::MonoTime opened_;
  State state_ = State::unfinished;
  Stage stage_ = Stage::opened;
  runtime::MonoTime since_;
  std::optional<runtime::MonoTime> writing_since_;

  // The parser of the current request.
  std::unique_ptr<RequestParser> parser_;
  bool is_head_request_ = false;
  Answer answer_ = Answer::none;
  Framing framing_ = Framing::content_length;
  AfterAnswer after_ = AfterAnswer::keep_alive;

  runtime::TaskGroup group_;
};

}  // namespace dcm::http
