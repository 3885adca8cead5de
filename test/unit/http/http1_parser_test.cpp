#include "runtime/http/http1_parser.hpp"

#include <gmock/gmock.h>

#include "runtime/http/read_buffer.hpp"

namespace dcm::http {
namespace {

using Kind = ParseError::Kind;

constexpr ParserLimits kLimits{.head_bytes_max = 256, .body_bytes_max = 1000};

// The parts of one message, given in pieces of `piece_bytes`, through the smallest buffer that the
// parser supports.
template <class Head>
struct Reading {
  std::string body;
  std::string left_over;
  std::optional<ParseError> error;

  Reading(Parser<Head>& parser, std::string_view input, std::size_t piece_bytes) {
    ReadBuffer buffer(kLimits.head_bytes_max);
    while (!parser.complete() && !error) {
      const auto space = buffer.space();
      const std::string_view piece = input.substr(0, std::min(piece_bytes, space.size()));
      if (piece.empty()) break;
      piece.copy(space.data(), piece.size());
      buffer.commit(piece.size());
      input.remove_prefix(piece.size());
      parse(parser, buffer);
    }
    left_over = std::string(buffer.data()) + std::string(input);
  }

  void parse(Parser<Head>& parser, ReadBuffer& buffer) {
    while (!buffer.empty() && !parser.complete()) {
      const auto progress = parser.put(buffer.data());
      if (!progress) {
        error = progress.error();
        return;
      }
      body.append(progress->body);
      buffer.consume(progress->consumed);
      if (progress->consumed == 0) return;
    }
  }
};

constexpr std::size_t kPieceSizes[] = {1, 2, 3, 7, 50, 10'000};

struct GoodAnswer {
  std::string what;
  std::string bytes;
  std::uint16_t status;
  std::string body;
  bool keep_alive;
  std::string left_over = {};
  bool ends_with_stream = false;
  AnswerBody answer_body = AnswerBody::as_framed;
};

TEST(ResponseParser, reads_answers_however_split) {
  const GoodAnswer rows[] = {
      {"a body with a length", "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello", 200, "hello",
       true},
      {"what follows is left alone", "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nokHTTP", 200,
       "ok", true, "HTTP"},
      {"chunks",
       "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n2\r\nde\r\n0\r\n\r\n", 200,
       "abcde", true},
      {"chunks with extensions and trailers",
       "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3;x=y\r\nabc\r\n0;z\r\nT: u\r\n\r\n!",
       200, "abc", true, "!"},
      {"a chunk's size in capitals, with zeros",
       "HTTP/1.1 200 OK\r\nTransfer-Encoding: Chunked\r\n\r\n00A\r\n0123456789\r\n000\r\n\r\n", 200,
       "0123456789", true},
      {"a body up to the end", "HTTP/1.1 200 OK\r\n\r\nall of it", 200, "all of it", false, "",
       true},
      {"HTTP/1.0 closes", "HTTP/1.0 200 OK\r\nContent-Length: 1\r\n\r\nx", 200, "x", false},
      {"Connection: close", "HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 0\r\n\r\n",
       200, "", false},
      {"204 has no body", "HTTP/1.1 204 No Content\r\n\r\nHTTP", 204, "", true, "HTTP"},
      {"304 has none either, whatever it says",
       "HTTP/1.1 304 Not Modified\r\nContent-Length: 9\r\n\r\n", 304, "", true},
      {"the answer to HEAD", "HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n", 200, "", true, "",
       false, AnswerBody::none},
      {"no reason phrase", "HTTP/1.1 429 \r\nContent-Length: 0\r\n\r\n", 429, "", true},
      {"the same length twice",
       "HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 1\r\n\r\nx", 200, "x", true},
  };
  for (const auto& row : rows) {
    for (const std::size_t piece : kPieceSizes) {
      SCOPED_TRACE(row.what + ", pieces of " + std::to_string(piece));
      const auto parser = make_response_parser(kLimits, row.answer_body);
      const Reading<ResponseHead> reading(*parser, row.bytes, piece);
      ASSERT_FALSE(reading.error) << reading.error->message;
      if (row.ends_with_stream) {
        EXPECT_FALSE(parser->complete());
        EXPECT_TRUE(parser->put_eof());
      }
      ASSERT_TRUE(parser->complete());
      EXPECT_EQ(parser->head().status, row.status);
      EXPECT_EQ(reading.body, row.body);
      EXPECT_EQ(reading.left_over, row.left_over);
      EXPECT_EQ(parser->keep_alive(), row.keep_alive);
    }
  }
}

struct BadMessage {
  std::string what;
  std::string bytes;
  Kind kind;
  std::string part_of_message = "byte";
};

TEST(ResponseParser, rejects_broken_answers_with_position) {
  const std::string chunked = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n";
  const BadMessage rows[] = {
      {"no HTTP at all", "SSH-2.0-OpenSSH_9.2\r\n\r\n", Kind::bad_version},
      {"HTTP/2", "HTTP/2.0 200 OK\r\n\r\n", Kind::bad_version},
      {"a status that is no number", "HTTP/1.1 2x0 OK\r\n\r\n", Kind::malformed, "byte 0"},
      {"a field without a colon", "HTTP/1.1 200 OK\r\nnonsense\r\n\r\n", Kind::malformed,
       "byte 17"},
      {"a line end without a carriage return", "HTTP/1.1 200 OK\nA: b\n\r\n\r\n", Kind::malformed},
      {"a length that is no number", "HTTP/1.1 200 OK\r\nContent-Length: 1x\r\n\r\n",
       Kind::malformed},
      {"a negative length", "HTTP/1.1 200 OK\r\nContent-Length: -1\r\n\r\n", Kind::malformed},
      {"a length beyond 64 bits", "HTTP/1.1 200 OK\r\nContent-Length: 18446744073709551616\r\n\r\n",
       Kind::malformed},
      {"two lengths", "HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n",
       Kind::malformed},
      {"a length and chunks",
       "HTTP/1.1 200 OK\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n",
       Kind::bad_transfer_encoding},
      {"a length and chunks, the other way round",
       "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nContent-Length: 1\r\n\r\n",
       Kind::malformed},
      {"another transfer encoding below the chunks",
       "HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip, chunked\r\n\r\n", Kind::bad_transfer_encoding},
      {"another transfer encoding above", "HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip\r\n\r\n",
       Kind::bad_transfer_encoding},
      {"chunks in HTTP/1.0", "HTTP/1.0 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n",
       Kind::bad_transfer_encoding},
      {"a length beyond the bound", "HTTP/1.1 200 OK\r\nContent-Length: 2147483648\r\n\r\n",
       Kind::body_too_large},
      {"chunks beyond the bound", chunked + "3e8\r\n" + std::string(1000, 'x') + "\r\n1\r\n",
       Kind::body_too_large},
      {"a chunk without a size", chunked + "\r\nabcd", Kind::malformed, "byte 47"},
      {"a chunk of a size that is no number", chunked + "g\r\nabcd", Kind::malformed},
      {"a chunk of a size beyond 64 bits", chunked + "11111111111111111\r\n", Kind::malformed},
      {"a chunk that is longer than it says", chunked + "1\r\nabcdef\r\n", Kind::malformed,
       "byte 51"},
      {"a chunk's line that does not end", chunked + "1;" + std::string(300, 'x'), Kind::malformed},
      {"trailers that do not end", chunked + "0\r\n" + std::string(300, 'x'), Kind::malformed},
      {"a head that does not end", "HTTP/1.1 200 OK\r\nA: " + std::string(300, 'x'),
       Kind::head_too_large},
      {"a first line that does not end", "HTTP/1.1 200 " + std::string(300, 'x'),
       Kind::head_too_large},
  };
  for (const auto& row : rows) {
    for (const std::size_t piece : kPieceSizes) {
      SCOPED_TRACE(row.what + ", pieces of " + std::to_string(piece));
      const auto parser = make_response_parser(kLimits, AnswerBody::as_framed);
      const Reading<ResponseHead> reading(*parser, row.bytes, piece);
      ASSERT_TRUE(reading.error);
      EXPECT_EQ(reading.error->kind, row.kind) << reading.error->message;
      EXPECT_THAT(reading.error->message, testing::HasSubstr(row.part_of_message));
    }
  }
}

TEST(ResponseParser, detects_truncation_at_every_byte) {
  const std::string answers[] = {
      "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello",
      "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\nT: u\r\n\r\n",
  };
  for (const auto& answer : answers) {
    for (std::size_t size = 0; size < answer.size(); ++size) {
      const auto parser = make_response_parser(kLimits, AnswerBody::as_framed);
      const Reading<ResponseHead> reading(*parser, answer.substr(0, size), 10'000);
      ASSERT_FALSE(reading.error);
      const auto ended = parser->put_eof();
      ASSERT_FALSE(ended) << answer.substr(0, size);
      EXPECT_EQ(ended.error().kind, Kind::truncated);
    }
  }
}

TEST(RequestParser, reads_request_however_split) {
  const std::string bytes =
      "PATCH /a?b=%20c HTTP/1.1\r\nHost: x\r\nX-Odd:   spaces around   \r\nContent-Length: "
      "4\r\n\r\nbodyGET";
  for (const std::size_t piece : kPieceSizes) {
    const auto parser = make_request_parser(kLimits);
    const Reading<RequestHead> reading(*parser, bytes, piece);
    ASSERT_TRUE(parser->complete());
    EXPECT_EQ(parser->head().method, Method::patch);
    EXPECT_EQ(parser->head().target, "/a?b=%20c");
    EXPECT_EQ(parser->head().version, HttpVersion::http_1_1);
    EXPECT_EQ(parser->head().headers.find("x-odd"), "spaces around");
    EXPECT_EQ(parser->content_length(), 4U);
    EXPECT_EQ(reading.body, "body");
    EXPECT_EQ(reading.left_over, "GET");
  }
}

TEST(RequestParser, passes_unknown_method_to_server) {
  const auto parser = make_request_parser(kLimits);
  const Reading<RequestHead> reading(*parser, "BREW /pot HTTP/1.1\r\nHost: x\r\n\r\n", 10'000);
  ASSERT_TRUE(parser->complete());
  EXPECT_EQ(parser->head().method, std::nullopt);
}

}  // namespace
}  // namespace dcm::http
