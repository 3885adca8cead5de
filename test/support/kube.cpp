#include "test/support/kube.hpp"

#include <stdexcept>
#include <utility>

#include "runtime/task_group.hpp"
#include "test/support/blocking_client.hpp"
#include "test/support/paths.hpp"

namespace dcm::support {
namespace {

const char* content_type(Kube::Patch type) {
  switch (type) {
    case Kube::Patch::merge:
      return "application/merge-patch+json";
    case Kube::Patch::strategic:
      return "application/strategic-merge-patch+json";
    case Kube::Patch::apply:
      return "application/apply-patch+yaml";
  }
  return "";
}

}  // namespace

struct Kube::Impl {
  explicit Impl(Access a) : access(std::move(a)), http(access.server, read_file(access.ca_file)) {}

  struct Call {
    http::Method method;
    std::string path;
    std::string type;
    std::string body;
  };

  http::Request request(const Call& call) const {
    http::Request request{call.method, call.path, {{"Accept", "application/json"}}, call.body};
    request.headers.set("User-Agent", "conformance");
    if (!access.token.empty()) request.headers.set("Authorization", "Bearer " + access.token);
    if (!call.body.empty()) request.headers.set("Content-Type", call.type);
    return request;
  }

  static Answer answer(const Call& call, http::Result<http::Response> response) {
    if (!response) throw std::runtime_error(call.path + ": " + to_string(response.error()));
    boost::system::error_code not_json;
    json::value value = json::parse(response->body, not_json);
    if (not_json) value = nullptr;
    return {response->status, std::move(value), std::move(response->body)};
  }

  Answer call(http::Method method, const std::string& path, const std::string& type,
              const json::value& body) {
    const Call call{method, path, type, body.is_null() ? std::string() : json::serialize(body)};
    return answer(call, http.send(request(call)));
  }

  // Sends all, `parallel` at a time.
  void call_all(const std::vector<Call>& calls, std::size_t parallel) {
    std::size_t next = 0;
    http.loop().run([](Impl& impl, const std::vector<Call>& all, std::size_t& n,
                       std::size_t workers) -> runtime::Task<> {
      runtime::TaskGroup group(impl.http.loop().executor());
      for (std::size_t i = 0; i < workers; ++i) group.spawn("sender", impl.send_from(all, n));
      co_await group.join();
    }(*this, calls, next, parallel));
  }

  runtime::Task<> send_from(const std::vector<Call>& calls, std::size_t& next) {
    while (next < calls.size()) {
      const Call& call = calls[next++];
      http::Result<http::Response> response = co_await http.exchange(request(call));
      const Answer answered = answer(call, std::move(response));
      if (answered.status >= 300) throw std::runtime_error(call.path + ": " + answered.text);
    }
  }

  Access access;
  BlockingClient http;
};

Kube::Kube(const Access& access) : impl_(std::make_unique<Impl>(access)) {}
Kube::Kube(const std::string& kubeconfig, const std::string& context)
    : impl_(std::make_unique<Impl>(read_access(kubeconfig, context))) {}
Kube::~Kube() = default;

Kube::Answer Kube::get(const std::string& path) {
  return impl_->call(http::Method::get, path, "", nullptr);
}

Kube::Answer Kube::post(const std::string& path, const json::value& body) {
  return impl_->call(http::Method::post, path, "application/json", body);
}

Kube::Answer Kube::patch(const std::string& path, Patch type, const json::value& body) {
  return impl_->call(http::Method::patch, path, content_type(type), body);
}

Kube::Answer Kube::remove(const std::string& path, const json::value& options) {
  return impl_->call(http::Method::delete_, path, "application/json", options);
}

namespace {

json::value success(Kube::Answer answer, const std::string& what) {
  if (answer.status >= 300) throw std::runtime_error(what + ": " + answer.text);
  return std::move(answer.body);
}

}  // namespace

json::value Kube::must_get(const std::string& path) {
  return success(get(path), "GET " + path);
}

json::value Kube::must_post(const std::string& path, const json::value& body) {
  return success(post(path, body), "POST " + path);
}

json::value Kube::must_patch(const std::string& path, Patch type, const json::value& body) {
  return success(patch(path, type, body), "PATCH " + path);
}

void Kube::post_all(const std::string& path, const std::vector<json::value>& bodies,
                    std::size_t parallel) {
  std::vector<Impl::Call> calls;
  for (const auto& body : bodies) {
    calls.push_back({http::Method::post, path, "application/json", json::serialize(body)});
  }
  impl_->call_all(calls, parallel);
}

void Kube::patch_all(Patch type, const std::vector<Call>& patches, std::size_t parallel) {
  std::vector<Impl::Call> calls;
  for (const auto& patch : patches) {
    calls.push_back(
        {http::Method::patch, patch.path, content_type(type), json::serialize(patch.body)});
  }
  impl_->call_all(calls, parallel);
}

void Kube::remove_all(const std::vector<Call>& removals, std::size_t parallel) {
  std::vector<Impl::Call> calls;
  for (const auto& removal : removals) {
    calls.push_back(
        {http::Method::delete_, removal.path, "application/json", json::serialize(removal.body)});
  }
  impl_->call_all(calls, parallel);
}

const Access& Kube::access() const {
  return impl_->access;
}

const json::value& at(const json::value& document, std::string_view pointer) {
  static const json::value null;
  boost::system::error_code error;
  const json::value* found = document.find_pointer(pointer, error);
  return found == nullptr ? null : *found;
}

std::string text_at(const json::value& document, std::string_view pointer) {
  const json::value& value = at(document, pointer);
  return value.is_string() ? std::string(value.as_string()) : std::string();
}

}  // namespace dcm::support
