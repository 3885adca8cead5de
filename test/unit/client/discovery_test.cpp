#include "client/discovery/discovery.hpp"

#include <gmock/gmock.h>

#include "client/discovery/discovery_documents.hpp"
#include "controllers/api/resources.hpp"
#include "test/support/co_test.hpp"
#include "test/unit/client/rest_client_fixture.hpp"

namespace dcm::client {
namespace {

using namespace std::chrono_literals;
using runtime::Reason;
using testing::HasSubstr;

const KindSet kDraKinds = {&api::kResourceClaims, &api::kResourceClaimTemplates};

http::Response ok(std::string body) {
  return {.status = 200, .headers = {}, .body = std::move(body)};
}

// The answer of `/apis/resource.k8s.io`.
http::Response group(const std::vector<std::string>& versions) {
  std::string body = R"({"kind":"APIGroup","name":"resource.k8s.io","versions":[)";
  for (const std::string& version : versions) {
    if (body.back() == '}') body += ',';
    body += R"({"groupVersion":"resource.k8s.io/)" + version + R"(","version":")" + version + "\"}";
  }
  return ok(body + R"(],"preferredVersion":{"version":"v1"}})");
}

constexpr const char* kBoth =
    R"({"kind":"APIResourceList","resources":[{"name":"resourceclaims","kind":"ResourceClaim"},)"
    R"({"name":"resourceclaims/status"},{"name":"resourceclaimtemplates"}]})";
constexpr const char* kClaimsOnly =
    R"({"kind":"APIResourceList","resources":[{"name":"resourceclaims"},)"
    R"({"name":"resourceclaimtemplates/status"}]})";
constexpr const char* kNotFoundPage = "404 page not found";

std::string version_of(const Availability& found) {
  const Served* const served = std::get_if<Served>(&found);
  return served == nullptr ? "none" : served->version;
}

struct Row {
  const char* name;
  std::vector<http::Response> answers;
  Served expected;
};

CO_TEST(Discovery, chooses_best_version_with_all_kinds) {
  const Row rows[] = {
      {"v1 before the betas, whatever the server's order",
       {group({"v1beta1", "v1beta2", "v1"}), ok(kBoth)},
       {"v1"}},
      {"a beta where there is no v1", {group({"v1beta1", "v1beta2"}), ok(kBoth)}, {"v1beta2"}},
      {"the oldest that we know", {group({"v1alpha3", "v1beta1"}), ok(kBoth)}, {"v1beta1"}},
      {"one that has both kinds before a newer one that has not",
       {group({"v1", "v1beta1"}), ok(kClaimsOnly), ok(kBoth)},
       {"v1beta1"}},
      {"a version that goes away while we ask is passed over",
       {group({"v1", "v1beta2"}), {.status = 404, .headers = {}, .body = kNotFoundPage}, ok(kBoth)},
       {"v1beta2"}},
  };
  for (const Row& row : rows) {
    RestClientFixture f(loop);
    for (const http::Response& answer : row.answers) f.http.answer(answer);
    Discovery discovery(f.client);
    const Availability found = co_await discovery.find(kDraKinds, {});
    EXPECT_EQ(version_of(found), row.expected.version) << row.name;
    EXPECT_EQ(f.http.unanswered(), 0U) << row.name;
  }
}

CO_TEST(Discovery, tells_whether_all_kinds_have_status) {
  for (const auto& [kinds, have_status] :
       {std::pair(kDraKinds, false), std::pair(KindSet{&api::kResourceClaims}, true)}) {
    RestClientFixture f(loop);
    f.http.answer(group({"v1"}));
    f.http.answer(ok(kBoth));
    Discovery discovery(f.client);
    const Availability found = co_await discovery.find(kinds, {});
    CO_ASSERT_TRUE(std::holds_alternative<Served>(found));
    EXPECT_EQ(std::get<Served>(found).has_status, have_status);
  }
}

CO_TEST(Discovery, requests_group_and_then_version) {
  RestClientFixture f(loop);
  f.http.answer(group({"v1"}));
  f.http.answer(ok(kBoth));
  Discovery discovery(f.client);
  co_await discovery.find(kDraKinds, {});
  CO_ASSERT_EQ(f.http.seen().size(), 2U);
  EXPECT_EQ(f.http.seen()[0].request.target, "/apis/resource.k8s.io");
  EXPECT_EQ(f.http.seen()[1].request.target, "/apis/resource.k8s.io/v1");
}

CO_TEST(Discovery, skips_group_document_of_core) {
  RestClientFixture f(loop);
  f.http.answer(ok(R"({"resources":[{"name":"pods"}]})"));
  Discovery discovery(f.client);
  const Availability found = co_await discovery.find({&api::kPods}, {});
  CO_ASSERT_TRUE(std::holds_alternative<Served>(found));
  EXPECT_EQ(resource_of(api::kPods, std::get<Served>(found)).path(), "/api/v1/pods");
  EXPECT_EQ(f.http.seen().at(0).request.target, "/api/v1");
}

CO_TEST(Discovery, reports_missing_group_as_not_served) {
  RestClientFixture f(loop);
  f.http.answer({.status = 404, .headers = {}, .body = kNotFoundPage});
  Discovery discovery(f.client);
  const Availability found = co_await discovery.find(kDraKinds, {});
  CO_ASSERT_TRUE(std::holds_alternative<NotServed>(found));
  EXPECT_EQ(
      std::get<NotServed>(found).why,
      "the API server serves resourceclaims and resourceclaimtemplates in no version that this "
      "program knows (known: v1, v1beta2, v1beta1; versions of resource.k8s.io: none)");
}

CO_TEST(Discovery, reports_unknown_versions_as_not_served) {
  RestClientFixture f(loop);
  f.http.answer(group({"v1alpha3", "v2"}));
  Discovery discovery(f.client);
  const Availability found = co_await discovery.find(kDraKinds, {});
  CO_ASSERT_TRUE(std::holds_alternative<NotServed>(found));
  EXPECT_THAT(std::get<NotServed>(found).why,
              HasSubstr("versions of resource.k8s.io: v1alpha3, v2"));
}

CO_TEST(Discovery, reports_unknown_availability_without_answer) {
  const std::pair<const char*, http::Response> rows[] = {
      {"403", {.status = 403, .headers = {}, .body = "{}"}},
      {"401", {.status = 401, .headers = {}, .body = "{}"}},
      {"a login page", ok("<html>")},
      {"an object of another kind", ok("{\"kind\":\"Pod\"}")},
  };
  for (const auto& [name, answer] : rows) {
    RestClientFixture f(loop);
    f.http.answer(answer);
    Discovery discovery(f.client);
    const Availability found = co_await discovery.find(kDraKinds, {});
    EXPECT_TRUE(std::holds_alternative<Unknown>(found)) << name;
  }
}

CO_TEST(Discovery, reports_errors_at_once_without_retry) {
  RestClientFixture f(loop);
  f.http.answer({.status = 503, .headers = {}, .body = "starting"});
  const runtime::MonoTime start = loop.time().now();
  Discovery discovery(f.client);
  const Availability starting = co_await discovery.find(kDraKinds, {});
  EXPECT_TRUE(std::holds_alternative<Unknown>(starting));
  EXPECT_EQ(loop.time().now(), start);
  EXPECT_EQ(ask_again_after(starting), 2s);
  EXPECT_EQ(ask_again_after(Unknown{{Reason::unauthorized, "who?"}}), 5s);
  EXPECT_EQ(ask_again_after(NotServed{}), 30s);
}

CO_TEST(Discovery, names_url_of_invalid_document) {
  RestClientFixture f(loop);
  f.http.answer(ok("<html>"));
  Discovery discovery(f.client);
  const Availability found = co_await discovery.find(kDraKinds, {});
  CO_ASSERT_TRUE(std::holds_alternative<Unknown>(found));
  EXPECT_EQ(std::get<Unknown>(found).error.reason, Reason::malformed);
  EXPECT_THAT(std::get<Unknown>(found).error.message,
              HasSubstr("https://api.test:6443/apis/resource.k8s.io: "));
}

TEST(DiscoveryDocuments, are_rejected_if_unusable) {
  for (const char* body :
       {"", "[]", "{}", R"({"versions":{}})", R"({"versions":[1]})",
        R"({"versions":[{"version":1}]})", R"({"versions":[{"version":"v1"}])"}) {
    const auto versions = decode_group_versions(body);
    ASSERT_FALSE(versions) << body;
    EXPECT_EQ(versions.error().reason, Reason::malformed) << body;
  }
}

}  // namespace
}  // namespace dcm::client
