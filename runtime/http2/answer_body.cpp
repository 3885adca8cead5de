#include "runtime/http2/answer_body.hpp"

#include <fmt/format.h>

#include "runtime/one_line.hpp"

namespace dcm::http2 {
namespace {

using runtime::Error;
using runtime::fail;
using runtime::Reason;

constexpr std::size_t kInflatedBytes = 32 * 1024;

}  // namespace

AnswerBody::AnswerBody(Stream& stream) : stream_(stream) {
  const auto encoding = stream.head().find("content-encoding");
  if (!encoding || http::equals_without_case(*encoding, "identity")) return;
  if (http::equals_without_case(*encoding, "gzip")) {
    inflater_ = std::make_unique<http::Inflater>();
    inflated_.resize(kInflatedBytes);
  } else {
    error_ = Error{Reason::malformed,
                   runtime::one_line(fmt::format("the answer is encoded as \"{}\"", *encoding))};
  }
}

Task<Result<std::string_view>> AnswerBody::read_some(Deadline deadline) {
  if (error_) co_return fail(*error_);
  while (true) {
    if (!compressed_.empty() || may_hold_more_) {
      const auto step = inflater_->inflate(compressed_, inflated_);
      if (!step) co_return fail(step.error());
      compressed_.remove_prefix(step->consumed);
      may_hold_more_ = step->produced == inflated_.size();
      if (step->produced == 0) continue;
      if (turn_.is_over(step->produced)) co_await runtime::yield();
      co_return std::string_view(inflated_.data(), step->produced);
    }
    const Result<std::string_view> piece = co_await stream_.read_some(deadline);
    if (!piece || inflater_ == nullptr) co_return piece;
    if (piece->empty()) {
      if (inflater_->at_member_end()) co_return piece;
      co_return fail(Reason::malformed, "the answer ends in the middle of its gzip");
    }
    compressed_ = *piece;
  }
}

}  // namespace dcm::http2
