#include "cmd/dra-controller-manager/serving/debug_pages.hpp"

#include <gmock/gmock.h>

#include "runtime/loop.hpp"
#include "runtime/run_all.hpp"

namespace dcm::dra_manager {
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
    return runtime::run_on(loop, pages.answer(std::move(request)));
  }

  runtime::VirtualLoop loop;
  runtime::VirtualTime& time = loop.time();
  std::shared_ptr<runtime::LogBackend> log = std::make_shared<runtime::LogBackend>(
      time, runtime::LogFormat::text, [](runtime::Severity, std::string_view) {});
  Options options = *parse_options({"--leader-elect=false", "-v=3", "--logging-format=json"});
  Pages pages;
};

TEST_F(DebugPages, show_every_flag_in_flagz) {
  const std::string text = get("/flagz").body;
  EXPECT_THAT(text, HasSubstr("\nv=3\n"));
  EXPECT_THAT(text, HasSubstr("\nlogging-format=json\n"));
  EXPECT_THAT(text, HasSubstr("\nkube-api-qps=200\n"));
  EXPECT_THAT(text, HasSubstr("\ndevice-taint-eviction-mode=delete\n"));
  EXPECT_THAT(text, HasSubstr("\nkubeconfig=\n"));
}

TEST_F(DebugPages, show_configuration_by_api_group_in_configz) {
  const http::Response response = get("/configz");
  EXPECT_EQ(*response.headers.find("Content-Type"), "application/json");
  EXPECT_THAT(
      response.body,
      StartsWith(R"({"dra-controller-manager.dev":{"apiVersion":"dra-controller-manager.)"));
  EXPECT_THAT(response.body, HasSubstr(R"("logging":{"verbosity":3,"format":"json"})"));
}

TEST_F(DebugPages, show_start_time_and_version_in_statusz) {
  time.advance_to(runtime::MonoTime(26h + 3min + 4s));
  const std::string text = get("/statusz").body;
  EXPECT_THAT(text, HasSubstr("Up: 26 hr 03 min 04 sec\n"));
  EXPECT_THAT(text, HasSubstr("Paths: /statusz /flagz /configz /debug/flags/v\n"));
}

TEST_F(DebugPages, show_statusz_as_html_for_browsers) {
  time.advance_to(runtime::MonoTime(26h + 3min + 4s));
  const http::Response response =
      answer({.target = "/statusz", .headers = {{"Accept", "text/html,application/xhtml+xml"}}});
  EXPECT_EQ(*response.headers.find("Content-Type"), "text/html; charset=utf-8");
  EXPECT_THAT(response.body, HasSubstr("<th>Up<td>26 hr 03 min 04 sec\n"));
  EXPECT_THAT(response.body, HasSubstr("<a href=\"/configz\">/configz</a>"));
  EXPECT_THAT(response.body, HasSubstr("<li>/debug/flags/v (PUT)\n"));
}

TEST_F(DebugPages, change_log_verbosity) {
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
}  // namespace dcm::dra_manager
