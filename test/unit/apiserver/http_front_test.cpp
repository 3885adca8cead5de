// The server over HTTP, on pipes and virtual time.
#include "apiserver/front/http_front.hpp"

#include <array>

#include "runtime/deadline.hpp"
#include "runtime/http/client.hpp"
#include "runtime/http/pipe.hpp"
#include "runtime/task_group.hpp"
#include "test/support/co_test.hpp"
#include "test/unit/apiserver/fixture.hpp"

namespace dcm::apiserver {
namespace {

using namespace std::chrono_literals;
using runtime::Task;

struct Site {
  explicit Site(runtime::VirtualLoop& loop)
      : server(loop.time(), runtime::Rng(1)),
        network(loop.time()),
        listener(network.listen("apiserver", 80)),
        group(loop.executor()) {
    http::ClientOptions options;
    options.origin = {http::Security::plain, "apiserver", 80};
    client = http::make_client(network, loop.time(), options);
    group.spawn("serve", http::serve(*listener, loop.time(), front_options(),
                                     http_handler(server, loop.time()), {}));
  }

  Task<> stop() {
    client->close_idle();
    group.cancel();
    co_await group.join();
  }

  Server server;
  http::PipeNetwork network;
  std::unique_ptr<http::Listener> listener;
  std::unique_ptr<http::Client> client;
  runtime::TaskGroup group;
};

http::Request post_config_map(std::string_view name) {
  return {.method = http::Method::post,
          .target = "/api/v1/namespaces/default/configmaps",
          .headers = {{"Content-Type", "application/json"}, {"User-Agent", "somebody/1.0"}},
          .body = R"({"metadata":{"name":")" + std::string(name) + R"("}})"};
}

http::Request get(std::string target) {
  return {.method = http::Method::get, .target = std::move(target), .headers = {}, .body = {}};
}

constexpr auto kWatchAll = "/api/v1/configmaps?watch=true&allowWatchBookmarks=true";

CO_TEST(HttpFront, answers_requests) {
  Site site(loop);
  const auto made = co_await site.client->send(post_config_map("a"), {});
  CO_ASSERT_TRUE(made);
  EXPECT_EQ(made->status, 201);
  EXPECT_EQ(made->headers.find("content-type"), "application/json");
  const auto listed = co_await site.client->send(get("/api/v1/configmaps?limit=1"), {});
  CO_ASSERT_TRUE(listed);
  EXPECT_EQ(array_at(object_of(listed->body), {"items"}).size(), 1U);
  EXPECT_EQ(site.server.log().all().front().user_agent, "somebody/1.0");
  co_await site.stop();
}

CO_TEST(HttpFront, streams_watch_events_immediately) {
  Site site(loop);
  const auto watch = co_await site.client->open(get(kWatchAll), {});
  CO_ASSERT_TRUE(watch);
  for (const auto* name : {"a", "b"}) {
    const auto made = co_await site.client->send(post_config_map(name), {});
    CO_ASSERT_TRUE(made);
    const auto piece = co_await (*watch)->read_some({});
    CO_ASSERT_TRUE(piece);
    EXPECT_EQ(text_at(object_of(*piece), {"object", "metadata", "name"}), name);
  }
  const auto bookmark = co_await (*watch)->read_some({});
  CO_ASSERT_TRUE(bookmark);
  EXPECT_EQ(text_at(object_of(*bookmark), {"type"}), "BOOKMARK");
  co_await site.stop();
}

CO_TEST(HttpFront, ends_watch_cleanly_at_timeout) {
  Site site(loop);
  const auto watch =
      co_await site.client->open(get("/api/v1/pods?watch=true&timeoutSeconds=7"), {});
  CO_ASSERT_TRUE(watch);
  const auto start = loop.time().now();
  const auto end = co_await (*watch)->read_some({});
  CO_ASSERT_TRUE(end);
  EXPECT_EQ(*end, "");
  EXPECT_EQ(loop.time().now() - start, 7s);
  co_await site.stop();
}

CO_TEST(HttpFront, forgets_watch_of_disconnected_client) {
  Site site(loop);
  {
    const auto watch = co_await site.client->open(get(kWatchAll), {});
    CO_ASSERT_TRUE(watch);
    EXPECT_EQ(site.server.open_watches(), 1U);
  }
  co_await runtime::sleep_for(loop.time(), 1s);
  EXPECT_EQ(site.server.open_watches(), 0U);
  co_await site.stop();
}

CO_TEST(HttpFront, rejects_watch_with_status) {
  Site site(loop);
  const auto watch = co_await site.client->open(get("/api/v1/pods?watch=true&fieldSelector=x"), {});
  CO_ASSERT_TRUE(watch);
  EXPECT_EQ((*watch)->status(), 400);
  co_await site.stop();
}

CO_TEST(HttpFront, can_drop_answer_or_its_rest) {
  Site site(loop);
  for (const std::size_t bytes : {0U, 10U}) {
    site.server.after(
        [bytes](const LoggedRequest&, Response& response) { response.reset_after = bytes; });
    const std::string name = "after-" + std::to_string(bytes);
    const auto lost = co_await site.client->send(post_config_map(name), {});
    EXPECT_FALSE(lost.has_value());
    if (!lost) EXPECT_EQ(lost.error().reason, runtime::Reason::disconnected);
    site.server.after(nullptr);
    const auto there =
        co_await site.client->send(get("/api/v1/namespaces/default/configmaps/" + name), {});
    CO_ASSERT_TRUE(there);
    EXPECT_EQ(there->status, 200);
  }
  co_await site.stop();
}

http::Request post_large_config_map(std::size_t bytes) {
  http::Request request = post_config_map("large");
  request.body =
      R"({"metadata":{"generateName":"large-"},"data":{"k":")" + std::string(bytes, 'x') + R"("}})";
  return request;
}

CO_TEST(HttpFront, ends_watch_of_client_that_does_not_read) {
  Site site(loop);
  const auto watch = co_await site.client->open(get(kWatchAll), {});
  CO_ASSERT_TRUE(watch);
  for (int i = 0; i < 20; ++i) {
    const auto made = co_await site.client->send(post_large_config_map(100'000), {});
    CO_ASSERT_TRUE(made);
    EXPECT_EQ(made->status, 201);
  }
  EXPECT_EQ(site.server.open_watches(), 1U);
  co_await runtime::sleep_for(loop.time(), 61s);
  EXPECT_EQ(site.server.open_watches(), 0U);
  co_await site.stop();
}

// Sends an invalid request, and returns the whole answer.
Task<std::string> exchange(Site& site, runtime::TimeSource& time, std::string request) {
  const auto stream = co_await site.network.connect({http::Security::plain, "apiserver", 80}, {});
  if (!stream) co_return std::string("no connection");
  const auto deadline = runtime::Deadline::after(time, 10s);
  const auto written = co_await (*stream)->write(request, deadline);
  if (!written) co_return std::string("not written");
  std::string answer;
  std::array<char, 4096> buffer{};
  while (true) {
    const auto read = co_await (*stream)->read_some(buffer, deadline);
    if (!read || *read == 0) co_return answer;
    answer.append(buffer.data(), *read);
  }
}

CO_TEST(HttpFront, rejects_bad_http_like_kube_apiserver) {
  Site site(loop);
  const std::string huge =
      co_await exchange(site, loop.time(),
                        "POST /api/v1/namespaces/default/configmaps HTTP/1.1\r\nHost: h\r\n"
                        "Content-Type: application/json\r\nContent-Length: 9000000\r\n\r\n{");
  EXPECT_TRUE(huge.starts_with("HTTP/1.1 413 ")) << huge;
  const JsonObject status = object_of(huge.substr(huge.find("\r\n\r\n") + 4));
  EXPECT_EQ(text_at(status, {"kind"}), "Status");
  EXPECT_EQ(text_at(status, {"reason"}), "RequestEntityTooLarge");
  const std::string nonsense =
      co_await exchange(site, loop.time(), "GET / HTTP/1.1\r\nno header\r\n\r\n");
  EXPECT_TRUE(nonsense.starts_with("HTTP/1.1 400 ")) << nonsense;
  const std::string options =
      co_await exchange(site, loop.time(), "OPTIONS /api/v1/pods HTTP/1.1\r\nHost: h\r\n\r\n");
  EXPECT_TRUE(options.starts_with("HTTP/1.1 405 ")) << options;
  EXPECT_TRUE(options.contains(R"("reason":"MethodNotAllowed")")) << options;
  EXPECT_EQ(text_at(object_of(nonsense.substr(nonsense.find("\r\n\r\n") + 4)), {"kind"}), "Status");
  co_await site.stop();
}

CO_TEST(HttpFront, compresses_large_answers_on_request) {
  Site site(loop);
  const auto made = co_await site.client->send(post_large_config_map(200'000), {});
  CO_ASSERT_TRUE(made);
  const auto raw = [&](std::string_view path, std::string_view encoding) {
    return exchange(site, loop.time(),
                    "GET " + std::string(path) + " HTTP/1.1\r\nHost: h\r\nConnection: close\r\n" +
                        "Accept-Encoding: " + std::string(encoding) + "\r\n\r\n");
  };
  const std::string plain = co_await raw("/api/v1/configmaps", "identity");
  EXPECT_EQ(plain.find("Content-Encoding"), std::string::npos);
  EXPECT_GT(plain.size(), 200'000U);
  const std::string zipped = co_await raw("/api/v1/configmaps", "deflate, gzip;q=1.0");
  EXPECT_NE(zipped.find("Content-Encoding: gzip"), std::string::npos);
  EXPECT_NE(zipped.find("Vary: Accept-Encoding"), std::string::npos);
  EXPECT_LT(zipped.size(), 10'000U);
  const std::string small = co_await raw("/api/v1/namespaces", "gzip");
  EXPECT_EQ(small.find("Content-Encoding"), std::string::npos);
  // And the body is unchanged.
  http::Request request = get("/api/v1/configmaps");
  request.headers.add("Accept-Encoding", "gzip");
  auto listed = co_await site.client->send(std::move(request), {});
  CO_ASSERT_TRUE(listed);
  const std::string unzipped = listed->body;
  listed = {};  // the client holds at most two large answers, and `made` is one
  const auto as_is = co_await site.client->send(get("/api/v1/configmaps"), {});
  CO_ASSERT_TRUE(as_is);
  EXPECT_EQ(unzipped, as_is->body);
  co_await site.stop();
}

Task<> send_into(Site& site, http::Request request, std::vector<std::string>& answered) {
  const std::string target = request.target;
  const auto answer = co_await site.client->send(std::move(request), {});
  answered.push_back(answer ? target : answer.error().message);
}

CO_TEST(HttpFront, serves_others_during_long_list) {
  Site site(loop);
  for (int i = 0; i < 30; ++i) co_await site.client->send(post_large_config_map(100'000), {});
  std::vector<std::string> answered;
  runtime::TaskGroup group(loop.executor());
  group.spawn("list", send_into(site, get("/api/v1/configmaps"), answered));
  group.spawn("get", send_into(site, get("/api/v1/namespaces/default"), answered));
  co_await group.join();
  EXPECT_EQ(answered,
            (std::vector<std::string>{"/api/v1/namespaces/default", "/api/v1/configmaps"}));
  co_await site.stop();
}

}  // namespace
}  // namespace dcm::apiserver
