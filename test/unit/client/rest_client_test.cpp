#include "client/request/rest_client.hpp"

#include <gmock/gmock.h>

#include "runtime/task_group.hpp"
#include "test/support/co_test.hpp"
#include "test/unit/client/rest_client_fixture.hpp"

namespace dcm::client {
namespace {

using namespace std::chrono_literals;
using runtime::Deadline;
using runtime::Reason;
using runtime::Result;
using runtime::Task;
using runtime::TaskGroup;
using testing::HasSubstr;
using testing::MatchesRegex;
using testing::Not;
using testing::Optional;

CO_TEST(RestClient, sends_identity_and_accepted_formats) {
  RestClientFixture f(loop, {.path_prefix = "/k8s/clusters/c-1"});
  f.http.answer(status(201));
  const Result<http::Response> answer = co_await f.client.send(write(Verb::create));
  CO_ASSERT_TRUE(answer);
  const http::Request& sent = f.http.seen().at(0).request;
  EXPECT_EQ(sent.method, http::Method::post);
  EXPECT_EQ(sent.target, "/k8s/clusters/c-1/api/v1/namespaces/lab/events");
  EXPECT_EQ(sent.body, "{\"a\":1}");
  EXPECT_EQ(sent.headers.find("authorization"), "Bearer first");
  EXPECT_EQ(sent.headers.find("accept"), "application/json");
  EXPECT_EQ(sent.headers.find("content-type"), "application/json");
  EXPECT_THAT(sent.headers.find("user-agent"),
              Optional(MatchesRegex(R"(dra-controller-manager/0\.1\.0 \(linux/(amd|arm)64\))")));
  EXPECT_EQ(sent.headers.find("accept-encoding"), std::nullopt);
}

CO_TEST(RestClient, requests_gzip_on_demand) {
  RestClientFixture f(loop);
  f.http.answer(status(200));
  ApiRequest request = read();
  request.compression = Compression::gzip;
  co_await f.client.send(request);
  EXPECT_EQ(f.http.seen().at(0).request.headers.find("accept-encoding"), "gzip");
}

CO_TEST(RestClient, requests_no_gzip_if_compression_is_disabled) {
  RestClientFixture f(loop, {.compresses = false});
  f.http.answer(status(200));
  ApiRequest request = read();
  request.compression = Compression::gzip;
  co_await f.client.send(request);
  EXPECT_EQ(f.http.seen().at(0).request.headers.find("accept-encoding"), std::nullopt);
}

CO_TEST(RestClient, waits_as_server_requests) {
  RestClientFixture f(loop);
  f.http.answer(status(429, {{"Retry-After", "3"}}));
  f.http.answer(status(429, {{"Retry-After", "5"}}));
  f.http.answer(status(201));
  const Result<http::Response> answer = co_await f.client.send(write(Verb::create));
  CO_ASSERT_TRUE(answer);
  CO_ASSERT_EQ(f.http.seen().size(), 3U);
  EXPECT_EQ(f.http.seen()[1].at - f.http.seen()[0].at, 3s);
  EXPECT_EQ(f.http.seen()[2].at - f.http.seen()[1].at, 5s);
  EXPECT_EQ(f.http.seen()[2].request.body, "{\"a\":1}");
}

CO_TEST(RestClient, limits_retry_after_to_30_s) {
  for (const std::string wish : {"86400", "99999999999", "99999999999999999999999999"}) {
    RestClientFixture f(loop);
    f.http.stream({.status = 503, .headers = {{"Retry-After", wish}}, .pieces = {"sorry"}});
    const auto stream = co_await f.client.open({.verb = Verb::watch, .target = "/api/v1/pods"});
    CO_ASSERT_TRUE(!stream);
    EXPECT_EQ(stream.error().retry_after, runtime::Duration(30s)) << wish;
  }
}

CO_TEST(RestClient, ignores_date_in_retry_after) {
  RestClientFixture f(loop);
  f.http.answer(status(429, {{"Retry-After", "Wed, 21 Oct 2037 07:28:00 GMT"}}));
  f.http.answer(status(200));
  const Result<http::Response> answer = co_await f.client.send(read());
  CO_ASSERT_TRUE(answer);
  EXPECT_LT(f.http.seen().at(1).at - f.http.seen().at(0).at, 1s);
}

CO_TEST(RestClient, returns_conflict_even_with_retry_after) {
  RestClientFixture f(loop);
  f.http.answer(status(409, {{"Retry-After", "1"}}));
  const Result<http::Response> answer = co_await f.client.send(write(Verb::create));
  CO_ASSERT_TRUE(!answer);
  EXPECT_EQ(answer.error().http_status, 409);
  EXPECT_EQ(answer.error().retry_after, runtime::Duration(1s));
  EXPECT_EQ(f.http.seen().size(), 1U);
}

CO_TEST(RestClient, retries_idempotent_call_after_reset_and_500) {
  RestClientFixture f(loop);
  f.http.fail(Reason::disconnected);
  f.http.answer(status(500));
  f.http.answer(status(200));
  const Result<http::Response> answer = co_await f.client.send(write(Verb::strategic_merge_patch));
  EXPECT_TRUE(answer);
  EXPECT_EQ(f.http.seen().size(), 3U);
}

CO_TEST(RestClient, does_not_retry_create_with_unknown_outcome) {
  for (const Reason reason : {Reason::disconnected, Reason::deadline_exceeded, Reason::malformed}) {
    RestClientFixture f(loop);
    f.http.fail(reason);
    f.http.answer(status(201));
    const Result<http::Response> answer = co_await f.client.send(write(Verb::create));
    CO_ASSERT_TRUE(!answer);
    EXPECT_TRUE(runtime::is_outcome_unknown(answer.error())) << to_string(reason);
    EXPECT_EQ(f.http.seen().size(), 1U) << to_string(reason);
  }
}

CO_TEST(RestClient, retries_unsent_create) {
  RestClientFixture f(loop);
  f.http.fail(Reason::unreachable);
  f.http.answer(status(201));
  const Result<http::Response> answer = co_await f.client.send(write(Verb::create));
  EXPECT_TRUE(answer);
  EXPECT_EQ(f.http.seen().size(), 2U);
}

CO_TEST(RestClient, sends_once_if_caller_decides_anew) {
  RestClientFixture f(loop);
  f.http.answer(status(503));
  f.http.answer(status(200));
  ApiRequest request = write(Verb::delete_);
  request.retries = Retries::none;
  const Result<http::Response> answer = co_await f.client.send(request);
  CO_ASSERT_TRUE(!answer);
  EXPECT_EQ(answer.error().http_status, 503);
  EXPECT_EQ(f.http.seen().size(), 1U);
}

// The queue retries it, fairly; a waiting worker is lost to all other objects.
CO_TEST(RestClient, leaves_answered_request_to_callers_queue) {
  for (const auto& refusal : {status(500), status(503), status(429, {{"Retry-After", "5"}})}) {
    RestClientFixture f(loop);
    f.http.answer(refusal);
    f.http.answer(status(200));
    ApiRequest request = write(Verb::delete_);
    request.retries = Retries::unanswered;
    const runtime::MonoTime start = loop.time().now();
    const Result<http::Response> answer = co_await f.client.send(request);
    CO_ASSERT_TRUE(!answer);
    EXPECT_EQ(answer.error().http_status, refusal.status);
    EXPECT_EQ(answer.error().retry_after.has_value(), refusal.status == 429);
    EXPECT_EQ(loop.time().now(), start);
  }
  RestClientFixture f(loop);
  f.http.fail(Reason::unreachable);
  f.http.answer(status(200));
  ApiRequest request = write(Verb::delete_);
  request.retries = Retries::unanswered;
  EXPECT_TRUE(co_await f.client.send(request)) << "while there is no server, all wait for it";
}

CO_TEST(RestClient, gives_up_after_bounded_attempts_with_last_error) {
  RestClientFixture f(loop, {.retry = {.attempts_max = 3}});
  for (int i = 0; i < 5; ++i) f.http.answer(status(503));
  const Result<http::Response> answer = co_await f.client.send(read());
  CO_ASSERT_TRUE(!answer);
  EXPECT_EQ(answer.error().http_status, 503);
  EXPECT_EQ(f.http.seen().size(), 3U);
}

CO_TEST(RestClient, reports_real_error_at_deadline) {
  RestClientFixture f(loop);
  f.http.answer(status(429, {{"Retry-After", "2"}}));
  f.http.answer(status(429, {{"Retry-After", "20"}}));
  f.http.answer(status(200));
  const runtime::MonoTime start = loop.time().now();
  ApiRequest request = read();
  request.deadline = Deadline::after(loop.time(), 10s);
  const Result<http::Response> answer = co_await f.client.send(request);
  CO_ASSERT_TRUE(!answer);
  EXPECT_EQ(answer.error().reason, Reason::too_many_requests);
  EXPECT_EQ(answer.error().retry_after, runtime::Duration(20s));
  EXPECT_EQ(f.http.seen().size(), 2U);
  EXPECT_EQ(loop.time().now() - start, 2s) << "it does not wait for nothing";
}

CO_TEST(RestClient, ignores_answer_after_deadline) {
  RestClientFixture f(loop);
  f.http.answer(status(200), 11s);
  ApiRequest request = read();
  request.deadline = Deadline::after(loop.time(), 10s);
  const Result<http::Response> answer = co_await f.client.send(request);
  CO_ASSERT_TRUE(!answer);
  EXPECT_EQ(answer.error().reason, Reason::deadline_exceeded);
  EXPECT_EQ(f.http.seen().size(), 1U);
}

CO_TEST(RestClient, waits_longer_for_write_than_server_works) {
  RestClientFixture f(loop);
  f.http.answer(status(201), 34s);
  const Result<http::Response> answer = co_await f.client.send(write(Verb::create));
  EXPECT_TRUE(answer);
  EXPECT_EQ(f.http.seen().at(0).deadline.left(loop.time()), 6s);
}

CO_TEST(RestClient, sends_no_write_through_closed_gate) {
  RestClientFixture f(loop);
  f.gate.open = false;
  f.http.answer(status(200));
  const Result<http::Response> answer = co_await f.client.send(write(Verb::delete_));
  CO_ASSERT_TRUE(!answer);
  EXPECT_EQ(answer.error().reason, Reason::shutting_down);
  EXPECT_TRUE(f.http.seen().empty());
  EXPECT_THAT(f.metrics.expose(), Not(HasSubstr("rest_client_requests_total{")));
}

CO_TEST(RestClient, stops_write_if_gate_closes_while_connecting) {
  RestClientFixture f(loop);
  f.http.set_connect_time(5s);
  f.http.answer(status(200));
  loop.time().schedule(loop.time().now() + 4s, [&] { f.gate.open = false; });
  const Result<http::Response> answer = co_await f.client.send(write(Verb::delete_));
  EXPECT_FALSE(answer);
  EXPECT_TRUE(f.http.seen().empty());
}

CO_TEST(RestClient, stops_next_attempt_if_gate_closes) {
  RestClientFixture f(loop);
  f.http.answer(status(429, {{"Retry-After", "3"}}));
  f.http.answer(status(200));
  loop.time().schedule(loop.time().now() + 2s, [&] { f.gate.open = false; });
  const Result<http::Response> answer = co_await f.client.send(write(Verb::apply));
  CO_ASSERT_TRUE(!answer);
  EXPECT_EQ(answer.error().reason, Reason::shutting_down);
  EXPECT_EQ(f.http.seen().size(), 1U);
}

CO_TEST(RestClient, lets_reads_and_lease_pass_closed_gate) {
  RestClientFixture f(loop);
  f.gate.open = false;
  f.http.answer(status(200));
  f.http.answer(status(200));
  const Result<http::Response> got = co_await f.client.send(read());
  EXPECT_TRUE(got);
  ApiRequest lease = write(Verb::update);
  lease.fencing = Fencing::unfenced;
  lease.priority = PriorityLevel::exempt;
  const Result<http::Response> renewed = co_await f.client.send(lease);
  EXPECT_TRUE(renewed);
}

CO_TEST(RestClient, tries_new_credentials_once_after_401) {
  RestClientFixture f(loop);
  f.credentials.token_after_refresh = "second";
  f.http.answer(status(401));
  f.http.answer(status(201));
  const Result<http::Response> answer = co_await f.client.send(write(Verb::create));
  EXPECT_TRUE(answer);
  CO_ASSERT_EQ(f.http.seen().size(), 2U);
  EXPECT_EQ(f.http.seen()[1].request.headers.find("Authorization"), "Bearer second");
  EXPECT_EQ(f.http.seen()[1].at, f.http.seen()[0].at);
  EXPECT_EQ(f.credentials.rejected, std::vector<std::string>{"Bearer first"});
}

CO_TEST(RestClient, returns_second_401) {
  RestClientFixture f(loop);
  f.credentials.token_after_refresh = "second";
  f.http.answer(status(401));
  f.http.answer(status(401));
  f.http.answer(status(200));
  const Result<http::Response> answer = co_await f.client.send(read());
  CO_ASSERT_TRUE(!answer);
  EXPECT_EQ(answer.error().reason, Reason::unauthorized);
  EXPECT_EQ(f.http.seen().size(), 2U);
}

CO_TEST(RestClient, returns_401_without_new_credentials) {
  RestClientFixture f(loop);
  f.http.answer(status(401));
  f.http.answer(status(200));
  const Result<http::Response> answer = co_await f.client.send(read());
  EXPECT_FALSE(answer);
  EXPECT_EQ(f.http.seen().size(), 1U);
}

CO_TEST(RestClient, reports_redirect_as_error_with_url) {
  RestClientFixture f(loop);
  f.http.answer(status(302, {{"Location", "https://login.test/"}}));
  const Result<http::Response> answer = co_await f.client.send(read());
  CO_ASSERT_TRUE(!answer);
  EXPECT_EQ(answer.error().reason, Reason::unexpected_status);
  EXPECT_EQ(answer.error().message,
            "GET https://api.test:6443/api/v1/namespaces/lab/pods/trainer-0: unexpected status "
            "302");
}

CO_TEST(RestClient, does_not_take_page_of_proxy_for_answer_to_write) {
  for (const char* const page : {"<html>login</html>", "", R"({"error":"log in first"})"}) {
    for (const Verb verb : {Verb::delete_, Verb::create, Verb::strategic_merge_patch}) {
      RestClientFixture f(loop);
      f.http.answer({.status = 200, .headers = {}, .body = page});
      const auto answer = co_await f.client.send(write(verb));
      CO_ASSERT_TRUE(!answer);
      EXPECT_TRUE(runtime::is_outcome_unknown(answer.error()));
      EXPECT_EQ(answer.error().message,
                "https://api.test:6443/api/v1/namespaces/lab/events: the answer is not an object "
                "of the API");
      EXPECT_EQ(f.http.seen().size(), 1U) << "the caller looks at the object first";
    }
  }
}

CO_TEST(RestClient, rejects_body_above_limit) {
  RestClientFixture f(loop);
  f.http.answer({.status = 200, .headers = {}, .body = std::string(101, 'x')});
  ApiRequest request = read();
  request.answer_bytes_max = 100;
  const Result<http::Response> answer = co_await f.client.send(request);
  CO_ASSERT_TRUE(!answer);
  EXPECT_EQ(answer.error().reason, Reason::body_too_large);
}

CO_TEST(RestClient, leaves_nothing_behind_when_stopped) {
  RestClientFixture f(loop);
  f.http.answer(status(200), 20s);
  TaskGroup group(loop.executor());
  group.spawn("call", [](RestClient& client) -> Task<> {
    co_await client.send(read());
    ADD_FAILURE() << "should have been cancelled";
  }(f.client));
  co_await runtime::sleep_for(loop.time(), 1s);
  group.cancel();
  co_await group.join();
  f.http.answer(status(200));
  const Result<http::Response> answer = co_await f.client.send(read());
  EXPECT_TRUE(answer);
}

CO_TEST(RestClient, opens_watch_and_returns_stream) {
  RestClientFixture f(loop);
  f.http.stream({.pieces = {"one", "two"}});
  Result<std::unique_ptr<http::StreamingResponse>> stream =
      co_await f.client.open({.verb = Verb::watch, .target = "/api/v1/pods?watch=true"});
  CO_ASSERT_TRUE(stream);
  const Result<std::string_view> piece = co_await (*stream)->read_some({});
  EXPECT_EQ(*piece, "one");
}

CO_TEST(RestClient, does_not_retry_refused_watch) {
  RestClientFixture f(loop);
  f.http.stream({.status = 429, .headers = {{"Retry-After", "4"}}, .pieces = {"{}"}});
  const Result<std::unique_ptr<http::StreamingResponse>> stream =
      co_await f.client.open({.verb = Verb::watch, .target = "/api/v1/pods?watch=true"});
  CO_ASSERT_TRUE(!stream);
  EXPECT_EQ(stream.error().reason, Reason::too_many_requests);
  EXPECT_EQ(stream.error().retry_after, runtime::Duration(4s));
  EXPECT_EQ(f.http.seen().size(), 1U);
}

CO_TEST(RestClient, tries_new_credentials_for_watch) {
  RestClientFixture f(loop);
  f.credentials.token_after_refresh = "second";
  f.http.stream({.status = 401});
  f.http.stream({.status = 200});
  const Result<std::unique_ptr<http::StreamingResponse>> stream =
      co_await f.client.open({.verb = Verb::watch, .target = "/api/v1/pods?watch=true"});
  EXPECT_TRUE(stream);
}

}  // namespace
}  // namespace dcm::client
