#include "runtime/http2/answer_body.hpp"

namespace dcm::http2 {

AnswerBody::AnswerBody(Stream& stream)
    : stream_(stream),
      is_decodable_(decoder_.set_encoding(stream.head().find("content-encoding"))) {}

Task<Result<std::string_view>> AnswerBody::read_some(Deadline deadline) {
  if (!is_decodable_) co_return runtime::fail(is_decodable_.error());
  while (true) {
    const Result<std::string_view> decoded = decoder_.next();
    if (!decoded) co_return decoded;
    if (!decoded->empty()) {
      if (decoder_.must_yield_after(decoded->size())) co_await runtime::yield();
      co_return decoded;
    }
    const Result<std::string_view> piece = co_await stream_.read_some(deadline);
    if (!piece) co_return piece;
    if (piece->empty()) {
      const Result<> ended = decoder_.end();
      if (!ended) co_return runtime::fail(ended.error());
      co_return piece;
    }
    decoder_.put(*piece);
  }
}

}  // namespace dcm::http2
