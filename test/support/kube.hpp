// A blocking API client for black-box tests and benchmarks: paths and JSON, nothing typed.
//
// It shares no Kubernetes code with the manager: it uses the API like any other client.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include <boost/json.hpp>

#include "test/support/access.hpp"

namespace dcm::support {

namespace json = boost::json;

class Kube {
 public:
  struct Answer {
    unsigned status;
    json::value body;  // null if the body is not JSON
    std::string text;
  };

  enum class Patch { merge, strategic, apply };

  explicit Kube(const Access& access);
  // Connects as a kubeconfig says; an empty `context` means the current one.
  explicit Kube(const std::string& kubeconfig, const std::string& context = {});
  ~Kube();

  Answer get(const std::string& path);
  Answer post(const std::string& path, const json::value& body);
  Answer patch(const std::string& path, Patch type, const json::value& body);
  Answer remove(const std::string& path, const json::value& options = nullptr);

  // The body of an answer, which must be a success; otherwise throws with method, path and answer.
  json::value must_get(const std::string& path);
  json::value must_post(const std::string& path, const json::value& body);
  json::value must_patch(const std::string& path, Patch type, const json::value& body);

  // Concurrent requests (`parallel` of them at a time), in order of `bodies`; each must succeed.
  void post_all(const std::string& path, const std::vector<json::value>& bodies,
                std::size_t parallel);
  struct Call {
    std::string path;
    json::value body;
  };
  void patch_all(Patch type, const std::vector<Call>& calls, std::size_t parallel);
  void remove_all(const std::vector<Call>& calls, std::size_t parallel);

  const Access& access() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

// The value at a path like "/status/allocation", or null.
const json::value& at(const json::value& document, std::string_view pointer);
// The string at that path, or "".
std::string text_at(const json::value& document, std::string_view pointer);

}  // namespace dcm::support
