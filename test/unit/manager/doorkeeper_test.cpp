#include "manager/serving/doorkeeper.hpp"

#include <gmock/gmock.h>

#include "runtime/task_group.hpp"
#include "test/support/co_test.hpp"
#include "test/unit/client/rest_client_fixture.hpp"

namespace dcm::manager {
namespace {

using namespace std::chrono_literals;
using testing::HasSubstr;
using testing::Not;

http::Response created(std::string status) {
  return {.status = 201,
          .headers = {},
          .body = R"({"kind":"Review","status":)" + std::move(status) + "}"};
}

http::Response prometheus() {
  return created(R"({"authenticated":true,"user":{"username":"prometheus","uid":"7",
                     "groups":["monitoring"],"extra":{"pod":["p-0"]}}})");
}

http::Response allowed() {
  return created(R"({"allowed":true})");
}

http::Request scrape(std::string token = "secret") {
  return {.target = "/metrics", .headers = {{"authorization", "bearer " + token}}};
}

struct Site : client::RestClientFixture {
  explicit Site(runtime::VirtualLoop& loop, client::RestClientOptions options = {})
      : RestClientFixture(loop, std::move(options)) {}
  Doorkeeper doorkeeper{client, time, {}, runtime::Logger(log_backend)};

  // 0: admitted.
  runtime::Task<> expect(int status, http::Request request) {
    const Admitted admission = co_await doorkeeper.admit(request);
    EXPECT_EQ(admission ? 0 : admission.error().status, status) << request.target;
  }
};

CO_TEST(Doorkeeper, serves_health_publicly) {
  Site site(loop);
  for (const char* target : {"/healthz", "/livez?verbose", "/readyz"}) {
    co_await site.expect(0, {.target = target});
  }
  EXPECT_TRUE(site.http.seen().empty());
}

struct OpenPathRow {
  const char* open;
  const char* path;
  bool is_open;
};

// k8s.io/apiserver/pkg/authorization/path.
CO_TEST(Doorkeeper, opens_paths_like_kube_controller_manager) {
  Site site(loop);
  for (const OpenPathRow& row : {OpenPathRow{"healthz", "/healthz", true},
                                 {"/healthz", "/healthz", true},
                                 {"healthz", "/healthz/x", false},
                                 {"healthz", "//healthz", false},
                                 {"/met*", "/metrics", true},
                                 {"met*", "/metrics?x=1", true},
                                 {"met*", "/livez/met", false},
                                 {"/debug/*", "/debug/health", true},
                                 {"/debug/*", "/debug", false},
                                 {"*", "/configz", true},
                                 {"/*", "/configz", true}}) {
    Doorkeeper doorkeeper(site.client, site.time, {.always_allow_paths = {row.open}},
                          runtime::Logger(site.log_backend));
    const Admitted admission = co_await doorkeeper.admit({.target = row.path});
    EXPECT_EQ(admission.has_value(), row.is_open) << row.open << " " << row.path;
  }
}

CO_TEST(Doorkeeper, answers_401_without_review_if_credentials_are_missing) {
  Site site(loop);
  for (const http::Headers& headers :
       {http::Headers{}, {{"Authorization", "Basic YTpi"}}, {{"Authorization", "Bearer "}}}) {
    const auto refusal = co_await site.doorkeeper.admit({.target = "/metrics", .headers = headers});
    CO_ASSERT_TRUE(!refusal);
    EXPECT_EQ(refusal.error().status, 401);
    EXPECT_EQ(refusal.error().headers.find("WWW-Authenticate"), "Bearer");
  }
  EXPECT_TRUE(site.http.seen().empty());
}

CO_TEST(Doorkeeper, reviews_token_and_then_permission) {
  Site site(loop);
  site.gate.open = false;  // a standby is scraped too
  site.http.answer(prometheus());
  site.http.answer(allowed());
  co_await site.expect(0, scrape());
  const auto& seen = site.http.seen();
  CO_ASSERT_TRUE(seen.size() == 2);
  EXPECT_EQ(seen[0].request.target, "/apis/authentication.k8s.io/v1/tokenreviews");
  EXPECT_THAT(seen[0].request.body, HasSubstr(R"("spec":{"token":"secret"})"));
  EXPECT_EQ(seen[1].request.target, "/apis/authorization.k8s.io/v1/subjectaccessreviews");
  EXPECT_THAT(
      seen[1].request.body,
      HasSubstr(
          R"("spec":{"user":"prometheus","uid":"7","groups":["monitoring"],"extra":{"pod":["p-0"]},)"
          R"("nonResourceAttributes":{"verb":"get","path":"/metrics"}})"));
  EXPECT_THAT(site.logged(), Not(HasSubstr("secret")));
}

CO_TEST(Doorkeeper, caches_answers_for_ten_seconds) {
  Site site(loop);
  for (int round = 0; round < 2; ++round) {
    site.http.answer(prometheus());
    site.http.answer(allowed());
  }
  co_await site.expect(0, scrape());
  co_await runtime::sleep_for(site.time, 9s);
  co_await site.expect(0, scrape());
  EXPECT_EQ(site.http.seen().size(), 2U);
  co_await runtime::sleep_for(site.time, 1s);
  co_await site.expect(0, scrape());
  EXPECT_EQ(site.http.seen().size(), 4U);
}

CO_TEST(Doorkeeper, caches_401_for_unknown_token) {
  Site site(loop);
  site.http.answer(created(R"({"user":{},"error":"expired"})"));
  co_await site.expect(401, scrape());
  co_await site.expect(401, scrape());
  EXPECT_EQ(site.http.seen().size(), 1U);
}

CO_TEST(Doorkeeper, answers_403_with_user_verb_and_path) {
  Site site(loop);
  site.http.answer(prometheus());
  site.http.answer(created(R"({"allowed":false})"));
  http::Request request = scrape();
  request.method = http::Method::put;
  request.target = "/debug/flags/v?x=1";
  const auto refusal = co_await site.doorkeeper.admit(request);
  CO_ASSERT_TRUE(!refusal);
  EXPECT_EQ(refusal.error().status, 403);
  EXPECT_EQ(refusal.error().body,
            "forbidden: user \"prometheus\" may not put the non-resource URL "
            "\"/debug/flags/v\"\n");
}

CO_TEST(Doorkeeper, separates_permissions_by_path) {
  Site site(loop);
  site.http.answer(prometheus());
  site.http.answer(allowed());
  site.http.answer(created(R"({"allowed":false})"));
  co_await site.expect(0, scrape());
  http::Request other = scrape();
  other.target = "/flagz";
  co_await site.expect(403, other);
}

CO_TEST(Doorkeeper, names_user_of_verified_certificate_without_review) {
  Site site(loop);
  site.http.answer(allowed());
  http::Request request{.target = "/metrics"};
  request.client_certificate =
      std::make_shared<http::ClientCertificate>(http::ClientCertificate{"scraper", {"monitoring"}});
  co_await site.expect(0, request);
  CO_ASSERT_TRUE(site.http.seen().size() == 1);
  EXPECT_THAT(site.http.seen()[0].request.body,
              HasSubstr(R"("user":"scraper","uid":"","groups":["monitoring",)"
                        R"("system:authenticated"])"));
}

CO_TEST(Doorkeeper, answers_503_if_api_server_is_unreachable) {
  Site site(loop);
  site.http.fail(runtime::Reason::malformed);
  site.http.answer(prometheus());
  site.http.answer(allowed());
  co_await site.expect(503, scrape());
  EXPECT_THAT(site.logged(), HasSubstr("Cannot ask the API server to authenticate a caller"));
  co_await site.expect(0, scrape());
}

// A proxy may repeat the body that it was sent.
CO_TEST(Doorkeeper, logs_no_token_of_caller) {
  Site site(loop);
  const std::string token = "eyJhbGciOi.callers.token";
  const std::string told = "cannot read {\"token\":\"" + token + "\"}";
  site.http.answer(
      {.status = 400, .headers = {{"Warning", "299 - \"" + token + "\""}}, .body = told});
  co_await site.expect(503, scrape(token));
  EXPECT_THAT(site.logged(), HasSubstr("cannot read"));
  EXPECT_THAT(site.logged(), Not(HasSubstr("eyJ")));
}

CO_TEST(Doorkeeper, answers_503_to_invalid_review) {
  for (const char* body : {"", "[]", "{}", R"({"kind":"Review","status":{}})"}) {
    Site site(loop);
    site.http.answer({.status = 201, .headers = {}, .body = body});
    const auto refusal = co_await site.doorkeeper.admit(scrape());
    EXPECT_FALSE(refusal) << body;
  }
}

std::optional<api::ResourceAttributes> pod_of(std::string_view path) {
  if (path != "/debug/explain/pods/lab/a") return std::nullopt;
  return api::ResourceAttributes{"get", "", "pods", "lab", "a"};
}

CO_TEST(Doorkeeper, opens_page_about_object_to_its_readers) {
  Site site(loop);
  Doorkeeper doorkeeper(site.client, site.time, {.object_of = pod_of},
                        runtime::Logger(site.log_backend));
  http::Request request = scrape();
  request.target = "/debug/explain/pods/lab/a?output=json";
  site.http.answer(prometheus());
  site.http.answer(created(R"({"allowed":false})"));
  site.http.answer(allowed());
  const Admitted own = co_await doorkeeper.admit(request);
  CO_ASSERT_TRUE(own);
  EXPECT_EQ(*own, Audience::own_object);
  EXPECT_THAT(site.http.seen().back().request.body,
              HasSubstr(R"("resourceAttributes":{"verb":"get","group":"","resource":"pods",)"
                        R"("namespace":"lab","name":"a"})"));
  // Both answers are cached.
  EXPECT_TRUE(co_await doorkeeper.admit(request));
  EXPECT_EQ(site.http.seen().size(), 3U);
  // For another object it is a 403 after the first answer.
  request.target = "/debug/explain/devicetaintrules/r";
  site.http.answer(created(R"({"allowed":false})"));
  const Admitted other = co_await doorkeeper.admit(request);
  CO_ASSERT_TRUE(!other);
  EXPECT_EQ(other.error().status, 403);
  EXPECT_EQ(site.http.seen().size(), 4U);
}

CO_TEST(Doorkeeper, explains_why_api_server_reviews_nobody) {
  Site site(loop);
  site.http.answer({.status = 403,
                    .headers = {},
                    .body = R"({"kind":"Status","status":"Failure","reason":"Forbidden",)"
                            R"("message":"system:serviceaccount:x cannot create","code":403})"});
  const Admitted refusal = co_await site.doorkeeper.admit(scrape());
  CO_ASSERT_TRUE(!refusal);
  EXPECT_EQ(refusal.error().status, 503);
  EXPECT_THAT(refusal.error().body, HasSubstr("bind ClusterRole system:auth-delegator"));
  EXPECT_THAT(refusal.error().body, Not(HasSubstr("serviceaccount")));
}

CO_TEST(Doorkeeper, bounds_memory_for_unknown_tokens) {
  Site site(loop);
  Doorkeeper doorkeeper(site.client, site.time, {.remembered_max = 10}, {});
  for (int i = 0; i < 30; ++i) {
    site.http.answer(created("{}"));
    co_await doorkeeper.admit(scrape(std::to_string(i)));
  }
  // The last ten are known, the others are not.
  co_await doorkeeper.admit(scrape("29"));
  EXPECT_EQ(site.http.seen().size(), 30U);
  site.http.answer(created("{}"));
  co_await doorkeeper.admit(scrape("0"));
  EXPECT_EQ(site.http.seen().size(), 31U);
}

// Whoever they are, their reviews do not reduce the controllers' limits.
CO_TEST(Doorkeeper, keeps_controller_limits_during_token_flood) {
  Site site(loop, {.limits = {.qps = 1, .burst = 2, .inflight_max = 1}});
  for (int i = 0; i < 5; ++i) site.http.answer(created("{}"), 1h);
  runtime::TaskGroup callers(loop.executor());
  for (int i = 0; i < 100; ++i) {
    callers.spawn("caller", site.expect(503, scrape(std::to_string(i))));
  }
  co_await runtime::sleep_for(site.time, 1s);
  EXPECT_EQ(site.http.seen().size(), 5U) << "a few at a time";
  site.http.answer(client::status(200));
  const auto start = site.time.now();
  const auto read = co_await site.client.send(client::read());
  EXPECT_TRUE(read);
  EXPECT_EQ(site.time.now(), start) << "it does not wait behind them";
  co_await callers.join();
}

// 300 clients with unknown tokens: a scraper that was admitted before does not wait behind them,
// and one that was not is answered within ten seconds.
CO_TEST(Doorkeeper, delays_scrapes_below_ten_seconds_during_token_flood) {
  Site site(loop);
  site.http.answer(prometheus());
  site.http.answer(allowed());
  co_await site.expect(0, scrape("regular"));
  co_await runtime::sleep_for(site.time, 30s);
  for (int i = 0; i < 40; ++i) site.http.answer(created("{}"), 500ms);
  runtime::TaskGroup callers(loop.executor());
  const auto call = [](Site& s, int i) -> runtime::Task<> {
    co_await s.doorkeeper.admit(scrape("stranger " + std::to_string(i)));
  };
  for (int i = 0; i < 300; ++i) callers.spawn("caller", call(site, i));
  for (int turn = 0; turn < 5; ++turn) co_await runtime::yield();
  const auto start = site.time.now();
  co_await site.doorkeeper.admit(scrape("new to us"));
  EXPECT_EQ(site.time.now(), start) << "turned away at once, to come again";
  co_await site.doorkeeper.admit(scrape("regular"));
  EXPECT_LT(site.time.now() - start, 2s);
  callers.cancel();
  co_await callers.join();
}

CO_TEST(Doorkeeper, bounds_review_rate) {
  Site site(loop);
  Doorkeeper doorkeeper(site.client, site.time, {.reviews = {.qps = 2, .burst = 3}}, {});
  const auto start = site.time.now();
  for (int i = 0; i < 7; ++i) {
    site.http.answer(created("{}"));
    co_await doorkeeper.admit(scrape(std::to_string(i)));
  }
  EXPECT_EQ(std::chrono::round<std::chrono::milliseconds>(site.time.now() - start), 2s);
}

}  // namespace
}  // namespace dcm::manager
