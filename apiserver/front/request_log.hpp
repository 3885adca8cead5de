// A log of a server's requests, for tests that count or check them.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace dcm::apiserver {

struct LoggedRequest {
  std::string
      verb;  // as in RBAC: get, list, watch, create, update, patch, delete, …; or the method
  std::string group;
  std::string version;
  std::string resource;
  std::string subresource;
  std::string ns;
  std::string name;
  std::string query;
  std::string user_agent;
  std::string content_type;
  std::string body;
  int status = 0;  // of the answer; 0 until then

  bool is_write() const { return verb != "get" && verb != "list" && verb != "watch"; }
};

class RequestLog {
 public:
  // Keeps the newest `limit` requests (0: none), with at most `bytes` of bodies.
  explicit RequestLog(std::size_t limit, std::size_t bytes = 256 * 1024 * 1024)
      : limit_(limit), bytes_limit_(bytes) {}

  // The number with which the answer is reported.
  std::size_t add(const LoggedRequest& request);
  void answered(std::size_t number, int status);
  void clear();

  const std::vector<LoggedRequest>& all() const { return requests_; }
  std::size_t count(std::string_view verb, std::string_view resource) const;
  std::vector<LoggedRequest> writes() const;

 private:
  void drop_half();

  std::size_t limit_;
  std::size_t bytes_limit_;
  std::size_t bytes_ = 0;  // of the bodies
  std::size_t dropped_ = 0;
  std::vector<LoggedRequest> requests_;
};

}  // namespace dcm::apiserver
