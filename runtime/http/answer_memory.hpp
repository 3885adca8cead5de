// Limits the memory that answers take: small ones are read immediately, large ones a few at a time.
// Users determine the size of answers: the creator of an object determines how large the answer to
// a write on it is, and fifty workers may receive fifty of them.
#pragma once

#include "runtime/http/client.hpp"
#include "runtime/slots.hpp"

namespace dcm::http {

// Shared by all exchanges of a client. Loop thread only.
class AnswerMemory {
 public:
  // `time` must outlive this, and this must outlive the responses.
  explicit AnswerMemory(runtime::TimeSource& time) : large_(time, kLargeMax) {}

  // Adds a piece to the body; once the body is large, waits for a turn, which the response keeps as
  // long as it lives. Until then no more of the body is read, and the peer has to wait. Errors:
  // body_too_large, deadline_exceeded.
  Task<Result<>> append(Response& response, std::string_view piece, const ExchangeLimits& limits);

 private:
  static constexpr std::size_t kSmallBytes = std::size_t{128} * 1024;
  static constexpr std::size_t kLargeMax = 2;

  runtime::Slots large_;
};

}  // namespace dcm::http
