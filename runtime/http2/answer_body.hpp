// The body of an answer, inflated if its headers say gzip.
#pragma once

#include <memory>
#include <string_view>
#include <vector>

#include "runtime/http/gzip.hpp"
#include "runtime/http2/connection.hpp"

namespace dcm::http2 {

class AnswerBody {
 public:
  // `stream` has received its headers, and outlives this.
  explicit AnswerBody(Stream& stream);

  // Like Stream::read_some(). Further errors: malformed (an encoding that was not requested, broken
  // gzip).
  Task<Result<std::string_view>> read_some(Deadline deadline);

 private:
  Stream& stream_;
  std::unique_ptr<http::Inflater> inflater_;
  http::InflatingTurn turn_;
  std::vector<char> inflated_;
  std::string_view compressed_;
  bool may_hold_more_ = false;  // the inflater filled its output completely
  std::optional<runtime::Error> error_;
};

}  // namespace dcm::http2
