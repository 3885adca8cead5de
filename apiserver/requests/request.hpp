// Requests and responses, without any I/O: a front (HTTP, or a test) creates a Request and delivers
// a Response. Also parses a path into verb and resource.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "apiserver/model/api_error.hpp"
#include "apiserver/model/resource_type.hpp"

namespace dcm::apiserver {

using Headers = std::vector<std::pair<std::string, std::string>>;

struct Request {
  std::string method;  // "GET", "POST", "PUT", "PATCH", "DELETE"
  std::string path;    // without the query, percent-encoded as received
  std::string query = {};
  Headers headers = {};
  std::string body = {};

  // "" if missing. Names are case-insensitive.
  std::string_view header(std::string_view name) const;
};

struct Response {
  int status = 200;
  Headers headers = {};
  std::string body = {};
  // For tests of lost answers: the front sends this many bytes of the body and resets the
  // connection; 0 means not even the headers. nullopt: the whole answer.
  std::optional<std::size_t> reset_after = {};
  std::vector<std::string> warnings = {};  // texts; the server makes headers of them
};

Response json_response(int status, std::string body);
// `body` is an object in that encoding.
Response encoded_response(int status, Encoding encoding, std::string body);
Response json_response(int status, const JsonObject& body);
Response to_response(const ApiError& error);
// 201 with a Status: the posted action is done, and nothing is stored.
Response created_status();

// The decoded parameters of a query. The first of several equal names counts.
class Query {
 public:
  Query() = default;
  explicit Query(std::string_view raw);
  std::string_view get(std::string_view name) const;
  bool has(std::string_view name) const { return values_.contains(name); }
  // Whether it is present, and neither "false" nor "0": how Go's apimachinery reads a boolean.
  bool is_true(std::string_view name) const;
  std::optional<std::int64_t> integer(std::string_view name) const;
  // 400 if it is present but no number.
  Result<> check_integer(std::string_view name) const;

 private:
  std::map<std::string, std::string, std::less<>> values_;
};

// A path below /api/<version> or /apis/<group>/<version>.
struct ResourcePath {
  std::string group;  // "" for core
  std::string version;
  std::string ns;
  std::string resource;
  std::string name;
  std::string subresource;
  bool in_namespace = false;  // below /namespaces/<ns>; `ns` may be empty there
};

// Invalid UTF-8 becomes U+FFFD.
std::string percent_decoded(std::string_view text);
// The segments of a path, decoded; slashes at the end are ignored.
std::vector<std::string> path_segments(std::string_view path);
// nullopt if the path does not name a resource (discovery, health, …).
std::optional<ResourcePath> parse_resource_path(const std::vector<std::string>& segments);

}  // namespace dcm::apiserver
