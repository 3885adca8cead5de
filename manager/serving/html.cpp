#include "manager/serving/html.hpp"

#include <utility>

#include <fmt/format.h>

namespace dcm::manager {
namespace {

constexpr std::string_view kStyle =
    "body{font:16px/1.5 system-ui,sans-serif;max-width:60rem;margin:2rem auto;padding:0 1rem;"
    "color-scheme:light dark}"
    "h1{font-size:1.4rem;overflow-wrap:anywhere}h2{font-size:1.1rem}"
    "th{text-align:left;vertical-align:top;padding-right:1.5rem}"
    "td,li,p{overflow-wrap:anywhere}b{font-variant:small-caps}";

}  // namespace

std::string escape_html(std::string_view text) {
  std::string escaped;
  escaped.reserve(text.size());
  for (const char c : text) {
    switch (c) {
      case '&':
        escaped += "&amp;";
        break;
      case '<':
        escaped += "&lt;";
        break;
      case '>':
        escaped += "&gt;";
        break;
      case '"':
        escaped += "&quot;";
        break;
      case '\'':
        escaped += "&#39;";
        break;
      default:
        escaped += c;
    }
  }
  return escaped;
}

std::string html_document(std::string_view title, std::string_view body) {
  return fmt::format(
      "<!doctype html>\n<html lang=\"en\">\n<meta charset=\"utf-8\">\n"
      "<meta name=\"viewport\" content=\"width=device-width\">\n"
      "<title>{0}</title>\n<style>{1}</style>\n<h1>{0}</h1>\n{2}</html>\n",
      escape_html(title), kStyle, body);
}

bool wants_html(const http::Request& request) {
  const auto accept = request.headers.find("Accept");
  return accept && accept->contains("text/html");
}

http::Response html_response(std::uint16_t status, std::string document) {
  return {status,
          {{"Content-Type", "text/html; charset=utf-8"},
           {"X-Content-Type-Options", "nosniff"},
           {"Content-Security-Policy",
            "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'; "
            "frame-ancestors 'none'"}},
          std::move(document)};
}

}  // namespace dcm::manager
