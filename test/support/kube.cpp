#include "test/support/kube.hpp"

#include <utility>

#include <yaml-cpp/yaml.h>

#include "runtime/http/client.hpp"
#include "runtime/http/tcp.hpp"
#include "runtime/http/url.hpp"
#include "runtime/loop.hpp"
#include "runtime/task_group.hpp"
#include "test/support/paths.hpp"

namespace dcm::support {
namespace {

struct Access {
  std::string server, ca_pem, token;
};

YAML::Node named(const YAML::Node& list, const std::string& name, const char* member) {
  for (const auto& entry : list) {
    if (entry["name"].as<std::string>() == name) return entry[member];
  }
  throw std::runtime_error("kubeconfig: no entry " + name);
}

Access read_kubeconfig(const std::string& file, std::string context_name) {
  const YAML::Node config = YAML::LoadFile(file);
  if (context_name.empty()) context_name = config["current-context"].as<std::string>();
  const YAML::Node context = named(config["contexts"], context_name, "context");
  const YAML::Node cluster =
      named(config["clusters"], context["cluster"].as<std::string>(), "cluster");
  const YAML::Node user = named(config["users"], context["user"].as<std::string>(), "user");
  Access access;
  access.server = cluster["server"].as<std::string>();
  if (cluster["certificate-authority"]) {
    access.ca_pem = read_file(cluster["certificate-authority"].as<std::string>());
  }
  if (user["token"]) access.token = user["token"].as<std::string>();
  return access;
}

template <class T>
T must(runtime::Result<T> result) {
  if (!result) throw std::runtime_error(to_string(result.error()));
  return std::move(*result);
}

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
  explicit Impl(Access a)
      : access(std::move(a)),
        url(must(http::parse_url(access.server))),
        transport(must(
            http::make_tcp_transport(loop.executor(), loop.time(), {.ca_pem = access.ca_pem}))),
        client(http::make_client(*transport, loop.time(), {.origin = url.endpoint})) {}

  runtime::Task<Answer> exchange(http::Method method, std::string path, std::string type,
                                 std::string body) {
    http::Request request{method, url.path_prefix + path, {{"Accept", "application/json"}}, body};
    request.headers.set("User-Agent", "conformance");
    if (!access.token.empty()) request.headers.set("Authorization", "Bearer " + access.token);
    if (!body.empty()) request.headers.set("Content-Type", type);
    const runtime::Deadline deadline =
        runtime::Deadline::after(loop.time(), std::chrono::seconds(60));
    auto response = co_await client->send(
        std::move(request), {.deadline = deadline, .body_bytes_max = 1024 * 1024 * 1024});
    if (!response) {
      throw std::runtime_error(path + ": " + to_string(response.error()));
    }
    boost::system::error_code not_json;
    json::value value = json::parse(response->body, not_json);
    if (not_json) value = nullptr;
    co_return Answer{response->status, std::move(value), std::move(response->body)};
  }

  Answer call(http::Method method, const std::string& path, const std::string& type,
              const json::value& body) {
    Answer answer{};
    const std::string text = body.is_null() ? std::string() : json::serialize(body);
    loop.run([](Impl& impl, http::Method m, std::string p, std::string t, std::string b,
                Answer& result) -> runtime::Task<> {
      result = co_await impl.exchange(m, std::move(p), std::move(t), std::move(b));
    }(*this, method, path, type, text, answer));
    return answer;
  }

  struct Call {
    http::Method method;
    std::string path;
    std::string type;
    std::string body;
  };

  // Sends all, `parallel` at a time.
  void call_all(const std::vector<Call>& calls, std::size_t parallel) {
    std::size_t next = 0;
    loop.run([](Impl& impl, const std::vector<Call>& all, std::size_t& n,
                std::size_t workers) -> runtime::Task<> {
      runtime::TaskGroup group(impl.loop.executor());
      for (std::size_t i = 0; i < workers; ++i) group.spawn("sender", impl.send_from(all, n));
      co_await group.join();
    }(*this, calls, next, parallel));
  }

  runtime::Task<> send_from(const std::vector<Call>& calls, std::size_t& next) {
    while (next < calls.size()) {
      const Call& call = calls[next++];
      const Answer answer = co_await exchange(call.method, call.path, call.type, call.body);
      if (answer.status >= 300) throw std::runtime_error(call.path + ": " + answer.text);
    }
  }

  Access access;
  runtime::Loop loop;
  http::ServerUrl url;
  std::unique_ptr<http::TcpTransport> transport;
  std::unique_ptr<http::Client> client;
};

Kube::Kube(const std::string& kubeconfig, const std::string& context)
    : impl_(std::make_unique<Impl>(read_kubeconfig(kubeconfig, context))) {}
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

void Kube::patch_all(Patch type, const std::vector<PatchCall>& patches, std::size_t parallel) {
  std::vector<Impl::Call> calls;
  for (const auto& patch : patches) {
    calls.push_back(
        {http::Method::patch, patch.path, content_type(type), json::serialize(patch.body)});
  }
  impl_->call_all(calls, parallel);
}

bool Kube::eventually(const std::function<bool()>& holds, std::chrono::milliseconds limit,
                      std::chrono::milliseconds interval) {
  runtime::TimeSource& time = impl_->loop.time();
  const runtime::Deadline deadline = runtime::Deadline::after(time, limit);
  for (;;) {
    if (holds()) return true;
    if (deadline.has_passed(time)) return false;
    impl_->loop.run(runtime::sleep_for(time, interval));
  }
}

const std::string& Kube::server_url() const {
  return impl_->access.server;
}
const std::string& Kube::token() const {
  return impl_->access.token;
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
