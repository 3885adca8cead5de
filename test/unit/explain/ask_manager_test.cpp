// How a manager's answers and command lines are interpreted.
#include "explain/ask_manager.hpp"

#include "cmd/dra-controller-manager/options/explain_options.hpp"
#include "runtime/http/pipe.hpp"
#include "runtime/http/server.hpp"
#include "runtime/task_group.hpp"
#include "test/support/co_test.hpp"

namespace dcm::explain {
namespace {

using namespace std::chrono_literals;

const http::Endpoint kManager{http::Security::plain, "manager", 80};
const Subject kPod{Subject::Kind::pod, {"lab", "a"}};

class Token final : public client::Credentials {
 public:
  runtime::Task<runtime::Result<>> authorize(http::Headers& headers, runtime::Deadline) override {
    headers.add("Authorization", "Bearer secret");
    co_return runtime::Result<>();
  }
  runtime::Task<Refreshed> refresh(std::string, runtime::Deadline) override {
    co_return Refreshed::no;
  }
};

struct Row {
  const char* sentence;
  http::Response answer;
  ExplainStatus status;
  const char* text;
};

CO_TEST(AskManager, distinguishes_answers) {
  http::PipeNetwork network(loop.time());
  const auto listener = network.listen(kManager.host, kManager.port);
  http::Response answer;
  http::Request asked;
  runtime::TaskGroup group(loop.executor());
  group.spawn("manager", http::serve(*listener, loop.time(), {},
                                     [&](http::Request request,
                                         http::Responder& responder) -> runtime::Task<> {
                                       asked = std::move(request);
                                       co_await responder.send(answer);
                                     },
                                     {}));
  const auto client = http::make_client(network, loop.time(), {.origin = kManager});
  Token token;
  using enum ExplainStatus;
  for (const Row& row : std::vector<Row>{
           {"explained",
            {200, {}, "Pod lab/a: all is well\n"},
            explained,
            "Pod lab/a: all is well\n"},
           {"no such object",
            {404, {}, "Pod lab/a is not known here\n"},
            no_such_object,
            "Pod lab/a is not known here"},
           {"a manager without that page",
            {404, {}, "not found\n"},
            not_answered,
            "manager: it explains nothing: an older version, or no manager"},
           {"caches that are being filled",
            {503, {}, "nothing is known yet: pods\n"},
            not_answered,
            "manager: status 503: nothing is known yet: pods"},
           {"somebody who may not",
            {403, {}, "forbidden: user \"x\"\nmore"},
            not_answered,
            "manager: status 403: forbidden: user \"x\""},
       }) {
    answer = row.answer;
    const ExplainOutcome outcome =
        co_await ask_manager(*client, token, {.subject = kPod, .server = "manager"});
    EXPECT_EQ(outcome.status, row.status) << row.sentence;
    EXPECT_EQ(outcome.text, row.text) << row.sentence;
    EXPECT_EQ(asked.target, "/debug/explain/pods/lab/a");
    EXPECT_EQ(asked.headers.find("Authorization"), "Bearer secret");
    EXPECT_EQ(asked.headers.find("Accept"), "text/plain");
  }
  client->close_idle();
  group.cancel();
  co_await group.join();
}

CO_TEST(AskManager, reports_missing_server) {
  http::PipeNetwork network(loop.time());
  const auto client = http::make_client(network, loop.time(), {.origin = kManager});
  Token token;
  const ExplainOutcome outcome =
      co_await ask_manager(*client, token,
                           {.subject = kPod,
                            .server = "http://manager:80",
                            .deadline = runtime::Deadline::after(loop.time(), 30s)});
  EXPECT_EQ(outcome.status, ExplainStatus::not_answered);
  EXPECT_TRUE(outcome.text.starts_with("http://manager:80: ")) << outcome.text;
  EXPECT_EQ(outcome.text.find("secret"), std::string::npos);
}

TEST(ExplainOptions, are_read_from_command_line) {
  const auto options =
      dra_manager::parse_explain_options({"pod", "-n", "lab", "a", "-o", "json", "--timeout=5s",
                                          "--feature-gates=DRAAdminAccess=false"});
  ASSERT_TRUE(options) << options.error();
  EXPECT_EQ(options->words, (options::Strings{"pod", "a"}));
  EXPECT_EQ(options->namespace_, "lab");
  EXPECT_EQ(options->format, Format::json);
  EXPECT_EQ(options->timeout, 5s);
  EXPECT_EQ(options->feature_gates, (options::Switches{{"DRAAdminAccess", false}}));
}

TEST(ExplainOptions, are_rejected_if_unusable) {
  const auto why = [](const options::Strings& arguments) {
    const auto options = dra_manager::parse_explain_options(arguments);
    return options ? std::string() : options.error();
  };
  EXPECT_NE(why({"--output=yaml"}).find("text or json"), std::string::npos);
  EXPECT_NE(why({"--token-file=t"}).find("need --server"), std::string::npos);
  EXPECT_NE(why({"--server=http://x", "--token-file=t"}).find("without TLS"), std::string::npos);
  EXPECT_NE(why({"--server=https://x", "--client-key=k"}).find("need each other"),
            std::string::npos);
  EXPECT_NE(why({"--unknown"}), "");
  EXPECT_EQ(why({"--server=https://x", "--token-file=t", "pod", "a"}), "");
}

}  // namespace
}  // namespace dcm::explain
