#include "runtime/http/http1_encode.hpp"

#include <array>
#include <chrono>

#include <boost/beast/http/status.hpp>
#include <fmt/compile.h>
#include <fmt/format.h>

namespace dcm::http {
namespace {

using runtime::fail;
using runtime::Reason;

bool breaks_lines(std::string_view text) {
  return text.find_first_of(std::string_view("\r\n\0", 3)) != std::string_view::npos;
}

bool breaks_target(std::string_view target) {
  return target.empty() || target.contains(' ') || breaks_lines(target);
}

bool has_body_by_nature(Method method) {
  return method == Method::post || method == Method::put || method == Method::patch;
}

void append_field(std::string& out, std::string_view name, std::string_view value) {
  out.append(name).append(": ").append(value).append("\r\n");
}

void append_fields(std::string& out, const Headers& headers) {
  for (const auto& [name, value] : headers) append_field(out, name, value);
}

std::size_t size_of(const Headers& headers) {
  std::size_t size = 0;
  for (const auto& [name, value] : headers) size += name.size() + value.size() + 4;
  return size;
}

// The Python client shows it to users. RFC 9112 allows it to be empty.
std::string_view reason_phrase(std::uint16_t status) {
  namespace beast = boost::beast::http;
  const beast::status known = beast::int_to_status(status);
  if (known == beast::status::unknown) return "";
  return beast::obsolete_reason(known);
}

// "Sun, 06 Nov 1994 08:49:37 GMT" (RFC 9110, 5.6.7).
std::string http_date(runtime::WallTime now) {
  static constexpr std::array kDays = {"Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"};
  static constexpr std::array kMonths = {"Jan", "Feb", "Mar", "Apr", "May", "Jun",
                                         "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};
  const auto day = std::chrono::floor<std::chrono::days>(now);
  const std::chrono::year_month_day date(day);
  const std::chrono::hh_mm_ss clock(std::chrono::floor<std::chrono::seconds>(now - day));
  return fmt::format(
      FMT_COMPILE("{}, {:02} {} {:04} {:02}:{:02}:{:02} GMT"),
      kDays[std::chrono::weekday(day).c_encoding()], static_cast<unsigned>(date.day()),
      kMonths[static_cast<unsigned>(date.month()) - 1], static_cast<int>(date.year()),
      clock.hours().count(), clock.minutes().count(), clock.seconds().count());
}

}  // namespace

runtime::Result<> check_request(const Request& request) {
  if (breaks_target(request.target)) {
    return fail(Reason::configuration, "the request's target is empty or holds a blank");
  }
  for (const auto& [name, value] : request.headers) {
    if (breaks_lines(name) || breaks_lines(value)) {
      return fail(Reason::configuration, fmt::format("the value of {} holds a line break", name));
    }
  }
  return {};
}

runtime::Result<std::string> encode_request(const Request& request, std::string_view authority) {
  if (const runtime::Result<> checked = check_request(request); !checked) {
    return fail(checked.error());
  }
  std::string out;
  out.reserve(128 + request.target.size() + authority.size() + size_of(request.headers) +
              request.body.size());
  out.append(to_string(request.method)).append(" ").append(request.target).append(" HTTP/1.1\r\n");
  append_field(out, "Host", authority);
  append_fields(out, request.headers);
  if (!request.body.empty() || has_body_by_nature(request.method)) {
    append_field(out, "Content-Length", fmt::format_int(request.body.size()).c_str());
  }
  out.append("\r\n").append(request.body);
  return out;
}

bool may_have_body(std::uint16_t status) {
  return status >= 200 && status != 204 && status != 304;
}

std::string encode_response_head(const Response& response, Framing framing, AfterAnswer after,
                                 runtime::WallTime now) {
  std::string out =
      fmt::format("HTTP/1.1 {} {}\r\n", response.status, reason_phrase(response.status));
  append_field(out, "Date", http_date(now));
  append_fields(out, response.headers);
  if (framing == Framing::chunked) append_field(out, "Transfer-Encoding", "chunked");
  if (framing == Framing::content_length && may_have_body(response.status)) {
    append_field(out, "Content-Length", fmt::format_int(response.body.size()).c_str());
  }
  const bool says_it_already = response.headers.find("Connection").has_value();
  if (after == AfterAnswer::close && !says_it_already) append_field(out, "Connection", "close");
  out.append("\r\n");
  return out;
}

std::string encode_chunk(std::string_view piece) {
  std::string out = fmt::format("{:x}\r\n", piece.size());
  out.reserve(out.size() + piece.size() + 2);
  return out.append(piece).append("\r\n");
}

}  // namespace dcm::http
