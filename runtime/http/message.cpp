#include "runtime/http/message.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "runtime/ascii.hpp"
#include "runtime/http/stream.hpp"

namespace dcm::http {

bool equals_without_case(std::string_view a, std::string_view b) {
  return std::ranges::equal(a, b, {}, runtime::to_lower, runtime::to_lower);
}

Response typed_response(std::uint16_t status, std::string_view content_type, std::string body) {
  return {.status = status,
          .headers = {{"Content-Type", std::string(content_type)},
                      {"X-Content-Type-Options", "nosniff"}},
          .body = std::move(body)};
}

Response text_response(std::uint16_t status, std::string body) {
  return typed_response(status, "text/plain; charset=utf-8", std::move(body));
}

std::string_view to_string(Method method) {
  switch (method) {
    case Method::get:
      return "GET";
    case Method::head:
      return "HEAD";
    case Method::post:
      return "POST";
    case Method::put:
      return "PUT";
    case Method::patch:
      return "PATCH";
    case Method::delete_:
      return "DELETE";
  }
  return "";
}

std::optional<Method> method_from(std::string_view name) {
  for (const Method method :
       {Method::get, Method::head, Method::post, Method::put, Method::patch, Method::delete_}) {
    if (name == to_string(method)) return method;
  }
  return std::nullopt;
}

std::optional<std::string_view> Headers::find(std::string_view name) const {
  for (const auto& [field, value] : fields_) {
    if (equals_without_case(field, name)) return value;
  }
  return std::nullopt;
}

void Headers::add(std::string name, std::string value) {
  // Enough for an answer of an API server: it arrives field by field.
  if (fields_.capacity() == 0) fields_.reserve(12);
  fields_.emplace_back(std::move(name), std::move(value));
}

void Headers::set(std::string_view name, std::string value) {
  std::erase_if(fields_,
                [name](const auto& field) { return equals_without_case(field.first, name); });
  fields_.emplace_back(std::string(name), std::move(value));
}

std::string Endpoint::authority() const {
  const bool is_ipv6 = host.contains(':');
  return is_ipv6 ? fmt::format("[{}]:{}", host, port) : fmt::format("{}:{}", host, port);
}

std::string Endpoint::url() const {
  return fmt::format("{}://{}", security == Security::tls ? "https" : "http", authority());
}

}  // namespace dcm::http
