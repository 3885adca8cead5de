// When a plugin runs, and what requests get meanwhile, on virtual time.
#include "client/auth/exec_credentials.hpp"

#include <deque>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "runtime/loop.hpp"
#include "runtime/task_group.hpp"
#include "runtime/timestamp.hpp"
#include "test/unit/client_config/files.hpp"

namespace dcm::client {
namespace {

using namespace std::chrono_literals;
using runtime::Deadline;
using runtime::Duration;
using runtime::Result;
using runtime::Task;
using testing::ElementsAre;
using testing::HasSubstr;
using Refreshed = Credentials::Refreshed;

std::string token_status(const std::string& token, std::optional<runtime::WallTime> expires = {}) {
  const std::string until =
      expires ? fmt::format(R"(,"expirationTimestamp":"{}")", runtime::timestamp(*expires)) : "";
  return fmt::format(R"({{"kind":"ExecCredential","apiVersion":"{}","status":{{"token":"{}"{}}}}})",
                     kExecV1, token, until);
}

// The results of the next runs; the last is repeated.
class FakeRunner final : public PluginRunner {
 public:
  struct Run {
    Duration takes{};
    std::function<Result<std::string>()> gives;
  };

  explicit FakeRunner(runtime::TimeSource& time) : time_(time) {}

  Task<Result<std::string>> run(const ExecPlugin&, std::string, Deadline deadline) override {
    ++runs;
    const Run next = script.front();
    if (script.size() > 1) script.pop_front();
    if (next.takes > deadline.left(time_)) {
      co_await runtime::sleep_until(time_, deadline.time());
      co_return runtime::fail(runtime::Reason::deadline_exceeded, "it had not ended");
    }
    co_await runtime::sleep_for(time_, next.takes);
    co_return next.gives();
  }

  std::deque<Run> script;
  int runs = 0;

 private:
  runtime::TimeSource& time_;
};

class ExecCredentials : public testing::Test {
 protected:
  ExecCredentials() {
    auto runner = std::make_unique<FakeRunner>(loop_.time());
    runner_ = runner.get();
    credentials_ = make_exec_credentials(
        {.plugin = {.api_version = std::string(kExecV1), .command = "login"}, .exec_info = "{}"},
        std::move(runner),
        [this](const ClientIdentity& identity) {
          identities_.push_back(identity.certificate_pem);
          return use_certificate_;
        },
        loop_.time(), runtime::Logger(backend_));
  }

  // Each token lives for `life` from its run, and is named by its number.
  void give_tokens(Duration life, Duration takes = 0s) {
    runner_->script = {{takes, [this, life] {
                          return token_status(fmt::format("t{}", runner_->runs),
                                              loop_.time().wall_now() + life);
                        }}};
  }
  void then_fail() {
    runner_->script = {{0s, [] {
                          return runtime::fail(runtime::Reason::configuration,
                                               "credential plugin \"login\" ended with status 1");
                        }}};
  }
  void give(const std::string& output) {
    runner_->script = {{0s, [output] { return output; }}};
  }

  // The credential of one request.
  Task<> authorize(std::string& got, Duration timeout) {
    http::Headers headers;
    const Result<> result =
        co_await credentials_->authorize(headers, Deadline::after(loop_.time(), timeout));
    got = result ? std::string(headers.find("Authorization").value_or("(none)"))
                 : result.error().message;
  }
  std::string authorization(Duration timeout = 1min) {
    std::string got;
    loop_.run(authorize(got, timeout));
    return got;
  }
  Task<> refuse(std::string rejected, std::string& refreshed, Duration timeout) {
    const Refreshed result =
        co_await credentials_->refresh(std::move(rejected), Deadline::after(loop_.time(), timeout));
    refreshed = result == Refreshed::yes ? "yes" : "no";
  }
  Refreshed refresh(const std::string& rejected) {
    Refreshed refreshed{};
    loop_.run(refresh_into(rejected, refreshed));
    return refreshed;
  }
  // Runs `body` concurrently with keep_fresh().
  void with_keeper(const std::function<void()>& body) {
    runtime::TaskGroup keeper(loop_.executor());
    keeper.spawn("keep fresh", credentials_->keep_fresh());
    body();
    keeper.cancel();
    loop_.run(keeper.join());
  }

  runtime::VirtualLoop loop_;
  std::vector<std::string> logged_;
  std::shared_ptr<runtime::LogBackend> backend_ = std::make_shared<runtime::LogBackend>(
      loop_.time(), runtime::LogFormat::text,
      [this](runtime::Severity, std::string_view line) { logged_.emplace_back(line); });
  std::vector<std::string> identities_;
  Result<> use_certificate_;
  FakeRunner* runner_ = nullptr;
  std::unique_ptr<Credentials> credentials_;

 private:
  Task<> refresh_into(std::string rejected, Refreshed& refreshed) {
    refreshed = co_await credentials_->refresh(std::move(rejected), Deadline());
  }
};

TEST_F(ExecCredentials, runs_once_for_token_without_expiry) {
  give(token_status("abc"));
  EXPECT_EQ(authorization(), "Bearer abc");
  loop_.run_for(24h);
  EXPECT_EQ(authorization(), "Bearer abc");
  EXPECT_EQ(runner_->runs, 1);
}

TEST_F(ExecCredentials, shares_one_run_among_requests) {
  give_tokens(1h, 5s);
  std::vector<std::string> got(20);
  runtime::TaskGroup group(loop_.executor());
  for (std::string& one : got) group.spawn("request", authorize(one, 1min));
  loop_.run(group.join());
  EXPECT_THAT(got, testing::Each("Bearer t1"));
  EXPECT_EQ(runner_->runs, 1);
}

TEST_F(ExecCredentials, renews_expired_token_on_request) {
  give_tokens(1h);
  EXPECT_EQ(authorization(), "Bearer t1");
  loop_.run_for(59min);
  EXPECT_EQ(authorization(), "Bearer t1");
  loop_.run_for(1min);
  EXPECT_EQ(authorization(), "Bearer t2");
}

TEST_F(ExecCredentials, renews_token_before_it_expires) {
  give_tokens(1h, 5s);
  with_keeper([&] {
    EXPECT_EQ(authorization(), "Bearer t1");
    loop_.run_for(47min);
    EXPECT_EQ(runner_->runs, 1);
    loop_.run_for(3min);
    EXPECT_EQ(runner_->runs, 2);
    EXPECT_EQ(authorization(), "Bearer t2");
    loop_.run_for(10h);
    EXPECT_EQ(runner_->runs, 14) << "every 48 minutes and up to one more";
  });
}

TEST_F(ExecCredentials, notices_jump_of_wall_clock_within_a_minute) {
  give_tokens(10h);
  with_keeper([&] {
    EXPECT_EQ(authorization(), "Bearer t1");
    loop_.time().step_wall(9h);
    loop_.run_for(1min);
    EXPECT_EQ(authorization(), "Bearer t2");
  });
}

TEST_F(ExecCredentials, warns_of_failure_while_last_token_is_valid) {
  give_tokens(1h);
  with_keeper([&] {
    EXPECT_EQ(authorization(), "Bearer t1");
    then_fail();
    loop_.run_for(55min);
    EXPECT_EQ(authorization(), "Bearer t1");
    ASSERT_EQ(logged_.size(), 1U);
    EXPECT_THAT(logged_[0], HasSubstr("Cannot renew credentials; keeping the last ones"));
    EXPECT_THAT(logged_[0], HasSubstr("ended with status 1"));
    loop_.run_for(5min);
    EXPECT_THAT(authorization(), HasSubstr("ended with status 1"));
    give_tokens(1h);
    loop_.run_for(2min);
    EXPECT_THAT(authorization(), testing::StartsWith("Bearer t"));
  });
}

TEST_F(ExecCredentials, pauses_after_failure) {
  then_fail();
  for (int i = 0; i < 100; ++i) {
    EXPECT_THAT(authorization(), HasSubstr("ended with status 1"));
    loop_.run_for(100ms);
  }
  EXPECT_EQ(runner_->runs, 4) << "after 0, 1, 3 and 7 s";
  give_tokens(1h);
  loop_.run_for(1min);
  EXPECT_EQ(authorization(), "Bearer t5");
}

TEST_F(ExecCredentials, gives_up_hanging_plugin_at_its_own_deadline) {
  give_tokens(1h, 24h);
  EXPECT_EQ(authorization(10min), "it had not ended");
  EXPECT_EQ(loop_.time().now(), runtime::MonoTime(30s));
}

TEST_F(ExecCredentials, reports_hanging_plugin_to_caller_with_equal_deadline) {
  give_tokens(1h, 24h);
  EXPECT_EQ(authorization(30s - 1us), "it had not ended");
  EXPECT_EQ(authorization(30s - 1us), "it had not ended");
  EXPECT_EQ(runner_->runs, 1) << "it is left alone for a while";
}

TEST_F(ExecCredentials, respects_shorter_deadline_of_request) {
  give_tokens(1h, 20s);
  EXPECT_EQ(authorization(5s), "it had not ended");
  // That was not the plugin's fault.
  EXPECT_EQ(authorization(1min), "Bearer t2");
}

TEST_F(ExecCredentials, lets_slow_run_outlast_request) {
  give_tokens(1h, 6s);
  with_keeper([&] {
    EXPECT_EQ(authorization(5s), "credential plugin \"login\" had not ended by the deadline");
    loop_.run_for(1s);
    EXPECT_EQ(authorization(0s), "Bearer t1");
    loop_.run_for(30min);
    give_tokens(1h, 6s);
    std::vector<std::string> got(20);
    runtime::TaskGroup group(loop_.executor());
    for (std::string& one : got) group.spawn("request", refuse("Bearer t1", one, 5s));
    loop_.run(group.join());
    EXPECT_THAT(got, testing::Each("no"));
    loop_.run_for(1s);
    EXPECT_EQ(authorization(0s), "Bearer t2");
  });
  EXPECT_EQ(runner_->runs, 2);
}

TEST_F(ExecCredentials, pauses_after_failure_that_requests_share_with_keeper) {
  then_fail();
  with_keeper([&] {
    for (int i = 0; i < 100; ++i) {
      EXPECT_THAT(authorization(), HasSubstr("ended with status 1"));
      loop_.run_for(100ms);
    }
  });
  EXPECT_EQ(runner_->runs, 4) << "after 0, 1, 3 and 7 s";
}

TEST_F(ExecCredentials, leaves_run_to_request_when_keeper_ends) {
  give_tokens(1h, 5s);
  for (const Duration earlier : {0s, 1s}) {
    std::string got;
    runtime::TaskGroup request(loop_.executor());
    with_keeper([&] {
      request.spawn("request", authorize(got, 1min));
      if (earlier > 0s) loop_.run_for(earlier);
    });
    loop_.run(request.join());
    EXPECT_THAT(got, testing::StartsWith("Bearer t"));
    loop_.run_for(1h);
  }
}

TEST_F(ExecCredentials, runs_plugin_again_after_401_with_delay) {
  give_tokens(1h);
  EXPECT_EQ(authorization(), "Bearer t1");
  EXPECT_EQ(refresh("Bearer t0"), Refreshed::yes) << "another one is in use already";
  EXPECT_EQ(refresh("Bearer t1"), Refreshed::no) << "it has run just now";
  loop_.run_for(10s);
  EXPECT_EQ(refresh("Bearer t1"), Refreshed::yes);
  EXPECT_EQ(runner_->runs, 2);
  EXPECT_EQ(authorization(), "Bearer t2");
}

TEST_F(ExecCredentials, ignores_identical_token) {
  give(token_status("abc"));
  EXPECT_EQ(authorization(), "Bearer abc");
  loop_.run_for(10s);
  EXPECT_EQ(refresh("Bearer abc"), Refreshed::no);
}

std::string certificate_status() {
  std::string certificate = kCertificatePem;
  std::string key = kKeyPem;
  for (std::string* const text : {&certificate, &key}) {
    for (auto at = text->find('\n'); at != text->npos; at = text->find('\n'))
      text->replace(at, 1, "\\n");
  }
  return fmt::format(R"({{"kind":"ExecCredential","apiVersion":"{}","status":{{)"
                     R"("clientCertificateData":"{}","clientKeyData":"{}"}}}})",
                     kExecV1, certificate, key);
}

TEST_F(ExecCredentials, installs_certificate_before_request_continues) {
  give(certificate_status());
  EXPECT_EQ(authorization(), "(none)");
  EXPECT_THAT(identities_, ElementsAre(kCertificatePem));
  loop_.run_for(10s);
  EXPECT_EQ(refresh(""), Refreshed::yes);
  EXPECT_EQ(identities_.size(), 2U);
}

TEST_F(ExecCredentials, withdraws_certificate_when_plugin_gives_token_alone) {
  give(certificate_status());
  EXPECT_EQ(authorization(), "(none)");
  loop_.run_for(10s);
  give(token_status("abc"));
  EXPECT_EQ(refresh(""), Refreshed::yes);
  EXPECT_THAT(identities_, ElementsAre(kCertificatePem, ""));
  loop_.run_for(10s);
  EXPECT_EQ(refresh("Bearer abc"), Refreshed::no);
  EXPECT_EQ(identities_.size(), 2U);
}

TEST_F(ExecCredentials, blames_plugin_for_unusable_certificate) {
  give(certificate_status());
  use_certificate_ = runtime::fail(runtime::Reason::configuration, "the key is another one's");
  EXPECT_EQ(authorization(),
            "credential plugin \"login\": its client certificate cannot be used: the key is "
            "another one's");
}

TEST_F(ExecCredentials, reports_garbage_in_one_line) {
  give("garbage\nand more");
  EXPECT_EQ(authorization(), "credential plugin \"login\": its output is not a JSON object");
}

// This machine's clock may be ahead: the server decides whether the credential is valid.
TEST_F(ExecCredentials, uses_apparently_expired_token_with_one_warning) {
  give_tokens(-2min);
  EXPECT_EQ(authorization(), "Bearer t1");
  EXPECT_EQ(authorization(), "Bearer t1");
  EXPECT_EQ(runner_->runs, 1) << "not run again at once";
  ASSERT_EQ(logged_.size(), 1U);
  EXPECT_THAT(logged_[0], HasSubstr("have expired by this machine's clock"));
  loop_.run_for(1s);
  EXPECT_EQ(authorization(), "Bearer t2") << "the plugin may have renewed it meanwhile";
  EXPECT_EQ(logged_.size(), 1U);
}

TEST_F(ExecCredentials, backs_off_while_token_looks_expired) {
  give_tokens(-2min);
  for (int second = 0; second < 600; ++second) {
    EXPECT_THAT(authorization(), HasSubstr("Bearer"));
    loop_.run_for(1s);
  }
  EXPECT_LE(runner_->runs, 16);
  EXPECT_GE(runner_->runs, 12) << "at least once a minute";
}

TEST_F(ExecCredentials, keeps_apparently_expired_token_while_plugin_fails) {
  give_tokens(-2min);
  EXPECT_EQ(authorization(), "Bearer t1");
  then_fail();
  for (int second = 0; second < 120; ++second) {
    loop_.run_for(1s);
    EXPECT_EQ(authorization(), "Bearer t1");
  }
  give_tokens(1h);
  loop_.run_for(1min);
  const int runs = runner_->runs + 1;
  EXPECT_EQ(authorization(), fmt::format("Bearer t{}", runs));
  loop_.run_for(30min);
  EXPECT_EQ(authorization(), fmt::format("Bearer t{}", runs)) << "an ordinary one again";
}

TEST_F(ExecCredentials, runs_plugin_again_after_401_to_apparently_expired_token) {
  give_tokens(-2min);
  EXPECT_EQ(authorization(), "Bearer t1");
  loop_.run_for(10s);
  EXPECT_EQ(refresh("Bearer t1"), Refreshed::yes);
  EXPECT_EQ(authorization(), "Bearer t2");
}

TEST_F(ExecCredentials, renews_apparently_expired_token_in_advance) {
  give_tokens(-2min, 3s);
  EXPECT_EQ(authorization(), "Bearer t1");
  with_keeper([this] {
    for (int minute = 0; minute < 10; ++minute) loop_.run_for(1min);
  });
  EXPECT_GE(runner_->runs, 8);
  EXPECT_LE(runner_->runs, 16);
}

TEST_F(ExecCredentials, leaves_run_to_next_caller_when_cancelled) {
  give_tokens(1h, 5s);
  std::string first;
  std::string second;
  runtime::TaskGroup one(loop_.executor());
  runtime::TaskGroup other(loop_.executor());
  one.spawn("first", authorize(first, 1min));
  loop_.run_for(1s);
  other.spawn("second", authorize(second, 1min));
  loop_.run_for(1s);
  one.cancel();
  loop_.run(one.join());
  loop_.run(other.join());
  EXPECT_EQ(first, "");
  EXPECT_EQ(second, "Bearer t2");
}

}  // namespace
}  // namespace dcm::client
