#include "client/events/event_recorder.hpp"

#include <gmock/gmock.h>

#include "runtime/task_group.hpp"
#include "test/support/co_test.hpp"
#include "test/unit/client/rest_client_fixture.hpp"

namespace dcm::client {
namespace {

using namespace std::chrono_literals;
using runtime::Reason;
using runtime::Task;
using testing::HasSubstr;
using testing::StartsWith;

const api::ObjectReference kPod{.api_version = "v1",
                                .kind = "Pod",
                                .key = {"lab", "trainer-0"},
                                .uid = api::Uid("5b0c7c1e-94a5-4a55-8f5c-6f2f3c0d9a11"),
                                .resource_version = "81507"};

constexpr const char* kObjectNotFound =
    R"({"kind":"Status","code":404,"reason":"NotFound","details":{"name":"trainer-0.1"}})";
constexpr const char* kAlreadyExists =
    R"({"kind":"Status","code":409,"reason":"AlreadyExists","details":{"name":"trainer-0.1"}})";

struct Fixture : RestClientFixture {
  explicit Fixture(runtime::VirtualLoop& loop, EventLimits limits = {})
      : RestClientFixture(loop),
        recorder(client, time, metrics, runtime::Rng(2), runtime::Logger(log_backend), limits),
        group(loop.executor()) {
    group.spawn("events", recorder.run());
  }

  void answer(std::uint16_t status, std::string body = R"({"kind":"Event"})") {
    http.answer({.status = status, .headers = {}, .body = std::move(body)});
  }
  void report(std::string_view message = "Marking for deletion") {
    recorder.report(kPod, api::EventType::normal, "device-taint-eviction-controller",
                    "DeviceTaintManagerEviction", message);
  }
  Task<> wait(runtime::Duration duration = 10s) { co_await runtime::sleep_for(time, duration); }
  Task<> stop() {
    group.cancel();
    co_await group.join();
  }
  http::Method method(std::size_t i) const { return http.seen().at(i).request.method; }
  std::string dropped(const std::string& cause) const {
    return "controller_events_dropped_total{cause=\"" + cause + "\"} ";
  }

  EventRecorder recorder;
  runtime::TaskGroup group;
};

CO_TEST(EventRecorder, posts_event_and_patches_repetition) {
  Fixture f(loop);
  f.answer(201);
  f.answer(200);
  f.report();
  co_await f.wait();
  f.report();
  co_await f.wait();
  CO_ASSERT_EQ(f.http.seen().size(), 2U);
  const http::Request& create = f.http.seen()[0].request;
  EXPECT_EQ(create.method, http::Method::post);
  EXPECT_EQ(create.target, "/api/v1/namespaces/lab/events");
  EXPECT_THAT(create.body, HasSubstr("\"reason\":\"DeviceTaintManagerEviction\""));
  EXPECT_THAT(create.body,
              HasSubstr("\"reportingComponent\":\"device-taint-eviction-controller\""));
  const http::Request& repeat = f.http.seen()[1].request;
  EXPECT_EQ(repeat.method, http::Method::patch);
  EXPECT_THAT(repeat.target, StartsWith("/api/v1/namespaces/lab/events/trainer-0."));
  EXPECT_EQ(repeat.headers.find("Content-Type"), "application/strategic-merge-patch+json");
  EXPECT_THAT(repeat.body, HasSubstr("\"count\":2"));
  co_await f.stop();
}

CO_TEST(EventRecorder, reports_without_waiting) {
  Fixture f(loop);
  f.report();
  EXPECT_TRUE(f.http.seen().empty());
  co_await f.stop();
}

CO_TEST(EventRecorder, posts_repetition_of_expired_event_again) {
  Fixture f(loop);
  f.answer(201);
  f.answer(404, kObjectNotFound);
  f.answer(201);
  f.report();
  co_await f.wait();
  f.report();
  co_await f.wait();
  CO_ASSERT_EQ(f.http.seen().size(), 3U);
  EXPECT_EQ(f.method(1), http::Method::patch);
  EXPECT_EQ(f.method(2), http::Method::post);
  EXPECT_THAT(f.http.seen()[2].request.body, HasSubstr("\"count\":2"));
  co_await f.stop();
}

CO_TEST(EventRecorder, counts_refused_events_without_retry) {
  for (const std::uint16_t status : std::initializer_list<std::uint16_t>{400, 403, 404, 422}) {
    Fixture f(loop);
    f.answer(status);
    f.answer(201);
    f.report();
    co_await f.wait(1h);
    EXPECT_EQ(f.http.seen().size(), 1U) << status;
    EXPECT_THAT(f.metrics.expose(), HasSubstr(f.dropped("failed") + "1"));
    f.report("another");
    co_await f.wait();
    EXPECT_EQ(f.http.seen().size(), 2U) << "the next one is written";
    co_await f.stop();
  }
}

CO_TEST(EventRecorder, retries_unknown_outcome_under_same_name) {
  Fixture f(loop);
  f.http.fail(Reason::disconnected);
  f.answer(409, kAlreadyExists);
  f.answer(200);
  f.report();
  co_await f.wait(1min);
  CO_ASSERT_EQ(f.http.seen().size(), 2U);
  EXPECT_EQ(f.http.seen()[0].request.body, f.http.seen()[1].request.body);
  f.report();
  co_await f.wait();
  EXPECT_EQ(f.method(2), http::Method::patch) << "it was there";
  EXPECT_THAT(f.metrics.expose(), HasSubstr(f.dropped("failed") + "0"));
  co_await f.stop();
}

CO_TEST(EventRecorder, waits_for_trusted_connection_and_credential) {
  for (const Reason reason : {Reason::tls, Reason::configuration}) {
    Fixture f(loop);
    f.http.fail(reason);
    f.answer(201);
    f.report();
    co_await f.wait(1min);
    EXPECT_EQ(f.http.unanswered(), 0U) << to_string(reason);
    EXPECT_THAT(f.metrics.expose(), HasSubstr(f.dropped("failed") + "0"));
    co_await f.stop();
  }
}

CO_TEST(EventRecorder, drops_event_when_server_stays_unreachable) {
  Fixture f(loop);
  for (int i = 0; i < 5; ++i) f.http.fail(Reason::disconnected);
  f.answer(201);
  f.report();
  co_await f.wait(1h);
  EXPECT_EQ(f.http.seen().size(), 5U);
  EXPECT_THAT(f.metrics.expose(), HasSubstr(f.dropped("failed") + "1"));
  f.report("later");
  co_await f.wait();
  EXPECT_EQ(f.http.unanswered(), 0U);
  co_await f.stop();
}

CO_TEST(EventRecorder, bounds_memory_of_event_storm) {
  Fixture f(loop, {.normal_waiting_max = 10});
  for (int i = 0; i < 100; ++i) f.report(std::to_string(i));
  EXPECT_THAT(f.metrics.expose(), HasSubstr(f.dropped("queue_full") + "15"));
  EXPECT_THAT(f.metrics.expose(), HasSubstr(f.dropped("over_rate") + "75"));
  co_await f.stop();
}

CO_TEST(EventRecorder, logs_lasting_refusal_occasionally) {
  Fixture f(loop);
  for (int i = 0; i < 5; ++i) f.answer(403);
  for (int i = 0; i < 5; ++i) f.report(std::to_string(i));
  co_await f.wait(5min);
  EXPECT_EQ(f.http.seen().size(), 5U);
  EXPECT_EQ(f.lines->size(), 1U);
  co_await f.stop();
}

}  // namespace
}  // namespace dcm::client
