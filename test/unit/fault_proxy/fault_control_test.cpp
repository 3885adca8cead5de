// The control port: the commands of a test, and its answers.
#include "test/support/fault_control.hpp"

#include "test/unit/fault_proxy/site.hpp"

namespace dcm::support {
namespace {

using http::Method;

struct Row {
  const char* what;
  Method method;
  const char* path;
  const char* body;
  std::uint16_t status;
  const char* answer;
};

CO_TEST(FaultControl, obeys_commands_of_test) {
  Site site(loop);
  for (const Row& row : {
           Row{"a rule", Method::post, "/rules",
               R"({"method":"POST","target":"/a","fault":"answer","status":409,
                   "headers":{"X":"y"},"body":"no"})",
               200, R"({"id":1})"},
           Row{"its state", Method::get, "/rules/1", "", 200, R"({"matched":0,"held":0})"},
           Row{"a hold", Method::post, "/rules", R"({"fault":"hold","times":3})", 200,
               R"({"id":2})"},
           Row{"its release", Method::post, "/rules/2/release", R"({"how":"lose"})", 200, "{}"},
           Row{"watches", Method::post, "/watches", R"({"target":"/pods","do":"cut"})", 200,
               R"({"watches":0})"},
           Row{"requests", Method::get, "/requests", "", 200, "[]"},
           Row{"no such fault", Method::post, "/rules", R"({"fault":"flood"})", 400,
               "no such fault: flood"},
           Row{"an answer without a status", Method::post, "/rules", R"({"fault":"answer"})", 400,
               "an answer needs a status"},
           Row{"no such path", Method::get, "/rulez", "", 400, "no such control: /rulez"},
       }) {
    const auto response = co_await site.control->send({row.method, row.path, {}, row.body}, {});
    CO_ASSERT_TRUE(response);
    EXPECT_EQ(response->status, row.status) << row.what;
    EXPECT_EQ(response->body, row.answer) << row.what;
  }
  const auto spoiled = co_await site.send(Method::post, "/a");
  CO_ASSERT_TRUE(spoiled);
  EXPECT_EQ(spoiled->status, 409);
  EXPECT_EQ(spoiled->body, "no");
  EXPECT_EQ(spoiled->headers.find("X"), "y");
  co_await site.stop();
}

CO_TEST(FaultControl, records_requests_and_answers) {
  Site site(loop);
  const auto passed = co_await site.send(Method::post, "/a", "k8s\x01\xff");
  CO_ASSERT_TRUE(passed);
  const auto response = co_await site.control->send({Method::get, "/requests", {}, {}}, {});
  CO_ASSERT_TRUE(response);
  EXPECT_EQ(response->body, R"([{"method":"POST","target":"/a","body":"k8s..","status":200}])");
  co_await site.stop();
}

}  // namespace
}  // namespace dcm::support
