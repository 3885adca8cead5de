#include "cmd/dra-controller-manager/serving/debug_pages.hpp"

#include <gmock/gmock.h>

#include "runtime/loop.hpp"

namespace dcm::manager {
namespace {

using namespace std::chrono_literals;
using testing::HasSubstr;
using testing::StartsWith;

struct DebugPages : testing::Test {
  DebugPages() { add_debug_pages(pages, options, time, log); }
  http::Response get(std::string target) { return answer({.target = std::move(target)}); }
  http::Response put(std::string target, std::string body) {
    return answer({.method = http::Method::put, .target = std::move(target), .body = body});
  }
  http::Response answer(http::Request request) {
    http::Response response;
    loop.run(keep(std::move(request), response));
    return response;
  }
  runtime::Task<> keep(http::Request request, http::Response& response) {
    response = co_await pages.answer(std::move(request));
  }

  runtime::VirtualLoop loop;
  runtime::VirtualTime& time = loop.time();
  std::shared_ptr<runtime::LogBackend> log = std::make_shared<runtime::LogBackend>(
      time, runtime::LogFormat::text, [](runtime::Severity, std::string_view) {});
  Options options = *parse_options({"--leader-elect=false", "-v=3", "--logging-format=json"});
  Pages pages;
};

TEST_F(DebugPages, flagz_has_every_flag_with_its_value_given_or_not) {
  const std::string text = get("/flagz").body;
  EXPECT_THAT(text, HasSubstr("\nv=3\n"));
  EXPECT_THAT(text, HasSubstr("\nlogging-format=json\n"));
  EXPECT_THAT(text, HasSubstr("\nkube-api-qps=200\n"));
  EXPECT_THAT(text, HasSubstr("\ndevice-taint-eviction-mode=delete\n"));
  EXPECT_THAT(text, HasSubstr("\nkubeconfig=\n"));
}

TEST_F(DebugPages, configz_has_the_configuration_by_its_api_group) {
  const http::Response response = get("/configz");
  EXPECT_EQ(*response.headers.find("Content-Type"), "application/json");
  EXPECT_THAT(
      response.body,
      StartsWith(R"({"dra-controller-manager.dev":{"apiVersion":"dra-controller-manager.)"));
  EXPECT_THAT(response.body, HasSubstr(R"("logging":{"verbosity":3,"format":"json"})"));
}

TEST_F(DebugPages, statusz_says_since_when_and_what) {
  time.advance_to(runtime::MonoTime(26h + 3min + 4s));
  const std::string text = get("/statusz").body;
  EXPECT_THAT(text, HasSubstr("Up: 26 hr 03 min 04 sec\n"));
  EXPECT_THAT(text, HasSubstr("Paths: /statusz /flagz /configz /debug/flags/v\n"));
}

TEST_F(DebugPages, statusz_is_html_with_links_for_browsers) {
  time.advance_to(runtime::MonoTime(26h + 3min + 4s));
  const http::Response response =
      answer({.target = "/statusz", .headers = {{"Accept", "text/html,application/xhtml+xml"}}});
  EXPECT_EQ(*response.headers.find("Content-Type"), "text/html; charset=utf-8");
  EXPECT_THAT(response.body, HasSubstr("<th>Up<td>26 hr 03 min 04 sec\n"));
  EXPECT_THAT(response.body, HasSubstr("<a href=\"/configz\">/configz</a>"));
  EXPECT_THAT(response.body, HasSubstr("<li>/debug/flags/v (PUT)\n"));
}

TEST_F(DebugPages, the_log_gets_the_verbosity_that_is_put) {
  const http::Response response = put("/debug/flags/v", "6\n");
  EXPECT_EQ(response.status, 200) << response.body;
  EXPECT_EQ(log->verbosity(), 6);
  for (const char* bad : {"", "eleven", "-1", "11", "6 7", "99999999999"}) {
    EXPECT_EQ(put("/debug/flags/v", bad).status, 400) << bad;
    EXPECT_EQ(log->verbosity(), 6);
  }
  EXPECT_EQ(get("/debug/flags/v").status, 405);
}

}  // namespace
}  // namespace dcm::manager
