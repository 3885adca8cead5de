#include "runtime/http/answer_memory.hpp"

#include <memory>

#include <fmt/format.h>

namespace dcm::http {

using runtime::fail;
using runtime::Reason;
using runtime::Slots;

Task<Result<>> AnswerMemory::append(Response& response, std::string_view piece,
                                    const ExchangeLimits& limits) {
  if (piece.size() > limits.body_bytes_max - response.body.size()) {
    co_return fail(Reason::body_too_large,
                   fmt::format("the answer's body exceeds {} bytes", limits.body_bytes_max));
  }
  if (response.turn == nullptr && response.body.size() + piece.size() > kSmallBytes) {
    Result<Slots::Slot> turn = co_await large_.acquire(limits.deadline);
    if (!turn) {
      co_return fail(Reason::deadline_exceeded,
                     "other large answers were still being read at the deadline");
    }
    response.turn = std::make_shared<const Slots::Slot>(std::move(*turn));
  }
  response.body.append(piece);
  co_return Result<>();
}

}  // namespace dcm::http
