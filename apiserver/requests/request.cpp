#include "apiserver/requests/request.hpp"

#include <algorithm>
#include <charconv>

#include <fmt/format.h>

#include "apiserver/protobuf/protobuf.hpp"
#include "runtime/ascii.hpp"
#include "runtime/one_line.hpp"

namespace dcm::apiserver {

namespace {

using runtime::to_lower;

int hex_digit(char c) {
  if (runtime::is_digit(c)) return c - '0';
  const char l = to_lower(c);
  return l >= 'a' && l <= 'f' ? l - 'a' + 10 : -1;
}

}  // namespace

std::string_view Request::header(std::string_view name) const {
  for (const auto& [key, value] : headers) {
    if (std::ranges::equal(key, name, {}, to_lower, to_lower)) return value;
  }
  return {};
}

Response json_response(int status, std::string body) {
  return {status, {{"Content-Type", "application/json"}}, std::move(body) + "\n"};
}

Response encoded_response(int status, Encoding encoding, std::string body) {
  if (encoding == Encoding::json) return json_response(status, std::move(body));
  return {status, {{"Content-Type", std::string(kProtobuf)}}, std::move(body)};
}

Response json_response(int status, const JsonObject& body) {
  return json_response(status, serialize(body));
}

Response to_response(const ApiError& error) {
  Response response = json_response(error.code, error.to_status());
  if (error.retry_after_seconds) {
    response.headers.emplace_back("Retry-After", std::to_string(*error.retry_after_seconds));
  }
  return response;
}

Response created_status() {
  return json_response(201, JsonObject{{"kind", "Status"},
                                       {"apiVersion", "v1"},
                                       {"metadata", JsonObject()},
                                       {"status", "Success"},
                                       {"code", 201}});
}

std::string percent_decoded(std::string_view text) {
  if (!text.contains('%')) return runtime::valid_utf8(text);
  std::string decoded;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool is_escape = text[i] == '%' && i + 2 < text.size() && hex_digit(text[i + 1]) >= 0 &&
                           hex_digit(text[i + 2]) >= 0;
    if (!is_escape) {
      decoded += text[i];
      continue;
    }
    decoded += static_cast<char>(hex_digit(text[i + 1]) * 16 + hex_digit(text[i + 2]));
    i += 2;
  }
  return runtime::valid_utf8(decoded);
}

Query::Query(std::string_view raw) {
  while (!raw.empty()) {
    const auto end = raw.find('&');
    std::string item(raw.substr(0, end));
    raw = end == std::string_view::npos ? std::string_view() : raw.substr(end + 1);
    if (item.empty()) continue;
    std::ranges::replace(item, '+', ' ');
    const auto equals = item.find('=');
    const std::string value = equals == std::string::npos ? "" : item.substr(equals + 1);
    values_.emplace(percent_decoded(std::string_view(item).substr(0, equals)),
                    percent_decoded(value));
  }
}

std::string_view Query::get(std::string_view name) const {
  const auto found = values_.find(name);
  return found == values_.end() ? std::string_view() : std::string_view(found->second);
}

bool Query::is_true(std::string_view name) const {
  const auto found = values_.find(name);
  if (found == values_.end()) return false;
  return !std::ranges::equal(found->second, std::string_view("false"), {}, to_lower, to_lower) &&
         found->second != "0";
}

std::optional<std::int64_t> Query::integer(std::string_view name) const {
  const std::string_view text = get(name);
  std::int64_t number = 0;
  const auto [end, failed] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (failed != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return number;
}

Result<> Query::check_integer(std::string_view name) const {
  if (get(name).empty() || integer(name)) return {};
  return std::unexpected(bad_request(
      fmt::format("strconv.ParseInt: parsing {}: invalid syntax", serialize(Json(get(name))))));
}

std::vector<std::string> path_segments(std::string_view path) {
  std::vector<std::string> segments;
  if (path.starts_with('/')) path.remove_prefix(1);
  path = path.substr(0, path.find_last_not_of('/') + 1);
  while (!path.empty()) {
    const auto slash = path.find('/');
    segments.push_back(percent_decoded(path.substr(0, slash)));
    path = slash == std::string_view::npos ? std::string_view() : path.substr(slash + 1);
  }
  return segments;
}

std::optional<ResourcePath> parse_resource_path(const std::vector<std::string>& segments) {
  ResourcePath path;
  std::size_t at = 0;
  const auto take = [&] { return at < segments.size() ? segments[at++] : std::string(); };
  const std::string root = take();
  if (root != "api" && root != "apis") return std::nullopt;
  if (root == "apis") path.group = take();
  path.version = take();
  // `namespaces/<name>` is itself a resource, and so are its subresources.
  path.in_namespace = at + 2 < segments.size() && segments[at] == "namespaces" &&
                      segments[at + 2] != "status" && segments[at + 2] != "finalize";
  if (path.in_namespace) {
    path.ns = segments[at + 1];
    at += 2;
  }
  path.resource = take();
  path.name = take();
  path.subresource = take();
  if (path.resource.empty() || at < segments.size()) return std::nullopt;
  if (path.name.empty() && !path.subresource.empty()) return std::nullopt;
  return path;
}

}  // namespace dcm::apiserver
