// The only file that sees Beast: its basic_parser, without its messages, buffers and I/O.
#include "runtime/http/http1_parser.hpp"

#include <algorithm>

#include <boost/asio/buffer.hpp>
#include <boost/beast/http/basic_parser.hpp>
#include <boost/beast/http/error.hpp>
#include <fmt/format.h>

namespace dcm::http {
namespace {

namespace beast = boost::beast;
using beast::error_code;
using beast::http::error;
using beast::http::field;
using Kind = ParseError::Kind;

Kind kind_of(error_code code) {
  if (code == error::header_limit) return Kind::head_too_large;
  if (code == error::body_limit) return Kind::body_too_large;
  if (code == error::bad_version) return Kind::bad_version;
  if (code == error::bad_transfer_encoding) return Kind::bad_transfer_encoding;
  if (code == error::partial_message) return Kind::truncated;
  return Kind::malformed;
}

std::string string_of(beast::string_view text) {
  return {text.data(), text.size()};
}

std::string describe(const RequestHead&) {
  return "request";
}
std::string describe(const ResponseHead&) {
  return "answer";
}

template <class Head>
class BeastParser final : public Parser<Head>,
                          private beast::http::basic_parser<std::is_same_v<Head, RequestHead>> {
  using Base = beast::http::basic_parser<std::is_same_v<Head, RequestHead>>;
  using typename Parser<Head>::Progress;

 public:
  BeastParser(const ParserLimits& limits, AnswerBody body)
      : line_bytes_max_(limits.head_bytes_max) {
    this->header_limit(static_cast<std::uint32_t>(
        std::min<std::size_t>(limits.head_bytes_max, std::numeric_limits<std::uint32_t>::max())));
    this->body_limit(limits.body_bytes_max);
    if (body == AnswerBody::none) this->skip(true);
  }

  ParseResult<Progress> put(std::string_view bytes) override {
    piece_ = {};
    if (is_between_chunks() && bytes.size() < kLastChunkBytes) return Progress{};
    error_code code;
    const std::size_t consumed = Base::put({bytes.data(), bytes.size()}, code);
    offset_ += consumed;
    if (code && code != error::need_more) return refuse(code);
    if (consumed == 0 && bytes.size() >= line_bytes_max_) {
      return std::unexpected(ParseError{
          head_complete() ? Kind::malformed : Kind::head_too_large,
          fmt::format("{} has a line that does not end, at byte {}", describe(head_), offset_)});
    }
    return Progress{.consumed = consumed, .body = piece_};
  }

  ParseResult<void> put_eof() override {
    error_code code = error::partial_message;
    if (Base::got_some()) Base::put_eof(code);
    if (code) return refuse(code);
    return {};
  }

  bool head_complete() const override { return Base::is_header_done(); }
  bool complete() const override { return Base::is_done(); }
  bool keep_alive() const override { return Base::keep_alive(); }
  std::optional<std::uint64_t> content_length() const override {
    const auto length = Base::content_length();
    return length ? std::optional<std::uint64_t>(*length) : std::nullopt;
  }
  Head& head() override { return head_; }

 private:
  // Beast asserts that a partial last chunk has this many bytes on the next call. As no message can
  // end with fewer, waiting for them loses nothing.
  static constexpr std::size_t kLastChunkBytes = std::string_view("0\r\n\r\n").size();

  bool is_between_chunks() const {
    return is_chunked_ && chunk_bytes_left_ == 0 && Base::is_header_done();
  }

  std::unexpected<ParseError> refuse(error_code code) const {
    return std::unexpected(ParseError{
        kind_of(code),
        fmt::format("{} is broken at byte {}: {}", describe(head_), offset_, code.message())});
  }

  void on_request_impl(beast::http::verb, beast::string_view method, beast::string_view target,
                       int version, error_code&) override {
    if constexpr (std::is_same_v<Head, RequestHead>) {
      head_.method = method_from({method.data(), method.size()});
      head_.target = string_of(target);
      set_version(version);
    }
  }

  void on_response_impl(int status, beast::string_view, int version, error_code&) override {
    if constexpr (std::is_same_v<Head, ResponseHead>) {
      head_.status = static_cast<std::uint16_t>(status);
      set_version(version);
    }
  }

  void set_version(int version) {
    head_.version = version >= 11 ? HttpVersion::http_1_1 : HttpVersion::http_1_0;
  }

  void on_field_impl(field known, beast::string_view name, beast::string_view value,
                     error_code& code) override {
    if (Base::is_header_done()) return;  // trailers contain nothing that we use
    // Beast would treat "gzip, chunked" as chunked only and "gzip" as no body: both let two parties
    // see different messages in the same bytes.
    if (known == field::transfer_encoding &&
        (!beast::iequals(value, "chunked") || head_.version == HttpVersion::http_1_0)) {
      code = error::bad_transfer_encoding;
      return;
    }
    if (known == field::transfer_encoding) is_chunked_ = true;
    head_.headers.add(string_of(name), string_of(value));
  }

  std::size_t on_body_impl(beast::string_view body, error_code&) override {
    piece_ = {body.data(), body.size()};
    return body.size();
  }

  void on_chunk_header_impl(std::uint64_t size, beast::string_view, error_code&) override {
    chunk_bytes_left_ = size;
  }

  std::size_t on_chunk_body_impl(std::uint64_t, beast::string_view body, error_code&) override {
    chunk_bytes_left_ -= body.size();
    piece_ = {body.data(), body.size()};
    return body.size();
  }

  void on_header_impl(error_code&) override {}
  void on_body_init_impl(const boost::optional<std::uint64_t>&, error_code&) override {}
  void on_finish_impl(error_code&) override {}

  Head head_;
  std::size_t line_bytes_max_;
  std::uint64_t offset_ = 0;
  bool is_chunked_ = false;
  std::uint64_t chunk_bytes_left_ = 0;
  std::string_view piece_;
};

}  // namespace

std::unique_ptr<RequestParser> make_request_parser(const ParserLimits& limits) {
  return std::make_unique<BeastParser<RequestHead>>(limits, AnswerBody::as_framed);
}

std::unique_ptr<ResponseParser> make_response_parser(const ParserLimits& limits, AnswerBody body) {
  return std::make_unique<BeastParser<ResponseHead>>(limits, body);
}

}  // namespace dcm::http
