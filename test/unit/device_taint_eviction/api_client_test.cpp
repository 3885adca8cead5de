// Each request as it goes over the wire: method, path, media type, body.
#include "controllers/device_taint_eviction/api/api_client.hpp"

#include <gmock/gmock.h>

#include "controllers/api/resources.hpp"
#include "test/support/co_test.hpp"
#include "test/unit/client/rest_client_fixture.hpp"
#include "test/unit/device_taint_eviction/world.hpp"

namespace dcm::device_taint_eviction {
namespace {

using testing::HasSubstr;

constexpr const char* kUid = "9e2f6a40-1b7c-4d35-8e90-5a6b7c8d9e0f";
constexpr const char* kAnotherUid =
    R"({"kind":"Status","code":422,"reason":"Invalid","details":{"name":"learner-3",)"
    R"("causes":[{"reason":"FieldValueInvalid","field":"metadata.uid","message":"immutable"}]}})";

struct Fixture : client::RestClientFixture {
  explicit Fixture(runtime::VirtualLoop& loop) : RestClientFixture(loop) {}

  void answer(std::uint16_t status, std::string body = R"({"kind":"Pod"})") {
    http.answer({.status = status, .headers = {}, .body = std::move(body)});
  }
  // "PATCH /api/… application/…", of the last request.
  std::string line() const {
    const http::Request& sent = http.seen().back().request;
    const auto type = sent.headers.find("Content-Type");
    return std::string(to_string(sent.method)) + " " + sent.target +
           (type ? " " + std::string(*type) : "");
  }
  const std::string& body() const { return http.seen().back().request.body; }

  PodRef pod{{"ml", "learner-3"}, api::Uid(kUid)};
  ApiClient api{client, {&api::kPods, "v1"}};
};

CO_TEST(EvictionApiClient, marks_pod) {
  Fixture f(loop);
  f.answer(200, R"({"kind":"Pod","metadata":{"name":"learner-3","namespace":"ml","uid":"u",)"
                R"("resourceVersion":"9"},"spec":{"resourceClaims":[{"name":"gpus"}]}})");
  const auto marked =
      co_await f.api.mark(f.pod, Mark{kStart, api::TransitionTime::now}, Priority::live);
  CO_ASSERT_TRUE(marked);
  EXPECT_EQ(marked->object->meta.resource_version, api::ResourceVersion("9"));
  EXPECT_EQ(f.line(),
            "PATCH /api/v1/namespaces/ml/pods/learner-3/status "
            "application/strategic-merge-patch+json");
  EXPECT_EQ(f.body(), api::encode_disruption_target(f.pod.uid, kStart, api::TransitionTime::now));
}

CO_TEST(EvictionApiClient, distinguishes_replaced_pod_from_other_refusals) {
  Fixture f(loop);
  f.answer(422, kAnotherUid);
  const auto marked =
      co_await f.api.mark(f.pod, Mark{kStart, api::TransitionTime::now}, Priority::live);
  CO_ASSERT_TRUE(!marked);
  EXPECT_TRUE(runtime::is_object_gone(marked.error()));
}

CO_TEST(EvictionApiClient, deletes_pod_by_uid_once) {
  Fixture f(loop);
  f.answer(500);
  const Result<> removed = co_await f.api.write(f.pod, Remove(), Priority::live);
  EXPECT_FALSE(removed);
  EXPECT_EQ(f.http.seen().size(), 1U);
  EXPECT_EQ(f.line(), "DELETE /api/v1/namespaces/ml/pods/learner-3 application/json");
  EXPECT_EQ(f.body(), R"({"apiVersion":"v1","kind":"DeleteOptions","preconditions":{"uid":")" +
                          std::string(kUid) + R"("}})");
}

CO_TEST(EvictionApiClient, evicts_pod_and_returns_budget_refusal) {
  Fixture f(loop);
  f.answer(429, R"({"kind":"Status","reason":"TooManyRequests","code":429,)"
                R"("details":{"causes":[{"reason":"DisruptionBudget","message":"needs 2"}]}})");
  const Result<> evicted = co_await f.api.write(f.pod, Evict(), Priority::live);
  CO_ASSERT_TRUE(!evicted);
  EXPECT_EQ(evicted.error().reason, runtime::Reason::disruption_budget);
  EXPECT_EQ(f.http.seen().size(), 1U);
  EXPECT_EQ(f.line(), "POST /api/v1/namespaces/ml/pods/learner-3/eviction application/json");
  EXPECT_EQ(f.body(), api::encode_eviction(f.pod.key, f.pod.uid));
}

CO_TEST(EvictionApiClient, applies_rule_condition_in_served_version) {
  Fixture f(loop);
  f.api.use_rules({&api::kDeviceTaintRules, "v1beta2"});
  f.answer(
      200,
      R"({"kind":"DeviceTaintRule","metadata":{"name":"r","uid":"r-uid","resourceVersion":"9","generation":3}})");
  const RulePtr rule = test::make_rule("r", no_execute("k")).get();
  const api::Condition condition{"EvictionInProgress", "True", "x", "", 3, kStart};
  const Result<RulePtr> written = co_await f.api.write_condition(rule, condition, Priority::live);
  CO_ASSERT_TRUE(written);
  EXPECT_EQ((*written)->generation, 3);
  EXPECT_EQ(
      f.line(),
      "PATCH /apis/resource.k8s.io/v1beta2/devicetaintrules/r/status?"
      "fieldManager=device-taint-eviction-controller&force=true application/apply-patch+yaml");
  EXPECT_THAT(f.body(), HasSubstr(R"("apiVersion":"resource.k8s.io/v1beta2")"));
}

CO_TEST(EvictionApiClient, writes_no_condition_if_rules_are_not_served) {
  Fixture f(loop);
  const RulePtr rule = test::make_rule("r", no_execute("k")).get();
  const Result<RulePtr> written = co_await f.api.write_condition(rule, {}, Priority::live);
  CO_ASSERT_TRUE(!written);
  EXPECT_EQ(written.error().reason, runtime::Reason::not_served);
  EXPECT_TRUE(f.http.seen().empty());
}

}  // namespace
}  // namespace dcm::device_taint_eviction
