// The body of an answer, inflated if its headers say gzip.
#pragma once

#include <string_view>

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
  http::BodyDecoder decoder_;
  Result<> is_decodable_;
};

}  // namespace dcm::http2
