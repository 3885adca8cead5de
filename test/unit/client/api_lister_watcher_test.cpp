#include "informers/api_lister_watcher.hpp"

#include <gmock/gmock.h>

#include "controllers/api/decoders.hpp"
#include "controllers/api/resources.hpp"
#include "test/support/co_test.hpp"
#include "test/unit/client/rest_client_fixture.hpp"

namespace dcm::informers {
namespace {

using namespace std::chrono_literals;
using api::ResourceClaim;
using client::RestClientFixture;
using runtime::Deadline;
using runtime::Reason;
using runtime::Result;
using testing::HasSubstr;

using Event = api::WatchEvent<ResourceClaim>;
using NextEvent = Result<std::optional<Event>>;
using OpenStream = Result<std::unique_ptr<WatchStream<ResourceClaim>>>;
using End = http::FakeHttpClient::Stream::End;

std::string claim(const std::string& name) {
  return R"({"kind":"ResourceClaim","apiVersion":"resource.k8s.io/v1","metadata":{"name":")" +
         name +
         R"(","namespace":"lab","uid":"0d8a9b1c-3b5e-4c0e-8a33-77c0b1d7f9aa","resourceVersion":"7"},)"
         R"("spec":{}})";
}

std::string added(const std::string& name) {
  return R"({"type":"ADDED","object":)" + claim(name) + "}\n";
}

std::string name_of(const NextEvent& event) {
  if (!event || !*event) return "no event";
  const auto* const change = std::get_if<api::ChangeEvent<ResourceClaim>>(&**event);
  return change == nullptr ? "no change" : change->subject.meta.key.name.str();
}

struct Fixture : RestClientFixture {
  explicit Fixture(runtime::VirtualLoop& loop) : RestClientFixture(loop) {}

  std::unique_ptr<api::Decoder<ResourceClaim>> decoder = api::make_json_claim_decoder("v1");
  ApiListerWatcher<ResourceClaim> claims{client, {&api::kResourceClaims, "v1"}, *decoder};
};

CO_TEST(ApiListerWatcher, lists_page_item_by_item) {
  Fixture f(loop);
  f.http.answer({.status = 200,
                 .headers = {},
                 .body = R"({"kind":"ResourceClaimList","apiVersion":"resource.k8s.io/v1",)"
                         R"("metadata":{"resourceVersion":"9","continue":"more"},"items":[)" +
                         claim("a") + "," + claim("b") + "]}"});
  std::vector<std::string> names;
  const Result<api::ListMeta> page = co_await f.claims.list(
      {.limit = 2, .continue_token = "token"},
      [&](api::Decoded<ResourceClaim> item) { names.push_back(item.meta.key.name.str()); }, {});
  CO_ASSERT_TRUE(page);
  EXPECT_EQ(names, (std::vector<std::string>{"a", "b"}));
  EXPECT_EQ(page->continue_token, "more");
  EXPECT_EQ(page->resource_version.str(), "9");
  const http::Request& sent = f.http.seen().at(0).request;
  EXPECT_EQ(sent.target, "/apis/resource.k8s.io/v1/resourceclaims?limit=2&continue=token");
  EXPECT_EQ(sent.headers.find("Accept-Encoding"), "gzip");
}

// Informers never send an object back whole, so they do not need all of it (KEP-5958).
CO_TEST(ApiListerWatcher, requests_objects_without_managed_fields) {
  Fixture f(loop);
  f.http.answer({.status = 200, .headers = {}, .body = R"({"metadata":{},"items":[]})"});
  f.http.stream({});
  const auto ignore = [](api::Decoded<ResourceClaim>) {};
  co_await f.claims.list({}, ignore, {});
  co_await f.claims.watch({}, {});
  for (const auto& each : f.http.seen()) {
    EXPECT_EQ(each.request.headers.find("Accept"), "application/json;drop=metadata.managedFields");
  }
  EXPECT_EQ(client::without_managed_fields("a/b;c=d,e/f"),
            "a/b;c=d;drop=metadata.managedFields,e/f;drop=metadata.managedFields");
}

CO_TEST(ApiListerWatcher, reports_events_however_bytes_are_split) {
  Fixture f(loop);
  const std::string all = added("a") + added("b");
  f.http.stream(
      {.pieces = {all.substr(0, 10), all.substr(10, all.size() - 15), all.substr(all.size() - 5)}});
  OpenStream stream = co_await f.claims.watch({}, {});
  CO_ASSERT_TRUE(stream);
  const NextEvent first = co_await (*stream)->next({});
  EXPECT_EQ(name_of(first), "a");
  const NextEvent second = co_await (*stream)->next({});
  EXPECT_EQ(name_of(second), "b");
  const NextEvent end = co_await (*stream)->next({});
  CO_ASSERT_TRUE(end);
  EXPECT_FALSE(end->has_value());
}

CO_TEST(ApiListerWatcher, requests_watch_list) {
  Fixture f(loop);
  f.http.stream({});
  co_await f.claims.watch(
      {.resource_version = {}, .initial_events = InitialEvents::send, .server_timeout = 90'500ms},
      {});
  const http::Request& sent = f.http.seen().at(0).request;
  EXPECT_THAT(sent.target, HasSubstr("sendInitialEvents=true"));
  EXPECT_THAT(sent.target, HasSubstr("timeoutSeconds=91"));
  EXPECT_EQ(sent.headers.find("Accept-Encoding"), "gzip");
}

CO_TEST(ApiListerWatcher, reports_whether_stream_is_compressed) {
  Fixture f(loop);
  f.http.stream({});
  f.http.stream({.headers = {{"Content-Encoding", "gzip"}}});
  const OpenStream plain = co_await f.claims.watch({}, {});
  EXPECT_EQ((*plain)->compression(), Compression::none);
  const OpenStream compressed = co_await f.claims.watch({}, {});
  EXPECT_EQ((*compressed)->compression(), Compression::gzip);
}

CO_TEST(ApiListerWatcher, reports_end_within_event_as_disconnection) {
  Fixture f(loop);
  f.http.stream({.pieces = {added("a").substr(0, 20)}});
  OpenStream stream = co_await f.claims.watch({}, {});
  CO_ASSERT_TRUE(stream);
  const NextEvent end = co_await (*stream)->next({});
  CO_ASSERT_TRUE(!end);
  EXPECT_EQ(end.error().reason, Reason::disconnected);
}

CO_TEST(ApiListerWatcher, ends_silent_watch_at_deadline) {
  Fixture f(loop);
  f.http.stream({.end = End::silent});
  OpenStream stream = co_await f.claims.watch({}, {});
  CO_ASSERT_TRUE(stream);
  const NextEvent end = co_await (*stream)->next(Deadline::after(loop.time(), 65s));
  CO_ASSERT_TRUE(!end);
  EXPECT_EQ(end.error().reason, Reason::deadline_exceeded);
}

CO_TEST(ApiListerWatcher, names_url_of_invalid_watch_data) {
  Fixture f(loop);
  f.http.stream({.pieces = {"<html>\n"}});
  OpenStream stream = co_await f.claims.watch({}, {});
  CO_ASSERT_TRUE(stream);
  const NextEvent end = co_await (*stream)->next({});
  CO_ASSERT_TRUE(!end);
  EXPECT_EQ(end.error().reason, Reason::malformed);
  EXPECT_THAT(end.error().message, HasSubstr("https://api.test:6443/apis/"));
}

CO_TEST(ApiListerWatcher, passes_on_server_error_of_refused_watch) {
  Fixture f(loop);
  f.http.stream({.status = 410, .pieces = {R"({"kind":"Status","code":410,"message":"too old"})"}});
  const OpenStream stream = co_await f.claims.watch({}, {});
  CO_ASSERT_TRUE(!stream);
  EXPECT_EQ(stream.error().reason, Reason::gone);
}

}  // namespace
}  // namespace dcm::informers
