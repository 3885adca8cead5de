// A RestClient's reports of its work: metrics, log lines, the server's warnings.
#include <gmock/gmock.h>

#include "test/support/co_test.hpp"
#include "test/unit/client/rest_client_fixture.hpp"

namespace dcm::client {
namespace {

using namespace std::chrono_literals;
using runtime::Reason;
using testing::HasSubstr;
using testing::Not;

CO_TEST(RestClientReport, counts_like_client_go) {
  RestClientFixture f(loop);
  f.http.answer(status(429, {{"Retry-After", "1"}}));
  f.http.fail(Reason::disconnected);
  f.http.answer({.status = 200, .headers = {}, .body = std::string(300, 'x')}, 50ms);
  co_await f.client.send(write(Verb::apply));
  const std::string text = f.metrics.expose();
  const auto line = [&](const char* expected) { EXPECT_THAT(text, HasSubstr(expected)); };
  line("rest_client_requests_total{code=\"429\",host=\"api.test:6443\",method=\"PATCH\"} 1");
  line("rest_client_requests_total{code=\"<error>\",host=\"api.test:6443\",method=\"PATCH\"} 1");
  line("rest_client_requests_total{code=\"200\",host=\"api.test:6443\",method=\"PATCH\"} 1");
  line("rest_client_request_retries_total{code=\"429\",host=\"api.test:6443\",verb=\"PATCH\"} 1");
  line("rest_client_request_duration_seconds_count{host=\"api.test:6443\",verb=\"PATCH\"} 1");
  line("rest_client_rate_limiter_duration_seconds_count{host=\"api.test:6443\",verb=\"PATCH\"} 3");
  line("rest_client_request_size_bytes_sum{host=\"api.test:6443\",verb=\"PATCH\"} 14");
  line("rest_client_response_size_bytes_sum{host=\"api.test:6443\",verb=\"PATCH\"} 302");
}

CO_TEST(RestClientReport, logs_no_token) {
  RestClientFixture f(loop);
  f.log_backend->set_verbosity(9);
  f.credentials.token = "s3cret";
  f.http.answer(status(500));
  f.http.answer(status(200));
  f.http.answer(status(201));
  co_await f.client.send(read());
  co_await f.client.send(write(Verb::create));
  EXPECT_THAT(f.logged(), Not(HasSubstr("s3cret")));
  EXPECT_THAT(f.logged(), HasSubstr("\"Request\" verb=\"GET\" url=\"https://api.test:6443"));
}

CO_TEST(RestClientReport, logs_writes_but_neither_reads_nor_leases_at_verbosity_2) {
  RestClientFixture f(loop);
  f.log_backend->set_verbosity(2);
  for (int i = 0; i < 3; ++i) f.http.answer(status(200));
  co_await f.client.send(read());
  ApiRequest lease = write(Verb::update);
  lease.priority = PriorityLevel::exempt;
  co_await f.client.send(lease);
  EXPECT_EQ(f.logged(), "");
  co_await f.client.send(write(Verb::apply));
  EXPECT_THAT(f.logged(), HasSubstr("\"Write\" verb=\"PATCH\""));
}

CO_TEST(RestClientReport, logs_failed_write_with_server_reason) {
  RestClientFixture f(loop);
  f.log_backend->set_verbosity(2);
  ApiRequest request = write(Verb::apply);
  request.retries = Retries::none;
  f.http.answer({.status = 422,
                 .headers = {},
                 .body = R"({"kind":"Status","message":"spec.size: Invalid value: 0"})"});
  f.http.fail(Reason::disconnected);
  co_await f.client.send(request);
  EXPECT_THAT(f.logged(), HasSubstr("error=\"spec.size: Invalid value: 0\""));
  co_await f.client.send(request);
  EXPECT_THAT(f.logged(), HasSubstr("status=\"<error>\""));
}

// Servers and proxies know our token, and may repeat it: in a Status, cut anywhere, in a header, or
// in undecodable data.
CO_TEST(RestClientReport, hides_token_in_report_of_answer) {
  RestClientFixture f(loop);
  f.credentials.token = "eyJhbGciOi.secret.token";
  const std::string told = "you sent Authorization: Bearer " + f.credentials.token;
  for (const std::string& body : std::vector<std::string>{
           told, R"({"kind":"Status","message":")" + told + R"("})",
           R"({"kind":"Status","message":"you sent eyJhbGciOi\u002esecret.token"})",
           std::string(1010, 'x') + f.credentials.token}) {
    f.http.answer(
        {.status = 403, .headers = {{"Warning", "299 - \"" + told + "\""}}, .body = body});
    const auto answer = co_await f.client.send(read());
    CO_ASSERT_TRUE(!answer);
    EXPECT_THAT(answer.error().message, Not(HasSubstr("eyJ")));
    if (body.size() < 1000) EXPECT_THAT(answer.error().message, HasSubstr("(redacted)"));
  }
  const runtime::Error undecoded =
      f.client.explain(read(), {runtime::Reason::malformed, "a field \"" + told + "\""});
  EXPECT_THAT(undecoded.message, Not(HasSubstr("eyJ")));
  EXPECT_THAT(f.logged(), Not(HasSubstr("eyJ")));
  EXPECT_THAT(f.logged(), HasSubstr("you sent Authorization: Bearer (redacted)"));
}

CO_TEST(RestClientReport, logs_server_warning_once) {
  RestClientFixture f(loop);
  const http::Headers headers = {{"Warning", "299 - \"unknown field \\\"spec.x\\\"\""}};
  f.http.answer(status(200, headers));
  f.http.answer(status(200, headers));
  co_await f.client.send(read());
  co_await f.client.send(read());
  EXPECT_EQ(f.lines->size(), 1U);
  EXPECT_THAT(f.logged(), HasSubstr("unknown field"));
}

TEST(Warnings, remember_bounded_number_of_texts) {
  WarningLog warnings{runtime::Logger()};
  for (int i = 0; i < 10'000; ++i) {
    warnings.observe({{"Warning", "299 - \"text " + std::to_string(i) + "\""}}, {});
  }
  EXPECT_LE(warnings.remembered(), 256U);
}

TEST(Warnings, contain_quoted_text) {
  EXPECT_EQ(warning_text("299 - \"old \\\"api\\\"\" \"date\""), "old \"api\"");
  EXPECT_EQ(warning_text("no quotes"), "no quotes");
  EXPECT_EQ(warning_text("299 - \"cut"), "cut");
  EXPECT_EQ(warning_text(""), "");
}

}  // namespace
}  // namespace dcm::client
