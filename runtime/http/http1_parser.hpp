// Bytes in, HTTP/1.1 messages out (RFC 9112), without any I/O: the client, the server, simulations
// and fuzzing all read messages through this one interface.
//
// Content (gzip) is not decoded. Of the connection, it knows only whether the message allows reuse.
#pragma once

#include <cstddef>
#include <cstdint>
#include <expected>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "runtime/http/message.hpp"

namespace dcm::http {

enum class HttpVersion : std::uint8_t { http_1_0, http_1_1 };

struct RequestHead {
  std::optional<Method> method;  // nullopt: an unknown method
  std::string target;
  HttpVersion version = HttpVersion::http_1_1;
  Headers headers;
};

struct ResponseHead {
  std::uint16_t status = 0;
  HttpVersion version = HttpVersion::http_1_1;
  Headers headers;
};

struct ParseError {
  enum class Kind : std::uint8_t {
    malformed,
    bad_version,            // neither 1.0 nor 1.1
    bad_transfer_encoding,  // anything but "chunked"
    head_too_large,
    body_too_large,
    truncated,  // the stream ended within the message
  };
  Kind kind;
  std::string message;  // includes the byte offset in the message
};

template <class T>
using ParseResult = std::expected<T, ParseError>;

struct ParserLimits {
  // Applies to the first line, to all fields, and to the lines between a body's chunks, separately.
  std::size_t head_bytes_max = 64 * 1024;
  std::uint64_t body_bytes_max = std::numeric_limits<std::uint64_t>::max();
};

// Reads one message; the next one needs a new parser.
//
// Invariant: given `head_bytes_max` bytes, put() consumes some or fails; so a buffer of that size
// is always enough.
template <class Head>
class Parser {
 public:
  struct Progress {
    std::size_t consumed = 0;
    std::string_view body;  // a piece of the body, within the bytes given
  };

  virtual ~Parser() = default;

  // Consumes as many bytes as one step allows. If nothing is consumed, it needs more bytes after
  // these. Requires !complete().
  virtual ParseResult<Progress> put(std::string_view bytes) = 0;
  // The stream has ended: this properly ends a body without a length; otherwise it is `truncated`.
  virtual ParseResult<void> put_eof() = 0;

  virtual bool head_complete() const = 0;
  virtual bool complete() const = 0;
  // Whether the connection may be kept open. Needs head_complete(), like everything below.
  virtual bool keep_alive() const = 0;
  virtual std::optional<std::uint64_t> content_length() const = 0;
  virtual Head& head() = 0;
};

using RequestParser = Parser<RequestHead>;
using ResponseParser = Parser<ResponseHead>;

// An answer to HEAD has no body, whatever its headers say.
enum class AnswerBody { as_framed, none };

std::unique_ptr<RequestParser> make_request_parser(const ParserLimits& limits);
std::unique_ptr<ResponseParser> make_response_parser(const ParserLimits& limits, AnswerBody body);

}  // namespace dcm::http
