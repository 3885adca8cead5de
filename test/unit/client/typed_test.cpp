#include "client/request/typed.hpp"

#include <gmock/gmock.h>

#include "controllers/api/decoders.hpp"
#include "controllers/api/encode_claim.hpp"
#include "controllers/api/resource_claim.hpp"
#include "controllers/api/resources.hpp"
#include "test/support/co_test.hpp"
#include "test/unit/client/rest_client_fixture.hpp"

namespace dcm::client {
namespace {

using api::ResourceClaim;
using runtime::Reason;
using runtime::Result;
using testing::HasSubstr;

using Claim = api::Decoded<ResourceClaim>;
using Claims = std::vector<Claim>;

http::Response ok(std::string body) {
  return {.status = 200, .headers = {}, .body = std::move(body)};
}

std::string claim(const std::string& name, int version) {
  return R"({"kind":"ResourceClaim","apiVersion":"resource.k8s.io/v1","metadata":{"name":")" +
         name +
         R"(","namespace":"lab","uid":"0d8a9b1c-3b5e-4c0e-8a33-77c0b1d7f9aa","resourceVersion":")" +
         std::to_string(version) + R"("},"spec":{}})";
}

http::Response page(const std::string& items, const std::string& continue_token) {
  return ok(R"({"kind":"ResourceClaimList","apiVersion":"resource.k8s.io/v1","metadata":{)"
            R"("resourceVersion":"9","continue":")" +
            continue_token + R"("},"items":[)" + items + "]}");
}

struct TypedFixture : RestClientFixture {
  explicit TypedFixture(runtime::VirtualLoop& loop) : RestClientFixture(loop) {}

  std::unique_ptr<api::Decoder<ResourceClaim>> decoder = api::make_json_claim_decoder("v1");
  TypedClient<ResourceClaim> claims{client, {&api::kResourceClaims, "v1"}, *decoder};
};

const api::NamespacedName kKey{"lab", "shared"};

CO_TEST(TypedClient, replaces_whole_object_on_update) {
  TypedFixture f(loop);
  f.http.answer(ok(claim("shared", 81509)));
  const Result<Claim> written = co_await f.claims.update(kKey, claim("shared", 81508));
  CO_ASSERT_TRUE(written);
  EXPECT_EQ(written->meta.resource_version.str(), "81509");
  const http::Request& sent = f.http.seen().at(0).request;
  EXPECT_EQ(sent.method, http::Method::put);
  EXPECT_EQ(sent.target, "/apis/resource.k8s.io/v1/namespaces/lab/resourceclaims/shared");
  EXPECT_EQ(sent.headers.find("Content-Type"), "application/json");
  EXPECT_EQ(sent.body, claim("shared", 81508));
}

CO_TEST(TypedClient, returns_object_and_version_of_write) {
  TypedFixture f(loop);
  f.http.answer(ok(claim("shared", 81508)));
  const Result<Claim> written =
      co_await f.claims.strategic_merge_patch(kKey, "status", "{\"metadata\":{}}");
  CO_ASSERT_TRUE(written);
  EXPECT_EQ(written->meta.resource_version.str(), "81508");
  const http::Request& sent = f.http.seen().at(0).request;
  EXPECT_EQ(sent.method, http::Method::patch);
  EXPECT_EQ(sent.headers.find("Content-Type"), "application/strategic-merge-patch+json");
  EXPECT_EQ(sent.headers.find("Accept"), "application/json");
}

CO_TEST(TypedClient, gets_applies_creates) {
  TypedFixture f(loop);
  for (int i = 0; i < 3; ++i) f.http.answer(ok(claim("shared", i)));
  co_await f.claims.get(kKey);
  co_await f.claims.apply(kKey, "status", "ResourceClaimController", "{}");
  co_await f.claims.create("lab", {"{}"});
  CO_ASSERT_EQ(f.http.seen().size(), 3U);
  EXPECT_EQ(f.http.seen()[0].request.method, http::Method::get);
  EXPECT_EQ(f.http.seen()[1].request.headers.find("Content-Type"), "application/apply-patch+yaml");
  EXPECT_EQ(f.http.seen()[2].request.method, http::Method::post);
}

CO_TEST(TypedClient, accepts_any_answer_of_api_to_deletion) {
  TypedFixture f(loop);
  f.http.answer(ok(R"({"kind":"Status","status":"Success"})"));
  f.http.answer(ok(claim("shared", 81509)));
  f.http.answer(ok("<html>login</html>"));
  EXPECT_TRUE(co_await f.claims.remove(kKey, "{}"));
  EXPECT_TRUE(co_await f.claims.remove(kKey, "{}"));
  const auto unknown = co_await f.claims.remove(kKey, "{}");
  EXPECT_TRUE(!unknown && unknown.error().reason == Reason::malformed);
  EXPECT_EQ(f.http.seen().at(0).request.method, http::Method::delete_);
}

CO_TEST(TypedClient, names_url_of_invalid_body) {
  TypedFixture f(loop);
  f.http.answer(ok("<html>login</html>"));
  const Result<Claim> got = co_await f.claims.get(kKey);
  CO_ASSERT_TRUE(!got);
  EXPECT_EQ(got.error().reason, Reason::malformed);
  EXPECT_THAT(got.error().message, HasSubstr("https://api.test:6443/apis/resource.k8s.io/v1/"
                                             "namespaces/lab/resourceclaims/shared: "));
}

CO_TEST(TypedClient, lists_all_pages) {
  TypedFixture f(loop);
  f.http.answer(page(claim("a", 1) + "," + claim("b", 2), "next"));
  f.http.answer(page(claim("c", 3), ""));
  const Result<Claims> all = co_await f.claims.list_all("lab");
  CO_ASSERT_TRUE(all);
  CO_ASSERT_EQ(all->size(), 3U);
  EXPECT_EQ(all->back().meta.key.name, "c");
  EXPECT_THAT(f.http.seen().at(1).request.target, HasSubstr("continue=next"));
}

CO_TEST(TypedClient, gives_up_list_beyond_its_bytes) {
  TypedFixture f(loop);
  const auto answer_two_pages = [&f] {
    f.http.answer(page(claim("a", 1), "next"));
    f.http.answer(page(claim("b", 2), ""));
  };
  const std::size_t page_bytes = page(claim("a", 1), "next").body.size();
  answer_two_pages();
  const Result<Claims> fits = co_await f.claims.list_all("lab", {}, 2 * page_bytes);
  EXPECT_TRUE(fits);
  answer_two_pages();
  const Result<Claims> one = co_await f.claims.list_all("lab", {}, page_bytes);
  CO_ASSERT_TRUE(!one);
  EXPECT_EQ(one.error().reason, Reason::body_too_large);
}

CO_TEST(TypedClient, restarts_expired_pages_without_duplicates) {
  TypedFixture f(loop);
  f.http.answer(page(claim("a", 1), "next"));
  f.http.answer({.status = 410, .headers = {}, .body = "{}"});
  f.http.answer(page(claim("a", 1), "next"));
  f.http.answer(page(claim("b", 2), ""));
  const Result<Claims> all = co_await f.claims.list_all("lab");
  CO_ASSERT_TRUE(all);
  EXPECT_EQ(all->size(), 2U);
}

CO_TEST(TypedClient, fails_if_list_keeps_expiring) {
  TypedFixture f(loop);
  for (int i = 0; i < 20; ++i) f.http.answer({.status = 410, .headers = {}, .body = "{}"});
  const Result<Claims> all = co_await f.claims.list_all("lab");
  CO_ASSERT_TRUE(!all);
  EXPECT_TRUE(runtime::is_expired(all.error()));
  EXPECT_EQ(f.http.seen().size(), 4U);
}

}  // namespace
}  // namespace dcm::client
