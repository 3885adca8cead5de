#include "runtime/http/exchange.hpp"

#include <fmt/format.h>

namespace dcm::http {
namespace {

using runtime::fail;
using runtime::Reason;

std::unexpected<runtime::Error> fail(ParseError error) {
  switch (error.kind) {
    case ParseError::Kind::truncated:
      return fail(Reason::disconnected, "the connection was closed in the middle of the answer");
    case ParseError::Kind::body_too_large:
      return fail(Reason::body_too_large, std::move(error.message));
    default:
      return fail(Reason::malformed, std::move(error.message));
  }
}

}  // namespace

Exchange::Exchange(Connection& connection, const ParserLimits& limits, Method method)
    : connection_(connection),
      limits_(limits),
      answer_body_(method == Method::head ? AnswerBody::none : AnswerBody::as_framed) {
  expect_answer();
}

void Exchange::expect_answer() {
  parser_ = make_response_parser(limits_, answer_body_);
}

bool Exchange::is_reusable() const {
  return parser_->complete() && parser_->keep_alive() && connection_.buffer.empty();
}

Task<Result<>> Exchange::start(std::string_view wire, Deadline deadline) {
  const Result<> written = co_await connection_.stream->write(wire, deadline);
  if (!written && written.error().reason != Reason::disconnected) co_return written;
  // A server that refuses a request may answer and close before it has read all of it.
  Result<> answered = co_await read_head(deadline);
  if (!answered && !written) co_return written;
  co_return answered;
}

Task<Result<>> Exchange::read_head(Deadline deadline) {
  while (true) {
    Result<> parsed = parse_head();
    if (!parsed || parser_->head_complete()) co_return parsed;
    Result<> filled = co_await fill(deadline);
    if (!filled) co_return filled;
  }
}

// Reads headers, skipping interim answers (1xx) up to the final one.
Result<> Exchange::parse_head() {
  ReadBuffer& buffer = connection_.buffer;
  while (!buffer.empty() && !parser_->head_complete()) {
    const auto progress = parser_->put(buffer.data());
    if (!progress) return fail(progress.error());
    buffer.consume(progress->consumed);
    if (parser_->head_complete()) {
      Result<> accepted = accept_head();
      if (!accepted) return accepted;
    } else if (progress->consumed == 0) {
      break;
    }
  }
  return {};
}

Result<> Exchange::accept_head() {
  const ResponseHead& head = parser_->head();
  if (head.status < 200) {
    if (head.status == 101 || ++interim_answers_ > kInterimAnswersMax) {
      return fail(Reason::malformed, fmt::format("unexpected answer {}", head.status));
    }
    expect_answer();
    return {};
  }
  return body_.set_encoding(head.headers.find("Content-Encoding"));
}

Task<Result<>> Exchange::fill(Deadline deadline) {
  ReadBuffer& buffer = connection_.buffer;
  const Result<std::size_t> read = co_await connection_.stream->read_some(buffer.space(), deadline);
  if (!read) co_return fail(read.error());
  if (*read == 0) {
    const auto ended = parser_->put_eof();
    if (!ended) co_return fail(ended.error());
  }
  if (*read > 0) has_answer_ = true;
  buffer.commit(*read);
  co_return Result<>();
}

Task<Result<std::string_view>> Exchange::read_body(Deadline deadline) {
  while (true) {
    const Result<Piece> piece = next_piece();
    if (!piece) co_return fail(piece.error());
    if (piece->state != Piece::State::needs_bytes) {
      if (body_.must_yield_after(piece->bytes.size())) co_await runtime::yield();
      co_return piece->bytes;
    }
    const Result<> filled = co_await fill(deadline);
    if (!filled) co_return fail(filled.error());
  }
}

Result<Exchange::Piece> Exchange::next_piece() {
  ReadBuffer& buffer = connection_.buffer;
  while (true) {
    const Result<std::string_view> decoded = body_.next();
    if (!decoded) return fail(decoded.error());
    if (!decoded->empty()) return Piece{Piece::State::piece, *decoded};
    if (parser_->complete()) {
      const Result<> ended = body_.end();
      if (!ended) return fail(ended.error());
      return Piece{Piece::State::end};
    }
    if (buffer.empty()) return Piece{};
    const auto progress = parser_->put(buffer.data());
    if (!progress) return fail(progress.error());
    buffer.consume(progress->consumed);
    body_.put(progress->body);
    if (progress->consumed == 0 && progress->body.empty()) return Piece{};
  }
}

}  // namespace dcm::http
