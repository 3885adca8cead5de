// Encodes HTTP/1.1 messages as bytes (RFC 9112).
#pragma once

#include <string>
#include <string_view>

#include "runtime/error.hpp"
#include "runtime/http/http1_parser.hpp"
#include "runtime/http/message.hpp"

namespace dcm::http {

// Errors: configuration, as for encode_request().
runtime::Result<> check_request(const Request& request);

// Returns head and body, to be sent in one write. Adds Host and Content-Length. Errors:
// configuration (a target or field that would corrupt the message, such as a token with a line
// break; the value is not shown).
runtime::Result<std::string> encode_request(const Request& request, std::string_view authority);

// How the peer finds the end of an answer's body.
enum class Framing : std::uint8_t { content_length, chunked, until_close };
enum class AfterAnswer : std::uint8_t { keep_alive, close };

// The headers of an answer up to and including the empty line.
std::string encode_response_head(const Response& response, Framing framing, AfterAnswer after,
                                 runtime::WallTime now);

// Whether an answer of this status may have a body at all (RFC 9110, 6.4.1).
bool may_have_body(std::uint16_t status);

// Encodes one chunk. `piece` must not be empty: that would be the end.
std::string encode_chunk(std::string_view piece);
inline constexpr std::string_view kLastChunk = "0\r\n\r\n";
inline constexpr std::string_view kContinue = "HTTP/1.1 100 Continue\r\n\r\n";

}  // namespace dcm::http
