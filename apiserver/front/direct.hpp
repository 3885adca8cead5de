// A server without a front: requests as function calls, answers as JSON. For tests to prepare and
// inspect objects; the code under test uses a real client and a front.
#pragma once

#include <string>
#include <string_view>

#include "apiserver/front/server.hpp"
#include "apiserver/text/yaml.hpp"

namespace dcm::apiserver {

// The contents of a response.
struct Answer {
  Answer() = default;
  // Implicit, so that the body is parsed only on demand.
  Answer(Response response);

  int status = 0;
  JsonObject body;  // empty if it is no JSON object
  Headers headers;

  bool ok() const { return status >= 200 && status < 300; }
  std::string_view text(Path path) const { return text_at(body, path); }
  std::string_view name() const { return text({"metadata", "name"}); }
  std::string_view uid() const { return text({"metadata", "uid"}); }
  std::string_view resource_version() const { return text({"metadata", "resourceVersion"}); }
  // `reason` of a Status.
  std::string_view reason() const { return text({"reason"}); }
  // The values of all headers of that name.
  std::vector<std::string> header(std::string_view name) const;
  // `details.causes`, as "FIELD: MESSAGE".
  std::vector<std::string> causes() const;
  // Whether there is a cause for that field.
  bool blames(std::string_view field) const;
};

inline constexpr std::string_view kMerge = "application/merge-patch+json";
inline constexpr std::string_view kStrategic = "application/strategic-merge-patch+json";
inline constexpr std::string_view kJsonPatch = "application/json-patch+json";
inline constexpr std::string_view kApply = "application/apply-patch+yaml";

class Direct {
 public:
  explicit Direct(Server& server, std::string user_agent = "test")
      : server_(server), user_agent_(std::move(user_agent)) {}

  // `target` is a path, with a query if there is one.
  Answer get(std::string_view target) { return send("GET", target, "", ""); }
  Answer post(std::string_view target, std::string body) {
    return send("POST", target, "application/json", std::move(body));
  }
  Answer put(std::string_view target, std::string body) {
    return send("PUT", target, "application/json", std::move(body));
  }
  Answer patch(std::string_view target, std::string_view type, std::string body) {
    return send("PATCH", target, type, std::move(body));
  }
  Answer remove(std::string_view target, std::string body = "") {
    return send("DELETE", target, "application/json", std::move(body));
  }

  Answer send(std::string_view method, std::string_view target, std::string_view content_type,
              std::string body) {
    return ask(method, target, content_type, std::move(body));
  }
  Response ask(std::string_view method, std::string_view target, std::string_view content_type,
               std::string body);
  std::expected<std::unique_ptr<Watch>, Response> watch(std::string_view target);

 private:
  Request request(std::string_view method, std::string_view target) const;

  Server& server_;
  std::string user_agent_;
};

}  // namespace dcm::apiserver
