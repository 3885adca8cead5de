// One request and its answer on a connection: the client's half of HTTP/1.1.
#pragma once

#include <memory>
#include <optional>
#include <string_view>

#include "runtime/http/gzip.hpp"
#include "runtime/http/http1_parser.hpp"
#include "runtime/http/idle_connections.hpp"
#include "runtime/http/message.hpp"
#include "runtime/http/stream.hpp"

namespace dcm::http {

// Writes a request, then reads the headers and the pieces of the answer, inflating gzip. Errors of
// start() and read_body(): disconnected, deadline_exceeded, tls, malformed, body_too_large; after
// an error the connection is unusable.
class Exchange {
 public:
  // `connection` must outlive the exchange.
  Exchange(Connection& connection, const ParserLimits& limits, Method method);

  // Sends `wire` and waits for the headers of the final answer.
  Task<Result<>> start(std::string_view wire, Deadline deadline);
  // Waits for more of the body; returns an empty view at its end. Valid until the next call.
  Task<Result<std::string_view>> read_body(Deadline deadline);

  ResponseHead& head() { return parser_->head(); }
  // The size of the body according to the answer's headers, before inflating.
  std::optional<std::uint64_t> content_length() const { return parser_->content_length(); }
  // Whether a byte of an answer has come.
  bool has_answer() const noexcept { return has_answer_; }
  // Whether the connection can be reused: nothing left over, and the server keeps it open.
  bool is_reusable() const;

 private:
  struct Piece {
    enum class State { piece, end, needs_bytes } state = State::needs_bytes;
    std::string_view bytes = {};
  };

  Task<Result<>> read_head(Deadline deadline);
  Task<Result<>> fill(Deadline deadline);
  Result<> parse_head();
  Result<> accept_head();
  Result<Piece> next_piece();
  void expect_answer();

  Connection& connection_;
  ParserLimits limits_;
  AnswerBody answer_body_;
  std::unique_ptr<ResponseParser> parser_;
  BodyDecoder body_;
  bool has_answer_ = false;
  unsigned interim_answers_ = 0;
};

}  // namespace dcm::http
